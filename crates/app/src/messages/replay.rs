//! Sends messages again that a merchant has lost, also delivered ones, in the background.
//!
//! A replay is a job in the process that runs it. When the process ends, what is enqueued is sent
//! nevertheless, and a new job with the same selection repeats the rest.

mod batch;
pub(crate) mod pace;
mod run;
mod steps;

use boxed::boxed;
use domain::{identifier::MerchantId, messages::replay::ReplaySelection};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{Transaction, with_causes};

use crate::core::idempotency::replayable;
use crate::{
    App, AppError,
    core::{audit_trail::record_change, commit_once::commit_once, scope::RequestScope},
    messages::jobs::{Job, JobState},
};

use run::ReplayRun;

/// A replay, as its merchant and operators see it.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ReplayJob {
    #[schema(example = "k7w2mq9d4x")]
    pub id: String,
    #[schema(example = "acme")]
    pub merchant: String,
    /// running, done, cancelled or failed.
    #[schema(value_type = String, example = "running")]
    pub state: JobState,
    /// When it was started.
    pub started_at: Timestamp,
    /// What there is to examine: identifiers, references, or messages of the period.
    pub total: i64,
    /// How much of it was examined so far.
    pub examined: i64,
    /// Messages that were enqueued again so far.
    pub replayed: i64,
    /// Messages that were removed after their retention, so that the current state was enqueued as
    /// a new message.
    pub renewed: i64,
    /// Enqueued messages that are not finished.
    pub waiting: i64,
    /// What was not sent again: messages that wait anyway or were discarded, exchange orders whose
    /// shopper was erased, and what is unknown.
    pub skipped: i64,
}

replayable!(ReplayJob);

impl Job for ReplayJob {
    fn id(&self) -> &str {
        &self.id
    }

    fn state(&self) -> JobState {
        self.state
    }
}

/// Starts to send the selected messages again. A merchant has one replay at a time.
#[boxed]
pub async fn start_replay(
    scope: RequestScope<'_>,
    selection: ReplaySelection,
) -> Result<ReplayJob, AppError> {
    let (app, merchant) = (scope.app, scope.merchant()?);
    let fresh = app.world.readable::<10>();
    // Two requests at once must not both find that no replay is running.
    let _turn = app.replay_turns.wait(merchant.clone()).await;
    let job = commit_once(scope, || async {
        app.store.merchant(merchant).await?.ok_or(AppError::NotFound("merchant"))?;
        if let Some(running) = running_replay(app, merchant) {
            let why = format!("replay {} is still running; wait for it or cancel it", running.id);
            return Err(AppError::Conflict(why));
        }
        let job = ReplayJob {
            id: fresh.clone(),
            merchant: merchant.to_string(),
            state: JobState::Running,
            started_at: app.world.now(),
            total: 0,
            examined: 0,
            replayed: 0,
            renewed: 0,
            waiting: 0,
            skipped: 0,
        };
        let mut transaction = Transaction::new("recording a replay");
        let detail = json!({
            "job": job.id,
            "ids": selection.ids.len(),
            "references": selection.references.len(),
            "kinds": selection.kinds,
            "from": selection.from,
            "to": selection.to,
        });
        record_change(scope, &mut transaction, "messages.replay", &detail);
        Ok((job, transaction))
    })
    .await?;
    // An earlier request with the same key has started the job already.
    if job.id != fresh {
        return Ok(job);
    }
    app.replays.add(job.clone());
    let run = ReplayRun::new(app.clone(), merchant.clone(), job.id.clone(), selection);
    tokio::spawn(async move {
        let (app, id) = (run.app.clone(), run.id.clone());
        let state = run.finish().await.unwrap_or_else(|error| {
            let cause = with_causes(&error);
            tracing::error!("replay {id} failed; start it again to send the rest: {cause}");
            JobState::Failed
        });
        app.replays.change(&id, |job| job.state = state);
    });
    Ok(job)
}

fn running_replay(app: &App, merchant: &MerchantId) -> Option<ReplayJob> {
    list_replays(app, merchant).into_iter().find(|job| job.state == JobState::Running)
}

/// The replays of a merchant that this process knows of, newest first.
pub fn list_replays(app: &App, merchant: &MerchantId) -> Vec<ReplayJob> {
    let mut jobs = app.replays.list(|job| job.merchant == merchant.as_str());
    jobs.sort_by_key(|job| std::cmp::Reverse(job.started_at));
    jobs
}

/// A replay of the merchant.
pub fn find_replay(app: &App, merchant: &MerchantId, id: &str) -> Result<ReplayJob, AppError> {
    let job = app.replays.change(id, |_| ());
    job.filter(|job| job.merchant == merchant.as_str()).ok_or(AppError::NotFound("replay"))
}

/// Stops a replay. What it has enqueued is sent nevertheless.
#[boxed]
pub async fn cancel_replay(scope: RequestScope<'_>, id: &str) -> Result<ReplayJob, AppError> {
    let (app, merchant) = (scope.app, scope.merchant()?);
    commit_once(scope, || async {
        find_replay(app, merchant, id)?;
        let cancel = |job: &mut ReplayJob| {
            if job.state == JobState::Running {
                job.state = JobState::Cancelled;
            }
        };
        let job = app.replays.change(id, cancel).ok_or(AppError::NotFound("replay"))?;
        let mut transaction = Transaction::new("recording a canceled replay");
        let detail = json!({ "job": id });
        record_change(scope, &mut transaction, "messages.cancel_replay", &detail);
        Ok((job, transaction))
    })
    .await
}
