//! One box to find anything by: whatever an operator has in hand, a number on a label or in an e-mail.
//!
//! Everything is looked up by an index, so a search costs the same however much is stored.

use domain::{
    identifier::{MerchantId, MessageId},
    returns::identifier::RmaId,
};
use serde::Serialize;

use crate::{
    App, AppError,
    orders::{
        order_intake::shopper_hash,
        order_list::{OrderSummary, load_summaries},
    },
};

/// Nothing that can be searched for is longer.
const TEXT_MAX: usize = 320;

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum SearchHit {
    Order(Box<OrderSummary>),
    Return { merchant: String, rma: String, why: &'static str },
    Message { id: String },
    Unit { merchant: String, unit: String },
}

/// Everything that `text` names.
pub async fn search(app: &App, text: &str) -> Result<Vec<SearchHit>, AppError> {
    let text = text.trim();
    if text.is_empty() || text.len() > TEXT_MAX {
        return Ok(Vec::new());
    }
    if let Some(hit) = by_our_own_name(app, text).await? {
        return Ok(vec![hit]);
    }
    if text.contains('@') {
        let orders = orders_of(app, text).await?;
        if !orders.is_empty() {
            return Ok(orders);
        }
    }
    by_foreign_name(app, text).await
}

/// What has a name that this service made up, so that nothing else has it.
async fn by_our_own_name(app: &App, text: &str) -> Result<Option<SearchHit>, AppError> {
    if let Some(id) = MessageId::parse(text)
        && app.store.message(&id.merchant, id.number).await?.is_some()
    {
        return Ok(Some(SearchHit::Message { id: id.to_string() }));
    }
    if let Some(rma) = RmaId::parse(text)
        && let Some(merchant) = app.store.merchant_of_rma(&rma).await?
    {
        return Ok(Some(a_return(&merchant, &rma, "by its identifier")));
    }
    Ok(None)
}

fn a_return(merchant: &MerchantId, rma: &RmaId, why: &'static str) -> SearchHit {
    SearchHit::Return { merchant: merchant.to_string(), rma: rma.to_string(), why }
}

/// The orders of the shopper with this e-mail address.
async fn orders_of(app: &App, email: &str) -> Result<Vec<SearchHit>, AppError> {
    let places = app.store.orders_of_shopper(shopper_hash(email)).await?;
    let mut found = load_summaries(app, places).await?;
    found.retain(|order| order.email.trim().to_lowercase() == email.to_lowercase());
    Ok(found.into_iter().map(|order| SearchHit::Order(Box::new(order))).collect())
}

/// What others named: several things may have one name.
async fn by_foreign_name(app: &App, text: &str) -> Result<Vec<SearchHit>, AppError> {
    let (orders, exchanges, parcels, units) = tokio::try_join!(
        numbered(app, text),
        async { Ok(app.store.exchange_orders_named(text).await?) },
        async { Ok(app.store.returns_by_parcel(None, text).await?) },
        async { Ok(app.store.owners_of_unit(text).await?) },
    )?;
    // An exchange order that its merchant published is an order, whose page tells how it came about.
    let is_published = |merchant: &MerchantId| {
        orders.iter().any(|it| it.merchant == merchant.as_str() && it.order_id == text)
    };
    let exchanges = exchanges.iter().filter(|(merchant, _)| !is_published(merchant));
    let exchanges = exchanges
        .map(|(merchant, record)| {
            a_return(merchant, &record.rma_identifier, "by its exchange order")
        })
        .collect::<Vec<_>>();
    let parcels = parcels.iter().map(|(merchant, rma)| a_return(merchant, rma, "by its parcel"));
    let units = units
        .into_iter()
        .map(|merchant| SearchHit::Unit { merchant: merchant.to_string(), unit: text.to_owned() });
    let orders = orders.into_iter().map(|order| SearchHit::Order(Box::new(order)));
    Ok(orders.chain(exchanges).chain(parcels).chain(units).collect())
}

/// Orders with this number, or with this number at this merchant: `acme/ORD-100472`.
async fn numbered(app: &App, text: &str) -> Result<Vec<OrderSummary>, AppError> {
    let mut places = app.store.orders_numbered(text).await?;
    if let Some((merchant, number)) = text.split_once('/')
        && MerchantId::parse(merchant).is_ok()
    {
        let at_merchant = app.store.orders_numbered(number).await?;
        places.extend(at_merchant.into_iter().filter(|place| place.merchant == merchant));
    }
    load_summaries(app, places).await
}
