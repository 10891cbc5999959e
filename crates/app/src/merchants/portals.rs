//! The appearance and the texts of a merchant's returns portal. An operator sets them.

use boxed::boxed;
use domain::{bodies::WriteJson, identifier::MerchantId, merchants::portal::Portal};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{StoredPortal, Transaction};

use crate::core::idempotency::replayable;
use crate::{
    App, AppError,
    core::{audit_trail::record_change, commit_once::commit_once, scope::RequestScope},
    merchants::pictures::Picture,
};

/// A portal as operators see it.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PortalView {
    pub portal: Portal,
    /// Whether a logo is set.
    pub has_logo: bool,
}

replayable!(PortalView);

/// What every page of a portal needs.
#[derive(Clone, Debug)]
pub struct PortalFront {
    pub merchant: MerchantId,
    /// The name of the merchant.
    pub name: String,
    pub portal: Portal,
    pub has_logo: bool,
    /// Whether the portal has the withdrawal function.
    pub offers_withdrawal: bool,
}

/// The portal of a merchant that is enabled.
#[boxed]
pub async fn load_portal_front(app: &App, id: &MerchantId) -> Result<PortalFront, AppError> {
    let stored = app.store.portal(id).await?.filter(|stored| stored.merchant.is_live());
    let StoredPortal { merchant, portal, has_logo, withdrawal } =
        stored.ok_or(AppError::NotFound("portal"))?;
    Ok(PortalFront {
        merchant: merchant.id,
        name: merchant.name,
        portal,
        has_logo,
        offers_withdrawal: withdrawal.offered,
    })
}

/// The portal of a merchant that must exist.
#[boxed]
pub async fn load_portal(app: &App, merchant: &MerchantId) -> Result<PortalView, AppError> {
    let stored = app.store.portal(merchant).await?.ok_or(AppError::NotFound("merchant"))?;
    Ok(PortalView { portal: stored.portal, has_logo: stored.has_logo })
}

/// Sets everything except the logo.
#[boxed]
pub async fn set_portal(scope: RequestScope<'_>, portal: &Portal) -> Result<PortalView, AppError> {
    let (app, merchant) = (scope.app, scope.merchant()?);
    commit_once(scope, || async {
        let before = load_portal(app, merchant).await?;
        let mut transaction = Transaction::new("setting a portal");
        transaction.put_portal(merchant, portal);
        record_change(
            scope,
            &mut transaction,
            "portal.set",
            &json!({ "portal": portal.to_value() }),
        );
        Ok((PortalView { portal: portal.clone(), ..before }, transaction))
    })
    .await
}

/// Sets the logo, or removes it.
#[boxed]
pub async fn set_logo(
    scope: RequestScope<'_>,
    logo: Option<&Picture>,
) -> Result<PortalView, AppError> {
    let (app, merchant) = (scope.app, scope.merchant()?);
    commit_once(scope, || async {
        let before = load_portal(app, merchant).await?;
        let mut transaction = Transaction::new("setting a logo");
        let detail = if let Some(Picture { kind, bytes }) = logo {
            transaction.put_logo(merchant, *kind, bytes);
            json!({ "media_type": kind.media_type(), "bytes": bytes.len() })
        } else {
            transaction.delete_logo(merchant);
            json!({ "removed": true })
        };
        record_change(scope, &mut transaction, "portal.logo", &detail);
        Ok((PortalView { has_logo: logo.is_some(), ..before }, transaction))
    })
    .await
}

/// The logo of a merchant.
#[boxed]
pub async fn load_logo(app: &App, merchant: &MerchantId) -> Result<Picture, AppError> {
    let stored = app.store.logo(merchant).await?;
    let (kind, bytes) = stored.ok_or(AppError::NotFound("logo"))?;
    Ok(Picture { kind, bytes })
}
