//! Why an order, or one of its refunds, cannot be recorded.

use domain::{
    faults::{FAULTS_MAX, FaultCode, Faults, FieldError},
    orders::recorded_refunds::{Misfit, MisfitLine},
};

use crate::returns::settle_refunds::RefundPosition;

/// An order that contradicts what is stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IntakeConflict {
    pub(crate) order: usize,
    pub(crate) reason: ConflictReason,
}

impl IntakeConflict {
    pub(crate) fn too_many(position: RefundPosition) -> Self {
        let RefundPosition { order_position: order, refund_position: refund } = position;
        Self::of_refund(order, refund, RefundConflict::TooMany)
    }

    pub(crate) fn of_refund(order: usize, refund: usize, reason: RefundConflict) -> Self {
        Self { order, reason: ConflictReason::Refund(refund, reason) }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum ConflictReason {
    /// The currency differs from the one in which money was promised or paid.
    Currency,
    /// The refund at this position cannot be recorded.
    Refund(usize, RefundConflict),
}

/// Why a refund cannot be recorded.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RefundConflict {
    /// It is recorded with another body, or for another order.
    Content,
    /// Another refund of the order has a line with the identifier of this line.
    Line(usize),
    /// It is new, its date has passed, and reading is strict.
    Past,
    /// It is new, and a line of it does not fit the order.
    Misfit(MisfitLine),
    /// It and those before it would take too long to settle.
    TooMany,
}

/// The faults of orders and refunds that cannot be recorded, at most as many as are listed. `root`
/// is the path of an order.
pub(crate) fn conflict_faults(
    conflicts: &[IntakeConflict],
    root: impl Fn(usize) -> String,
) -> Faults {
    let errors = conflicts.iter().take(FAULTS_MAX).map(|conflict| {
        let order = root(conflict.order);
        let (field, reason) = match conflict.reason {
            ConflictReason::Currency => (
                format!("{order}.currency"),
                "must not change, because money was promised or paid for the order",
            ),
            ConflictReason::Refund(position, reason) => {
                describe_conflict(format!("{order}.refunds[{position}]"), reason)
            }
        };
        FieldError { field, code: FaultCode::Invalid, reason: reason.to_owned() }
    });
    Faults { errors: errors.collect(), total: conflicts.len() }
}

/// Which field of the refund is wrong, and why.
fn describe_conflict(refund: String, conflict: RefundConflict) -> (String, &'static str) {
    match conflict {
        RefundConflict::Line(line) => (
            format!("{refund}.refund_line_items[{line}].identifier"),
            "must be unique in all refunds of the order, including those recorded before",
        ),
        RefundConflict::Content => (
            format!("{refund}.identifier"),
            "refers to a refund that was already recorded with different content",
        ),
        RefundConflict::Past => (format!("{refund}.created_at"), "should be in the future"),
        RefundConflict::Misfit(MisfitLine { line, misfit, .. }) => {
            let line = format!("{refund}.refund_line_items[{line}]");
            match misfit {
                Misfit::NoLine => (
                    format!("{line}.order_item_identifier"),
                    "must be the identifier of a line of this order",
                ),
                Misfit::TooManyUnits { .. } => (
                    format!("{line}.quantity"),
                    "must not, together with earlier refunds, exceed the units shipped",
                ),
            }
        }
        RefundConflict::TooMany => (
            refund,
            "is one new refund too many for returns of this size; send the refunds before it \
             first, and the others with a later message",
        ),
    }
}
