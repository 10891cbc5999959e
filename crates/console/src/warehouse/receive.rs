//! The bench: somebody with a scanner opens parcels and receives what is in them, one unit at a time.
//!
//! Scanning a parcel or a unit only looks things up, so it is a plain address; giving a unit its condition
//! changes something, so it is a form, with a key that makes it count once. What does not fit is a question
//! on the same page. [`state`] is where somebody is, [`step`] decides what comes next, [`pages`] show it,
//! [`actions`] does it.

mod actions;
mod pages;
mod parts;
mod state;
mod step;
#[cfg(test)]
mod tests;

use axum::{Router, extract::State, response::Response, routing::get};

use self::state::Place;
use crate::access::visit::{Worker, WorkerForm};
use server::{Web, error::ApiError, query::Query};

pub(crate) fn routes() -> Router<Web> {
    Router::new().route("/console/receive", get(show).post(change))
}

async fn show(
    State(web): State<Web>,
    Worker { visitor, .. }: Worker,
    Query(place): Query<Place>,
) -> Result<Response, ApiError> {
    let place = place.cleaned();
    let step = step::step(&web, &place).await?;
    pages::show(&web, &visitor, &place, step).await
}

async fn change(
    State(web): State<Web>,
    WorkerForm { visitor, form, .. }: WorkerForm,
) -> Result<Response, ApiError> {
    actions::act(&web, &visitor, &form).await
}
