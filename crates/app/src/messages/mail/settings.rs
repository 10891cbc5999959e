//! An operator sets how the mails of a merchant are sent, and what they say.

use std::collections::{BTreeMap, BTreeSet};

use boxed::boxed;
use domain::{
    identifier::MerchantId,
    merchants::language::Language,
    messages::mail::{
        MailKind,
        settings::{
            DkimKey, MailDelivery, MailSecurity, MailSettings, MailText, SmtpLogin, SmtpServer,
        },
    },
};
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::Transaction;
use world::Secret;

use super::server::seal_secret;
use crate::core::idempotency::replayable;
use crate::{
    App, AppError,
    core::{audit_trail::record_change, commit_once::commit_once, scope::RequestScope},
    messages::reload_endpoints::reload_endpoints,
};

/// A secret that is set anew, or stays what it is.
pub type NewSecret = Option<Secret>;

/// How the mails of a merchant are sent, without secrets.
#[omit_none]
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct MailSettingsView {
    #[schema(example = "acme")]
    pub merchant: String,
    /// How mails reach shoppers.
    pub delivery: MailDelivery,
    /// The merchant's own mail server. Absent: the platform's is used.
    pub server: Option<MailServerView>,
    /// Whether the platform has a mail server.
    pub platform_server: bool,
    /// The kinds that are not sent.
    pub disabled: BTreeSet<MailKind>,
    /// The merchant's own texts, by kind and language.
    #[schema(value_type = std::collections::HashMap<String, std::collections::HashMap<String, MailText>>)]
    pub texts: BTreeMap<MailKind, BTreeMap<Language, MailText>>,
    /// Who hears of problems with the merchant's systems.
    #[schema(example = "it@acme.example")]
    pub technical_contact: Option<String>,
}

/// A mail server, without secrets.
#[omit_none]
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct MailServerView {
    /// The name or the address of the server.
    #[schema(example = "smtp.acme.example")]
    pub host: String,
    /// The port of the server.
    #[schema(example = 587)]
    pub port: u16,
    /// How the connection is protected.
    pub security: MailSecurity,
    /// Absent if the server needs no login.
    #[schema(example = "returns@acme.example")]
    pub username: Option<String>,
    /// The address that mails come from.
    #[schema(example = "returns@acme.example")]
    pub from: String,
    /// Absent: the merchant's name.
    #[schema(example = "Acme Returns")]
    pub from_name: Option<String>,
    /// Absent if mails are not signed.
    pub dkim: Option<DkimView>,
}

/// With which key mails are signed.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct DkimView {
    /// The domain that signs.
    #[schema(example = "acme.example")]
    pub domain: String,
    /// The name of the public key in the DNS.
    #[schema(example = "homeward")]
    pub selector: String,
}

replayable!(MailSettingsView);

impl MailSettingsView {
    fn new(app: &App, merchant: &MerchantId, settings: &MailSettings<String>) -> Self {
        Self {
            merchant: merchant.to_string(),
            delivery: settings.delivery,
            server: settings.server.as_ref().map(|server| MailServerView {
                host: server.host.clone(),
                port: server.port,
                security: server.security,
                username: server.login.as_ref().map(|login| login.username.clone()),
                from: server.from.clone(),
                from_name: server.from_name.clone(),
                dkim: server.dkim.as_ref().map(|key| DkimView {
                    domain: key.domain.clone(),
                    selector: key.selector.clone(),
                }),
            }),
            platform_server: app.mail.server.is_some(),
            disabled: settings.disabled.clone(),
            texts: settings.texts.clone(),
            technical_contact: settings.technical_contact.clone(),
        }
    }
}

#[boxed]
pub async fn load_mail_settings(
    app: &App,
    merchant: &MerchantId,
) -> Result<MailSettingsView, AppError> {
    app.store.merchant(merchant).await?.ok_or(AppError::NotFound("merchant"))?;
    let settings = app.store.mail_settings(merchant).await?.value;
    Ok(MailSettingsView::new(app, merchant, &settings))
}

/// Replaces a merchant's settings. A secret that is absent stays what it is, as long as it goes to
/// the same server under the same name.
#[boxed]
pub async fn set_mail_settings(
    scope: RequestScope<'_>,
    settings: &MailSettings<NewSecret>,
) -> Result<MailSettingsView, AppError> {
    let (app, id) = (scope.app, scope.merchant()?);
    let changed = commit_once(scope, || async {
        app.store.merchant(id).await?.ok_or(AppError::NotFound("merchant"))?;
        let before = app.store.mail_settings(id).await?;
        let sealed = seal_settings(app, id, settings.clone(), before.value.server.as_ref())?;
        let view = MailSettingsView::new(app, id, &sealed);
        let mut transaction = Transaction::new("setting mail settings");
        transaction.put_mail_settings(id, &sealed, before.version);
        record_change(scope, &mut transaction, "mail.set", &json!(view));
        Ok((view, transaction))
    })
    .await;
    app.mail_profiles.forget(id);
    reload_endpoints(app, id, &changed);
    changed
}

fn seal_settings(
    app: &App,
    merchant: &MerchantId,
    settings: MailSettings<NewSecret>,
    before: Option<&SmtpServer<String>>,
) -> Result<MailSettings<String>, AppError> {
    let server = settings.server.map(|server| {
        let same_host = before.filter(|it| (&it.host, it.port) == (&server.host, server.port));
        let old_login = same_host.and_then(|it| it.login.as_ref());
        let login = server.login.map(|SmtpLogin { username, password }| {
            let kept = old_login.filter(|old| old.username == username).map(|old| &old.password);
            let password = seal_or_keep(app, merchant, password.as_ref(), kept, "the password")?;
            Ok::<_, AppError>(SmtpLogin { username, password })
        });
        let old_key = before.and_then(|it| it.dkim.as_ref());
        let dkim = server.dkim.map(|DkimKey { domain, selector, key }| {
            let is_same = |old: &&DkimKey<String>| old.domain == domain && old.selector == selector;
            let kept = old_key.filter(is_same).map(|old| &old.key);
            let key = seal_or_keep(app, merchant, key.as_ref(), kept, "the DKIM key")?;
            Ok::<_, AppError>(DkimKey { domain, selector, key })
        });
        Ok::<_, AppError>(SmtpServer {
            host: server.host,
            port: server.port,
            security: server.security,
            login: login.transpose()?,
            from: server.from,
            from_name: server.from_name,
            dkim: dkim.transpose()?,
        })
    });
    Ok(MailSettings {
        delivery: settings.delivery,
        server: server.transpose()?,
        disabled: settings.disabled,
        texts: settings.texts,
        technical_contact: settings.technical_contact,
    })
}

fn seal_or_keep(
    app: &App,
    merchant: &MerchantId,
    new: Option<&Secret>,
    kept: Option<&String>,
    what: &str,
) -> Result<String, AppError> {
    match (new, kept) {
        (Some(secret), _) => Ok(seal_secret(app, merchant, secret)),
        (None, Some(kept)) => Ok(kept.clone()),
        (None, None) => Err(AppError::Conflict(format!("{what} is missing"))),
    }
}
