//! An operator lists merchants, changes their settings, disables or enables them.

use boxed::boxed;
use domain::{
    identifier::MerchantId,
    merchants::merchant::{CarrierMode, Merchant, MerchantSettings, WeightUnit},
    orders::order::PostalAddress,
};
use jiff::Timestamp;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::Transaction;

use crate::core::idempotency::replayable;
use crate::{
    App, AppError,
    core::{audit_trail::record_change, commit_once::commit_once, scope::RequestScope},
    messages::reload_endpoints::reload_endpoints,
};

/// A merchant as operators see it.
#[omit_none]
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct MerchantView {
    #[schema(example = "acme")]
    pub merchant: String,
    pub name: String,
    pub settings: MerchantSettings,
    /// The address on return labels.
    pub return_address: Option<PostalAddress>,
    pub created_at: Timestamp,
    /// Absent if the merchant is enabled.
    pub disabled_at: Option<Timestamp>,
}

replayable!(MerchantView);

impl From<Merchant> for MerchantView {
    fn from(merchant: Merchant) -> Self {
        Self {
            merchant: merchant.id.to_string(),
            name: merchant.name,
            settings: merchant.settings,
            return_address: merchant.return_address,
            created_at: merchant.created_at,
            disabled_at: merchant.disabled_at,
        }
    }
}

/// The settings to change. Absent ones stay as they are.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MerchantChange {
    pub name: Option<String>,
    pub strict: Option<bool>,
    /// Who issues labels and reports where parcels are.
    pub carrier: Option<CarrierMode>,
    /// Whether our warehouse receives the returns.
    pub managed_receiving: Option<bool>,
    /// Whether 409 and 422 end an exchange order at once.
    pub exchange_refusal_is_final: Option<bool>,
    /// How many cents a refund may differ from the promise without being listed as a problem. It
    /// applies to returns that start later.
    pub refund_tolerance_cents: Option<i64>,
    /// Whether messages about returns and exchange orders have `extensions`. It applies to returns
    /// that start later.
    pub message_extensions: Option<bool>,
    /// The unit of the weights in the merchant's orders.
    pub weight_unit: Option<WeightUnit>,
    /// The address on return labels.
    pub return_address: Option<PostalAddress>,
    /// The clients of a disabled merchant get no tokens, and its tokens are refused. Its data
    /// stays.
    pub disabled: Option<bool>,
}

#[boxed]
pub async fn load_merchant(app: &App, id: &MerchantId) -> Result<MerchantView, AppError> {
    let merchant = app.store.merchant(id).await?.ok_or(AppError::NotFound("merchant"))?;
    Ok(merchant.value.into())
}

/// Lists merchants in the order of their identifiers, starting after `after`.
#[boxed]
pub async fn list_merchants(
    app: &App,
    after: &str,
    limit: usize,
) -> Result<Vec<MerchantView>, AppError> {
    let merchants = app.store.merchants(after, limit).await?;
    Ok(merchants.into_iter().map(MerchantView::from).collect())
}

#[boxed]
pub async fn change_merchant(
    scope: RequestScope<'_>,
    change: &MerchantChange,
) -> Result<MerchantView, AppError> {
    let (app, id) = (scope.app, scope.merchant()?);
    let changed = commit_once(scope, || async {
        let found = app.store.merchant(id).await?.ok_or(AppError::NotFound("merchant"))?;
        let merchant = apply_change(found.value, change, app.world.now());
        let mut transaction = Transaction::new("changing a merchant");
        transaction.update_merchant(&merchant, found.version);
        record_change(scope, &mut transaction, "merchant.change", &json!(change));
        Ok((merchant.into(), transaction))
    })
    .await;
    app.callers.forget_all();
    reload_endpoints(app, id, &changed);
    changed
}

fn apply_change(mut merchant: Merchant, change: &MerchantChange, now: Timestamp) -> Merchant {
    if let Some(name) = &change.name {
        merchant.name.clone_from(name);
    }
    if let Some(strict) = change.strict {
        merchant.settings.strict = strict;
    }
    if let Some(carrier) = change.carrier {
        merchant.settings.carrier = carrier;
    }
    if let Some(managed_receiving) = change.managed_receiving {
        merchant.settings.managed_receiving = managed_receiving;
    }
    if let Some(is_final) = change.exchange_refusal_is_final {
        merchant.settings.exchange_refusal_is_final = is_final;
    }
    if let Some(tolerance) = change.refund_tolerance_cents {
        merchant.settings.refund_tolerance_cents = tolerance;
    }
    if let Some(extensions) = change.message_extensions {
        merchant.settings.message_extensions = extensions;
    }
    if let Some(weight_unit) = change.weight_unit {
        merchant.settings.weight_unit = weight_unit;
    }
    if let Some(return_address) = &change.return_address {
        merchant.return_address = Some(return_address.clone());
    }
    if let Some(disabled) = change.disabled {
        merchant.disabled_at = disabled.then(|| merchant.disabled_at.unwrap_or(now));
    }
    merchant
}
