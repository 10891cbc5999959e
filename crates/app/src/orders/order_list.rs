//! Orders in lists: newest first, with what tells one from another.

use std::collections::HashMap;

use bytes::Bytes;
use domain::{
    identifier::MerchantId,
    json,
    orders::{
        order::OrderStatus,
        order_message::{OrderReadContext, read_order},
    },
};
use jiff::Timestamp;
use serde::Serialize;
use store::{Cursor, ListedOrder, OrderFilter};

use crate::{App, AppError, messages::message_log::time_from_us};

/// An order as a line of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OrderSummary {
    pub merchant: String,
    pub order_id: String,
    /// When it first arrived, and when its newest snapshot did.
    pub created_at: Timestamp,
    pub received_at: Timestamp,
    pub status: String,
    pub email: String,
    /// The name on the shipping address.
    pub name: String,
    pub total_cents: i64,
    pub currency: String,
    /// Units that were ordered.
    pub units: i64,
}

/// Which orders to list.
#[derive(Clone, Debug, Default)]
pub struct OrderQuery<'a> {
    pub merchant: Option<&'a MerchantId>,
    pub status: Option<OrderStatus>,
    pub before: Option<&'a str>,
    pub limit: usize,
}

/// Orders, newest first, and where to go on when there may be more.
pub async fn list_orders(
    app: &App,
    wanted: &OrderQuery<'_>,
) -> Result<(Vec<OrderSummary>, Option<String>), AppError> {
    let filter = OrderFilter {
        before: wanted.before.and_then(Cursor::parse).unwrap_or_else(Cursor::newest),
        merchant: wanted.merchant.cloned(),
        status: wanted.status,
        limit: wanted.limit,
    };
    let (places, end) = app.store.orders(&filter).await?;
    let next = end.map(|it| it.cursor().to_string());
    Ok((load_summaries(app, places).await?, next))
}

/// The orders at these places, in their order.
pub(crate) async fn load_summaries(
    app: &App,
    places: Vec<ListedOrder>,
) -> Result<Vec<OrderSummary>, AppError> {
    let bodies = app.store.order_bodies(&places).await?;
    let bodies: HashMap<(String, String), Bytes> =
        bodies.into_iter().map(|(merchant, order_id, body)| ((merchant, order_id), body)).collect();
    let context = OrderReadContext { now: app.world.now(), strict: false };
    let summary = |place: ListedOrder| {
        let body = bodies.get(&(place.merchant.clone(), place.order_id.clone()));
        summary(place, body.map(Bytes::as_ref).unwrap_or_default(), &context)
    };
    Ok(places.into_iter().map(summary).collect())
}

/// What can be told of an order whose body may be one that nobody would accept today.
fn summary(place: ListedOrder, body: &[u8], context: &OrderReadContext) -> OrderSummary {
    let document = json::parse(body).ok();
    let order = document.and_then(|it| read_order(&it, context).ok()).map(|(read, _)| read.order);
    let mut summary = OrderSummary {
        merchant: place.merchant,
        order_id: place.order_id,
        created_at: time_from_us(place.created_us),
        received_at: time_from_us(place.received_us),
        status: place.status,
        email: String::new(),
        name: String::new(),
        total_cents: 0,
        currency: String::new(),
        units: 0,
    };
    if let Some(order) = order {
        summary.units = order.items.iter().map(|line| line.quantity).sum();
        summary.total_cents = order.total_amount_cents;
        summary.currency = order.currency;
        summary.email = order.customer.email;
        summary.name = order.shipping_address.name;
    }
    summary
}
