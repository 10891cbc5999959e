//! The address of a merchant's endpoint, with everything that is needed to send to it.

use base64::{Engine, engine::general_purpose::STANDARD};
use delivery::EndpointTarget;
use domain::{
    identifier::MerchantId,
    messages::{endpoint::Endpoints, kind::MessageKind},
};
use world::{Purpose, SealContext, Secret, VaultError};

use crate::{App, AppError, access::secrets};

/// Everything that is needed to send to a merchant's endpoint, with its secrets. None if no address
/// is set or the endpoint is paused.
pub(crate) async fn find_target(
    app: &App,
    merchant: &MerchantId,
    kind: MessageKind,
) -> Result<Option<EndpointTarget>, AppError> {
    let endpoints = app.store.endpoints(merchant).await?.value;
    if endpoints.paused.contains(&kind) {
        return Ok(None);
    }
    resolve_target(app, merchant, &endpoints, kind).await
}

/// The same, but also for a paused endpoint.
pub(crate) async fn resolve_target(
    app: &App,
    merchant: &MerchantId,
    endpoints: &Endpoints<String>,
    kind: MessageKind,
) -> Result<Option<EndpointTarget>, AppError> {
    let Some((url, auth)) = endpoints.target(kind) else { return Ok(None) };
    let owner = app.store.merchant(merchant).await?.ok_or(AppError::NotFound("merchant"))?;
    let open = |text: String| -> Result<Secret, VaultError> {
        let sealed = STANDARD.decode(text).unwrap_or_default();
        secrets::open_secret(&app.vault, endpoint_secret_context(merchant), &sealed)
    };
    Ok(Some(EndpointTarget {
        merchant: merchant.clone(),
        kind,
        url,
        auth: auth.clone().try_map(open)?,
        signing_secrets: secrets::signing_secrets(app, &owner.value)?,
        refusal_is_final: kind == MessageKind::ExchangeOrder
            && owner.value.settings.exchange_refusal_is_final,
    }))
}

/// What the secret of an endpoint is bound to: its merchant's endpoints, which are one row.
pub(crate) fn endpoint_secret_context(merchant: &MerchantId) -> SealContext<'_> {
    SealContext { purpose: Purpose::EndpointSecret, merchant: merchant.as_str(), row: "" }
}
