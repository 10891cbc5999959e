//! Replays: sends messages to a merchant again, and shows the progress. While a replay runs, the
//! page reloads itself without a script.

use app::{
    merchants::change_merchant::load_merchant,
    messages::{
        bulk_retry::JobState,
        replay::{ReplayJob, cancel_replay, find_replay, start_replay},
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
use domain::{
    identifier::{MerchantId, MessageId},
    messages::replay::ReplaySelection,
};

use super::{
    jobs::{job_badge, refresh},
    list::MessageSearch,
};
use crate::access::{
    merchant_visit::MerchantForm,
    visit::{Member, MemberForm},
    visitor::Visitor,
};
use crate::core::{
    badge::Badge,
    format::{format_count, format_number, to_sentence},
    frame::{Frame, Section, redirect, redirect_with_notice, render_page},
    urls::message_url,
};
use server::{Web, error::ApiError, path::Path, requests::identifiers::parse_merchant};

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/console/messages/{message}/replay", post(replay_one))
        .route("/console/merchants/{merchant}/replays", post(replay_matching))
        .route("/console/merchants/{merchant}/replays/{id}", get(show))
        .route("/console/merchants/{merchant}/replays/{id}/cancel", post(cancel))
}

fn replay_url(job: &ReplayJob) -> String {
    format!("/console/merchants/{}/replays/{}", job.merchant, job.id)
}

#[derive(Template)]
#[template(path = "messages/replay.html", whitespace = "minimize")]
pub(crate) struct ReplayPage<'a> {
    frame: Frame<'a>,
    url: String,
    messages_url: String,
    running: bool,
    state: Badge,
    examined: i64,
    total: i64,
    progress: String,
    figures: [(&'static str, String); 4],
}

impl<'a> ReplayPage<'a> {
    pub(crate) fn new(visitor: &'a Visitor, job: &ReplayJob) -> Self {
        let total = job.total.max(job.examined);
        let search = MessageSearch { merchant: job.merchant.clone(), ..MessageSearch::default() };
        Self {
            frame: Frame::new(visitor, Section::Messages, format!("Replay for {}", job.merchant)),
            url: replay_url(job),
            messages_url: search.url(),
            running: job.state == JobState::Running,
            state: job_badge(job.state),
            examined: job.examined,
            // The maximum of a progress bar must be positive.
            total: total.max(1),
            progress: format!(
                "{} of {} examined",
                format_number(job.examined),
                format_number(total)
            ),
            figures: [
                ("Sent again", format_number(job.replayed)),
                ("Current state sent", format_number(job.renewed)),
                ("Waiting", format_number(job.waiting)),
                ("Skipped", format_number(job.skipped)),
            ],
        }
    }
}

async fn show(
    State(web): State<Web>,
    Member { visitor, .. }: Member,
    Path((merchant, id)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let job = find_replay(&web.app, &parse_merchant(&merchant)?, &id)?;
    let content = ReplayPage::new(&visitor, &job);
    let response = render_page(&visitor, StatusCode::OK, &content);
    Ok(if content.running { refresh(response) } else { response })
}

async fn cancel(
    State(web): State<Web>,
    Path((merchant, id)): Path<(String, String)>,
    MemberForm { visitor, .. }: MemberForm,
) -> Result<Response, ApiError> {
    let merchant = parse_merchant(&merchant)?;
    let scope = visitor.session.scope(&web.app).for_merchant(&merchant);
    let job = cancel_replay(scope, &id).await?;
    let sent = format_count(job.replayed + job.renewed, "message", "messages");
    let notice = format!("Replay stopped after {sent}.");
    Ok(redirect_with_notice(&web, &replay_url(&job), &notice))
}

/// Sends one message again, and the newest one about the same thing after it.
async fn replay_one(
    State(web): State<Web>,
    Path(id): Path<String>,
    MemberForm { visitor, .. }: MemberForm,
) -> Result<Response, ApiError> {
    let id = MessageId::parse(&id).ok_or(app::AppError::NotFound("message"))?;
    let selection = ReplaySelection { ids: [id.number].into(), ..ReplaySelection::default() };
    start(&web, &visitor, &id.merchant, selection, &message_url(&id.to_string())).await
}

/// Sends the messages again that a search in the log finds, whatever their state is.
async fn replay_matching(
    MerchantForm { web, merchant, sent: MemberForm { visitor, form, .. } }: MerchantForm,
) -> Result<Response, ApiError> {
    load_merchant(&web.app, &merchant).await?;
    let search = MessageSearch { merchant: merchant.to_string(), ..MessageSearch::of(&form) };
    let Some(selection) = search.selection() else {
        let notice = "Nothing was sent: filter by kind, reference or time first.";
        return Ok(redirect_with_notice(&web, &search.url(), notice));
    };
    start(&web, &visitor, &merchant, selection, &search.url()).await
}

/// Starts a replay. The page at `origin` says why if that is not possible.
async fn start(
    web: &Web,
    visitor: &Visitor,
    merchant: &MerchantId,
    selection: ReplaySelection,
    origin: &str,
) -> Result<Response, ApiError> {
    let scope = visitor.session.scope(&web.app).for_merchant(merchant);
    match start_replay(scope, selection).await {
        Ok(job) => Ok(redirect(&replay_url(&job))),
        Err(app::AppError::Conflict(why)) => {
            Ok(redirect_with_notice(web, origin, &to_sentence(&why)))
        }
        Err(error) => Err(error.into()),
    }
}
