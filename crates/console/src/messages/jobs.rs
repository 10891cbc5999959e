//! The progress of a job on the failure queue. While it runs, the page reloads itself without a
//! script.

use app::messages::bulk_retry::{JobState, RetryJob, cancel_bulk_job, find_bulk_job};
use askama::Template;
use axum::{
    Router,
    extract::State,
    http::{HeaderName, HeaderValue, StatusCode},
    response::Response,
    routing::{get, post},
};

use crate::access::{
    visit::{Member, MemberForm},
    visitor::Visitor,
};
use crate::core::{
    badge::Badge,
    format::{format_count, format_number},
    frame::{Frame, Section, redirect_with_notice, render_page},
};
use server::{Web, error::ApiError, path::Path};

/// A header that every browser understands, in seconds.
const REFRESH: HeaderName = HeaderName::from_static("refresh");
const REFRESH_EVERY: HeaderValue = HeaderValue::from_static("2");

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/console/failures/jobs/{job}", get(show))
        .route("/console/failures/jobs/{job}/cancel", post(cancel))
}

pub(crate) fn job_url(id: &str) -> String {
    format!("/console/failures/jobs/{id}")
}

#[derive(Template)]
#[template(path = "messages/job.html", whitespace = "minimize")]
pub(crate) struct JobPage<'a> {
    frame: Frame<'a>,
    id: &'a str,
    running: bool,
    state: Badge,
    processed: i64,
    total: i64,
    retried: String,
    discarded: String,
    skipped: String,
    progress: String,
}

pub(super) fn job_badge(state: JobState) -> Badge {
    match state {
        JobState::Running => Badge::cool("Running"),
        JobState::Done => Badge::good("Done"),
        JobState::Cancelled => Badge::warn("Stopped"),
        JobState::Failed => Badge::bad("Failed"),
    }
}

/// The page reloads itself.
pub(super) fn refresh(mut response: Response) -> Response {
    response.headers_mut().insert(REFRESH, REFRESH_EVERY);
    response
}

impl<'a> JobPage<'a> {
    pub(crate) fn new(visitor: &'a Visitor, job: &'a RetryJob) -> Self {
        let processed = job.retried + job.discarded + job.skipped;
        let total = job.total.max(processed);
        let messages = format_count(total, "message", "messages");
        Self {
            frame: Frame::new(visitor, Section::Failures, "Failure queue job"),
            id: &job.id,
            running: job.state == JobState::Running,
            state: job_badge(job.state),
            processed,
            // The maximum of a progress bar must be positive.
            total: total.max(1),
            retried: format_number(job.retried),
            discarded: format_number(job.discarded),
            skipped: format_number(job.skipped),
            progress: format!("{} of {messages}", format_number(processed)),
        }
    }
}

async fn show(
    State(web): State<Web>,
    Member { visitor, .. }: Member,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let job = find_bulk_job(&web.app, &id)?;
    let content = JobPage::new(&visitor, &job);
    let response = render_page(&visitor, StatusCode::OK, &content);
    Ok(if content.running { refresh(response) } else { response })
}

async fn cancel(
    State(web): State<Web>,
    Path(id): Path<String>,
    MemberForm { visitor, .. }: MemberForm,
) -> Result<Response, ApiError> {
    let job = cancel_bulk_job(visitor.session.scope(&web.app), &id).await?;
    let handled = format_count(job.retried + job.discarded, "message", "messages");
    let notice = format!("Job stopped after {handled}. The rest are still in the queue.");
    Ok(redirect_with_notice(&web, &job_url(&job.id), &notice))
}
