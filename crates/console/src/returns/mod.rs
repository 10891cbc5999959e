//! Returns: the list, everything about one return, and what an operator can do with it.

mod list;
mod orders;
pub(crate) mod policy;
pub(crate) mod refunds;
mod return_page;
mod shown_state;
mod statement;

use app::{
    AppError,
    messages::failure_queue::retry_message,
    returns::{
        operator_returns::{cancel_by_hand, close_receiving_by_hand},
        renew_label::renew_by_hand,
        return_story::load_return_story,
    },
};
use axum::{
    Router,
    extract::State,
    http::StatusCode,
    response::Response,
    routing::{get, post},
};
use domain::identifier::MessageId;

use self::{
    return_page::return_page,
    shown_state::{ShownState, StateQuery},
};
use crate::{
    access::visit::{Member, MemberForm, OperatorForm},
    core::{
        frame::{redirect_with_notice, render_page},
        urls::return_url,
    },
};
use server::{Web, error::ApiError, path::Path, query::Query};

/// The longest reason for a cancellation, in characters.
const REASON_MAX: usize = 500;
const REASON_FAULT: &str =
    "Enter a reason of at most 500 characters. It is kept in the audit trail.";

pub(super) fn routes() -> Router<Web> {
    Router::new()
        .route("/console/returns", get(list::show))
        .route("/console/returns/{rma}", get(show))
        .route("/console/returns/{rma}/cancel", post(cancel))
        .route("/console/returns/{rma}/close-receiving", post(close_receiving))
        .route("/console/returns/{rma}/label", post(renew))
        .route("/console/returns/{rma}/retry/{message}", post(retry))
}

async fn show(
    State(web): State<Web>,
    Member { visitor, .. }: Member,
    Path(rma): Path<String>,
    Query(query): Query<StateQuery>,
) -> Result<Response, ApiError> {
    let story = load_return_story(&web.app, &rma, query.event).await?;
    let shown = ShownState::select(&story, query.event)?;
    Ok(render_page(&visitor, StatusCode::OK, &return_page(&visitor, &story, shown, None)))
}

async fn cancel(
    State(web): State<Web>,
    Path(rma): Path<String>,
    MemberForm { visitor, form, .. }: MemberForm,
) -> Result<Response, ApiError> {
    let reason = form.text("reason");
    if reason.is_empty() || reason.chars().count() > REASON_MAX {
        let story = load_return_story(&web.app, &rma, None).await?;
        let shown = ShownState::newest(&story);
        let content = return_page(&visitor, &story, shown, Some(REASON_FAULT));
        return Ok(render_page(&visitor, StatusCode::UNPROCESSABLE_ENTITY, &content));
    }
    let canceled = cancel_by_hand(visitor.session.scope(&web.app), &rma, reason).await?;
    let to = return_url(canceled.rma_identifier.as_str());
    let notice = "Return canceled. Its items can be returned again.";
    Ok(redirect_with_notice(&web, &to, notice))
}

async fn renew(
    State(web): State<Web>,
    Path(rma): Path<String>,
    MemberForm { visitor, form, .. }: MemberForm,
) -> Result<Response, ApiError> {
    let scope = visitor.session.scope(&web.app);
    let renewed = renew_by_hand(scope, &rma, form.text("reason")).await?;
    let to = return_url(renewed.rma_identifier.as_str());
    Ok(redirect_with_notice(&web, &to, "The old label is void. A new one was requested."))
}

async fn close_receiving(
    State(web): State<Web>,
    Path(rma): Path<String>,
    OperatorForm { visitor, .. }: OperatorForm,
) -> Result<Response, ApiError> {
    let closed = close_receiving_by_hand(visitor.session.scope(&web.app), &rma).await?;
    let to = return_url(closed.rma_identifier.as_str());
    Ok(redirect_with_notice(&web, &to, "Receiving closed. No more items are expected."))
}

/// Retries a failed message from the timeline of its return.
async fn retry(
    State(web): State<Web>,
    Path((rma, message)): Path<(String, String)>,
    MemberForm { visitor, .. }: MemberForm,
) -> Result<Response, ApiError> {
    let id = MessageId::parse(&message).ok_or(AppError::NotFound("message"))?;
    retry_message(visitor.session.scope(&web.app), &id, false).await?;
    Ok(redirect_with_notice(&web, &return_url(&rma), &format!("Retrying {id}.")))
}
