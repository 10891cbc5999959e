//! Orders, newest first.

use app::orders::order_list::{OrderQuery, OrderSummary, list_orders};
use askama::Template;
use axum::{extract::State, http::StatusCode, response::Response};
use domain::orders::order::OrderStatus;
use serde::Deserialize;

use crate::{
    access::visit::Operator,
    core::{
        frame::{Frame, Section, page},
        lists::{
            Badge, Choice, Moment, PAGE, Paging, choice, merchant_choices, merchant_named,
            order_badge,
        },
        words::{money, path},
    },
};
use server::{Web, error::ApiError, query::Query};

#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Filter {
    merchant: String,
    status: String,
    before: String,
}

#[derive(Template)]
#[template(path = "orders/list.html", whitespace = "minimize")]
struct Orders<'a> {
    frame: Frame<'a>,
    merchants: Vec<Choice>,
    statuses: Vec<Choice>,
    lines: Vec<Line>,
    paging: Paging,
}

struct Line {
    address: String,
    identifier: String,
    merchant: String,
    name: String,
    email: String,
    units: i64,
    total: String,
    status: Badge,
    created: Moment,
}

pub(crate) async fn show(
    State(web): State<Web>,
    Operator { visitor, .. }: Operator,
    Query(filter): Query<Filter>,
) -> Result<Response, ApiError> {
    let merchant = merchant_named(&filter.merchant)?;
    let wanted = OrderQuery {
        merchant: merchant.as_ref(),
        status: OrderStatus::parse(&filter.status),
        before: Some(filter.before.as_str()),
        limit: PAGE,
    };
    let (found, next) = list_orders(&web.app, &wanted).await?;
    let kept = [("merchant", filter.merchant.as_str()), ("status", filter.status.as_str())];
    let statuses = OrderStatus::ALL.map(OrderStatus::name);
    let listed = Orders {
        frame: Frame::new(&visitor, Section::Orders, "Orders"),
        merchants: merchant_choices(&web, &filter.merchant).await?,
        statuses: statuses.map(|name| choice(name, name, &filter.status)).into(),
        lines: found.into_iter().map(line).collect(),
        paging: Paging::new("/console/orders", &kept, &filter.before, next.as_deref()),
    };
    Ok(page(&visitor, StatusCode::OK, &listed))
}

fn line(order: OrderSummary) -> Line {
    Line {
        address: path(&["console", "orders", &order.merchant, &order.order_id]),
        identifier: order.order_id,
        merchant: order.merchant,
        name: order.name,
        email: order.email,
        units: order.units,
        total: money(order.total_cents, &order.currency),
        status: order_badge(&order.status),
        created: Moment(order.created_at),
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::core::fixtures::{HOSTILE, assert_is_text, visitor};

    #[test]
    fn whatever_an_order_holds_stays_text() {
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
        let visitor = visitor();
        let kept = [("merchant", HOSTILE)];
        assert_is_text(&Orders {
            frame: Frame::new(&visitor, Section::Orders, "Orders"),
            merchants: vec![choice(HOSTILE, HOSTILE, HOSTILE)],
            statuses: vec![choice(HOSTILE, HOSTILE, "")],
            lines: vec![line(order)],
            paging: Paging::new("/console/orders", &kept, HOSTILE, Some(HOSTILE)),
        });
    }
}
