//! Many failed messages are retried or discarded in the background, with progress, until done or cancelled.
//!
//! A job lives in the process that runs it. What it has put back or taken out stays so when the process ends; starting
//! the same job again goes on with what is left.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use domain::identifier::MerchantId;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{Cursor, FailureFilter, FailureKey, FailureRow, StoreError, Transaction};

use crate::{
    App, AppError,
    core::{audit_trail::record_change, commit_once::commit_once, scope::RequestScope},
    messages::failure_queue::{FailureAction, message_key},
};

const PAGE: usize = 500;
/// Finished jobs that are remembered.
const JOBS_MAX: usize = 100;

/// A background job on the failure queue, as operators see it.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RetryJob {
    #[schema(example = "k7w2mq9d4x")]
    pub id: String,
    /// running, done, cancelled or failed.
    #[schema(example = "running")]
    pub state: String,
    /// Messages that matched when the job began.
    pub total: i64,
    /// Messages put back among those that are sent, so far.
    pub retried: i64,
    /// Messages taken out of the queue for good, so far.
    #[serde(default)]
    pub discarded: i64,
    /// Superseded, or handled by somebody else meanwhile.
    pub skipped: i64,
}

#[derive(Default)]
pub(crate) struct BulkJobs(Mutex<BTreeMap<String, RetryJob>>);

impl BulkJobs {
    fn change(&self, id: &str, change: impl FnOnce(&mut RetryJob)) -> Option<RetryJob> {
        let mut jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let job = jobs.get_mut(id)?;
        change(job);
        Some(job.clone())
    }

    fn add(&self, job: RetryJob) {
        let mut jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if jobs.len() >= JOBS_MAX {
            jobs.retain(|_, job| job.state == "running");
        }
        jobs.insert(job.id.clone(), job);
    }
}

/// Begins to retry or discard everything that matches `filter`.
pub async fn start_bulk_job(
    scope: RequestScope<'_>,
    mut filter: FailureFilter,
    action: FailureAction,
) -> Result<RetryJob, AppError> {
    let app = scope.app;
    // What fails again while the job runs is not its business.
    filter.to_us = filter.to_us.min(app.world.now_us());
    let fresh = app.world.readable::<10>();
    let job = commit_once(scope, || async {
        let job = RetryJob {
            id: fresh.clone(),
            state: "running".to_owned(),
            total: app.store.count_failures(&filter).await?,
            retried: 0,
            discarded: 0,
            skipped: 0,
        };
        let mut transaction = Transaction::new("noting a job on the failure queue");
        record_start(scope, &mut transaction, &job, &filter, &action);
        Ok((job, transaction))
    })
    .await?;
    // The answer of an earlier request under the same key names the job that request began.
    if job.id != fresh {
        return Ok(job);
    }
    app.jobs.add(job.clone());
    let (app, id) = (app.clone(), job.id.clone());
    tokio::spawn(async move {
        let ended = run(&app, &id, &filter, &action).await;
        let state = match ended {
            Ok(true) => "done",
            Ok(false) => "cancelled",
            Err(error) => {
                tracing::error!(%error, job = id, "job {id} on the failure queue ended early: {error}");
                "failed"
            }
        };
        app.jobs.change(&id, |job| state.clone_into(&mut job.state));
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

/// Stops a job; what it has put back, the page under way included, stays put back.
pub async fn cancel_bulk_job(scope: RequestScope<'_>, id: &str) -> Result<RetryJob, AppError> {
    let app = scope.app;
    commit_once(scope, || async {
        let cancel = |job: &mut RetryJob| {
            if job.state == "running" {
                "cancelled".clone_into(&mut job.state);
            }
        };
        let job = app.jobs.change(id, cancel).ok_or(AppError::NotFound("job"))?;
        let mut transaction = Transaction::new("noting a cancelled retry");
        let (platform, detail) = (MerchantId::platform(), json!({ "job": id }));
        let scope = scope.for_merchant(&platform);
        record_change(scope, &mut transaction, "failures.cancel_retry", &detail);
        Ok((job, transaction))
    })
    .await
}

/// Goes through the queue page by page; false when the job was cancelled.
async fn run(
    app: &App,
    id: &str,
    filter: &FailureFilter,
    action: &FailureAction,
) -> Result<bool, AppError> {
    let mut after = Cursor::oldest();
    loop {
        let running = app.jobs.change(id, |_| ()).is_some_and(|job| job.state == "running");
        if !running {
            return Ok(false);
        }
        let page = app.store.failures(filter, &after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(true) };
        after = last.cursor();
        let looked_at = page.len();
        let wanted = wanted(app, page, action).await?;
        let mut handled = 0;
        if handle(app, &wanted, action).await? {
            handled = wanted.len();
        } else {
            // Somebody else took one of them: find out which, one by one.
            for row in &wanted {
                handled += usize::from(handle(app, std::slice::from_ref(row), action).await?);
            }
        }
        app.jobs.change(id, |job| {
            let count = match action {
                FailureAction::Retry { .. } => &mut job.retried,
                FailureAction::Discard { .. } => &mut job.discarded,
            };
            *count += i64::try_from(handled).unwrap_or(i64::MAX);
            job.skipped += i64::try_from(looked_at - handled).unwrap_or(i64::MAX);
        });
    }
}

/// The rows without those that are superseded, unless it is all the same.
async fn wanted(
    app: &App,
    page: Vec<FailureRow>,
    action: &FailureAction,
) -> Result<Vec<FailureRow>, AppError> {
    if *action != (FailureAction::Retry { force: false }) {
        return Ok(page);
    }
    let superseded =
        app.store.superseded(&page.iter().map(message_key).collect::<Vec<_>>()).await?;
    let is_wanted = |row: &FailureRow| {
        let old = superseded.contains(&(row.merchant.clone(), row.message_id));
        !(old && row.kind.is_snapshot())
    };
    Ok(page.into_iter().filter(is_wanted).collect())
}

/// Puts all of `rows` back or takes all of them out, or none when one is no longer in the queue.
async fn handle(app: &App, rows: &[FailureRow], action: &FailureAction) -> Result<bool, AppError> {
    let now_us = app.world.now_us();
    let mut transaction = Transaction::new("handling failures");
    let mut merchants = Vec::new();
    for row in rows {
        let Ok(merchant) = MerchantId::parse(&row.merchant) else { continue };
        let key = FailureKey { merchant: &merchant, kind: row.kind, message_id: row.message_id };
        match action {
            FailureAction::Retry { .. } => {
                transaction.retry_failure(key, now_us);
                merchants.push(merchant);
            }
            FailureAction::Discard { reason } => transaction.discard_failure(key, reason, now_us),
        }
    }
    match app.store.commit(transaction).await {
        Ok(_) => {
            merchants.dedup();
            for merchant in &merchants {
                app.dispatcher.notify_retried(merchant);
            }
            Ok(true)
        }
        Err(StoreError::Conflict) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Where the jobs of an app are kept.
pub(crate) type SharedBulkJobs = Arc<BulkJobs>;
