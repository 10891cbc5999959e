//! Many failed messages are retried in the background, with progress, until done or cancelled.
//!
//! A job lives in the process that runs it. What it has put back stays put back when the process ends; starting the
//! same job again goes on with what is left.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use domain::{identifier::MerchantId, kind::Kind};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{FailureFilter, FailureRow, StoreError, Transaction};

use crate::{
    App, AppError, audit_trail,
    commit_once::{Request, commit_once},
    failure_queue::{beginning, is_snapshot, key},
};

const PAGE: i64 = 500;
/// Finished jobs that are remembered.
const JOBS_MAX: usize = 100;

/// A background retry, as operators see it.
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
    /// Superseded, or retried by somebody else meanwhile.
    pub skipped: i64,
}

#[derive(Default)]
pub(crate) struct Jobs(Mutex<BTreeMap<String, RetryJob>>);

impl Jobs {
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

/// Begins to retry everything that matches `filter`.
pub async fn start_bulk_retry(
    app: &App,
    request: Request<'_>,
    mut filter: FailureFilter,
    force: bool,
) -> Result<RetryJob, AppError> {
    // What fails again while the job runs is not its business.
    filter.to_us = filter.to_us.min(app.world.now_us());
    let fresh = app.world.readable::<10>();
    let job = commit_once(app, request, || async {
        let job = RetryJob {
            id: fresh.clone(),
            state: "running".to_owned(),
            total: app.store.count_failures(&filter).await?,
            retried: 0,
            skipped: 0,
        };
        let merchant = filter.merchant.clone().unwrap_or_else(MerchantId::platform);
        let mut transaction = Transaction::new("noting a bulk retry");
        let detail = json!({
            "job": job.id,
            "kind": filter.kind,
            "status": filter.status,
            "messages": job.total,
            "force": force,
        });
        let noted = (&merchant, "failures.retry", detail);
        audit_trail::note(app, &mut transaction, request.client, noted);
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
        let ended = run(&app, &id, &filter, force).await;
        let state = match ended {
            Ok(true) => "done",
            Ok(false) => "cancelled",
            Err(error) => {
                tracing::error!(%error, job = id, "bulk retry {id} ended early: {error}");
                "failed"
            }
        };
        app.jobs.change(&id, |job| state.clone_into(&mut job.state));
    });
    Ok(job)
}

pub fn bulk_retry(app: &App, id: &str) -> Result<RetryJob, AppError> {
    app.jobs.change(id, |_| ()).ok_or(AppError::NotFound("job"))
}

/// Stops a job; what it has put back, the page under way included, stays put back.
pub async fn cancel_bulk_retry(
    app: &App,
    request: Request<'_>,
    id: &str,
) -> Result<RetryJob, AppError> {
    commit_once(app, request, || async {
        let cancel = |job: &mut RetryJob| {
            if job.state == "running" {
                "cancelled".clone_into(&mut job.state);
            }
        };
        let job = app.jobs.change(id, cancel).ok_or(AppError::NotFound("job"))?;
        let mut transaction = Transaction::new("noting a cancelled retry");
        let noted = (&MerchantId::platform(), "failures.cancel_retry", json!({ "job": id }));
        audit_trail::note(app, &mut transaction, request.client, noted);
        Ok((job, transaction))
    })
    .await
}

/// Goes through the queue page by page; false when the job was cancelled.
async fn run(app: &App, id: &str, filter: &FailureFilter, force: bool) -> Result<bool, AppError> {
    let mut after = beginning();
    loop {
        let running = app.jobs.change(id, |_| ()).is_some_and(|job| job.state == "running");
        if !running {
            return Ok(false);
        }
        let page = app.store.failures(filter, &after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(true) };
        after = (last.failed_us, last.merchant.clone(), last.message_id);
        let (mut retried, looked_at) = (0, page.len());
        let superseded = app.store.superseded(&page.iter().map(key).collect::<Vec<_>>()).await?;
        let wanted: Vec<FailureRow> = page
            .into_iter()
            .filter(|row| {
                let old = superseded.contains(&(row.merchant.clone(), row.message_id));
                force || !(old && is_snapshot(&row.kind))
            })
            .collect();
        if retry(app, &wanted).await? {
            retried = wanted.len();
        } else {
            // Somebody else took one of them: find out which, one by one.
            for row in &wanted {
                retried += usize::from(retry(app, std::slice::from_ref(row)).await?);
            }
        }
        app.jobs.change(id, |job| {
            job.retried += i64::try_from(retried).unwrap_or(i64::MAX);
            job.skipped += i64::try_from(looked_at - retried).unwrap_or(i64::MAX);
        });
    }
}

/// Puts all of `rows` back, or none when one of them is no longer in the queue.
async fn retry(app: &App, rows: &[FailureRow]) -> Result<bool, AppError> {
    let now_us = app.world.now_us();
    let mut transaction = Transaction::new("retrying messages");
    let mut merchants = Vec::new();
    for row in rows {
        let merchant = MerchantId::parse(&row.merchant).ok();
        if let (Some(merchant), Some(kind)) = (merchant, Kind::parse(&row.kind)) {
            transaction.retry_failure(&merchant, kind, row.message_id, now_us);
            merchants.push(merchant);
        }
    }
    match app.store.commit(transaction).await {
        Ok(_) => {
            merchants.dedup();
            for merchant in &merchants {
                app.delivery.deliveries_added(merchant);
            }
            Ok(true)
        }
        Err(StoreError::Conflict) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Where the jobs of an app are kept.
pub(crate) type SharedJobs = Arc<Jobs>;
