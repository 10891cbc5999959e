//! An operator imports historical orders: one per line, each stored or rejected by itself.

use std::collections::HashSet;

use boxed::boxed;
use bytes::Bytes;
use domain::{
    faults::{Faults, FieldError},
    identifier::MerchantId,
    json,
    orders::{
        intake::IntakeOutcome,
        order_message::{self, OrderReadContext, RefundCheck},
    },
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{StoreError, Transaction};

use crate::core::idempotency::replayable;
use crate::{
    AppError,
    core::{
        audit_trail::record_change,
        commit_once::{CommitAttempt, commit_once, retry_from},
        scope::RequestScope,
    },
    orders::{
        incoming_order::{IncomingOrder, read_with_recorded_refunds},
        intake_conflict::{IntakeConflict, conflict_faults},
        order_intake::{IntakeDecision, decide_intake},
        publish_orders::run_on_suitable_thread,
    },
};

/// What happened to a chunk of lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Imported)]
pub struct ImportResult {
    pub created: u64,
    pub updated: u64,
    pub unchanged: u64,
    pub stale: u64,
    /// The number of warnings of all accepted lines.
    pub warnings: u64,
    /// Lines that were rejected, in the order of the chunk.
    pub rejected: Vec<RejectedLine>,
}

replayable!(ImportResult);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RejectedLine {
    /// The position in the chunk, from 0.
    pub line: usize,
    pub message: String,
    /// Empty if the line is not JSON.
    pub errors: Vec<FieldError>,
}

/// Stores the acceptable orders in `lines` and reports the others.
///
/// The lines are committed before the response. Lines that are imported again change nothing, so a
/// request that is repeated with its key is harmless, too.
#[boxed]
pub async fn import_orders(
    scope: RequestScope<'_>,
    lines: Bytes,
) -> Result<ImportResult, AppError> {
    let merchant = scope.merchant()?;
    commit_once(scope, || async {
        let imported = Box::pin(import_lines(scope, merchant, lines.clone())).await?;
        Ok((imported, Transaction::new("storing a response")))
    })
    .await
}

async fn import_lines(
    scope: RequestScope<'_>,
    merchant: &MerchantId,
    lines: Bytes,
) -> Result<ImportResult, AppError> {
    let app = scope.app;
    let owner = app.store.merchant(merchant).await?.ok_or(AppError::NotFound("merchant"))?;
    let context = OrderReadContext {
        now: app.world.now(),
        strict: owner.value.settings.strict,
        refunds: RefundCheck::All,
    };
    let (mut waiting, mut imported) =
        run_on_suitable_thread(lines.len(), move || read_lines(&lines, &context)).await;
    while !waiting.is_empty() {
        let (now, later) = split_repeats(waiting);
        store_lines(scope, merchant, now, &mut imported).await?;
        waiting = later;
    }
    imported.rejected.sort_by_key(|rejected| rejected.line);
    Ok(imported)
}

/// An acceptable order and its line.
struct ImportLine {
    line: usize,
    order: IncomingOrder,
}

fn read_lines(lines: &Bytes, context: &OrderReadContext) -> (Vec<ImportLine>, ImportResult) {
    let (mut good, mut imported) = (Vec::new(), ImportResult::default());
    for (line, text) in lines.split(|&byte| byte == b'\n').enumerate() {
        if text.trim_ascii().is_empty() {
            continue;
        }
        match json::parse(text) {
            Err(malformed) => imported.rejected.push(RejectedLine {
                line,
                message: format!("the line is not JSON: {malformed}"),
                errors: Vec::new(),
            }),
            Ok(document) => match read_with_recorded_refunds(context, |context| {
                order_message::read_order(&document, context)
            }) {
                Err(faulty) => imported.rejected.push(reject_line(line, faulty.certain)),
                Ok((snapshot, warnings)) => {
                    imported.warnings += u64::try_from(warnings.len()).unwrap_or(u64::MAX);
                    let order = IncomingOrder::new(snapshot, &lines.slice_ref(text), context);
                    good.push(ImportLine { line, order });
                }
            },
        }
    }
    (good, imported)
}

fn reject_line(line: usize, faults: Faults) -> RejectedLine {
    RejectedLine { line, message: faults.summary(), errors: faults.errors }
}

/// Splits off the lines that must wait for a later commit: one commit must not contain two
/// snapshots of an order, nor a refund twice, and the lines of an order stay in sequence.
fn split_repeats(lines: Vec<ImportLine>) -> (Vec<ImportLine>, Vec<ImportLine>) {
    let (mut orders, mut refunds) = (HashSet::new(), HashSet::new());
    lines.into_iter().partition(|line| {
        let fresh = orders.insert(line.order.order_id.clone());
        let clear = line.order.refund_ids().all(|refund| !refunds.contains(refund));
        if fresh && clear {
            refunds.extend(line.order.refund_ids().map(str::to_owned));
        }
        fresh && clear
    })
}

/// Commits the lines together, without those that contradict a recorded refund.
async fn store_lines(
    scope: RequestScope<'_>,
    merchant: &MerchantId,
    lines: Vec<ImportLine>,
    imported: &mut ImportResult,
) -> Result<(), AppError> {
    let app = scope.app;
    let start = ChunkState { lines, rejected: Vec::new() };
    let (outcomes, rejected) = retry_from(start, |mut chunk| async move {
        let mut decision = chunk.decide(scope.for_merchant(merchant)).await?;
        let detail = describe_outcomes(&decision.outcomes);
        record_change(scope, &mut decision.transaction, "orders.import", &detail);
        match app.commit(decision.transaction).await {
            Ok(()) => Ok(CommitAttempt::Committed((decision.outcomes, chunk.rejected))),
            Err(StoreError::Conflict) => Ok(CommitAttempt::Conflict(chunk)),
            Err(error) => Err(error.into()),
        }
    })
    .await?;
    for outcome in outcomes {
        count_outcome(imported, outcome);
    }
    imported.rejected.extend(rejected);
    Ok(())
}

/// Lines that are committed together, and those of them that were rejected so far.
struct ChunkState {
    lines: Vec<ImportLine>,
    rejected: Vec<RejectedLine>,
}

impl ChunkState {
    /// Decides on the lines. Those that contradict a recorded refund are rejected.
    async fn decide(&mut self, scope: RequestScope<'_>) -> Result<IntakeDecision, AppError> {
        loop {
            let orders: Vec<IncomingOrder> = self.lines.iter().map(|it| it.order.clone()).collect();
            let decision = decide_intake(scope, &orders).await?;
            if decision.conflicts.is_empty() {
                return Ok(decision);
            }
            self.reject(&decision.conflicts);
        }
    }

    fn reject(&mut self, conflicts: &[IntakeConflict]) {
        let mut position = 0..;
        self.lines.retain(|line| {
            let here = position.next();
            let own = conflicts.iter().filter(|conflict| Some(conflict.order) == here);
            let own: Vec<_> = own.copied().collect();
            if !own.is_empty() {
                let faults = conflict_faults(&own, |_| "$".to_owned());
                self.rejected.push(reject_line(line.line, faults));
            }
            own.is_empty()
        });
    }
}

/// How many lines of a commit had which outcome, for the audit trail.
fn describe_outcomes(outcomes: &[IntakeOutcome]) -> Value {
    let mut counts = ImportResult::default();
    for outcome in outcomes {
        count_outcome(&mut counts, *outcome);
    }
    let ImportResult { created, updated, unchanged, stale, .. } = counts;
    json!({ "created": created, "updated": updated, "unchanged": unchanged, "stale": stale })
}

fn count_outcome(imported: &mut ImportResult, outcome: IntakeOutcome) {
    let counter = match outcome {
        IntakeOutcome::Created => &mut imported.created,
        IntakeOutcome::Updated => &mut imported.updated,
        IntakeOutcome::Unchanged => &mut imported.unchanged,
        IntakeOutcome::Stale => &mut imported.stale,
    };
    *counter += 1;
}
