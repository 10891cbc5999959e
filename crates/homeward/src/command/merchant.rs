//! `homeward merchant`: merchants and the secrets of their clients.

use anyhow::{Context, bail};
use app::{
    access::{add_client::Credentials, change_client::ClientView, rotate_secret::SigningSecret},
    merchants::{
        add_merchant::AddedMerchant,
        change_merchant::{MerchantChange, MerchantView},
    },
};
use clap::{Args, Subcommand};
use domain::{
    identifier::{ClientId, MerchantId},
    merchants::merchant::CarrierMode,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    config::Config,
    output::{Output, table},
    session::{Remote, Session},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Merchant {
    /// Add a merchant and print its credentials, which are shown this once
    Add {
        /// 1 to 63 of a to z, 0 to 9 and hyphen
        #[arg(value_parser = MerchantId::parse)]
        merchant: MerchantId,
        /// The merchant's name, as people know it
        #[arg(long)]
        name: String,
        /// Refuse orders whose amounts do not add up, instead of warning
        #[arg(long)]
        strict: bool,
        #[command(flatten)]
        remote: Remote,
    },
    /// List merchants
    List {
        #[command(flatten)]
        remote: Remote,
    },
    /// Change a merchant's settings
    Set {
        #[arg(value_parser = MerchantId::parse)]
        merchant: MerchantId,
        #[command(flatten)]
        change: Change,
        #[command(flatten)]
        remote: Remote,
    },
    /// Give a merchant's client a new secret; the old one stays live beside it
    RotateSecret {
        #[arg(value_parser = MerchantId::parse)]
        merchant: MerchantId,
        /// Which client, when the merchant has several
        #[arg(long, value_name = "CLIENT_ID", value_parser = super::client::client_id)]
        client: Option<ClientId>,
        /// End the old secret and every token at once
        #[arg(long)]
        revoke_old: bool,
        /// Rotate the secret that signs messages instead
        #[arg(long, conflicts_with_all = ["client", "revoke_old"])]
        signing: bool,
        #[command(flatten)]
        remote: Remote,
    },
    /// Refuse a merchant's clients and tokens; its data stays
    Disable {
        #[arg(value_parser = MerchantId::parse)]
        merchant: MerchantId,
        #[command(flatten)]
        remote: Remote,
    },
    /// Admit a disabled merchant again
    Enable {
        #[arg(value_parser = MerchantId::parse)]
        merchant: MerchantId,
        #[command(flatten)]
        remote: Remote,
    },
}

#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub(crate) struct Change {
    /// A new name
    #[arg(long)]
    name: Option<String>,
    /// Refuse orders whose amounts do not add up (true), or warn (false)
    #[arg(long)]
    strict: Option<bool>,
    /// Who makes labels and tells where parcels are: simulated or external
    #[arg(long, value_parser = carrier)]
    carrier: Option<CarrierMode>,
    /// Whether our warehouse receives what comes back
    #[arg(long)]
    managed_receiving: Option<bool>,
}

fn carrier(text: &str) -> Result<CarrierMode, String> {
    CarrierMode::parse(text).ok_or_else(|| "must be simulated or external".to_owned())
}

#[derive(Serialize, Deserialize)]
struct Page {
    merchants: Vec<MerchantView>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

#[derive(Deserialize)]
struct Clients {
    clients: Vec<ClientView>,
}

impl Merchant {
    pub(crate) async fn run(self, config: &Config, output: Output) -> anyhow::Result<()> {
        let mut session = Session::open(config, self.remote()).await?;
        let done = self.with(&mut session, output).await;
        session.close().await;
        done
    }

    fn remote(&self) -> &Remote {
        match self {
            Self::Add { remote, .. }
            | Self::List { remote }
            | Self::Set { remote, .. }
            | Self::RotateSecret { remote, .. }
            | Self::Disable { remote, .. }
            | Self::Enable { remote, .. } => remote,
        }
    }

    async fn with(self, session: &mut Session, output: Output) -> anyhow::Result<()> {
        match self {
            Self::Add { merchant, name, strict, .. } => {
                let body = json!({ "merchant": merchant, "name": name, "strict": strict });
                let added: AddedMerchant = session.post("/admin/merchants", &body).await?;
                output.data(&added, || added_words(&added));
            }
            Self::List { .. } => list(session, output).await?,
            Self::Set { merchant, change, .. } => {
                let Change { name, strict, carrier, managed_receiving } = change;
                let change = MerchantChange {
                    name,
                    strict,
                    carrier,
                    managed_receiving,
                    ..MerchantChange::default()
                };
                change_merchant(session, output, &merchant, &change).await?;
            }
            Self::RotateSecret { merchant, signing: true, .. } => {
                let path = format!("/admin/merchants/{merchant}/rotate_signing_secret");
                let secret: SigningSecret = session.post(&path, &json!({})).await?;
                output.data(&secret, || format!("signing_secret  {}", secret.signing_secret));
            }
            Self::RotateSecret { merchant, client, revoke_old, .. } => {
                let client = match client {
                    Some(client) => client.to_string(),
                    None => only_client(session, &merchant).await?,
                };
                let path = format!("/admin/clients/{client}/rotate_secret");
                let rotated: Credentials =
                    session.post(&path, &json!({ "revoke_old": revoke_old })).await?;
                output.data(&rotated, || super::client::credentials_words(&rotated));
            }
            Self::Disable { merchant, .. } => disable(session, output, &merchant, true).await?,
            Self::Enable { merchant, .. } => disable(session, output, &merchant, false).await?,
        }
        Ok(())
    }
}

fn added_words(added: &AddedMerchant) -> String {
    format!(
        "Merchant {} added. Keep these; they are not shown again.\n\
         client_id       {}\nclient_secret   {}\nsigning_secret  {}",
        added.merchant, added.client_id, added.client_secret, added.signing_secret
    )
}

async fn list(session: &mut Session, output: Output) -> anyhow::Result<()> {
    let mut merchants = Vec::new();
    let mut after = String::new();
    loop {
        let path = format!("/admin/merchants?limit=500&after={after}");
        let mut page: Page = session.get(&path).await?;
        merchants.append(&mut page.merchants);
        match page.next {
            Some(next) => after = next,
            None => break,
        }
    }
    let page = Page { merchants, next: None };
    output.data(&page, || {
        let row = |merchant: &MerchantView| {
            let state = if merchant.disabled_at.is_some() { "disabled" } else { "enabled" };
            let strict = if merchant.settings.strict { "strict" } else { "lenient" };
            vec![
                merchant.merchant.clone(),
                state.to_owned(),
                strict.to_owned(),
                merchant.name.clone(),
            ]
        };
        let rows: Vec<_> = page.merchants.iter().map(row).collect();
        table(&["MERCHANT", "STATE", "AMOUNTS", "NAME"], &rows)
    });
    Ok(())
}

async fn disable(
    session: &mut Session,
    output: Output,
    merchant: &MerchantId,
    disabled: bool,
) -> anyhow::Result<()> {
    let change = MerchantChange { disabled: Some(disabled), ..MerchantChange::default() };
    change_merchant(session, output, merchant, &change).await
}

async fn change_merchant(
    session: &mut Session,
    output: Output,
    merchant: &MerchantId,
    change: &MerchantChange,
) -> anyhow::Result<()> {
    let path = format!("/admin/merchants/{merchant}");
    let changed: MerchantView = session.patch(&path, change).await?;
    output.data(&changed, || {
        let state = if changed.disabled_at.is_some() { "disabled" } else { "enabled" };
        let strict = if changed.settings.strict { "strict" } else { "lenient" };
        let carrier = changed.settings.carrier.name();
        let received = if changed.settings.managed_receiving { "ours" } else { "the merchant's" };
        format!(
            "{} ({}) is {state}, {strict} about amounts; its carrier is {carrier}, receiving is \
             {received}.",
            changed.merchant, changed.name
        )
    });
    Ok(())
}

async fn only_client(session: &mut Session, merchant: &MerchantId) -> anyhow::Result<String> {
    let found: Clients = session.get(&format!("/admin/clients?merchant={merchant}")).await?;
    let live: Vec<_> = found.clients.iter().filter(|it| it.disabled_at.is_none()).collect();
    if live.len() > 1 {
        let ids: Vec<_> = live.iter().map(|client| client.client_id.as_str()).collect();
        bail!("{merchant} has several clients; name one with --client: {}", ids.join(", "));
    }
    let client = live.first().with_context(|| format!("{merchant} has no client"))?;
    Ok(client.client_id.clone())
}
