//! How far a job on the failure queue got. While it runs the page loads itself again, without a script.

use app::messages::bulk_retry::{RetryJob, cancel_bulk_job, find_bulk_job};
use askama::Template;
use axum::{
    Router,
    extract::State,
    http::{HeaderName, HeaderValue, StatusCode},
    response::Response,
    routing::{get, post},
};

use crate::core::format::{counted, messages};
use crate::{
    access::visit::{Operator, OperatorForm, Visitor},
    core::{
        frame::{Frame, Section, done, page},
        words::number,
    },
};
use server::{Web, error::ApiError, path::Path};

/// Understood by every browser, in seconds.
const REFRESH: HeaderName = HeaderName::from_static("refresh");
const REFRESH_EVERY: HeaderValue = HeaderValue::from_static("2");

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/console/failures/jobs/{id}", get(show))
        .route("/console/failures/jobs/{id}/cancel", post(cancel))
}

pub(crate) fn address(id: &str) -> String {
    format!("/console/failures/jobs/{id}")
}

#[derive(Template)]
#[template(path = "messages/job.html", whitespace = "minimize")]
pub(crate) struct JobPage<'a> {
    frame: Frame<'a>,
    id: &'a str,
    running: bool,
    /// How it stands, and how that looks.
    state: &'static str,
    look: &'static str,
    looked_at: i64,
    total: i64,
    retried: String,
    discarded: String,
    skipped: String,
    progress: String,
}

impl<'a> JobPage<'a> {
    pub(crate) fn new(visitor: &'a Visitor, job: &'a RetryJob) -> Self {
        let (state, look) = match job.state.as_str() {
            "running" => ("Under way", "cool"),
            "done" => ("Done", "good"),
            "cancelled" => ("Cancelled", "warn"),
            _ => ("Ended early", "bad"),
        };
        let looked_at = job.retried + job.discarded + job.skipped;
        let total = job.total.max(looked_at);
        Self {
            frame: Frame::new(visitor, Section::Failures, "Job on the failure queue"),
            id: &job.id,
            running: job.state == "running",
            state,
            look,
            looked_at,
            // A bar needs something to be a part of.
            total: total.max(1),
            retried: number(job.retried),
            discarded: number(job.discarded),
            skipped: number(job.skipped),
            progress: format!("{} of {}", number(looked_at), messages(total)),
        }
    }
}

async fn show(
    State(web): State<Web>,
    Operator { visitor, .. }: Operator,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let job = find_bulk_job(&web.app, &id)?;
    let content = JobPage::new(&visitor, &job);
    let mut response = page(&visitor, StatusCode::OK, &content);
    if content.running {
        response.headers_mut().insert(REFRESH, REFRESH_EVERY);
    }
    Ok(response)
}

async fn cancel(
    State(web): State<Web>,
    Path(id): Path<String>,
    OperatorForm { visitor, .. }: OperatorForm,
) -> Result<Response, ApiError> {
    let job = cancel_bulk_job(&web.app, visitor.session.request(), &id).await?;
    let handled = job.retried + job.discarded;
    let handled = counted(handled, "message was handled", "messages were handled");
    let words = format!("The job is stopped. {handled} before; the rest is still in the queue.");
    Ok(done(&web, &address(&job.id), &words))
}
