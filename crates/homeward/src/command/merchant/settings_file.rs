//! The settings of a merchant as one file, to bring them from the sandbox to production.
//!
//! The file has no secrets and nothing that belongs to one installation: no addresses of endpoints,
//! no credentials, no mail server, no carrier.

use std::path::Path;

use anyhow::{Context, ensure};
use domain::identifier::MerchantId;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::{
    output::{Output, print_note},
    session::Session,
};

/// The version of the file. A file of another version is refused.
const FORMAT: u32 = 1;
/// The settings that belong to one installation.
const LOCAL_SETTINGS: [&str; 1] = ["carrier"];
/// The settings about mails that a file has. The mail server is not among them.
const MAIL_SETTINGS: [&str; 4] = ["delivery", "disabled", "texts", "technical_contact"];

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SettingsFile {
    format: u32,
    name: String,
    settings: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    return_address: Value,
    policy: Value,
    portal: Value,
    retention: Value,
    mail: Map<String, Value>,
    disposition: Vec<Value>,
}

/// Writes the settings of a merchant to `file`, or to standard output.
pub(super) async fn export(
    session: &mut Session,
    merchant: &MerchantId,
    file: Option<&Path>,
) -> anyhow::Result<()> {
    let settings = read(session, merchant).await?;
    match file {
        Some(file) => {
            let text = serde_json::to_string_pretty(&settings)? + "\n";
            std::fs::write(file, text)
                .with_context(|| format!("{} cannot be written", file.display()))?;
            print_note(&format!("The settings of {merchant} are in {}.", file.display()));
        }
        None => Output { json: true }.print(&settings, String::new),
    }
    Ok(())
}

/// Sets everything that `file` has. What a file does not have stays as it is.
pub(super) async fn import(
    session: &mut Session,
    output: Output,
    merchant: &MerchantId,
    file: &Path,
) -> anyhow::Result<()> {
    let name = file.display();
    let text = std::fs::read_to_string(file).with_context(|| format!("{name} cannot be read"))?;
    let wanted: SettingsFile =
        serde_json::from_str(&text).with_context(|| format!("{name} has no settings"))?;
    ensure!(wanted.format == FORMAT, "{name} has format {}, not {FORMAT}", wanted.format);
    write(session, merchant, &wanted).await?;
    let now = read(session, merchant).await?;
    output.print(&now, || format!("Merchant {merchant} has the settings of {name}."));
    Ok(())
}

fn path(merchant: &MerchantId, part: &str) -> String {
    format!("/admin/merchants/{merchant}{part}")
}

async fn read(session: &mut Session, merchant: &MerchantId) -> anyhow::Result<SettingsFile> {
    let account: Value = session.get(&path(merchant, "")).await?;
    let policy: Value = session.get(&path(merchant, "/policy")).await?;
    let portal: Value = session.get(&path(merchant, "/portal")).await?;
    let mail: Value = session.get(&path(merchant, "/mail")).await?;
    let dispositions: Value = session.get(&path(merchant, "/disposition")).await?;
    let field = |value: &Value, name: &str| value.get(name).cloned().unwrap_or_default();
    let mut settings = field(&account, "settings").as_object().cloned().unwrap_or_default();
    settings.retain(|name, _| !LOCAL_SETTINGS.contains(&name.as_str()));
    let mut mail = mail.as_object().cloned().unwrap_or_default();
    mail.retain(|name, _| MAIL_SETTINGS.contains(&name.as_str()));
    let disposition = field(&dispositions, "dispositions").as_array().cloned();
    Ok(SettingsFile {
        format: FORMAT,
        name: field(&account, "name").as_str().unwrap_or_default().to_owned(),
        settings,
        return_address: field(&account, "return_address"),
        policy: field(&policy, "policy"),
        portal: field(&portal, "portal"),
        retention: session.get(&path(merchant, "/retention")).await?,
        mail,
        disposition: disposition.unwrap_or_default(),
    })
}

async fn write(
    session: &mut Session,
    merchant: &MerchantId,
    wanted: &SettingsFile,
) -> anyhow::Result<()> {
    let mut account = wanted.settings.clone();
    account.retain(|name, _| !LOCAL_SETTINGS.contains(&name.as_str()));
    account.insert("name".to_owned(), wanted.name.clone().into());
    if !wanted.return_address.is_null() {
        account.insert("return_address".to_owned(), wanted.return_address.clone());
    }
    let _: Value = session.patch(&path(merchant, ""), &account).await?;
    let _: Value = session.put(&path(merchant, "/policy"), &wanted.policy).await?;
    let _: Value = session.put(&path(merchant, "/portal"), &wanted.portal).await?;
    let _: Value = session.put(&path(merchant, "/retention"), &wanted.retention).await?;
    for disposition in &wanted.disposition {
        let _: Value = session.put(&path(merchant, "/disposition"), disposition).await?;
    }
    // The mail server of the installation stays, with its password.
    let known: Value = session.get(&path(merchant, "/mail")).await?;
    let mut mail = wanted.mail.clone();
    mail.retain(|name, _| MAIL_SETTINGS.contains(&name.as_str()));
    if let Some(server) = known.get("server") {
        mail.insert("server".to_owned(), server.clone());
    }
    let _: Value = session.put(&path(merchant, "/mail"), &json!(mail)).await?;
    Ok(())
}
