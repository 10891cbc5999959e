//! The receiving bench: a person with a scanner opens parcels and receives units one at a time.
//!
//! Scanning a parcel or a unit only looks something up, so it is a plain address. Giving a unit its
//! condition changes something, so it is a form, with a key that makes it count once. A unit that
//! does not match leads to a question on the same page. [`state`] is where the person is in the
//! work, [`step`] decides what comes next, [`pages`] show it, and [`actions`] handle the forms.

mod actions;
mod feedback;
mod pages;
mod parts;
mod question;
mod result;
mod state;
mod step;
#[cfg(test)]
mod tests;

use axum::{Router, extract::State, response::Response, routing::get};

use self::state::BenchState;
use crate::access::visit::{Worker, WorkerForm};
use server::{Web, error::ApiError, query::Query};

pub(crate) fn routes() -> Router<Web> {
    Router::new().route("/console/receive", get(show).post(change))
}

async fn show(
    State(web): State<Web>,
    Worker { visitor, .. }: Worker,
    Query(state): Query<BenchState>,
) -> Result<Response, ApiError> {
    let state = state.cleaned();
    let step = step::decide_step(&web, &state).await?;
    pages::render_step(&web, &visitor, &state, step).await
}

async fn change(
    State(web): State<Web>,
    WorkerForm { visitor, form, .. }: WorkerForm,
) -> Result<Response, ApiError> {
    Box::pin(actions::handle_form(&web, &visitor, &form)).await
}
