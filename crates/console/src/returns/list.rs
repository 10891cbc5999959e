//! The list of returns, newest first.

use app::returns::return_list::list_returns;
use askama::Template;
use axum::{extract::State, http::StatusCode, response::Response};
use domain::returns::rma::{Rma, RmaStatus};

use super::orders::{ReturnedOrder, returned_orders};
use crate::{
    access::visit::Member,
    core::{
        badge::{Badge, return_badge},
        format::{TimeElement, format_money},
        frame::{Frame, Section, render_page},
        lists::{Paging, StatusFilter, StatusQuery},
        urls::return_url,
    },
};
use server::{Web, error::ApiError, query::Query};

#[derive(Template)]
#[template(path = "returns/list.html", whitespace = "minimize")]
struct ReturnsPage<'a> {
    frame: Frame<'a>,
    filter: StatusFilter,
    rows: Vec<ReturnRow>,
    paging: Paging,
}

struct ReturnRow {
    url: String,
    identifier: String,
    merchant: String,
    orders: Vec<ReturnedOrder>,
    email: String,
    units: usize,
    value: String,
    method: &'static str,
    status: Badge,
    created: TimeElement,
}

pub(super) async fn show(
    State(web): State<Web>,
    Member { visitor, .. }: Member,
    Query(mut query): Query<StatusQuery>,
) -> Result<Response, ApiError> {
    visitor.narrow(&mut query.merchant);
    let list_query = query.list_query(RmaStatus::parse)?;
    let (found, next) = list_returns(&web.app, &list_query).await?;
    let statuses = RmaStatus::ALL.map(|status| (status.name(), return_badge(status).label));
    let content = ReturnsPage {
        frame: Frame::new(&visitor, Section::Returns, "Returns"),
        filter: query.filter(&web, &visitor, &statuses).await?,
        rows: found.iter().map(|(merchant, rma)| return_row(merchant, rma)).collect(),
        paging: query.paging("/console/returns", next.as_deref()),
    };
    Ok(render_page(&visitor, StatusCode::OK, &content))
}

fn return_row(merchant: &str, rma: &Rma) -> ReturnRow {
    let value = rma.units.iter().map(|unit| unit.goods.amounts.refund_cents()).sum();
    let email = rma.giftee_email.as_ref().or(rma.email.as_ref());
    ReturnRow {
        url: return_url(rma.rma_identifier.as_str()),
        identifier: rma.rma_identifier.to_string(),
        merchant: merchant.to_owned(),
        orders: returned_orders(merchant, rma),
        email: email.cloned().unwrap_or_default(),
        units: rma.units.len(),
        value: format_money(value, &rma.currency),
        method: rma.return_method.name(),
        status: return_badge(rma.status),
        created: TimeElement(rma.created_at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::fixtures::{
        HOSTILE, assert_is_text, hostile_status_filter, hostile_status_query, sample_visitor,
    };

    #[test]
    fn a_return_stays_text() {
        let mut rma = domain::samples::rma();
        rma.giftee_email = Some(HOSTILE.to_owned());
        HOSTILE.clone_into(&mut rma.currency);
        for unit in &mut rma.units {
            HOSTILE.clone_into(&mut unit.goods.order_identifier);
        }
        let visitor = sample_visitor();
        assert_is_text(&ReturnsPage {
            frame: Frame::new(&visitor, Section::Returns, "Returns"),
            filter: hostile_status_filter(),
            rows: vec![return_row(HOSTILE, &rma)],
            paging: hostile_status_query().paging("/console/returns", Some(HOSTILE)),
        });
    }
}
