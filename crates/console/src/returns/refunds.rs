//! Refunds that match no return, or that paid for units spent before, each with the returns that it
//! could belong to, and refunds that differ from what was promised.

mod difference;
#[cfg(test)]
mod tests;

use app::{
    AppError,
    money::differences::answer_difference,
    returns::{
        refund_case::{RefundCandidate, RefundCase, RefundFacts, load_refund_case},
        refund_problems::{
            RefundMatch, list_merchant_problems, list_open_problems, list_refund_problems,
            match_refund,
        },
    },
};
use askama::Template;
use axum::{
    Router,
    extract::State,
    http::StatusCode,
    response::Response,
    routing::{get, post},
};
use domain::{identifier::MerchantId, money::comparison::DifferenceKind};
use serde::Deserialize;

use self::difference::{DifferenceBox, describe_problem, read_answer, result_notice};

use crate::{
    access::{
        visit::{Member, OperatorForm},
        visitor::Visitor,
    },
    core::{
        badge::{Badge, difference_label, problem_badge},
        form::{Form, NOTE_MAX, check_note, non_empty},
        format::{TimeElement, format_count, format_money, to_sentence},
        frame::{Frame, Section, redirect_with_notice, render_page},
        lists::{FilterOption, Paging, merchant_options, parse_merchant_filter},
        urls::{add_query, return_url},
    },
};
use server::{Web, error::ApiError, query::Query};

const PATH: &str = "/console/refunds";
/// Fewer than in other lists, because each refund has a card.
const CARDS_MAX: usize = 20;

/// All problems that are not settled.
const OPEN: &str = "open";
/// What can be listed besides the kinds of differences, each with its label.
const STATES: [(&str, &str); 6] = [
    (OPEN, "All open problems"),
    ("unmatched", "Unmatched"),
    ("conflict", "Conflicts"),
    ("asked", "Merchant asked"),
    ("awaited", "Rest expected"),
    ("settled", "Resolved"),
];

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route(PATH, get(show).post(settle))
        .route("/console/refunds/difference", post(answer))
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct RefundQuery {
    merchant: String,
    state: String,
    after: String,
}

impl RefundQuery {
    /// The list that a form was sent from.
    fn of_form(form: &Form) -> Self {
        let (merchant, state) = (form.raw("filter").to_owned(), form.raw("state").to_owned());
        Self { merchant, state, after: String::new() }
    }

    /// One of [`STATES`], or a kind of difference.
    fn state(&self) -> &'static str {
        let known = STATES.into_iter().map(|(name, _)| name).find(|name| *name == self.state);
        let kind = || DifferenceKind::parse(&self.state).map(DifferenceKind::name);
        known.or_else(kind).unwrap_or(OPEN)
    }

    /// The first page of this list.
    fn url(&self) -> String {
        add_query(PATH, &[("merchant", &self.merchant), ("state", self.state())])
    }

    fn state_options(&self) -> Vec<FilterOption> {
        let [open, unmatched, conflict, rest @ ..] = STATES;
        let kinds = DifferenceKind::ALL.map(|kind| (kind.name(), difference_label(kind)));
        let all = [open, unmatched, conflict].into_iter().chain(kinds).chain(rest);
        all.map(|(name, label)| FilterOption::new(name, label, self.state())).collect()
    }
}

#[derive(Template)]
#[template(path = "returns/refunds.html", whitespace = "minimize")]
struct RefundsPage<'a> {
    frame: Frame<'a>,
    merchants: Vec<FilterOption>,
    states: Vec<FilterOption>,
    /// The filter: a merchant, or empty for all, and a state.
    merchant: String,
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
    state: Badge,
    is_open: bool,
    problem: String,
    /// Both amounts, if the refund differs from the promise.
    difference: Option<DifferenceBox>,
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
        state: problem_badge(&problem.state),
        is_open: problem.state != "settled",
        problem: describe_problem(&problem),
        // A refund that waits to be matched is compared when it is.
        difference: (problem.difference.as_ref())
            .filter(|_| DifferenceKind::parse(&problem.kind).is_some())
            .map(DifferenceBox::new),
        facts: refund.map(facts_view),
        candidates: candidates.into_iter().map(candidate_row).collect(),
        merchant: problem.merchant,
        refund: problem.refund_identifier,
        order: problem.order_identifier,
    }
}

/// A page of refunds with their candidates, and the merchants that can be chosen.
struct RefundCases {
    merchants: Vec<FilterOption>,
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
            merchants: found.merchants,
            states: query.state_options(),
            merchant: query.merchant.clone(),
            state,
            refusal,
            cards: cards.collect(),
            paging: Paging::in_order(
                PATH,
                &[("merchant", &query.merchant), ("state", state)],
                &query.after,
                found.next.as_deref(),
            ),
            note_max: NOTE_MAX,
        }
    }
}

async fn show(
    State(web): State<Web>,
    Member { visitor, .. }: Member,
    Query(mut query): Query<RefundQuery>,
) -> Result<Response, ApiError> {
    visitor.narrow(&mut query.merchant);
    render_refunds(&web, &visitor, &query, None).await
}

async fn render_refunds(
    web: &Web,
    visitor: &Visitor,
    query: &RefundQuery,
    refusal: Option<String>,
) -> Result<Response, ApiError> {
    let status = if refusal.is_some() { StatusCode::CONFLICT } else { StatusCode::OK };
    let found = load_cases(web, visitor, query).await?;
    Ok(render_page(visitor, status, &RefundsPage::new(visitor, query, found, refusal)))
}

async fn load_cases(
    web: &Web,
    visitor: &Visitor,
    query: &RefundQuery,
) -> Result<RefundCases, ApiError> {
    let (app, after) = (&web.app, non_empty(&query.after));
    let state = Some(query.state()).filter(|state| *state != OPEN);
    let found = match (parse_merchant_filter(&query.merchant)?, state) {
        (Some(merchant), state) => {
            list_merchant_problems(app, &merchant, state, after, CARDS_MAX).await?
        }
        (None, Some(state)) => list_refund_problems(app, state, after, CARDS_MAX).await?,
        (None, None) => list_open_problems(app, after, CARDS_MAX).await?,
    };
    let mut cases = Vec::with_capacity(found.refunds.len());
    for problem in found.refunds {
        cases.push(load_refund_case(app, problem).await?);
    }
    let merchants = merchant_options(web, visitor, &query.merchant).await?;
    Ok(RefundCases { merchants, cases, next: found.next })
}

async fn settle(
    State(web): State<Web>,
    OperatorForm { visitor, form, .. }: OperatorForm,
) -> Result<Response, ApiError> {
    let query = RefundQuery::of_form(&form);
    let RefundDecision { merchant, matched } = match read_decision(&form) {
        Ok(decision) => decision,
        Err(why) => return render_refunds(&web, &visitor, &query, Some(why)).await,
    };
    let scope = visitor.session.scope(&web.app).for_merchant(&merchant);
    let result = match_refund(scope, form.raw("refund"), &matched).await;
    let result = result.map(|it| format!("Refund {} is {}.", it.refund_identifier, it.detail));
    render_result(&web, &visitor, &query, result).await
}

/// Decides about a refund that differs from the promise.
async fn answer(
    State(web): State<Web>,
    OperatorForm { visitor, form, .. }: OperatorForm,
) -> Result<Response, ApiError> {
    let query = RefundQuery::of_form(&form);
    let (merchant, answer) = match (read_merchant(&form), read_answer(&form)) {
        (Ok(merchant), Ok(answer)) => (merchant, answer),
        (Err(why), _) | (_, Err(why)) => {
            return render_refunds(&web, &visitor, &query, Some(why)).await;
        }
    };
    let scope = visitor.session.scope(&web.app).for_merchant(&merchant);
    let result = answer_difference(scope, form.raw("refund"), &answer).await;
    let result = result.map(|it| result_notice(answer.action, &it.refund_identifier));
    render_result(&web, &visitor, &query, result).await
}

/// The list with what was done, or with the reason why not.
async fn render_result(
    web: &Web,
    visitor: &Visitor,
    query: &RefundQuery,
    result: Result<String, AppError>,
) -> Result<Response, ApiError> {
    match result {
        Ok(notice) => Ok(redirect_with_notice(web, &query.url(), &notice)),
        Err(AppError::Conflict(why)) => {
            render_refunds(web, visitor, query, Some(to_sentence(&why))).await
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
    let merchant = read_merchant(form)?;
    let rma_identifier = non_empty(form.text("rma")).map(str::to_owned);
    let note = check_note(form.text("note"))?;
    if rma_identifier.is_none() && note.is_none() {
        return Err("Enter a note that explains why the refund matches no return.".to_owned());
    }
    Ok(RefundDecision { merchant, matched: RefundMatch { rma_identifier, note } })
}

fn read_merchant(form: &Form) -> Result<MerchantId, String> {
    MerchantId::parse(form.raw("merchant")).map_err(|why| to_sentence(&why))
}
