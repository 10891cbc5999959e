//! The keys by which the data of a shopper is found.

use domain::{
    identifier::MerchantId,
    returns::{identifier::RmaId, rma::Rma},
    warehouse::{drop_ship::DropShipOrder, stray::person_key},
};
use store::{ShopperKeyKind, ShopperReference, Transaction, with_causes};

use crate::{App, AppError, access::secrets::hash};

/// How many get their keys before the next are loaded.
const PAGE: usize = 200;

/// The number by which the orders and returns of a shopper are found. It depends on the e-mail
/// address, but not on its case. Other addresses may have the same number.
pub(crate) fn shopper_hash(email: &str) -> i64 {
    hash_text(&email.trim().to_lowercase())
}

/// The same for a person of whom only the name and the postal code are known.
pub(crate) fn person_hash(person_key: &str) -> i64 {
    hash_text(person_key)
}

fn hash_text(text: &str) -> i64 {
    let digest = hash(text.as_bytes());
    i64::from_be_bytes(digest.first_chunk::<8>().copied().unwrap_or_default())
}

/// The hashes by which a return is found: of the addresses of the shopper and of who got a gift.
pub(crate) fn hashes_of_return(rma: &Rma) -> impl Iterator<Item = i64> {
    [&rma.email, &rma.giftee_email].into_iter().flatten().map(|email| shopper_hash(email))
}

/// The hashes by which a drop-ship order is found: of the people that it concerns.
pub(crate) fn hashes_of_drop_ship(order: &DropShipOrder) -> impl Iterator<Item = i64> {
    let people = [&order.shipping_address, &order.billing_address];
    people.into_iter().filter_map(|it| Some(person_hash(&person_key(&it.name, &it.zip_code)?)))
}

/// Makes a return findable by its shopper.
pub(crate) fn put_keys_of_return(transaction: &mut Transaction, merchant: &MerchantId, rma: &Rma) {
    for hash in hashes_of_return(rma) {
        let id = rma.rma_identifier.as_str();
        transaction.put_shopper_key(merchant, hash, ShopperKeyKind::Return, id);
    }
}

/// Makes a drop-ship order findable by its recipient.
pub(crate) fn put_keys_of_drop_ship(
    transaction: &mut Transaction,
    merchant: &MerchantId,
    order: &DropShipOrder,
) {
    for hash in hashes_of_drop_ship(order) {
        let id = order.client_identifier.as_str();
        transaction.put_shopper_key(merchant, hash, ShopperKeyKind::DropShipOrder, id);
    }
}

/// Adds the keys of everything that is older than they are, and returns how many there were.
pub(crate) async fn key_older_data(app: &App) -> Result<usize, AppError> {
    let mut count = 0;
    loop {
        let page = app.store.unkeyed_shoppers(PAGE).await?;
        add_keys(app, &page).await?;
        count += page.len();
        if page.len() < PAGE {
            return Ok(count);
        }
    }
}

/// Adds the keys of older data. What is unreadable stays so, and must not keep others from being
/// found.
pub(crate) async fn add_keys(app: &App, older: &[ShopperReference]) -> Result<(), AppError> {
    for unkeyed in older {
        let mut transaction = Transaction::new("adding the key of a shopper");
        match put_keys_of(app, &mut transaction, unkeyed).await {
            Err(error) if error.is_lasting() => {
                let ShopperReference { merchant, reference, .. } = unkeyed;
                let cause = with_causes(&error);
                tracing::error!(
                    "adding the key of the shopper of {reference} of {merchant} failed, so the \
                     e-mail address does not find it; repair the row, insert it into \
                     unkeyed_shoppers again and restart: {cause}"
                );
            }
            keyed => keyed?,
        }
        transaction.end_unkeyed(unkeyed);
        app.store.commit(transaction).await?;
    }
    Ok(())
}

async fn put_keys_of(
    app: &App,
    transaction: &mut Transaction,
    unkeyed: &ShopperReference,
) -> Result<(), AppError> {
    let ShopperReference { merchant, kind, reference } = unkeyed;
    match kind {
        ShopperKeyKind::Return => {
            let Some(id) = RmaId::parse(reference) else { return Ok(()) };
            if let Some(rma) = app.store.rma(merchant, &id).await? {
                put_keys_of_return(transaction, merchant, &rma.value);
            }
        }
        ShopperKeyKind::DropShipOrder => {
            if let Some(order) = app.store.drop_ship_order(merchant, reference).await? {
                put_keys_of_drop_ship(transaction, merchant, &order.value);
            }
        }
    }
    Ok(())
}
