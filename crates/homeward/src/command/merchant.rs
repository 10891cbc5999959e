//! `homeward merchant`: merchants and the secrets of their clients.

mod settings_file;

use std::path::PathBuf;

use anyhow::{Context, bail};
use app::{
    access::{add_client::ClientCredentials, rotate_secret::SigningSecret},
    merchants::{
        add_merchant::AddedMerchant,
        change_merchant::{MerchantChange, MerchantView},
    },
};
use clap::{Args, Subcommand};
use domain::{
    identifier::{ClientId, MerchantId},
    merchants::merchant::{CarrierMode, WeightUnit},
};
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::client::{Clients, format_credentials, parse_client_id};
use crate::{
    output::{Output, format_table},
    session::{Remote, RemoteCommand, Session},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Merchant {
    /// Add a merchant and print its credentials, which are shown only once
    Add {
        /// 1 to 63 characters: a to z, 0 to 9 and hyphen
        #[arg(value_parser = MerchantId::parse)]
        merchant: MerchantId,
        /// The merchant's name, as people know it
        #[arg(long)]
        name: String,
        /// Refuse orders if their amounts do not add up, instead of warning
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
    #[command(override_usage = "homeward merchant set <MERCHANT> [OPTIONS]")]
    Set {
        /// The merchant, such as acme
        #[arg(value_parser = MerchantId::parse)]
        merchant: MerchantId,
        #[command(flatten)]
        settings: SettingsArgs,
        #[command(flatten)]
        remote: Remote,
    },
    /// Write a merchant's settings to a file, without secrets: policy, portal, mails and the like
    Export {
        /// The merchant, such as acme
        #[arg(value_parser = MerchantId::parse)]
        merchant: MerchantId,
        /// By default standard output
        file: Option<PathBuf>,
        #[command(flatten)]
        remote: Remote,
    },
    /// Set everything that a file of `merchant export` has, also one of another installation
    Import {
        /// The merchant, such as acme
        #[arg(value_parser = MerchantId::parse)]
        merchant: MerchantId,
        file: PathBuf,
        #[command(flatten)]
        remote: Remote,
    },
    /// Give a merchant's client a new secret; the old one stays valid
    RotateSecret {
        /// The merchant, such as acme
        #[arg(value_parser = MerchantId::parse)]
        merchant: MerchantId,
        /// The client, if the merchant has several
        #[arg(long, value_name = "CLIENT_ID", value_parser = parse_client_id)]
        client: Option<ClientId>,
        /// Revoke the old secret at once, and all tokens of the client
        #[arg(long)]
        revoke_old: bool,
        /// Rotate the secret that signs messages instead
        #[arg(long, conflicts_with = "client")]
        signing: bool,
        #[command(flatten)]
        remote: Remote,
    },
    /// Disable a merchant: its clients and tokens are refused, its data is kept
    Disable {
        /// The merchant, such as acme
        #[arg(value_parser = MerchantId::parse)]
        merchant: MerchantId,
        #[command(flatten)]
        remote: Remote,
    },
    /// Enable a disabled merchant
    Enable {
        /// The merchant, such as acme
        #[arg(value_parser = MerchantId::parse)]
        merchant: MerchantId,
        #[command(flatten)]
        remote: Remote,
    },
}

#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub(crate) struct SettingsArgs {
    /// A new name
    #[arg(long)]
    name: Option<String>,
    /// Refuse orders if their amounts do not add up (true), or warn (false)
    #[arg(long, value_name = "BOOL")]
    strict: Option<bool>,
    /// Where labels and parcel events come from: simulated, external or easypost
    #[arg(long, value_parser = parse_carrier)]
    carrier: Option<CarrierMode>,
    /// Whether the platform's warehouse receives the returned units
    #[arg(long, value_name = "BOOL")]
    managed_receiving: Option<bool>,
    /// Whether the responses 409 and 422 end an exchange order at once
    #[arg(long, value_name = "BOOL")]
    exchange_refusal_is_final: Option<bool>,
    /// How many cents a refund may differ from the promise
    #[arg(long, value_parser = clap::value_parser!(i64).range(0..), value_name = "CENTS")]
    refund_tolerance_cents: Option<i64>,
    /// Whether messages about returns and exchange orders have extensions
    #[arg(long, value_name = "BOOL")]
    message_extensions: Option<bool>,
    /// The unit of the weights in orders: grams, kilograms, ounces or pounds
    #[arg(long, value_parser = parse_weight_unit, value_name = "UNIT")]
    weight_unit: Option<WeightUnit>,
}

fn parse_carrier(text: &str) -> Result<CarrierMode, String> {
    CarrierMode::parse(text).ok_or_else(|| "must be simulated, external or easypost".to_owned())
}

fn parse_weight_unit(text: &str) -> Result<WeightUnit, String> {
    let unit = WeightUnit::parse(text);
    unit.ok_or_else(|| "must be grams, kilograms, ounces or pounds".to_owned())
}

#[omit_none]
#[derive(Serialize, Deserialize)]
struct MerchantPage {
    merchants: Vec<MerchantView>,
    next: Option<String>,
}

impl RemoteCommand for Merchant {
    type Done = ();

    fn remote(&self) -> &Remote {
        match self {
            Self::Add { remote, .. }
            | Self::List { remote }
            | Self::Set { remote, .. }
            | Self::Export { remote, .. }
            | Self::Import { remote, .. }
            | Self::RotateSecret { remote, .. }
            | Self::Disable { remote, .. }
            | Self::Enable { remote, .. } => remote,
        }
    }

    async fn execute(self, session: &mut Session, output: Output) -> anyhow::Result<()> {
        match self {
            Self::Add { merchant, name, strict, .. } => {
                let body = json!({ "merchant": merchant, "name": name, "strict": strict });
                let added: AddedMerchant = session.post("/admin/merchants", &body).await?;
                output.print(&added, || format_added(&added));
            }
            Self::List { .. } => list(session, output).await?,
            Self::Set { merchant, settings, .. } => {
                let change = MerchantChange {
                    name: settings.name,
                    strict: settings.strict,
                    carrier: settings.carrier,
                    managed_receiving: settings.managed_receiving,
                    exchange_refusal_is_final: settings.exchange_refusal_is_final,
                    refund_tolerance_cents: settings.refund_tolerance_cents,
                    message_extensions: settings.message_extensions,
                    weight_unit: settings.weight_unit,
                    ..MerchantChange::default()
                };
                change_merchant(session, output, &merchant, &change).await?;
            }
            Self::Export { merchant, file, .. } => {
                settings_file::export(session, &merchant, file.as_deref()).await?;
            }
            Self::Import { merchant, file, .. } => {
                settings_file::import(session, output, &merchant, &file).await?;
            }
            Self::RotateSecret { merchant, signing: true, revoke_old, .. } => {
                let path = format!("/admin/merchants/{merchant}/rotate_signing_secret");
                let body = json!({ "revoke_old": revoke_old });
                let secret: SigningSecret = session.post(&path, &body).await?;
                output.print(&secret, || format!("signing_secret  {}", secret.signing_secret));
            }
            Self::RotateSecret { merchant, client, revoke_old, .. } => {
                let client = match client {
                    Some(client) => client.to_string(),
                    None => find_only_client(session, &merchant).await?,
                };
                let path = format!("/admin/clients/{client}/rotate_secret");
                let rotated: ClientCredentials =
                    session.post(&path, &json!({ "revoke_old": revoke_old })).await?;
                output.print(&rotated, || format_credentials(&rotated));
            }
            Self::Disable { merchant, .. } => {
                set_disabled(session, output, &merchant, true).await?;
            }
            Self::Enable { merchant, .. } => {
                set_disabled(session, output, &merchant, false).await?;
            }
        }
        Ok(())
    }
}

fn format_added(added: &AddedMerchant) -> String {
    format!(
        "Merchant {} added. Keep these secrets; they are not shown again.\n\
         client_id       {}\nclient_secret   {}\nsigning_secret  {}",
        added.merchant, added.client_id, added.client_secret, added.signing_secret
    )
}

async fn list(session: &mut Session, output: Output) -> anyhow::Result<()> {
    let mut merchants = Vec::new();
    let mut after = String::new();
    loop {
        let path = format!("/admin/merchants?limit=500&after={after}");
        let mut page: MerchantPage = session.get(&path).await?;
        merchants.append(&mut page.merchants);
        match page.next {
            Some(next) => after = next,
            None => break,
        }
    }
    let page = MerchantPage { merchants, next: None };
    output.print(&page, || {
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
        format_table(&["MERCHANT", "STATE", "AMOUNTS", "NAME"], &rows)
    });
    Ok(())
}

async fn set_disabled(
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
    output.print(&changed, || {
        let state = if changed.disabled_at.is_some() { "disabled" } else { "enabled" };
        let strict = if changed.settings.strict { "strict" } else { "lenient" };
        let carrier = changed.settings.carrier.name();
        let receiver = if changed.settings.managed_receiving { "platform" } else { "merchant" };
        format!(
            "{} ({}) is {state}. Amounts: {strict}. Carrier: {carrier}. Receiving: {receiver}.",
            changed.merchant, changed.name
        )
    });
    Ok(())
}

async fn find_only_client(session: &mut Session, merchant: &MerchantId) -> anyhow::Result<String> {
    let all: Clients = session.get(&format!("/admin/clients?merchant={merchant}")).await?;
    let enabled: Vec<_> = all.clients.iter().filter(|it| it.disabled_at.is_none()).collect();
    if enabled.len() > 1 {
        let ids: Vec<_> = enabled.iter().map(|client| client.client_id.as_str()).collect();
        bail!("{merchant} has several clients; choose one with --client: {}", ids.join(", "));
    }
    let client = enabled.first().with_context(|| format!("{merchant} has no client"))?;
    Ok(client.client_id.clone())
}
