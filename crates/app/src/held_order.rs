//! What is held of an order: the newest snapshot as it was sent, and behind its refunds those that
//! earlier snapshots reported and this one omits.

use domain::{
    identifier::MerchantId,
    json::{self, Json},
};

use crate::{App, AppError};

/// The order as JSON.
pub async fn held_order(
    app: &App,
    merchant: &MerchantId,
    order_id: &str,
) -> Result<Vec<u8>, AppError> {
    let (stored, recorded) = tokio::try_join!(
        app.store.order(merchant, order_id),
        app.store.refunds_of(merchant, order_id)
    )?;
    let stored = stored.ok_or(AppError::NotFound("order"))?;
    let recorded = recorded.iter().map(|body| json::parse(body)).collect::<Result<Vec<_>, _>>()?;
    let mut document = json::parse(&stored.body)?;
    if let Json::Object(order) = &mut document {
        for (key, value) in &mut order.entries {
            if let ("refunds", Json::List(refunds)) = (key.as_ref(), value) {
                let known: Vec<_> =
                    refunds.iter().map(|refund| refund.get("identifier").cloned()).collect();
                let omitted =
                    recorded.iter().filter(|it| !known.contains(&it.get("identifier").cloned()));
                refunds.extend(omitted.cloned());
            }
        }
    }
    let mut text = Vec::with_capacity(stored.body.len());
    document.write(&mut text);
    Ok(text)
}
