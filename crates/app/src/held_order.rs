//! What is held of an order: the newest snapshot, with every refund ever reported for it.

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
    let stored = app.store.order(merchant, order_id).await?;
    let stored = stored.ok_or(AppError::NotFound("order"))?;
    let refunds = app.store.refunds_of(merchant, order_id).await?;
    let refunds = refunds.iter().map(|body| json::parse(body)).collect::<Result<Vec<_>, _>>()?;
    let mut document = json::parse(&stored.body)?;
    if let Json::Object(fields) = &mut document {
        for (key, value) in fields {
            if key == "refunds" {
                *value = Json::List(refunds.clone());
            }
        }
    }
    let mut text = Vec::with_capacity(stored.body.len());
    document.write(&mut text);
    Ok(text)
}
