//! The list of withdrawals, newest first, with the clocks of their refunds.

use app::{
    AppError,
    withdrawal::list::{WithdrawalView, find_withdrawal, list_withdrawals},
};
use askama::Template;
use axum::{Router, extract::State, http::StatusCode, response::Response, routing::get};
use domain::{
    identifier::MerchantId,
    withdrawal::{clock::RefundState, identifier::WithdrawalId, record::WithdrawalOutcome},
};
use serde::Deserialize;

use crate::{
    access::visit::Member,
    core::{
        badge::Badge,
        format::TimeElement,
        frame::{Frame, Section, render_page},
        lists::{Paging, StatusFilter, StatusQuery},
        urls::{order_url, return_url},
    },
};
use server::{Web, error::ApiError, query::Query};

const ADDRESS: &str = "/console/withdrawals";

pub(crate) fn routes() -> Router<Web> {
    Router::new().route(ADDRESS, get(show))
}

#[derive(Template)]
#[template(path = "withdrawal/list.html", whitespace = "minimize")]
struct WithdrawalsPage<'a> {
    frame: Frame<'a>,
    filter: StatusFilter,
    rows: Vec<WithdrawalListRow>,
    paging: Paging,
    /// The withdrawal that the list is limited to, or an empty text.
    only: String,
}

struct WithdrawalListRow {
    identifier: String,
    merchant: String,
    order_identifier: String,
    order_url: String,
    rma: Option<(String, String)>,
    name: String,
    email: String,
    outcome: Badge,
    received: TimeElement,
    due: Option<TimeElement>,
    refund: Badge,
    sha256: String,
}

impl WithdrawalListRow {
    /// Enough of the hash to compare by eye.
    fn short_hash(&self) -> &str {
        self.sha256.get(..12).unwrap_or(&self.sha256)
    }
}

/// Limits the list to one withdrawal of the merchant.
#[derive(Default, Deserialize)]
#[serde(default)]
struct OneQuery {
    withdrawal: String,
}

async fn show(
    State(web): State<Web>,
    Member { visitor, .. }: Member,
    Query(mut query): Query<StatusQuery>,
    Query(OneQuery { withdrawal }): Query<OneQuery>,
) -> Result<Response, ApiError> {
    visitor.narrow(&mut query.merchant);
    let (found, next) = if withdrawal.is_empty() {
        let list_query = query.list_query(WithdrawalOutcome::parse)?;
        list_withdrawals(&web.app, &list_query).await?
    } else {
        (vec![load_one(&web, &query.merchant, &withdrawal).await?], None)
    };
    let outcomes = WithdrawalOutcome::ALL.map(|it| (it.name(), outcome_badge(it).label));
    let content = WithdrawalsPage {
        frame: Frame::new(&visitor, Section::Withdrawals, "Withdrawals"),
        filter: query.filter(&web, &visitor, &outcomes).await?,
        rows: found.into_iter().map(list_row).collect(),
        paging: query.paging(ADDRESS, next.as_deref()),
        only: withdrawal,
    };
    Ok(render_page(&visitor, StatusCode::OK, &content))
}

async fn load_one(web: &Web, merchant: &str, id: &str) -> Result<WithdrawalView, ApiError> {
    let missing = || AppError::NotFound("withdrawal");
    let merchant = MerchantId::parse_stored(merchant).map_err(|_| missing())?;
    let id = WithdrawalId::parse(id).ok_or_else(missing)?;
    Ok(find_withdrawal(&web.app, &merchant, &id).await?.ok_or_else(missing)?)
}

fn list_row(view: WithdrawalView) -> WithdrawalListRow {
    let record = view.record;
    let rma = record.rma_identifier.map(|rma| (return_url(rma.as_str()), rma.to_string()));
    WithdrawalListRow {
        identifier: record.withdrawal_identifier.to_string(),
        order_url: order_url(&record.merchant, &record.order_identifier),
        merchant: record.merchant,
        order_identifier: record.order_identifier,
        rma,
        name: record.name,
        email: record.email,
        outcome: outcome_badge(record.outcome),
        received: TimeElement(record.received_at),
        due: record.refund_due_at.map(TimeElement),
        refund: refund_badge(view.refund_state),
        sha256: view.sha256,
    }
}

const fn outcome_badge(outcome: WithdrawalOutcome) -> Badge {
    match outcome {
        WithdrawalOutcome::Accepted => Badge::good("Accepted"),
        WithdrawalOutcome::PartlyAccepted => Badge::warn("Partly accepted"),
        WithdrawalOutcome::Late => Badge::plain("Too late"),
        WithdrawalOutcome::Excepted => Badge::plain("No right"),
        WithdrawalOutcome::Settled => Badge::plain("Settled before"),
    }
}

const fn refund_badge(state: RefundState) -> Badge {
    match state {
        RefundState::NoReturn => Badge::plain("No return"),
        RefundState::AwaitsGoods => Badge::cool("Awaits goods"),
        RefundState::Due => Badge::warn("Refund due"),
        RefundState::Overdue => Badge::bad("Refund overdue"),
        RefundState::Refunded => Badge::good("Refunded"),
        RefundState::Canceled => Badge::plain("Canceled"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::fixtures::{
        HOSTILE, assert_is_text, hostile_status_filter, hostile_status_query, sample_visitor,
    };

    #[test]
    fn a_withdrawal_stays_text() {
        let mut record = domain::samples::withdrawal();
        for text in [
            &mut record.merchant,
            &mut record.order_identifier,
            &mut record.name,
            &mut record.email,
        ] {
            HOSTILE.clone_into(text);
        }
        let refund_state = RefundState::Overdue;
        let view = WithdrawalView { record, sha256: HOSTILE.to_owned(), refund_state };
        let visitor = sample_visitor();
        assert_is_text(&WithdrawalsPage {
            frame: Frame::new(&visitor, Section::Withdrawals, "Withdrawals"),
            filter: hostile_status_filter(),
            rows: vec![list_row(view)],
            paging: hostile_status_query().paging(ADDRESS, Some(HOSTILE)),
            only: HOSTILE.to_owned(),
        });
    }
}
