//! What a merchant's returns portal looks like and says: an operator sets it, and pages show it.

use bytes::Bytes;
use domain::{
    identifier::MerchantId,
    merchants::{picture::PictureKind, portal::Portal},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::Transaction;

use crate::{
    App, AppError,
    core::{
        audit_trail,
        commit_once::{Request, commit_once},
    },
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
pub async fn set_portal(
    app: &App,
    request: Request<'_>,
    merchant: &MerchantId,
    portal: &Portal,
) -> Result<PortalView, AppError> {
    commit_once(app, request, || async {
        let before = load_portal(app, merchant).await?;
        let mut transaction = Transaction::new("setting a portal");
        transaction.put_portal(merchant, portal);
        let noted = (merchant, "portal.set", json!({ "portal": portal }));
        audit_trail::record_change(app, &mut transaction, request.client, noted);
        Ok((PortalView { portal: portal.clone(), ..before }, transaction))
    })
    .await
}

/// Sets the logo, or with none takes it away.
pub async fn set_logo(
    app: &App,
    request: Request<'_>,
    merchant: &MerchantId,
    logo: Option<(PictureKind, &Bytes)>,
) -> Result<PortalView, AppError> {
    commit_once(app, request, || async {
        let before = load_portal(app, merchant).await?;
        let mut transaction = Transaction::new("setting a logo");
        let noted = if let Some((kind, bytes)) = logo {
            transaction.put_logo(merchant, kind, bytes);
            json!({ "media_type": kind.media_type(), "bytes": bytes.len() })
        } else {
            transaction.delete_logo(merchant);
            json!({ "removed": true })
        };
        audit_trail::record_change(
            app,
            &mut transaction,
            request.client,
            (merchant, "portal.logo", noted),
        );
        Ok((PortalView { has_logo: logo.is_some(), ..before }, transaction))
    })
    .await
}

/// The logo of a merchant that takes returns.
pub async fn load_logo(app: &App, merchant: &MerchantId) -> Result<(PictureKind, Bytes), AppError> {
    let found = app.store.logo(merchant).await?;
    found.ok_or(AppError::NotFound("logo"))
}
