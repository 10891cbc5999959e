//! Returns, newest first.

use app::returns::return_list::{ReturnQuery, list_returns};
use askama::Template;
use axum::{extract::State, http::StatusCode, response::Response};
use domain::returns::rma::{Rma, RmaStatus};
use serde::Deserialize;

use crate::{
    access::visit::Operator,
    core::{
        frame::{Frame, Section, page},
        lists::{
            Badge, Choice, Moment, PAGE, Paging, choice, merchant_choices, merchant_named,
            return_badge,
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
#[template(path = "returns/list.html", whitespace = "minimize")]
struct Returns<'a> {
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
    /// The orders, and where they are shown.
    orders: Vec<(String, String)>,
    email: String,
    units: usize,
    worth: String,
    method: &'static str,
    status: Badge,
    created: Moment,
}

pub(crate) async fn show(
    State(web): State<Web>,
    Operator { visitor, .. }: Operator,
    Query(filter): Query<Filter>,
) -> Result<Response, ApiError> {
    let merchant = merchant_named(&filter.merchant)?;
    let wanted = ReturnQuery {
        merchant: merchant.as_ref(),
        status: RmaStatus::parse(&filter.status),
        before: Some(filter.before.as_str()),
        limit: PAGE,
    };
    let (found, next) = list_returns(&web.app, &wanted).await?;
    let kept = [("merchant", filter.merchant.as_str()), ("status", filter.status.as_str())];
    let status = |it: RmaStatus| choice(it.name(), return_badge(it).words, &filter.status);
    let listed = Returns {
        frame: Frame::new(&visitor, Section::Returns, "Returns"),
        merchants: merchant_choices(&web, &filter.merchant).await?,
        statuses: RmaStatus::ALL.map(status).into(),
        lines: found.iter().map(|(merchant, rma)| line(merchant, rma)).collect(),
        paging: Paging::new("/console/returns", &kept, &filter.before, next.as_deref()),
    };
    Ok(page(&visitor, StatusCode::OK, &listed))
}

fn line(merchant: &str, rma: &Rma) -> Line {
    let worth = rma.units.iter().map(|unit| unit.goods.amounts.refund_cents()).sum();
    let email = rma.giftee_email.as_ref().or(rma.email.as_ref());
    Line {
        address: path(&["console", "returns", rma.rma_identifier.as_str()]),
        identifier: rma.rma_identifier.to_string(),
        merchant: merchant.to_owned(),
        orders: order_links(merchant, rma),
        email: email.cloned().unwrap_or_default(),
        units: rma.units.len(),
        worth: money(worth, &rma.currency),
        method: rma.return_method.name(),
        status: return_badge(rma.status),
        created: Moment(rma.created_at),
    }
}

/// The orders that units of a return were bought with: where they are shown, and their names.
pub(crate) fn order_links(merchant: &str, rma: &Rma) -> Vec<(String, String)> {
    let mut orders: Vec<&str> =
        rma.units.iter().map(|unit| unit.goods.order_identifier.as_str()).collect();
    orders.sort_unstable();
    orders.dedup();
    let link = |it: &str| (path(&["console", "orders", merchant, it]), it.to_owned());
    orders.into_iter().map(link).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::fixtures::{HOSTILE, assert_is_text, visitor};

    #[test]
    fn whatever_a_return_holds_stays_text() {
        let mut rma = domain::samples::rma();
        rma.giftee_email = Some(HOSTILE.to_owned());
        HOSTILE.clone_into(&mut rma.currency);
        for unit in &mut rma.units {
            HOSTILE.clone_into(&mut unit.goods.order_identifier);
        }
        let visitor = visitor();
        let kept = [("merchant", HOSTILE)];
        assert_is_text(&Returns {
            frame: Frame::new(&visitor, Section::Returns, "Returns"),
            merchants: vec![choice(HOSTILE, HOSTILE, HOSTILE)],
            statuses: vec![choice(HOSTILE, HOSTILE, "")],
            lines: vec![line(HOSTILE, &rma)],
            paging: Paging::new("/console/returns", &kept, HOSTILE, Some(HOSTILE)),
        });
    }
}
