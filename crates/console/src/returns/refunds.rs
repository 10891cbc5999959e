//! Refunds that fit no return, or paid for what was spent before: each with the returns it could be for.

use app::{
    AppError,
    returns::{
        refund_case::{RefundCandidate, RefundCase, RefundFacts, load_refund_case},
        refund_problems::{RefundMatch, list_refund_problems, match_refund},
    },
};
use askama::Template;
use axum::{Router, extract::State, http::StatusCode, response::Response, routing::get};
use domain::identifier::MerchantId;
use serde::Deserialize;

use crate::core::format::{Choice, WORDS_MAX, When, about_address, counted, note};
use crate::{
    access::visit::{Operator, OperatorForm, Visitor},
    core::{
        form::Form,
        frame::{Frame, Section, done, page},
        problem::sentence,
        words::{address, money},
    },
};
use server::{Web, error::ApiError, query::Query};

/// Each has a card of its own with all that it takes to decide.
const PAGE: usize = 20;

const STATES: [(&str, &str); 3] =
    [("unmatched", "Unmatched"), ("conflict", "Conflicts"), ("settled", "Settled")];

pub(crate) fn routes() -> Router<Web> {
    Router::new().route("/console/refunds", get(show).post(settle))
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Search {
    pub(crate) state: String,
    pub(crate) after: String,
}

impl Search {
    /// The state that is looked at, one of [`STATES`].
    fn state(&self) -> &'static str {
        let known = STATES.into_iter().find(|(name, _)| *name == self.state);
        known.map_or("unmatched", |(name, _)| name)
    }
}

fn place(state: &str, after: &str) -> String {
    address("/console/refunds", &[("state", state), ("after", after)])
}

#[derive(Template)]
#[template(path = "returns/refunds.html", whitespace = "minimize")]
pub(crate) struct RefundsPage<'a> {
    frame: Frame<'a>,
    states: Vec<Choice>,
    state: &'static str,
    refused: Option<String>,
    cases: Vec<CaseCard>,
    next: Option<String>,
    words_max: usize,
}

struct CaseCard {
    /// Tells this card from the others of the page.
    number: usize,
    merchant: String,
    refund: String,
    order: String,
    order_address: String,
    noticed: When,
    detail: String,
    facts: Option<FactsView>,
    candidates: Vec<CandidateRow>,
}

struct FactsView {
    amount: String,
    created: When,
    note: Option<String>,
    named: Option<String>,
    lines: Vec<(i64, String, String)>,
}

struct CandidateRow {
    rma: String,
    address: String,
    status: &'static str,
    created: When,
    fit: String,
}

fn facts_view(facts: RefundFacts) -> FactsView {
    let lines = facts.lines.into_iter().map(|it| (it.quantity, it.identifier, it.title));
    FactsView {
        amount: money(facts.amount_cents, &facts.currency),
        created: When(facts.created_at),
        note: facts.note,
        named: facts.rma_identifier,
        lines: lines.collect(),
    }
}

fn candidate_row(candidate: RefundCandidate) -> CandidateRow {
    let units = |count: i64| counted(count, "unit", "units");
    let fit = match (candidate.left_over, candidate.short_of) {
        (0, 0) => format!("Awaits exactly this: {}", units(candidate.pays_for)),
        (0, more) => {
            format!("Awaits {} of it, and {} more", units(candidate.pays_for), units(more))
        }
        (rest, _) => {
            format!("Awaits {} of it; {} would be left over", units(candidate.pays_for), rest)
        }
    };
    CandidateRow {
        address: about_address(&candidate.rma_identifier),
        status: candidate.status,
        created: When(candidate.created_at),
        fit,
        rma: candidate.rma_identifier,
    }
}

fn case_card((number, case): (usize, RefundCase)) -> CaseCard {
    let RefundCase { problem, refund, candidates } = case;
    let query = format!("{}/{}", problem.merchant, problem.order_identifier);
    CaseCard {
        number,
        order_address: address("/console/search", &[("q", &query)]),
        noticed: When(problem.noticed_at),
        detail: sentence(&problem.detail),
        facts: refund.map(facts_view),
        candidates: candidates.into_iter().map(candidate_row).collect(),
        merchant: problem.merchant,
        refund: problem.refund_identifier,
        order: problem.order_identifier,
    }
}

impl<'a> RefundsPage<'a> {
    pub(crate) fn new(
        visitor: &'a Visitor,
        search: &Search,
        (cases, next): (Vec<RefundCase>, Option<&str>),
        refused: Option<String>,
    ) -> Self {
        let state = search.state();
        let choice = |(name, words)| Choice { name, words, chosen: name == state };
        Self {
            frame: Frame::new(visitor, Section::Refunds, "Refunds to look at"),
            states: STATES.map(choice).into(),
            state,
            refused,
            cases: cases.into_iter().enumerate().map(case_card).collect(),
            next: next.map(|after| place(state, after)),
            words_max: WORDS_MAX,
        }
    }
}

async fn show(
    State(web): State<Web>,
    Operator { visitor, .. }: Operator,
    Query(search): Query<Search>,
) -> Result<Response, ApiError> {
    shown(&web, &visitor, &search, None).await
}

async fn shown(
    web: &Web,
    visitor: &Visitor,
    search: &Search,
    refused: Option<String>,
) -> Result<Response, ApiError> {
    let after = Some(search.after.as_str()).filter(|after| !after.is_empty());
    let found = list_refund_problems(&web.app, search.state(), after, PAGE).await?;
    let mut cases = Vec::with_capacity(found.refunds.len());
    for problem in found.refunds {
        cases.push(load_refund_case(&web.app, problem).await?);
    }
    let status = if refused.is_some() { StatusCode::CONFLICT } else { StatusCode::OK };
    let found = (cases, found.next.as_deref());
    Ok(page(visitor, status, &RefundsPage::new(visitor, search, found, refused)))
}

async fn settle(
    State(web): State<Web>,
    OperatorForm { visitor, form, .. }: OperatorForm,
) -> Result<Response, ApiError> {
    let search = Search { state: form.raw("state").to_owned(), ..Search::default() };
    let settled = match wanted(&form) {
        Ok((merchant, matched)) => {
            let of = (&merchant, form.raw("refund"));
            match_refund(&web.app, visitor.session.request(), of, &matched).await
        }
        Err(why) => return shown(&web, &visitor, &search, Some(why)).await,
    };
    match settled {
        Ok(problem) => {
            let words = format!("Refund {} is {}.", problem.refund_identifier, problem.detail);
            Ok(done(&web, &place(search.state(), ""), &words))
        }
        Err(AppError::Conflict(why)) => shown(&web, &visitor, &search, Some(sentence(&why))).await,
        Err(error) => Err(error.into()),
    }
}

/// What the form says: of which merchant, and what the refund pays for.
fn wanted(form: &Form) -> Result<(MerchantId, RefundMatch), String> {
    let merchant = MerchantId::parse(form.raw("merchant")).map_err(|why| sentence(&why))?;
    let rma = Some(form.text("rma")).filter(|rma| !rma.is_empty()).map(str::to_owned);
    let note = note(form.text("note"))?;
    if rma.is_none() && note.is_none() {
        return Err("Say why the refund is accepted as it is.".to_owned());
    }
    Ok((merchant, RefundMatch { rma_identifier: rma, note }))
}
