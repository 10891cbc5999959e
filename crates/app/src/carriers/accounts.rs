//! An operator sets a merchant's account at a carrier.

use base64::{Engine, engine::general_purpose::STANDARD};
use boxed::boxed;
use domain::{
    carriers::{account::CarrierAccount, rate::ServiceRule},
    identifier::MerchantId,
    merchants::merchant::CarrierMode,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::Transaction;
use world::{Purpose, SealContext, Secret, VaultError};

use crate::core::idempotency::replayable;
use crate::{
    App, AppError,
    access::secrets,
    core::{audit_trail::record_change, commit_once::commit_once, scope::RequestScope},
    messages::reload_endpoints::reload_endpoints,
};

/// A merchant's account at EasyPost, without its secrets.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct CarrierAccountView {
    #[schema(example = "acme")]
    pub merchant: String,
    /// The address of the API.
    #[schema(example = "https://api.easypost.com/v2")]
    pub url: String,
    /// Which services may be bought: a carrier, or a carrier and a service. Empty: all.
    #[schema(example = json!(["USPS/GroundAdvantage", "UPS"]))]
    pub services: Vec<String>,
    /// What a unit weighs if its order line does not say so.
    #[schema(example = 500)]
    pub unit_weight_grams: i64,
    /// Whether there is a secret, so that webhooks are accepted.
    pub has_webhook_secret: bool,
    /// Where webhooks are to be sent, under the address of this server.
    #[schema(example = "/carriers/easypost/acme/webhooks")]
    pub webhook_path: String,
}

replayable!(CarrierAccountView);

impl CarrierAccountView {
    fn new<S>(merchant: &MerchantId, account: &CarrierAccount<S>) -> Self {
        Self {
            merchant: merchant.to_string(),
            url: account.base_url.clone(),
            services: account.services.iter().map(ServiceRule::to_string).collect(),
            unit_weight_grams: account.unit_weight_grams,
            has_webhook_secret: account.webhook_secret.is_some(),
            webhook_path: format!("/carriers/easypost/{merchant}/webhooks"),
        }
    }
}

#[boxed]
pub async fn load_carrier_account(
    app: &App,
    merchant: &MerchantId,
) -> Result<CarrierAccountView, AppError> {
    let account = app.store.carrier_account(merchant).await?;
    let account = account.ok_or(AppError::NotFound("carrier account"))?;
    Ok(CarrierAccountView::new(merchant, &account.value))
}

/// Replaces a merchant's account. Labels of returns that start later are bought with it.
#[boxed]
pub async fn set_carrier_account(
    scope: RequestScope<'_>,
    account: &CarrierAccount<Secret>,
) -> Result<CarrierAccountView, AppError> {
    let (app, id) = (scope.app, scope.merchant()?);
    let view = CarrierAccountView::new(id, account);
    let changed = commit_once(scope, || async {
        let found = app.store.merchant(id).await?.ok_or(AppError::NotFound("merchant"))?;
        let version = app.store.carrier_account(id).await?.map_or(0, |before| before.version);
        let mut transaction = Transaction::new("setting a carrier account");
        transaction.put_carrier_account(id, &seal_account(app, id, account), version);
        if found.value.settings.carrier != CarrierMode::Easypost {
            let mut merchant = found.value;
            merchant.settings.carrier = CarrierMode::Easypost;
            transaction.update_merchant(&merchant, found.version);
        }
        let CarrierAccountView { url, services, has_webhook_secret, .. } = &view;
        let detail = json!({ "url": url, "services": services, "webhooks": has_webhook_secret });
        record_change(scope, &mut transaction, "carrier.set", &detail);
        Ok((view.clone(), transaction))
    })
    .await;
    app.callers.forget_all();
    reload_endpoints(app, id, &changed);
    changed
}

fn seal_account(
    app: &App,
    merchant: &MerchantId,
    account: &CarrierAccount<Secret>,
) -> CarrierAccount<String> {
    let seal = |secret: Secret| {
        let context = carrier_secret_context(merchant);
        let bytes = app.vault.seal(&app.world, context, secret.reveal().as_bytes());
        Ok::<_, std::convert::Infallible>(STANDARD.encode(bytes))
    };
    match account.clone().try_map(seal) {
        Ok(sealed) => sealed,
        Err(never) => match never {},
    }
}

/// A merchant's account with its secrets, if it has one.
pub(crate) async fn open_account(
    app: &App,
    merchant: &MerchantId,
) -> Result<Option<CarrierAccount<Secret>>, AppError> {
    let Some(account) = app.store.carrier_account(merchant).await? else { return Ok(None) };
    let open = |text: String| -> Result<Secret, VaultError> {
        let sealed = STANDARD.decode(text).unwrap_or_default();
        secrets::open_secret(&app.vault, carrier_secret_context(merchant), &sealed)
    };
    Ok(Some(account.value.try_map(open)?))
}

/// What the secrets of an account are bound to: the merchant's account, which is one row.
pub(crate) fn carrier_secret_context(merchant: &MerchantId) -> SealContext<'_> {
    SealContext { purpose: Purpose::CarrierSecret, merchant: merchant.as_str(), row: "" }
}
