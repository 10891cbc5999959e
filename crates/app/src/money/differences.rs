//! Refunds that differ from what was promised: an operator accepts the difference, asks the
//! merchant, or expects the rest.

use boxed::boxed;
use domain::{
    money::comparison::find_difference,
    returns::{identifier::RmaId, rma::RmaEvent},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{RefundProblem, Transaction};
use utoipa::ToSchema;

use crate::{
    AppError,
    core::{audit_trail::record_change, commit_once::commit_once, scope::RequestScope},
    returns::{origin::Origin, refund_problems::ProblemView, return_draft::ReturnDraft},
};

/// What an operator does about a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceAction {
    /// The difference is written off.
    Accept,
    /// The merchant is asked about it, and sees that.
    Ask,
    /// The rest is expected. A refund that pays it resolves the difference.
    Await,
}

impl DifferenceAction {
    pub const ALL: [Self; 3] = [Self::Accept, Self::Ask, Self::Await];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Ask => "ask",
            Self::Await => "await",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.name() == name)
    }

    /// The state of the problem after it, and how it is described.
    const fn result(self) -> (&'static str, &'static str) {
        match self {
            Self::Accept => ("settled", "accepted"),
            Self::Ask => ("asked", "the merchant was asked"),
            Self::Await => ("awaited", "the rest is expected"),
        }
    }
}

/// A decision about a difference.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DifferenceAnswer {
    /// What to do about the difference.
    pub action: DifferenceAction,
    /// The reason, for the record.
    #[schema(example = "agreed with the merchant by telephone")]
    pub note: String,
}

/// Decides about the difference of a refund.
#[boxed]
pub async fn answer_difference(
    scope: RequestScope<'_>,
    refund_id: &str,
    answer: &DifferenceAnswer,
) -> Result<ProblemView, AppError> {
    let (app, merchant) = (scope.app, scope.merchant()?);
    commit_once(scope, || async {
        let problem = app.store.refund_problem(merchant, refund_id).await?;
        let problem = problem.ok_or(AppError::NotFound("refund problem"))?;
        let id = RmaId::parse(&problem.rma_id);
        let id = id.ok_or_else(|| conflict("the problem is not a difference of amounts"))?;
        if problem.waits_for_match() {
            return Err(conflict("the refund must be matched first"));
        }
        if problem.state == "settled" {
            return Err(conflict("the difference is already settled"));
        }
        let mut transaction = Transaction::new("deciding about a difference");
        // First, because a return that changes below may write its difference to the problem.
        transaction.guard_refund_problem(merchant, &problem);
        if answer.action == DifferenceAction::Accept {
            accept(scope, &mut transaction, &problem, &id, &answer.note).await?;
        }
        let (state, action) = answer.action.result();
        let answered = RefundProblem {
            state: state.to_owned(),
            detail: format!("{action}: {}", answer.note),
            ..problem
        };
        transaction.put_refund_problem(merchant, &answered);
        let detail = json!({ "refund": refund_id, "return": id, "answer": answer });
        record_change(scope, &mut transaction, "refund.difference", &detail);
        Ok((ProblemView::from(answered), transaction))
    })
    .await
}

/// Writes the difference off, if it is still the one that was looked at.
async fn accept(
    scope: RequestScope<'_>,
    transaction: &mut Transaction,
    problem: &RefundProblem,
    id: &RmaId,
    note: &str,
) -> Result<(), AppError> {
    let (app, merchant) = (scope.app, scope.merchant()?);
    let before = app.store.rma(merchant, id).await?.ok_or(AppError::NotFound("return"))?;
    let mut draft = ReturnDraft::new(before);
    let difference = find_difference(draft.current(), &problem.refund_id);
    let missing = problem.promised_cents.saturating_sub(problem.paid_cents);
    if difference.is_none_or(|it| it.missing_cents() != missing) {
        return Err(conflict("the difference has changed since it was noticed"));
    }
    let event = RmaEvent::DifferenceAccepted {
        refund_identifier: problem.refund_id.clone(),
        amount_cents: missing,
        note: note.to_owned(),
    };
    draft.apply(&event, app.world.now()).map_err(|refusal| conflict(&refusal.to_string()))?;
    draft.put(app, transaction, merchant, &Origin::of_request(scope)).await
}

fn conflict(why: &str) -> AppError {
    AppError::Conflict(why.to_owned())
}
