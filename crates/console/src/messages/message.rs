//! Inside a message: what is sent, where to, and how every attempt went; retried or discarded from here.

use app::{
    AppError,
    messages::{
        failure_queue::{discard_message, retry_message},
        message_log::{AttemptView, MessageState, MessageWithAttempts, load_message},
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
use domain::{identifier::MessageId, json};

use crate::core::format::{
    WORDS_MAX, When, about_address, kind_words, message_address, of_state, reason,
};
use crate::messages::list::Search;
use crate::{
    access::visit::{Operator, OperatorForm, Visitor},
    core::{
        frame::{Frame, Section, done, page},
        problem::sentence,
        words::number,
    },
};
use server::{Web, error::ApiError, path::Path};

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/console/messages/{id}", get(show))
        .route("/console/messages/{id}/retry", post(retry))
        .route("/console/messages/{id}/discard", post(discard))
}

#[derive(Template)]
#[template(path = "messages/message.html", whitespace = "minimize")]
pub(crate) struct MessagePage<'a> {
    frame: Frame<'a>,
    detail: &'a MessageWithAttempts,
    kind: String,
    state: &'static str,
    look: &'static str,
    /// Whether it can be retried or discarded.
    failed: bool,
    /// Whether an older one may be overtaken by a newer one.
    snapshot: bool,
    created: When,
    due: Option<When>,
    about: String,
    siblings: String,
    request: &'a SentRequest,
    pretty: String,
    bytes: String,
    attempts: Vec<AttemptRow<'a>>,
    /// Why what was asked for was not done.
    refused: Option<String>,
    reason_fault: Option<String>,
    words_max: usize,
}

struct AttemptRow<'a> {
    at: When,
    cycle: i64,
    attempt: i64,
    status: String,
    good: bool,
    error: &'a str,
    took: String,
    answer: Option<&'a str>,
}

fn attempt_row(attempt: &AttemptView) -> AttemptRow<'_> {
    let status = attempt.status.map_or_else(|| "none".to_owned(), |status| status.to_string());
    let accepted = attempt.status.is_some_and(|status| (200..300).contains(&status));
    AttemptRow {
        at: When(attempt.at),
        cycle: attempt.cycle,
        attempt: attempt.attempt,
        status,
        good: accepted && attempt.error.is_none(),
        error: attempt.error.as_deref().unwrap_or_default(),
        took: format!("{:.0} ms", attempt.latency_ms),
        answer: attempt.answer.as_deref().filter(|answer| !answer.is_empty()),
    }
}

/// What was wrong with a form that was sent.
#[derive(Default)]
pub(crate) struct Trouble {
    pub(crate) refused: Option<String>,
    pub(crate) reason: Option<String>,
}

impl<'a> MessagePage<'a> {
    pub(crate) fn new(
        visitor: &'a Visitor,
        (detail, request): (&'a MessageWithAttempts, &'a SentRequest),
        trouble: Trouble,
    ) -> Self {
        let message = &detail.message;
        let (_, state, look) = of_state(message.state);
        let siblings = Search {
            merchant: message.merchant.clone(),
            reference: message.reference.clone(),
            ..Search::default()
        };
        let bytes = i64::try_from(detail.body.len()).unwrap_or(i64::MAX);
        Self {
            frame: Frame::new(visitor, Section::Messages, message.id.clone()),
            kind: kind_words(message.kind).to_owned(),
            state,
            look,
            failed: message.state == MessageState::Failed,
            snapshot: message.kind.is_snapshot(),
            created: When(message.created_at),
            due: message.due_at.map(When),
            about: about_address(&message.reference),
            siblings: siblings.address(),
            pretty: json::pretty(&detail.body),
            bytes: number(bytes),
            attempts: detail.attempts.iter().rev().map(attempt_row).collect(),
            refused: trouble.refused,
            reason_fault: trouble.reason,
            words_max: WORDS_MAX,
            detail,
            request,
        }
    }
}

fn named(text: &str) -> Result<MessageId, ApiError> {
    MessageId::parse(text).ok_or_else(|| AppError::NotFound("message").into())
}

async fn show(
    State(web): State<Web>,
    Operator { visitor, .. }: Operator,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    shown(&web, &visitor, &named(&id)?, Trouble::default()).await
}

async fn shown(
    web: &Web,
    visitor: &Visitor,
    id: &MessageId,
    trouble: Trouble,
) -> Result<Response, ApiError> {
    let detail = load_message(&web.app, id).await?;
    let request = describe_request(&web.app, &detail.message).await?;
    let status = match (&trouble.refused, &trouble.reason) {
        (Some(_), _) => StatusCode::CONFLICT,
        (None, Some(_)) => StatusCode::UNPROCESSABLE_ENTITY,
        (None, None) => StatusCode::OK,
    };
    Ok(page(visitor, status, &MessagePage::new(visitor, (&detail, &request), trouble)))
}

async fn retry(
    State(web): State<Web>,
    Path(id): Path<String>,
    OperatorForm { visitor, form, .. }: OperatorForm,
) -> Result<Response, ApiError> {
    let id = named(&id)?;
    let force = form.raw("force") == "yes";
    match retry_message(&web.app, visitor.session.request(), &id, force).await {
        Ok(_) => {
            let words = "It is tried again. Load this page again to see how that goes.";
            Ok(done(&web, &message_address(&id.to_string()), words))
        }
        Err(error) => refused(&web, &visitor, &id, error).await,
    }
}

async fn discard(
    State(web): State<Web>,
    Path(id): Path<String>,
    OperatorForm { visitor, form, .. }: OperatorForm,
) -> Result<Response, ApiError> {
    let id = named(&id)?;
    let reason = match reason(form.text("reason")) {
        Ok(reason) => reason,
        Err(why) => {
            let trouble = Trouble { reason: Some(why), ..Trouble::default() };
            return shown(&web, &visitor, &id, trouble).await;
        }
    };
    match discard_message(&web.app, visitor.session.request(), &id, &reason).await {
        Ok(_) => {
            let words = "It is discarded, and never tried again.";
            Ok(done(&web, &message_address(&id.to_string()), words))
        }
        Err(error) => refused(&web, &visitor, &id, error).await,
    }
}

/// The page again, with why it was not done.
async fn refused(
    web: &Web,
    visitor: &Visitor,
    id: &MessageId,
    error: AppError,
) -> Result<Response, ApiError> {
    let AppError::Conflict(why) = error else { return Err(error.into()) };
    let trouble = Trouble { refused: Some(sentence(&why)), ..Trouble::default() };
    shown(web, visitor, id, trouble).await
}
