//! A carrier reports where a parcel is. Its signature proves who it is.

use boxed::boxed;
pub use delivery::carriers::SIGNATURE_HEADER;
use delivery::carriers::{read_webhook, verify_webhook};
use domain::identifier::MerchantId;
use world::Secret;

use crate::{
    AppError,
    carriers::accounts::open_account,
    core::scope::RequestScope,
    returns::carrier_events::{CarrierResults, EventOutcome, Reporter, apply_carrier_events},
};

/// Applies a webhook of EasyPost. None if it is not signed by the merchant's account, whether there
/// is such a merchant or not. Repeated and late webhooks change nothing, and neither do those about
/// parcels that are not of returns.
#[boxed]
pub async fn apply_easypost_webhook(
    scope: RequestScope<'_>,
    merchant: &MerchantId,
    signature: &str,
    body: &[u8],
) -> Result<Option<CarrierResults>, AppError> {
    let account = open_account(scope.app, merchant).await?;
    let secret = account.and_then(|account| account.webhook_secret);
    let is_known = secret.is_some();
    // Without a secret the same work is done, so that the time reveals nothing.
    let secret = secret.unwrap_or_else(|| Secret::new("unknown".to_owned()));
    if !verify_webhook(&secret, signature, body) || !is_known {
        return Ok(None);
    }
    let Some(report) = read_webhook(body) else {
        return Ok(Some(CarrierResults { results: Vec::new() }));
    };
    let events = [report.event];
    let results =
        apply_carrier_events(scope.for_merchant(merchant), Reporter::Carrier, &events).await?;
    let is_unknown = results.results.iter().all(|it| it.result == EventOutcome::Unknown);
    if is_unknown && let Some(shipment) = &report.shipment_id {
        // The label was bought, but is not stored yet. The carrier sends the webhook again.
        if scope.app.store.knows_carrier_shipment(merchant, shipment).await? {
            return Err(AppError::Conflict(
                "the label of this parcel is not stored yet".to_owned(),
            ));
        }
    }
    Ok(Some(results))
}
