//! Retries or discards many failed messages in the background, with progress, until the job is done
//! or canceled.
//!
//! A job lives in the process that runs it. When the process ends, what the job has retried or
//! discarded stays that way, and a new job with the same filter handles the rest.

use std::collections::BTreeSet;

use boxed::boxed;
use domain::identifier::MerchantId;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{Cursor, FailureFilter, FailureKey, FailureRow, StoreError, Transaction, with_causes};

use crate::core::idempotency::replayable;
use crate::{
    App, AppError,
    core::{audit_trail::record_change, commit_once::commit_once, scope::RequestScope},
    messages::{
        failure_queue::{FailureAction, message_key},
        jobs::Job,
    },
};

pub use crate::messages::jobs::JobState;

const PAGE: usize = 500;

/// A background job on the failure queue, as operators see it.
#[omit_none]
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RetryJob {
    #[schema(example = "k7w2mq9d4x")]
    pub id: String,
    /// running, done, cancelled or failed.
    #[schema(value_type = String, example = "running")]
    pub state: JobState,
    /// Absent if the job is about all merchants.
    #[schema(value_type = Option<String>, example = "acme")]
    pub merchant: Option<MerchantId>,
    /// Messages that matched when the job started.
    pub total: i64,
    /// Messages that were put back into their queues so far.
    pub retried: i64,
    /// Messages that were discarded so far.
    #[serde(default)]
    pub discarded: i64,
    /// Messages that were superseded, or that another operator handled in the meantime.
    pub skipped: i64,
}

replayable!(RetryJob);

impl Job for RetryJob {
    fn id(&self) -> &str {
        &self.id
    }

    fn state(&self) -> JobState {
        self.state
    }
}

/// Starts to retry or discard everything that matches `filter`.
#[boxed]
pub async fn start_bulk_job(
    scope: RequestScope<'_>,
    mut filter: FailureFilter,
    action: FailureAction,
) -> Result<RetryJob, AppError> {
    let app = scope.app;
    // Messages that fail again while the job runs are left alone.
    filter.to_us = filter.to_us.min(app.world.now_us());
    let fresh = app.world.readable::<10>();
    let job = commit_once(scope, || async {
        let job = RetryJob {
            id: fresh.clone(),
            state: JobState::Running,
            merchant: filter.merchant.clone(),
            total: app.store.count_failures(&filter).await?,
            retried: 0,
            discarded: 0,
            skipped: 0,
        };
        let mut transaction = Transaction::new("recording a job on the failure queue");
        record_start(scope, &mut transaction, &job, &filter, &action);
        Ok((job, transaction))
    })
    .await?;
    // An earlier request with the same key has started the job already.
    if job.id != fresh {
        return Ok(job);
    }
    app.jobs.add(job.clone());
    let (app, id) = (app.clone(), job.id.clone());
    tokio::spawn(async move {
        let state = run(&app, &id, &filter, &action).await.unwrap_or_else(|error| {
            let cause = with_causes(&error);
            tracing::error!("job {id} on the failure queue failed: {cause}");
            JobState::Failed
        });
        app.jobs.change(&id, |job| job.state = state);
    });
    Ok(job)
}

fn record_start(
    scope: RequestScope<'_>,
    transaction: &mut Transaction,
    job: &RetryJob,
    filter: &FailureFilter,
    action: &FailureAction,
) {
    let (name, what) = match action {
        FailureAction::Retry { force } => ("failures.retry", ("force", json!(force))),
        FailureAction::Discard { reason } => ("failures.discard", ("reason", json!(reason))),
    };
    let detail = json!({
        "job": job.id,
        "kind": filter.kind,
        "status": filter.status,
        "messages": job.total,
        what.0: what.1,
    });
    let merchant = filter.merchant.clone().unwrap_or_else(MerchantId::platform);
    record_change(scope.for_merchant(&merchant), transaction, name, &detail);
}

pub fn find_bulk_job(app: &App, id: &str) -> Result<RetryJob, AppError> {
    app.jobs.change(id, |_| ()).ok_or(AppError::NotFound("job"))
}

/// Stops a job after its current page. What it has retried or discarded stays that way.
#[boxed]
pub async fn cancel_bulk_job(scope: RequestScope<'_>, id: &str) -> Result<RetryJob, AppError> {
    let app = scope.app;
    commit_once(scope, || async {
        let cancel = |job: &mut RetryJob| {
            if job.state == JobState::Running {
                job.state = JobState::Cancelled;
            }
        };
        let job = app.jobs.change(id, cancel).ok_or(AppError::NotFound("job"))?;
        let mut transaction = Transaction::new("recording a canceled job");
        let merchant = job.merchant.clone().unwrap_or_else(MerchantId::platform);
        let (scope, detail) = (scope.for_merchant(&merchant), json!({ "job": id }));
        record_change(scope, &mut transaction, "failures.cancel_retry", &detail);
        Ok((job, transaction))
    })
    .await
}

/// Handles the failures that match, page by page.
async fn run(
    app: &App,
    id: &str,
    filter: &FailureFilter,
    action: &FailureAction,
) -> Result<JobState, AppError> {
    let mut after = Cursor::oldest();
    loop {
        if app.jobs.change(id, |_| ()).is_none_or(|job| job.state != JobState::Running) {
            return Ok(JobState::Cancelled);
        }
        let page = app.store.failures(filter, &after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(JobState::Done) };
        after = last.cursor();
        let page_size = page.len();
        let selected = without_superseded(app, page, action).await?;
        let mut handled = 0;
        if handle(app, &selected, action).await? {
            handled = selected.len();
        } else {
            // Another operator handled one of them. Try one by one to find out which.
            for row in &selected {
                handled += usize::from(handle(app, std::slice::from_ref(row), action).await?);
            }
        }
        app.jobs.change(id, |job| {
            let count = match action {
                FailureAction::Retry { .. } => &mut job.retried,
                FailureAction::Discard { .. } => &mut job.discarded,
            };
            *count += i64::try_from(handled).unwrap_or(i64::MAX);
            job.skipped += i64::try_from(page_size - handled).unwrap_or(i64::MAX);
        });
    }
}

/// The rows without those that are superseded, if that matters for the action.
async fn without_superseded(
    app: &App,
    page: Vec<FailureRow>,
    action: &FailureAction,
) -> Result<Vec<FailureRow>, AppError> {
    if *action != (FailureAction::Retry { force: false }) {
        return Ok(page);
    }
    let superseded =
        app.store.superseded(&page.iter().map(message_key).collect::<Vec<_>>()).await?;
    let is_current = |row: &FailureRow| {
        let old = superseded.contains(&(row.merchant.clone(), row.message_id));
        !(old && row.kind.is_snapshot())
    };
    Ok(page.into_iter().filter(is_current).collect())
}

/// Retries or discards all of `rows`, or none of them if one is no longer in the failure queue.
async fn handle(app: &App, rows: &[FailureRow], action: &FailureAction) -> Result<bool, AppError> {
    let now_us = app.world.now_us();
    if matches!(action, FailureAction::Discard { .. }) {
        let merchants: BTreeSet<&str> = rows.iter().map(|row| row.merchant.as_str()).collect();
        for merchant in merchants {
            app.store.update_message_index(merchant).await?;
        }
    }
    let mut transaction = Transaction::new("handling failures");
    let mut merchants = Vec::new();
    for row in rows {
        let Ok(merchant) = MerchantId::parse_stored(&row.merchant) else { continue };
        let key = FailureKey { merchant: &merchant, kind: row.kind, message_id: row.message_id };
        match action {
            FailureAction::Retry { .. } => {
                transaction.retry_failure(key, now_us);
                merchants.push(merchant);
            }
            FailureAction::Discard { reason } => transaction.discard_failure(key, reason, now_us),
        }
    }
    let committed = app.store.commit(transaction).await.map_err(AppError::from);
    if committed.as_ref().err().is_none_or(AppError::may_be_committed) {
        merchants.dedup();
        for merchant in &merchants {
            app.dispatcher.notify_retried(merchant);
        }
    }
    match committed {
        Ok(_) => Ok(true),
        Err(AppError::Store(StoreError::Conflict)) => Ok(false),
        Err(error) => Err(error),
    }
}
