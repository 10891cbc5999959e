//! The content of a return label. Everyone who knows the key of the label may see it: the return's
//! identifier is not enough, because it is printed on the parcel.

use boxed::boxed;
use domain::{
    identifier::MerchantId,
    merchants::portal::Portal,
    orders::order::PostalAddress,
    returns::{
        identifier::RmaId,
        rma::{LabelState, Rma},
    },
    withdrawal::period::is_shipped_to_eu,
};
use store::StoredPortal;

use crate::{
    App, AppError, access::secrets, orders::load_order::find_order,
    warehouse::settings::load_return_address,
};

/// A return with its sender and its destination.
#[derive(Clone, Debug)]
pub struct ReturnLabel {
    pub merchant: MerchantId,
    pub merchant_name: String,
    /// For the languages that the merchant offers.
    pub portal: Portal,
    pub rma: Rma,
    pub state: LabelState,
    pub from: PostalAddress,
    pub to: PostalAddress,
    /// Whether the shopper may have the right of withdrawal.
    pub offers_withdrawal: bool,
}

/// The label with this name: see [`Rma::label_name`].
#[boxed]
pub async fn load_return_label(app: &App, name: &str) -> Result<ReturnLabel, AppError> {
    let missing = || AppError::NotFound("label");
    let (rma, key) = name.rsplit_once('-').ok_or_else(missing)?;
    let id = RmaId::parse(rma).ok_or_else(missing)?;
    let owner = app.store.merchant_of_rma(&id).await?.ok_or_else(missing)?;
    let rma = app.store.rma(&owner, &id).await?.ok_or_else(missing)?.value;
    // Hashes are compared, so that the time it takes reveals nothing about the key.
    let same = secrets::hash(key.as_bytes()) == secrets::hash(rma.label_key.as_bytes());
    if rma.label_key.is_empty() || !same {
        return Err(missing());
    }
    let StoredPortal { merchant, portal, withdrawal, .. } =
        app.store.portal(&owner).await?.ok_or_else(missing)?;
    let order = find_order(app, &owner, rma.sender_order()).await?.ok_or_else(missing)?;
    let is_gift = rma.giftee_email.is_some();
    Ok(ReturnLabel {
        offers_withdrawal: withdrawal.offered && is_shipped_to_eu(&order) && !is_gift,
        to: load_return_address(app, &merchant, &rma, Some(&order.shipping_address)).await?,
        merchant_name: merchant.name,
        merchant: merchant.id,
        portal,
        from: order.shipping_address,
        state: rma.label_state(app.world.now()),
        rma,
    })
}
