//! Counts what waits, for metrics: in the background and in bounded steps, so that reading metrics
//! costs the same however much waits.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use boxed::boxed;
use domain::{merchants::merchant::CarrierMode, messages::kind::MessageKind};
use store::{Backlog, BacklogCount, LastingFailure};
use tokio_util::sync::CancellationToken;

use crate::{App, AppError, core::metrics::KindBacklog};

const EVERY: Duration = Duration::from_secs(5);
/// The pause after a measurement is at least so many times as long as it took.
const REST: u32 = 20;
/// Rows that one query counts, and between two of them a pause, so that others come first.
const STEP: usize = 20_000;
const PAUSE: Duration = Duration::from_millis(20);
/// So many steps are counted at most: a backlog of a million is as alarming as a larger one.
const STEPS_MAX: usize = 50;
const COUNT_MAX: usize = 100_000;

/// Measures until `stop`.
#[boxed]
pub async fn run(app: App, stop: CancellationToken) {
    let failures = LastingFailure::new("counting what waits", "will retry");
    loop {
        let started = Instant::now();
        match stop.run_until_cancelled(measure(&app)).await {
            None => return,
            Some(measured) => failures.note(&measured),
        }
        let rest = EVERY.max(started.elapsed().saturating_mul(REST));
        if stop.run_until_cancelled(tokio::time::sleep(rest)).await.is_none() {
            return;
        }
    }
}

async fn measure(app: &App) -> Result<(), AppError> {
    for backlog in [Backlog::Waiting, Backlog::Failed] {
        let kinds = count_kinds(app, backlog).await?;
        for kind in MessageKind::ALL {
            let of_kind = kinds.get(&kind).copied().unwrap_or_default();
            app.metrics.set_backlog(backlog, kind, of_kind);
        }
    }
    for carrier in CarrierMode::ALL {
        let count = app.store.count_label_requests(carrier.name(), COUNT_MAX).await?;
        app.metrics.set_label_requests(carrier, count);
    }
    app.metrics.set_owed_returns(app.store.count_owed_returns(COUNT_MAX).await?);
    Ok(())
}

async fn count_kinds(
    app: &App,
    backlog: Backlog,
) -> Result<BTreeMap<MessageKind, KindBacklog>, AppError> {
    let mut kinds: BTreeMap<MessageKind, KindBacklog> = BTreeMap::new();
    let mut after: Option<BacklogCount> = None;
    for _ in 0..STEPS_MAX {
        let counts = app.store.count_backlog(backlog, after.as_ref(), STEP).await?;
        let continues =
            |it: &BacklogCount| after.as_ref().is_some_and(|last| is_same_queue(last, it));
        for kind in MessageKind::ALL {
            let of_kind = || counts.iter().filter(|it| it.kind == kind);
            if of_kind().next().is_none() {
                continue;
            }
            let entry = kinds.entry(kind).or_default();
            entry.messages += of_kind().map(|it| it.messages).sum::<i64>();
            let oldest = of_kind().filter(|it| !continues(it));
            let oldest = oldest.map(|it| (it.merchant.as_str(), it.first));
            if let Some(since_us) = app.store.earliest_message_us(oldest).await? {
                let seconds = to_seconds(app.world.now_us().saturating_sub(since_us));
                entry.oldest_seconds = entry.oldest_seconds.max(seconds);
            }
        }
        let counted: i64 = counts.iter().map(|it| it.messages).sum();
        after = counts.into_iter().last();
        if usize::try_from(counted).is_ok_and(|counted| counted < STEP) {
            break;
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(kinds)
}

/// Whether the messages of two steps are of the same merchant and kind: the first step has the
/// oldest of them.
fn is_same_queue(one: &BacklogCount, other: &BacklogCount) -> bool {
    (&one.merchant, one.kind) == (&other.merchant, other.kind)
}

#[expect(clippy::cast_precision_loss, clippy::as_conversions, reason = "seconds for a gauge")]
fn to_seconds(us: i64) -> f64 {
    us as f64 / 1_000_000.0
}
