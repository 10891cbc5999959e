//! The search box of the console: finds anything by a number on a label or in an e-mail, or by an
//! e-mail address.
//!
//! Everything is found through an index, so the cost does not depend on how much is stored.

use boxed::boxed;
use domain::{
    identifier::{MerchantId, MessageId},
    returns::identifier::RmaId,
    warehouse::receiving::AsnState,
    withdrawal::identifier::WithdrawalId,
};
use serde::Serialize;
use store::StoreError;

use crate::{
    App, AppError,
    orders::{
        order_list::{OrderSummary, load_summaries},
        shopper_keys::shopper_hash,
    },
};

/// Longer than anything that can be searched for.
const TEXT_MAX: usize = 320;

/// A search result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum SearchHit {
    Order(Box<OrderSummary>),
    Return { merchant: String, rma: String, why: &'static str },
    Message { id: String },
    Withdrawal { merchant: String, withdrawal: String },
    Unit { merchant: String, unit: String },
    Asn { merchant: String, asn_number: String, program: String },
    Shipment { merchant: String, asn_number: String },
    DropShipOrder { merchant: String, identifier: String },
}

impl SearchHit {
    fn belongs_to(&self, merchant: &MerchantId) -> bool {
        match self {
            Self::Order(order) => order.merchant == merchant.as_str(),
            Self::Return { merchant: owner, .. } | Self::Withdrawal { merchant: owner, .. } => {
                owner == merchant.as_str()
            }
            Self::Message { id } => {
                MessageId::parse(id).is_some_and(|message| message.merchant == *merchant)
            }
            // These are the warehouse's to look at.
            Self::Unit { .. }
            | Self::Asn { .. }
            | Self::Shipment { .. }
            | Self::DropShipOrder { .. } => false,
        }
    }
}

/// Finds everything that `text` identifies: of all merchants for an operator, and of `own` for its
/// people.
#[boxed]
pub async fn search(
    app: &App,
    own: Option<&MerchantId>,
    text: &str,
) -> Result<Vec<SearchHit>, AppError> {
    let mut hits = search_everywhere(app, own, text).await?;
    hits.retain(|hit| own.is_none_or(|own| hit.belongs_to(own)));
    Ok(hits)
}

async fn search_everywhere(
    app: &App,
    own: Option<&MerchantId>,
    text: &str,
) -> Result<Vec<SearchHit>, AppError> {
    let text = text.trim();
    if text.is_empty() || text.len() > TEXT_MAX {
        return Ok(Vec::new());
    }
    if let Some(hit) = find_by_own_identifier(app, text).await? {
        return Ok(vec![hit]);
    }
    if text.contains('@') {
        let orders = find_orders_of_shopper(app, text).await?;
        if !orders.is_empty() {
            return Ok(orders);
        }
    }
    find_by_other_identifier(app, own, text).await
}

/// Finds what has an identifier of this service. Such an identifier is unique.
async fn find_by_own_identifier(app: &App, text: &str) -> Result<Option<SearchHit>, AppError> {
    if let Some(id) = MessageId::parse(text)
        && app.store.message(&id.merchant, id.number).await?.is_some()
    {
        return Ok(Some(SearchHit::Message { id: id.to_string() }));
    }
    if let Some(rma) = RmaId::parse(text)
        && let Some(merchant) = app.store.merchant_of_rma(&rma).await?
    {
        return Ok(Some(return_hit(&merchant, &rma, "by its identifier")));
    }
    if let Some(id) = WithdrawalId::parse(text)
        && let Some(merchant) = app.store.merchant_of_withdrawal(&id).await?
    {
        let (merchant, withdrawal) = (merchant.to_string(), id.to_string());
        return Ok(Some(SearchHit::Withdrawal { merchant, withdrawal }));
    }
    Ok(None)
}

fn return_hit(merchant: &MerchantId, rma: &RmaId, why: &'static str) -> SearchHit {
    SearchHit::Return { merchant: merchant.to_string(), rma: rma.to_string(), why }
}

/// The orders of the shopper with this e-mail address.
async fn find_orders_of_shopper(app: &App, email: &str) -> Result<Vec<SearchHit>, AppError> {
    let places = app.store.orders_of_shopper(shopper_hash(email)).await?;
    let mut orders = load_summaries(app, places).await?;
    orders.retain(|order| order.email.trim().to_lowercase() == email.to_lowercase());
    Ok(orders.into_iter().map(|order| SearchHit::Order(Box::new(order))).collect())
}

/// Finds what merchants and carriers have numbered. Several things may share a number.
async fn find_by_other_identifier(
    app: &App,
    own: Option<&MerchantId>,
    text: &str,
) -> Result<Vec<SearchHit>, AppError> {
    let (orders, exchanges, parcels, goods) = tokio::try_join!(
        find_orders_numbered(app, own, text),
        async { Ok(app.store.exchange_orders_named(text).await?) },
        async { Ok(app.store.returns_by_parcel(None, text).await?) },
        find_goods(app, text),
    )?;
    // An exchange order that its merchant published is found as an order. The page of the order
    // links to the return.
    let is_published = |merchant: &MerchantId| {
        orders.iter().any(|it| it.merchant == merchant.as_str() && it.order_id == text)
    };
    let exchanges = exchanges.iter().filter(|(merchant, _)| !is_published(merchant));
    let exchanges = exchanges
        .map(|(merchant, record)| {
            return_hit(merchant, &record.rma_identifier, "by its exchange order")
        })
        .collect::<Vec<_>>();
    let parcels = parcels.iter().map(|(merchant, rma)| return_hit(merchant, rma, "by its parcel"));
    let orders = orders.into_iter().map(|order| SearchHit::Order(Box::new(order)));
    Ok(orders.chain(exchanges).chain(parcels).chain(goods).collect())
}

/// Finds what the warehouse works with: units, goods that were announced or shipped, and drop-ship
/// orders.
async fn find_goods(app: &App, text: &str) -> Result<Vec<SearchHit>, AppError> {
    let (units, asns, shipments, drop_ship_orders) = tokio::try_join!(
        app.store.owners_of_unit(text),
        find_asns(app, text),
        app.store.merchants_of_shipment(text),
        app.store.merchants_of_drop_ship_order(text),
    )?;
    let number = || text.to_owned();
    let units = units
        .into_iter()
        .map(|merchant| SearchHit::Unit { merchant: merchant.to_string(), unit: number() });
    let shipments = shipments.into_iter().map(|merchant| SearchHit::Shipment {
        merchant: merchant.to_string(),
        asn_number: number(),
    });
    let drop_ship_orders = drop_ship_orders.into_iter().map(|merchant| SearchHit::DropShipOrder {
        merchant: merchant.to_string(),
        identifier: number(),
    });
    Ok(units.chain(asns).chain(shipments).chain(drop_ship_orders).collect())
}

/// Several programs of a merchant can use the same number.
async fn find_asns(app: &App, number: &str) -> Result<Vec<SearchHit>, StoreError> {
    let merchants = app.store.merchants_of_asn(number).await?;
    let names = merchants.iter().map(|merchant| (merchant.as_str(), number));
    let asns = app.store.asn_heads_named(names).await?;
    let hit = |(merchant, state): (String, AsnState)| SearchHit::Asn {
        merchant,
        asn_number: number.to_owned(),
        program: state.asn.program_identifier,
    };
    Ok(asns.into_iter().map(hit).collect())
}

/// Finds orders by number, or by merchant and number: `acme/ORD-100472`. Many merchants may share a
/// number, so one merchant's order is looked up by both.
async fn find_orders_numbered(
    app: &App,
    own: Option<&MerchantId>,
    text: &str,
) -> Result<Vec<OrderSummary>, AppError> {
    let mut places = match own {
        Some(own) => app.store.listed_order(own, text).await?.into_iter().collect(),
        None => app.store.orders_numbered(text).await?,
    };
    if let Some((merchant, number)) = text.split_once('/')
        && let Ok(merchant) = MerchantId::parse(merchant)
    {
        places.extend(app.store.listed_order(&merchant, number).await?);
    }
    load_summaries(app, places).await
}
