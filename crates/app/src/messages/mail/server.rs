//! The way that a merchant's mails go: through its mail server, through the platform's, or to the
//! merchant as messages.

use std::sync::Arc;

use base64::{Engine, engine::general_purpose::STANDARD};
use delivery::{
    Target,
    mail::{MailCourier, MailSender},
};
use domain::{
    identifier::MerchantId,
    messages::{
        kind::MessageKind,
        mail::settings::{MailDelivery, MailSettings, SmtpServer},
    },
};
use world::{Purpose, SealContext, Secret, VaultError};

use crate::{App, AppError, access::secrets, messages::endpoint_target::find_target};

/// Where mails go. None while there is no server, or while mails are paused.
pub(crate) async fn find_mail_channel(
    app: &App,
    merchant: &MerchantId,
) -> Result<Option<Target>, AppError> {
    let settings = app.store.mail_settings(merchant).await?.value;
    if settings.delivery == MailDelivery::Message {
        let target = find_target(app, merchant, MessageKind::Mail).await?;
        return Ok(target.map(|it| Target::Endpoint(it.into())));
    }
    // Mails that were enqueued before they were switched off are sent.
    if app.store.endpoints(merchant).await?.value.paused.contains(&MessageKind::Mail) {
        return Ok(None);
    }
    let name = match app.store.merchant(merchant).await? {
        Some(owner) => owner.value.name,
        None => merchant.to_string(),
    };
    let courier = match open_server(app, merchant, settings)? {
        Some(own) => MailCourier::new(MailSender::Merchant(merchant), own, &name, &app.http),
        None => match &app.mail.server {
            Some(server) => {
                MailCourier::new(MailSender::Platform, server.clone(), &name, &app.http)
            }
            None => return Ok(None),
        },
    };
    let courier = courier.map_err(|refused| AppError::Conflict(refused.to_string()))?;
    Ok(Some(Target::Courier(Arc::new(courier))))
}

/// A merchant's mail server with its secrets.
fn open_server(
    app: &App,
    merchant: &MerchantId,
    settings: MailSettings<String>,
) -> Result<Option<SmtpServer<Secret>>, AppError> {
    let open = |text: String| -> Result<Secret, VaultError> {
        let sealed = STANDARD.decode(text).unwrap_or_default();
        secrets::open_secret(&app.vault, mail_secret_context(merchant), &sealed)
    };
    Ok(settings.server.map(|server| server.try_map(open)).transpose()?)
}

/// Seals what a merchant's mail server needs.
pub(super) fn seal_secret(app: &App, merchant: &MerchantId, secret: &Secret) -> String {
    let context = mail_secret_context(merchant);
    STANDARD.encode(app.vault.seal(&app.world, context, secret.reveal().as_bytes()))
}

/// What the secrets of mail settings are bound to: the merchant's settings, which are one row.
pub(crate) fn mail_secret_context(merchant: &MerchantId) -> SealContext<'_> {
    SealContext { purpose: Purpose::MailSecret, merchant: merchant.as_str(), row: "" }
}
