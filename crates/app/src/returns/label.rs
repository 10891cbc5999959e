//! The content of a return label. Everyone who knows the return's identifier may see it.

use domain::{
    identifier::MerchantId,
    merchants::portal::Portal,
    orders::order::PostalAddress,
    returns::{identifier::RmaId, rma::Rma},
};

use crate::{App, AppError, orders::load_order::find_order};

/// A return with its sender and its destination.
#[derive(Clone, Debug)]
pub struct ReturnLabel {
    pub merchant: MerchantId,
    pub merchant_name: String,
    /// For the languages that the merchant offers.
    pub portal: Portal,
    pub rma: Rma,
    pub from: PostalAddress,
    pub to: PostalAddress,
}

pub async fn load_return_label(app: &App, rma: &str) -> Result<ReturnLabel, AppError> {
    let missing = || AppError::NotFound("return");
    let id = RmaId::parse(rma).ok_or_else(missing)?;
    let owner = app.store.merchant_of_rma(&id).await?.ok_or_else(missing)?;
    let rma = app.store.rma(&owner, &id).await?.ok_or_else(missing)?.value;
    let merchant = app.store.merchant(&owner).await?.ok_or_else(missing)?.value;
    let first = rma.units.first().map(|unit| unit.goods.order_identifier.clone());
    let order = find_order(app, &owner, &first.unwrap_or_default()).await?.ok_or_else(missing)?;
    let name_only = || PostalAddress { name: merchant.name.clone(), ..PostalAddress::default() };
    Ok(ReturnLabel {
        to: merchant.return_address.clone().unwrap_or_else(name_only),
        merchant_name: merchant.name,
        merchant: merchant.id,
        portal: app.store.portal(&owner).await?.portal,
        from: order.shipping_address,
        rma,
    })
}
