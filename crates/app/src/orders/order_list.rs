//! Lists of orders, newest first, with what identifies an order to a person.

use std::collections::HashMap;

use boxed::boxed;
use bytes::Bytes;
use domain::{
    identifier::MerchantId,
    json,
    orders::{order::OrderStatus, order_message::read_stored_order},
};
use jiff::Timestamp;
use serde::Serialize;
use store::{ListedOrder, WorkList};
use utoipa::ToSchema;

use crate::{
    App, AppError,
    core::{
        list_query::ListQuery,
        time::time_from_us,
        work_lists::{WorkEntries, WorkListQuery},
    },
};

/// The most orders that may have one number that a shopper knows.
const ALIKE_MAX: usize = 100;

/// An order as a row of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OrderSummary {
    pub merchant: String,
    pub order_id: String,
    /// When its first snapshot arrived.
    pub created_at: Timestamp,
    /// When its newest snapshot arrived.
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

/// An order in the list that other systems poll.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ChangedOrder {
    #[schema(example = "ORD-100472")]
    pub identifier: String,
    /// `Created`, `Shipped` or `Cancelled`, as in the newest snapshot.
    #[schema(example = "Shipped")]
    pub status: String,
    /// When its newest snapshot, or a refund of it, arrived.
    #[schema(example = "2026-02-12T14:03:09Z")]
    pub updated_at: Timestamp,
}

/// Orders of one merchant in the order of their changes. The reference is the order's own number or
/// the one that the shopper knows.
#[boxed]
pub async fn list_changed_orders(
    app: &App,
    merchant: &MerchantId,
    query: &WorkListQuery,
) -> Result<WorkEntries<ChangedOrder>, AppError> {
    let page = match &query.reference {
        None => query.page(app, WorkList::Orders).await?,
        Some(number) => {
            let mut orders = app.store.orders_by_secondary(merchant, number, ALIKE_MAX).await?;
            orders.push(number.clone());
            let names = orders.into_iter().map(|order| (merchant.to_string(), order));
            let names: Vec<(String, String)> = names.collect();
            query.page_of_names(app, WorkList::Orders, &names).await?
        }
    };
    let entries = page.rows.iter().map(|row| ChangedOrder {
        identifier: row.id.clone(),
        status: row.status.clone(),
        updated_at: time_from_us(row.changed_us),
    });
    Ok(WorkEntries::new(&page, entries.collect()))
}

/// Lists orders, newest first. The second value is the cursor of the next page, if there may be
/// one.
#[boxed]
pub async fn list_orders(
    app: &App,
    query: &ListQuery<'_, OrderStatus>,
) -> Result<(Vec<OrderSummary>, Option<String>), AppError> {
    let (orders, end) = app.store.orders(&query.filter()?).await?;
    let next = end.map(|it| it.cursor().to_string());
    Ok((load_summaries(app, orders).await?, next))
}

/// The summaries of these orders, in the same sequence.
pub(crate) async fn load_summaries(
    app: &App,
    orders: Vec<ListedOrder>,
) -> Result<Vec<OrderSummary>, AppError> {
    let keys = orders.iter().map(|order| [order.merchant.as_str(), order.order_id.as_str()]);
    let bodies = app.store.order_bodies(keys).await?;
    let bodies: HashMap<(String, String), Bytes> =
        bodies.into_iter().map(|(merchant, order_id, body)| ((merchant, order_id), body)).collect();
    let summarize_order = |order: ListedOrder| {
        let body = bodies.get(&(order.merchant.clone(), order.order_id.clone()));
        summarize(order, body.map(Bytes::as_ref).unwrap_or_default())
    };
    Ok(orders.into_iter().map(summarize_order).collect())
}

/// Leaves fields empty if the body cannot be read.
fn summarize(listed: ListedOrder, body: &[u8]) -> OrderSummary {
    let document = json::parse(body).ok();
    let order = document.and_then(|it| read_stored_order(&it).ok());
    let mut summary = OrderSummary {
        merchant: listed.merchant,
        order_id: listed.order_id,
        created_at: time_from_us(listed.created_us),
        received_at: time_from_us(listed.received_us),
        status: listed.status,
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
