//! A refund that differs from what was promised: both amounts, and the decision about it.

use app::{
    money::differences::{DifferenceAction, DifferenceAnswer},
    returns::refund_problems::{DifferenceView, ProblemView},
};
use domain::money::comparison::DifferenceKind;

use crate::core::{
    form::{Form, check_note},
    format::{format_money, to_sentence},
    urls::return_url,
};

/// Recorded if the operator enters none.
const NO_NOTE: &str = "no note";

/// See `templates/returns/refunds.html`.
pub(super) struct DifferenceBox {
    pub(super) rma: String,
    pub(super) url: String,
    pub(super) promised: String,
    pub(super) paid: String,
    /// What the difference means for the shopper.
    pub(super) label: &'static str,
    pub(super) amount: String,
    /// Whether a later refund can pay the rest.
    pub(super) is_short: bool,
}

impl DifferenceBox {
    pub(super) fn new(difference: &DifferenceView) -> Self {
        let DifferenceView { rma_identifier, currency, promised_cents, paid_cents } = difference;
        let missing = promised_cents.saturating_sub(*paid_cents);
        Self {
            url: return_url(rma_identifier),
            rma: rma_identifier.clone(),
            promised: format_money(*promised_cents, currency),
            paid: format_money(*paid_cents, currency),
            label: if missing < 0 { "Paid too much" } else { "Missing" },
            amount: format_money(missing.saturating_abs(), currency),
            is_short: missing > 0,
        }
    }
}

/// What is wrong, or what was decided. The amounts of a difference are shown beside it.
pub(super) fn describe_problem(problem: &ProblemView) -> String {
    let untouched = DifferenceKind::parse(&problem.state).filter(|_| problem.difference.is_some());
    to_sentence(untouched.map_or(problem.detail.as_str(), |kind| kind.message()))
}

pub(super) fn read_answer(form: &Form) -> Result<DifferenceAnswer, String> {
    let action = DifferenceAction::parse(form.raw("answer"));
    let action = action.ok_or("Choose what to do about the difference.")?;
    let note = check_note(form.text("note"))?.unwrap_or_else(|| NO_NOTE.to_owned());
    Ok(DifferenceAnswer { action, note })
}

/// What was done, for the next page.
pub(super) fn result_notice(action: DifferenceAction, refund: &str) -> String {
    match action {
        DifferenceAction::Accept => format!("The difference of refund {refund} is accepted."),
        DifferenceAction::Ask => format!("The merchant is asked about refund {refund}."),
        DifferenceAction::Await => format!("The rest of refund {refund} is expected."),
    }
}
