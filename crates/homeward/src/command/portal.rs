//! `homeward portal`: the theme and texts of a merchant's returns portal.

use std::path::{Path, PathBuf};

use anyhow::Context;
use app::{
    access::portal_links::{LINK_DAYS_DEFAULT, LINK_DAYS_MAX, PortalLink},
    merchants::portals::PortalView,
};
use clap::Subcommand;
use domain::{bodies::WriteJson, identifier::MerchantId, json, merchants::portal::logo_kind};
use hyper::Method;
use serde_json::json;

use super::policy::read_json;
use crate::{
    config::Config,
    output::Output,
    session::{Remote, Session},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Portal {
    /// Show the theme and texts of a merchant's portal
    Show {
        /// The merchant, such as acme
        #[arg(value_parser = MerchantId::parse)]
        merchant: MerchantId,
        #[command(flatten)]
        remote: Remote,
    },
    /// Set the theme and texts of a merchant's portal, its logo, or both
    #[command(group = clap::ArgGroup::new("what").required(true).multiple(true))]
    Set {
        /// The merchant, such as acme
        #[arg(value_parser = MerchantId::parse)]
        merchant: MerchantId,
        /// The whole theme and all texts, as JSON; - for standard input
        #[arg(long, group = "what")]
        file: Option<PathBuf>,
        /// A PNG, JPEG or WebP image of at most 256 KiB
        #[arg(long, group = "what", value_name = "FILE")]
        logo: Option<PathBuf>,
        /// Show the merchant's name instead of a logo
        #[arg(long, group = "what", conflicts_with = "logo")]
        no_logo: bool,
        #[command(flatten)]
        remote: Remote,
    },
    /// Sign a link to an order for a mail: who opens it has proven to be the buyer
    Link {
        /// The merchant, such as acme
        #[arg(value_parser = MerchantId::parse)]
        merchant: MerchantId,
        /// The merchant's identifier of the order
        order: String,
        /// The link is for the person who gets the goods as a gift
        #[arg(long)]
        gift: bool,
        /// How many days the link is valid
        #[arg(long, default_value_t = LINK_DAYS_DEFAULT,
            value_parser = clap::value_parser!(i64).range(1..=LINK_DAYS_MAX))]
        days: i64,
        #[command(flatten)]
        remote: Remote,
    },
}

impl Portal {
    pub(crate) async fn run(self, config: &Config, output: Output) -> anyhow::Result<()> {
        let (Self::Show { remote, .. } | Self::Set { remote, .. } | Self::Link { remote, .. }) =
            &self;
        let remote = remote.clone();
        Session::run(config, &remote, async |session| self.execute(session, output).await).await
    }

    async fn execute(self, session: &mut Session, output: Output) -> anyhow::Result<()> {
        let (Self::Show { merchant, .. }
        | Self::Set { merchant, .. }
        | Self::Link { merchant, .. }) = &self;
        let path = format!("/admin/merchants/{merchant}/portal");
        if let Self::Link { order, gift, days, .. } = &self {
            let body = json!({ "order_identifier": order, "gift": gift, "days": days });
            let link: PortalLink = session.post(&format!("{path}/links"), &body).await?;
            output.print(&link, || link.path.clone());
            return Ok(());
        }
        if let Self::Set { file, logo, no_logo, .. } = &self {
            if let Some(file) = file {
                let _: PortalView = session.put(&path, &read_json(file)?).await?;
            }
            if let Some(logo) = logo {
                send_logo(session, &path, logo).await?;
            }
            if *no_logo {
                let _: PortalView = session.delete(&format!("{path}/logo")).await?;
            }
        }
        let view: PortalView = session.get(&path).await?;
        output.print(&view, || describe(&view));
        Ok(())
    }
}

async fn send_logo(session: &mut Session, path: &str, file: &Path) -> anyhow::Result<()> {
    let name = file.display();
    let bytes = std::fs::read(file).with_context(|| format!("{name} cannot be read"))?;
    let kind = logo_kind(&bytes).map_err(|why| anyhow::anyhow!("{name}: {why}"))?;
    let path = format!("{path}/logo");
    let sent = session.send_bytes(Method::PUT, &path, kind.media_type(), bytes.into()).await?;
    sent.json::<PortalView>().map(drop)
}

fn describe(view: &PortalView) -> String {
    let portal = json::pretty(&view.portal.to_json());
    let logo = if view.has_logo { "Logo: yes." } else { "Logo: none." };
    format!("{logo}\n{portal}")
}
