//! Returns: the list of them, everything about one, and what an operator can do to it by hand.

mod list;
pub(crate) mod policy;
pub(crate) mod refunds;
mod return_page;

use app::{
    AppError,
    messages::failure_queue::retry_message,
    returns::{
        operator_returns::{cancel_by_hand, close_receiving_by_hand},
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

use crate::{
    access::visit::{Operator, OperatorForm},
    core::{
        frame::{done, page},
        words::path,
    },
};
use server::{Web, error::ApiError, path::Path};

/// No reason is longer.
const REASON_MAX: usize = 500;
const NO_REASON: &str = "Please say why, in at most 500 characters: it stands in the audit trail.";

pub(super) fn routes() -> Router<Web> {
    Router::new()
        .route("/console/returns", get(list::show))
        .route("/console/returns/{rma}", get(show))
        .route("/console/returns/{rma}/cancel", post(cancel))
        .route("/console/returns/{rma}/close-receiving", post(close_receiving))
        .route("/console/returns/{rma}/retry/{message}", post(retry))
}

async fn show(
    State(web): State<Web>,
    Operator { visitor, .. }: Operator,
    Path(rma): Path<String>,
) -> Result<Response, ApiError> {
    let story = load_return_story(&web.app, &rma).await?;
    Ok(page(&visitor, StatusCode::OK, &return_page::return_page(&visitor, &story, None)))
}

async fn cancel(
    State(web): State<Web>,
    Path(rma): Path<String>,
    OperatorForm { visitor, form, .. }: OperatorForm,
) -> Result<Response, ApiError> {
    let reason = form.text("reason");
    if reason.is_empty() || reason.chars().count() > REASON_MAX {
        let story = load_return_story(&web.app, &rma).await?;
        let shown = return_page::return_page(&visitor, &story, Some(NO_REASON));
        return Ok(page(&visitor, StatusCode::UNPROCESSABLE_ENTITY, &shown));
    }
    let canceled = cancel_by_hand(&web.app, visitor.session.request(), &rma, reason).await?;
    let back = path(&["console", "returns", canceled.rma_identifier.as_str()]);
    Ok(done(&web, &back, "The return is canceled. Its units can be returned again."))
}

async fn close_receiving(
    State(web): State<Web>,
    Path(rma): Path<String>,
    OperatorForm { visitor, .. }: OperatorForm,
) -> Result<Response, ApiError> {
    let closed = close_receiving_by_hand(&web.app, visitor.session.request(), &rma).await?;
    let back = path(&["console", "returns", closed.rma_identifier.as_str()]);
    Ok(done(&web, &back, "Receiving is closed. Nothing more is awaited."))
}

/// Puts a failed message of the time line back among those that are sent.
async fn retry(
    State(web): State<Web>,
    Path((rma, message)): Path<(String, String)>,
    OperatorForm { visitor, .. }: OperatorForm,
) -> Result<Response, ApiError> {
    let id = MessageId::parse(&message).ok_or(AppError::NotFound("message"))?;
    retry_message(&web.app, visitor.session.request(), &id, false).await?;
    let back = path(&["console", "returns", &rma]);
    Ok(done(&web, &back, &format!("{id} is being sent again.")))
}
