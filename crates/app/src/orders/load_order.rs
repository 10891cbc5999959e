//! What is held of an order: the newest snapshot as it was sent, and behind its refunds those that
//! earlier snapshots reported and this one omits.

use domain::{
    identifier::MerchantId,
    json::{self, Json},
};
use store::StoredOrder;

use crate::{App, AppError};

/// The order as JSON.
pub async fn load_order_json(
    app: &App,
    merchant: &MerchantId,
    order_id: &str,
) -> Result<Vec<u8>, AppError> {
    let file = app.store.stored_order(merchant, order_id).await?;
    let file = file.ok_or(AppError::NotFound("order"))?;
    let mut text = Vec::with_capacity(file.body.len());
    merge_refunds(&file)?.write(&mut text);
    Ok(text)
}

/// The newest snapshot with every refund that was ever reported.
pub(crate) fn merge_refunds(file: &StoredOrder) -> Result<Json<'_>, AppError> {
    let mut document = json::parse(&file.body)?;
    let recorded = file.refunds.iter().map(|body| json::parse(body));
    let recorded = recorded.collect::<Result<Vec<_>, _>>()?;
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
    Ok(document)
}
