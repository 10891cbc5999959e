//! The failure queue: messages that failed all attempts, with the cause. Selected messages, or all
//! that match, are retried or discarded.

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
use axum::{Router, extract::State, response::Response, routing::get};

pub(crate) use self::{
    search::{FailureSearch, SearchFaults},
    selection::{Selection, SelectionFault},
};
use super::{
    jobs::job_url,
    labels::{failure_cause, kind_label, kind_options},
};
use crate::{
    access::{
        visit::{Member, MemberForm},
        visitor::Visitor,
    },
    core::{
        form::{NOTE_MAX, non_empty},
        format::{TimeElement, format_count, format_number, to_sentence},
        frame::{Frame, Section, form_status, redirect, redirect_with_notice, render_page},
        lists::{FilterOption, PAGE_SIZE, Paging},
        problem::missing_role,
        urls::{message_url, reference_url},
    },
};
use server::{Web, error::ApiError, query::Query};

/// How many endpoints are listed above the queue. The filter finds the others.
const ENDPOINTS_MAX: usize = 12;

pub(crate) fn routes() -> Router<Web> {
    Router::new().route("/console/failures", get(show).post(retry_or_discard))
}

#[derive(Template)]
#[template(path = "messages/failures.html", whitespace = "minimize")]
pub(crate) struct FailuresPage<'a> {
    frame: Frame<'a>,
    search: &'a FailureSearch,
    faults: SearchFaults,
    kinds: Vec<FilterOption>,
    selection: &'a Selection,
    selection_fault: Option<&'static str>,
    reason_fault: Option<&'a str>,
    /// How many messages match.
    total: String,
    endpoints: Vec<EndpointRow>,
    rows: Vec<FailedMessageRow>,
    paging: Paging,
    note_max: usize,
}

struct EndpointRow {
    merchant: String,
    kind: &'static str,
    failures: String,
    since: TimeElement,
    /// The failures of this endpoint alone.
    url: String,
}

struct FailedMessageRow {
    id: String,
    url: String,
    merchant: String,
    kind: &'static str,
    reference: String,
    reference_url: String,
    cause: String,
    failed: TimeElement,
    superseded: bool,
    selected: bool,
}

fn endpoint_row(endpoint: EndpointFailures, search: &FailureSearch) -> EndpointRow {
    let this_endpoint = FailureSearch {
        merchant: endpoint.merchant.clone(),
        kind: endpoint.kind.name().to_owned(),
        after: String::new(),
        ..search.clone()
    };
    EndpointRow {
        kind: kind_label(endpoint.kind),
        failures: format_number(endpoint.failures),
        since: TimeElement(endpoint.since),
        url: this_endpoint.url(),
        merchant: endpoint.merchant,
    }
}

fn failure_row(failure: FailedMessage, selection: &Selection) -> FailedMessageRow {
    FailedMessageRow {
        url: message_url(&failure.id),
        kind: kind_label(failure.kind),
        reference_url: reference_url(&failure.reference),
        cause: failure_cause(failure.status, failure.error.as_deref()),
        failed: TimeElement(failure.failed_at),
        superseded: failure.superseded,
        selected: selection.ids.contains(&failure.id),
        id: failure.id,
        merchant: failure.merchant,
        reference: failure.reference,
    }
}

/// A page of the queue, or what is wrong with the filter.
pub(crate) struct QueuePage {
    pub(crate) faults: SearchFaults,
    pub(crate) summary: FailureSummary,
    pub(crate) failures: FailurePage,
}

/// The form below the queue, and what is wrong with it.
#[derive(Default)]
pub(crate) struct SelectionForm {
    pub(crate) selection: Selection,
    pub(crate) fault: Option<SelectionFault>,
}

impl<'a> FailuresPage<'a> {
    pub(crate) fn new(
        visitor: &'a Visitor,
        search: &'a FailureSearch,
        form: &'a SelectionForm,
        page: QueuePage,
    ) -> Self {
        let QueuePage { faults, summary, failures } = page;
        let SelectionForm { selection, fault } = form;
        let (selection_fault, reason_fault) = match fault {
            None => (None, None),
            Some(SelectionFault::Messages(text)) => (Some(*text), None),
            Some(SelectionFault::Reason(text)) => (None, Some(text.as_str())),
        };
        let endpoints = summary.endpoints.into_iter().take(ENDPOINTS_MAX);
        Self {
            frame: Frame::new(visitor, Section::Failures, "Failure queue"),
            kinds: kind_options(&search.kind),
            total: format_count(summary.failures, "message", "messages"),
            endpoints: endpoints.map(|it| endpoint_row(it, search)).collect(),
            rows: failures.failures.into_iter().map(|it| failure_row(it, selection)).collect(),
            paging: search.paging(failures.next.as_deref()),
            note_max: NOTE_MAX,
            search,
            faults,
            selection,
            selection_fault,
            reason_fault,
        }
    }
}

async fn show(
    State(web): State<Web>,
    Member { visitor, .. }: Member,
    Query(mut search): Query<FailureSearch>,
) -> Result<Response, ApiError> {
    visitor.narrow(&mut search.merchant);
    render_queue(&web, &visitor, &search, &SelectionForm::default()).await
}

async fn render_queue(
    web: &Web,
    visitor: &Visitor,
    search: &FailureSearch,
    form: &SelectionForm,
) -> Result<Response, ApiError> {
    let page = load_queue(web, search).await?;
    let status = form_status(form.fault.is_some() || page.faults.any());
    Ok(render_page(visitor, status, &FailuresPage::new(visitor, search, form, page)))
}

async fn load_queue(web: &Web, search: &FailureSearch) -> Result<QueuePage, ApiError> {
    let filter = match search.filter() {
        Ok(filter) => filter,
        Err(faults) => {
            let summary = FailureSummary { failures: 0, endpoints: Vec::new() };
            let failures = FailurePage { failures: Vec::new(), next: None };
            return Ok(QueuePage { faults: *faults, summary, failures });
        }
    };
    Ok(QueuePage {
        faults: SearchFaults::default(),
        summary: summarize_failures(&web.app, &filter).await?,
        failures: list_failures(&web.app, &filter, non_empty(&search.after), PAGE_SIZE).await?,
    })
}

async fn retry_or_discard(
    State(web): State<Web>,
    MemberForm { visitor, form, .. }: MemberForm,
) -> Result<Response, ApiError> {
    if form.raw("action") == "discard" && !visitor.is_operator() {
        return Ok(missing_role(&visitor));
    }
    let (mut search, selection) = (FailureSearch::of(&form), Selection::of(&form, &visitor));
    visitor.narrow(&mut search.merchant);
    let (filter, action) = match (search.filter(), selection.action(form.raw("action"))) {
        (Ok(filter), Ok(action)) => (filter, action),
        (_, refused) => {
            let input = SelectionForm { selection, fault: refused.err() };
            return render_queue(&web, &visitor, &search, &input).await;
        }
    };
    let scope = visitor.session.scope(&web.app);
    if selection.all {
        let job = start_bulk_job(scope, filter, action).await?;
        return Ok(redirect(&job_url(&job.id)));
    }
    let handled = handle_failures(scope, &selection.messages(), &action).await?;
    Ok(redirect_with_notice(&web, &search.url(), &describe_result(&handled, &action)))
}

/// How many messages were handled, and why some were skipped.
pub(crate) fn describe_result(handled: &BulkResult, action: &FailureAction) -> String {
    let count = i64::try_from(handled.done).unwrap_or(i64::MAX);
    let messages = format_count(count, "message", "messages");
    let done = match (count, action) {
        (0, FailureAction::Retry { .. }) => "No messages were retried.".to_owned(),
        (0, FailureAction::Discard { .. }) => "No messages were discarded.".to_owned(),
        (_, FailureAction::Retry { .. }) => format!("Retrying {messages}."),
        (_, FailureAction::Discard { .. }) => format!("Discarded {messages}."),
    };
    match handled.skipped.as_slice() {
        [] => done,
        [why] => format!("{done} 1 was skipped: {}", to_sentence(why)),
        [why, ..] => {
            let skipped = handled.skipped.len();
            format!("{done} {skipped} were skipped. The first reason: {}", to_sentence(why))
        }
    }
}
