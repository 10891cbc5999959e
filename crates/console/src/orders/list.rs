//! The list of orders, newest first.

use app::orders::order_list::{OrderSummary, list_orders};
use askama::Template;
use axum::{extract::State, http::StatusCode, response::Response};
use domain::orders::order::OrderStatus;

use crate::{
    access::visit::Member,
    core::{
        badge::{Badge, order_badge},
        format::{TimeElement, format_money},
        frame::{Frame, Section, render_page},
        lists::{Paging, StatusFilter, StatusQuery},
        urls::order_url,
    },
};
use server::{Web, error::ApiError, query::Query};

#[derive(Template)]
#[template(path = "orders/list.html", whitespace = "minimize")]
struct OrdersPage<'a> {
    frame: Frame<'a>,
    filter: StatusFilter,
    rows: Vec<OrderRow>,
    paging: Paging,
}

struct OrderRow {
    url: String,
    identifier: String,
    merchant: String,
    name: String,
    email: String,
    units: i64,
    total: String,
    status: Badge,
    received: TimeElement,
}

pub(super) async fn show(
    State(web): State<Web>,
    Member { visitor, .. }: Member,
    Query(mut query): Query<StatusQuery>,
) -> Result<Response, ApiError> {
    visitor.narrow(&mut query.merchant);
    let list_query = query.list_query(OrderStatus::parse)?;
    let (found, next) = list_orders(&web.app, &list_query).await?;
    let statuses = OrderStatus::ALL.map(|status| (status.name(), order_badge(status.name()).label));
    let content = OrdersPage {
        frame: Frame::new(&visitor, Section::Orders, "Orders"),
        filter: query.filter(&web, &visitor, &statuses).await?,
        rows: found.into_iter().map(order_row).collect(),
        paging: query.paging("/console/orders", next.as_deref()),
    };
    Ok(render_page(&visitor, StatusCode::OK, &content))
}

fn order_row(order: OrderSummary) -> OrderRow {
    OrderRow {
        url: order_url(&order.merchant, &order.order_id),
        identifier: order.order_id,
        merchant: order.merchant,
        name: order.name,
        email: order.email,
        units: order.units,
        total: format_money(order.total_cents, &order.currency),
        status: order_badge(&order.status),
        received: TimeElement(order.created_at),
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::core::fixtures::{
        HOSTILE, assert_is_text, hostile_status_filter, hostile_status_query, sample_visitor,
    };

    #[test]
    fn an_order_stays_text() {
        let hostile = || HOSTILE.to_owned();
        let order = OrderSummary {
            merchant: hostile(),
            order_id: hostile(),
            created_at: Timestamp::UNIX_EPOCH,
            received_at: Timestamp::UNIX_EPOCH,
            status: hostile(),
            email: hostile(),
            name: hostile(),
            total_cents: 1,
            currency: hostile(),
            units: 1,
        };
        let visitor = sample_visitor();
        assert_is_text(&OrdersPage {
            frame: Frame::new(&visitor, Section::Orders, "Orders"),
            filter: hostile_status_filter(),
            rows: vec![order_row(order)],
            paging: hostile_status_query().paging("/console/orders", Some(HOSTILE)),
        });
    }
}
