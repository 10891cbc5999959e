//! The failure queue: what was not accepted, and why; retried or discarded, some of it or all that matches.

mod search;
mod selection;

use app::messages::{
    bulk_retry::start_bulk_job,
    failure_queue::{
        BulkResult, EndpointFailures, FailedMessage, FailureAction, FailurePage, FailureSummary,
        handle_failures, list_failures, summarize_failures,
    },
};
use askama::Template;
use axum::{Router, extract::State, http::StatusCode, response::Response, routing::get};

pub(crate) use self::{
    search::{Search, Wrong},
    selection::{Chosen, Fault},
};
use super::jobs;
use crate::core::format::{
    Choice, WORDS_MAX, When, about_address, cause, kind_words, kinds, message_address, messages,
};
use crate::{
    access::visit::{Operator, OperatorForm, Visitor},
    core::{
        frame::{Frame, Section, done, page, redirect},
        problem::sentence,
        words::number,
    },
};
use server::{Web, error::ApiError, query::Query};

const PAGE: usize = 50;
/// Endpoints that are listed above the queue; the filter finds the others.
const ENDPOINTS_MAX: usize = 12;

pub(crate) fn routes() -> Router<Web> {
    Router::new().route("/console/failures", get(show).post(act))
}

#[derive(Template)]
#[template(path = "messages/failures.html", whitespace = "minimize")]
pub(crate) struct FailuresPage<'a> {
    frame: Frame<'a>,
    search: &'a Search,
    wrong: &'a Wrong,
    kinds: Vec<Choice>,
    chosen: &'a Chosen,
    /// What is wrong with the choice of messages, and with the reason.
    choice_fault: Option<&'static str>,
    reason_fault: Option<String>,
    /// How many match.
    total_words: String,
    endpoints: Vec<EndpointRow>,
    rows: Vec<FailureRow>,
    next: Option<String>,
    words_max: usize,
}

struct EndpointRow {
    merchant: String,
    kind: String,
    failures: String,
    since: When,
    /// The queue with this endpoint alone.
    address: String,
}

struct FailureRow {
    id: String,
    address: String,
    merchant: String,
    kind: String,
    reference: String,
    about: String,
    cause: String,
    failed: When,
    superseded: bool,
    ticked: bool,
}

fn endpoint_row(endpoint: EndpointFailures, search: &Search) -> EndpointRow {
    let alone = Search {
        merchant: endpoint.merchant.clone(),
        kind: endpoint.kind.name().to_owned(),
        after: String::new(),
        ..search.clone()
    };
    EndpointRow {
        kind: kind_words(endpoint.kind).to_owned(),
        failures: number(endpoint.failures),
        since: When(endpoint.since),
        address: alone.address(),
        merchant: endpoint.merchant,
    }
}

fn failure_row(failure: FailedMessage, chosen: &Chosen) -> FailureRow {
    FailureRow {
        address: message_address(&failure.id),
        kind: kind_words(failure.kind).to_owned(),
        about: about_address(&failure.reference),
        cause: cause(failure.status, failure.error.as_deref()),
        failed: When(failure.failed_at),
        superseded: failure.superseded,
        ticked: chosen.ids.contains(&failure.id),
        id: failure.id,
        merchant: failure.merchant,
        reference: failure.reference,
    }
}

/// What is in the queue, as far as it is shown.
pub(crate) struct Found {
    pub(crate) summary: FailureSummary,
    pub(crate) page: FailurePage,
}

impl<'a> FailuresPage<'a> {
    pub(crate) fn new(
        visitor: &'a Visitor,
        (search, wrong): (&'a Search, &'a Wrong),
        (chosen, fault): (&'a Chosen, Option<Fault>),
        found: Found,
    ) -> Self {
        let Found { summary, page } = found;
        let (choice_fault, reason_fault) = match fault {
            None => (None, None),
            Some(Fault::Messages(words)) => (Some(words), None),
            Some(Fault::Reason(words)) => (None, Some(words)),
        };
        let next = page.next.map(|after| Search { after, ..search.clone() }.address());
        let endpoints = summary.endpoints.into_iter().take(ENDPOINTS_MAX);
        Self {
            frame: Frame::new(visitor, Section::Failures, "Failure queue"),
            kinds: kinds(&search.kind),
            total_words: messages(summary.failures),
            endpoints: endpoints.map(|it| endpoint_row(it, search)).collect(),
            rows: page.failures.into_iter().map(|it| failure_row(it, chosen)).collect(),
            next,
            words_max: WORDS_MAX,
            search,
            wrong,
            chosen,
            choice_fault,
            reason_fault,
        }
    }
}

async fn show(
    State(web): State<Web>,
    Operator { visitor, .. }: Operator,
    Query(search): Query<Search>,
) -> Result<Response, ApiError> {
    shown(&web, &visitor, &search, (&Chosen::default(), None)).await
}

async fn shown(
    web: &Web,
    visitor: &Visitor,
    search: &Search,
    (chosen, fault): (&Chosen, Option<Fault>),
) -> Result<Response, ApiError> {
    let nothing = FailureSummary { failures: 0, endpoints: Vec::new() };
    let empty = Found { summary: nothing, page: FailurePage { failures: Vec::new(), next: None } };
    let (wrong, found) = match search.filter() {
        Err(wrong) => (*wrong, empty),
        Ok(filter) => {
            let after = Some(search.after.as_str()).filter(|after| !after.is_empty());
            let summary = summarize_failures(&web.app, &filter).await?;
            let page = list_failures(&web.app, &filter, after, PAGE).await?;
            (Wrong::default(), Found { summary, page })
        }
    };
    let refused = fault.is_some() || wrong.is_any();
    let status = if refused { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let content = FailuresPage::new(visitor, (search, &wrong), (chosen, fault), found);
    Ok(page(visitor, status, &content))
}

async fn act(
    State(web): State<Web>,
    OperatorForm { visitor, form, .. }: OperatorForm,
) -> Result<Response, ApiError> {
    let (search, chosen) = (Search::of(&form), Chosen::of(&form));
    let (filter, action) = match (search.filter(), chosen.action(form.raw("action"))) {
        (Ok(filter), Ok(action)) => (filter, action),
        (_, Err(fault)) => return shown(&web, &visitor, &search, (&chosen, Some(fault))).await,
        (Err(_), Ok(_)) => return shown(&web, &visitor, &search, (&chosen, None)).await,
    };
    let request = visitor.session.request();
    if chosen.all {
        let job = start_bulk_job(&web.app, request, filter, action).await?;
        return Ok(redirect(&jobs::address(&job.id)));
    }
    let several = handle_failures(&web.app, request, &chosen.messages(), &action).await?;
    Ok(done(&web, &search.address(), &told(&several, &action)))
}

/// What was done, and why some were left.
pub(crate) fn told(several: &BulkResult, action: &FailureAction) -> String {
    let done = match (several.done, action) {
        (0, FailureAction::Retry { .. }) => "Nothing is tried again.".to_owned(),
        (0, FailureAction::Discard { .. }) => "Nothing is discarded.".to_owned(),
        (1, FailureAction::Retry { .. }) => "1 message is tried again.".to_owned(),
        (1, FailureAction::Discard { .. }) => "1 message is discarded.".to_owned(),
        (count, FailureAction::Retry { .. }) => format!("{count} messages are tried again."),
        (count, FailureAction::Discard { .. }) => format!("{count} messages are discarded."),
    };
    match several.left.as_slice() {
        [] => done,
        [why] => format!("{done} One was left: {}", sentence(why)),
        [why, ..] => {
            format!("{done} {} were left; the first of them: {}", several.left.len(), sentence(why))
        }
    }
}
