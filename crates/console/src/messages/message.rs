//! One message: its request, its endpoint and all attempts. A failed message is retried or
//! discarded from here.

use app::{
    AppError,
    messages::{
        explain_message::format_curl,
        failure_queue::{discard_message, retry_message},
        message_log::{AttemptView, MessageWithAttempts, load_message},
        sent_request::{SentRequest, describe_request},
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
use domain::{identifier::MessageId, json, messages::state::MessageState};

use super::{labels::kind_label, lines::is_accepted, list::MessageSearch};
use crate::access::{
    visit::{Member, MemberForm, OperatorForm},
    visitor::Visitor,
};
use crate::core::{
    badge::{Badge, message_badge},
    form::{NOTE_MAX, check_reason, non_empty},
    format::{TimeElement, format_number, to_sentence},
    frame::{Frame, Section, redirect_with_notice, render_page},
    urls::{message_url, reference_url},
};
use server::{Web, error::ApiError, path::Path};

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/console/messages/{message}", get(show))
        .route("/console/messages/{message}/retry", post(retry))
        .route("/console/messages/{message}/discard", post(discard))
}

#[derive(Template)]
#[template(path = "messages/message.html", whitespace = "minimize")]
pub(crate) struct MessagePage<'a> {
    frame: Frame<'a>,
    detail: &'a MessageWithAttempts,
    kind: &'static str,
    state: Badge,
    /// Whether it can be retried or discarded.
    failed: bool,
    /// Whether it can be sent again.
    delivered: bool,
    /// Whether a newer message can supersede it.
    snapshot: bool,
    created: TimeElement,
    due: Option<TimeElement>,
    reference_url: String,
    /// All messages with the same reference.
    related_url: String,
    request: &'a SentRequest,
    /// A command that sends it.
    curl: Option<String>,
    formatted_body: String,
    body_bytes: String,
    attempts: Vec<AttemptDetail<'a>>,
    conflict: Option<String>,
    reason_fault: Option<String>,
    note_max: usize,
}

struct AttemptDetail<'a> {
    at: TimeElement,
    cycle: i64,
    attempt: i64,
    status: String,
    accepted: bool,
    error: &'a str,
    duration: String,
    response: Option<&'a str>,
}

fn attempt_detail(attempt: &AttemptView) -> AttemptDetail<'_> {
    let status = attempt.status.map(|status| status.to_string());
    AttemptDetail {
        at: TimeElement(attempt.at),
        cycle: attempt.cycle,
        attempt: attempt.attempt,
        status: status.unwrap_or_else(|| "none".to_owned()),
        accepted: is_accepted(attempt),
        error: attempt.error.as_deref().unwrap_or_default(),
        duration: format!("{:.0} ms", attempt.latency_ms),
        response: attempt.answer.as_deref().and_then(non_empty),
    }
}

/// Why a form did not retry or discard the message.
pub(crate) enum MessageFormFault {
    /// The state of the message does not allow it.
    Conflict(String),
    Reason(String),
}

impl<'a> MessagePage<'a> {
    pub(crate) fn new(
        visitor: &'a Visitor,
        detail: &'a MessageWithAttempts,
        request: &'a SentRequest,
        fault: Option<MessageFormFault>,
    ) -> Self {
        let message = &detail.message;
        let related = MessageSearch {
            merchant: message.merchant.clone(),
            reference: message.reference.clone(),
            ..MessageSearch::default()
        };
        let body_bytes = i64::try_from(detail.body.len()).unwrap_or(i64::MAX);
        let (conflict, reason_fault) = match fault {
            None => (None, None),
            Some(MessageFormFault::Conflict(text)) => (Some(text), None),
            Some(MessageFormFault::Reason(text)) => (None, Some(text)),
        };
        Self {
            frame: Frame::new(visitor, Section::Messages, format!("Message {}", message.id)),
            kind: kind_label(message.kind),
            state: message_badge(message.state),
            failed: message.state == MessageState::Failed,
            delivered: message.state == MessageState::Delivered && message.kind.is_replayable(),
            snapshot: message.kind.is_snapshot(),
            created: TimeElement(message.created_at),
            due: message.due_at.map(TimeElement),
            reference_url: reference_url(&message.reference),
            related_url: related.url(),
            formatted_body: json::pretty(&detail.body),
            body_bytes: format_number(body_bytes),
            attempts: detail.attempts.iter().rev().map(attempt_detail).collect(),
            conflict,
            reason_fault,
            note_max: NOTE_MAX,
            curl: None,
            detail,
            request,
        }
    }
}

fn parse_id(text: &str) -> Result<MessageId, ApiError> {
    MessageId::parse(text).ok_or_else(|| AppError::NotFound("message").into())
}

async fn show(
    State(web): State<Web>,
    Member { visitor, .. }: Member,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    render_message(&web, &visitor, &parse_id(&id)?, None).await
}

async fn render_message(
    web: &Web,
    visitor: &Visitor,
    id: &MessageId,
    fault: Option<MessageFormFault>,
) -> Result<Response, ApiError> {
    let detail = load_message(&web.app, id).await?;
    let request = describe_request(&web.app, &detail.message).await?;
    let status = match fault {
        Some(MessageFormFault::Conflict(_)) => StatusCode::CONFLICT,
        Some(MessageFormFault::Reason(_)) => StatusCode::UNPROCESSABLE_ENTITY,
        None => StatusCode::OK,
    };
    let curl = format_curl(&web.app, id, &detail).await?;
    let content = MessagePage { curl, ..MessagePage::new(visitor, &detail, &request, fault) };
    Ok(render_page(visitor, status, &content))
}

async fn retry(
    State(web): State<Web>,
    Path(id): Path<String>,
    MemberForm { visitor, form, .. }: MemberForm,
) -> Result<Response, ApiError> {
    let id = parse_id(&id)?;
    let force = form.raw("force") == "yes";
    match retry_message(visitor.session.scope(&web.app), &id, force).await {
        Ok(_) => {
            let notice = "Retrying the message. Reload this page to see the result.";
            Ok(redirect_with_notice(&web, &message_url(&id.to_string()), notice))
        }
        Err(error) => render_conflict(&web, &visitor, &id, error).await,
    }
}

async fn discard(
    State(web): State<Web>,
    Path(id): Path<String>,
    OperatorForm { visitor, form, .. }: OperatorForm,
) -> Result<Response, ApiError> {
    let id = parse_id(&id)?;
    let reason = match check_reason(form.text("reason")) {
        Ok(reason) => reason,
        Err(why) => {
            let fault = Some(MessageFormFault::Reason(why));
            return render_message(&web, &visitor, &id, fault).await;
        }
    };
    match discard_message(visitor.session.scope(&web.app), &id, &reason).await {
        Ok(_) => {
            let notice = "Message discarded. It will never be sent.";
            Ok(redirect_with_notice(&web, &message_url(&id.to_string()), notice))
        }
        Err(error) => render_conflict(&web, &visitor, &id, error).await,
    }
}

/// The page again, with the reason why nothing was done.
async fn render_conflict(
    web: &Web,
    visitor: &Visitor,
    id: &MessageId,
    error: AppError,
) -> Result<Response, ApiError> {
    let AppError::Conflict(why) = error else { return Err(error.into()) };
    let fault = MessageFormFault::Conflict(to_sentence(&why));
    render_message(web, visitor, id, Some(fault)).await
}
