//! What a merchant's returns portal looks like and says: an operator sets it, and pages show it.

use domain::{identifier::MerchantId, merchants::portal::Portal};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::Transaction;

use crate::{
    App, AppError,
    core::{audit_trail::record_change, commit_once::commit_once, scope::RequestScope},
    merchants::pictures::Picture,
};

/// A portal as operators see it.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PortalView {
    pub portal: Portal,
    /// Whether a logo was set.
    pub has_logo: bool,
}

/// What every page of a portal begins with.
#[derive(Clone, Debug)]
pub struct PortalFront {
    pub merchant: MerchantId,
    /// What the merchant is called.
    pub name: String,
    pub portal: Portal,
    pub has_logo: bool,
}

/// The portal of a merchant that takes returns.
pub async fn load_portal_front(app: &App, id: &MerchantId) -> Result<PortalFront, AppError> {
    let (found, stored) = tokio::try_join!(app.store.merchant(id), app.store.portal(id))?;
    let found = found.filter(|it| it.value.is_live()).ok_or(AppError::NotFound("portal"))?.value;
    Ok(PortalFront {
        merchant: found.id,
        name: found.name,
        portal: stored.portal,
        has_logo: stored.has_logo,
    })
}

/// The portal of a merchant that must exist.
pub async fn load_portal(app: &App, merchant: &MerchantId) -> Result<PortalView, AppError> {
    app.store.merchant(merchant).await?.ok_or(AppError::NotFound("merchant"))?;
    let stored = app.store.portal(merchant).await?;
    Ok(PortalView { portal: stored.portal, has_logo: stored.has_logo })
}

/// Sets all of a portal but its logo.
pub async fn set_portal(scope: RequestScope<'_>, portal: &Portal) -> Result<PortalView, AppError> {
    let (app, merchant) = (scope.app, scope.merchant()?);
    commit_once(scope, || async {
        let before = load_portal(app, merchant).await?;
        let mut transaction = Transaction::new("setting a portal");
        transaction.put_portal(merchant, portal);
        record_change(scope, &mut transaction, "portal.set", &json!({ "portal": portal }));
        Ok((PortalView { portal: portal.clone(), ..before }, transaction))
    })
    .await
}

/// Sets the logo, or with none takes it away.
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

/// The logo of a merchant that takes returns.
pub async fn load_logo(app: &App, merchant: &MerchantId) -> Result<Picture, AppError> {
    let stored = app.store.logo(merchant).await?;
    let (kind, bytes) = stored.ok_or(AppError::NotFound("logo"))?;
    Ok(Picture { kind, bytes })
}
