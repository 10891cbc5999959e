//! Refunds that match no return, or that paid for units spent before, each with the returns that it
//! could belong to.

#[cfg(test)]
mod tests;

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

use crate::{
    access::{
        visit::{Operator, OperatorForm},
        visitor::Visitor,
    },
    core::{
        form::{Form, NOTE_MAX, check_note, non_empty},
        format::{TimeElement, format_count, format_money, to_sentence},
        frame::{Frame, Section, redirect_with_notice, render_page},
        lists::{FilterOption, Paging},
        urls::{add_query, return_url},
    },
};
use server::{Web, error::ApiError, query::Query};

const PATH: &str = "/console/refunds";
/// Fewer than in other lists, because each refund has a card.
const CARDS_MAX: usize = 20;

/// The states of a problem, each with its label.
const STATES: [(&str, &str); 3] =
    [("unmatched", "Unmatched"), ("conflict", "Conflicts"), ("settled", "Resolved")];

pub(crate) fn routes() -> Router<Web> {
    Router::new().route(PATH, get(show).post(settle))
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct RefundQuery {
    state: String,
    after: String,
}

impl RefundQuery {
    /// One of [`STATES`].
    fn state(&self) -> &'static str {
        let known = STATES.into_iter().find(|(name, _)| *name == self.state);
        known.map_or("unmatched", |(name, _)| name)
    }
}

#[derive(Template)]
#[template(path = "returns/refunds.html", whitespace = "minimize")]
struct RefundsPage<'a> {
    frame: Frame<'a>,
    states: Vec<FilterOption>,
    state: &'static str,
    /// Why the last decision was refused.
    refusal: Option<String>,
    cards: Vec<RefundCard>,
    paging: Paging,
    note_max: usize,
}

struct RefundCard {
    /// Makes the identifiers of the card unique on the page.
    number: usize,
    merchant: String,
    refund: String,
    order: String,
    order_url: String,
    detected: TimeElement,
    problem: String,
    facts: Option<RefundFactsView>,
    candidates: Vec<CandidateRow>,
}

struct RefundFactsView {
    amount: String,
    created: TimeElement,
    note: Option<String>,
    /// The return that the refund refers to.
    rma: Option<String>,
    lines: Vec<RefundedLineView>,
}

struct RefundedLineView {
    quantity: i64,
    identifier: String,
    title: String,
}

struct CandidateRow {
    rma: String,
    url: String,
    status: &'static str,
    created: TimeElement,
    fit: String,
}

fn facts_view(facts: RefundFacts) -> RefundFactsView {
    let lines = facts.lines.into_iter().map(|it| RefundedLineView {
        quantity: it.quantity,
        identifier: it.identifier,
        title: it.title,
    });
    RefundFactsView {
        amount: format_money(facts.amount_cents, &facts.currency),
        created: TimeElement(facts.created_at),
        note: facts.note,
        rma: facts.rma_identifier,
        lines: lines.collect(),
    }
}

fn candidate_row(candidate: RefundCandidate) -> CandidateRow {
    let units = |count: i64| format_count(count, "unit", "units");
    let paid = units(candidate.pays_for);
    let fit = match (candidate.left_over, candidate.short_of) {
        (0, 0) => format!("Exact match: pays for {paid}"),
        (0, open) => format!("Pays for {paid}; {} would stay open", units(open)),
        (rest, _) => format!("Pays for {paid}; {} would be left over", units(rest)),
    };
    CandidateRow {
        url: return_url(&candidate.rma_identifier),
        status: candidate.status,
        created: TimeElement(candidate.created_at),
        fit,
        rma: candidate.rma_identifier,
    }
}

fn refund_card(number: usize, case: RefundCase) -> RefundCard {
    let RefundCase { problem, refund, candidates } = case;
    let query = format!("{}/{}", problem.merchant, problem.order_identifier);
    RefundCard {
        number,
        order_url: add_query("/console/search", &[("q", &query)]),
        detected: TimeElement(problem.noticed_at),
        problem: to_sentence(&problem.detail),
        facts: refund.map(facts_view),
        candidates: candidates.into_iter().map(candidate_row).collect(),
        merchant: problem.merchant,
        refund: problem.refund_identifier,
        order: problem.order_identifier,
    }
}

/// A page of refunds with their candidates.
struct RefundCases {
    cases: Vec<RefundCase>,
    next: Option<String>,
}

impl<'a> RefundsPage<'a> {
    fn new(
        visitor: &'a Visitor,
        query: &RefundQuery,
        found: RefundCases,
        refusal: Option<String>,
    ) -> Self {
        let state = query.state();
        let cards = (0..).zip(found.cases).map(|(number, case)| refund_card(number, case));
        Self {
            frame: Frame::new(visitor, Section::Refunds, "Refund problems"),
            states: STATES.map(|(name, label)| FilterOption::new(name, label, state)).into(),
            state,
            refusal,
            cards: cards.collect(),
            paging: Paging::in_order(
                PATH,
                &[("state", state)],
                &query.after,
                found.next.as_deref(),
            ),
            note_max: NOTE_MAX,
        }
    }
}

async fn show(
    State(web): State<Web>,
    Operator { visitor, .. }: Operator,
    Query(query): Query<RefundQuery>,
) -> Result<Response, ApiError> {
    render_refunds(&web, &visitor, &query, None).await
}

async fn render_refunds(
    web: &Web,
    visitor: &Visitor,
    query: &RefundQuery,
    refusal: Option<String>,
) -> Result<Response, ApiError> {
    let status = if refusal.is_some() { StatusCode::CONFLICT } else { StatusCode::OK };
    let found = load_cases(web, query).await?;
    Ok(render_page(visitor, status, &RefundsPage::new(visitor, query, found, refusal)))
}

async fn load_cases(web: &Web, query: &RefundQuery) -> Result<RefundCases, ApiError> {
    let after = non_empty(&query.after);
    let found = list_refund_problems(&web.app, query.state(), after, CARDS_MAX).await?;
    let mut cases = Vec::with_capacity(found.refunds.len());
    for problem in found.refunds {
        cases.push(load_refund_case(&web.app, problem).await?);
    }
    Ok(RefundCases { cases, next: found.next })
}

async fn settle(
    State(web): State<Web>,
    OperatorForm { visitor, form, .. }: OperatorForm,
) -> Result<Response, ApiError> {
    let query = RefundQuery { state: form.raw("state").to_owned(), ..RefundQuery::default() };
    let RefundDecision { merchant, matched } = match read_decision(&form) {
        Ok(decision) => decision,
        Err(why) => return render_refunds(&web, &visitor, &query, Some(why)).await,
    };
    let scope = visitor.session.scope(&web.app).for_merchant(&merchant);
    match match_refund(scope, form.raw("refund"), &matched).await {
        Ok(problem) => {
            let notice = format!("Refund {} is {}.", problem.refund_identifier, problem.detail);
            let to = add_query(PATH, &[("state", query.state())]);
            Ok(redirect_with_notice(&web, &to, &notice))
        }
        Err(AppError::Conflict(why)) => {
            render_refunds(&web, &visitor, &query, Some(to_sentence(&why))).await
        }
        Err(error) => Err(error.into()),
    }
}

/// The merchant of a refund, and what the refund pays for.
struct RefundDecision {
    merchant: MerchantId,
    matched: RefundMatch,
}

fn read_decision(form: &Form) -> Result<RefundDecision, String> {
    let merchant = MerchantId::parse(form.raw("merchant")).map_err(|why| to_sentence(&why))?;
    let rma_identifier = non_empty(form.text("rma")).map(str::to_owned);
    let note = check_note(form.text("note"))?;
    if rma_identifier.is_none() && note.is_none() {
        return Err("Enter a note that explains why the refund matches no return.".to_owned());
    }
    Ok(RefundDecision { merchant, matched: RefundMatch { rma_identifier, note } })
}
