//! What is stuck: messages that were not accepted, refunds that fit no return, units that fit no line.
//! Each page says what, where and why, and mends it in one step. Every step is a use case that
//! operators' tools have too, noted under the name of whoever took it.

mod exceptions;
mod failures;
mod jobs;
mod message;
mod messages;
mod refunds;
mod shown;
#[cfg(test)]
mod tests;

use axum::Router;

use crate::Web;

pub(super) fn routes() -> Router<Web> {
    Router::new()
        .merge(failures::routes())
        .merge(jobs::routes())
        .merge(messages::routes())
        .merge(message::routes())
        .merge(refunds::routes())
        .merge(exceptions::routes())
}
