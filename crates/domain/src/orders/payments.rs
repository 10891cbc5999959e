//! What was really paid for an order, by its `transactions`.
//!
//! Type and status are in the payment provider's words. The usual ones are known here; letters and
//! case are compared like those of tags. A transaction without them is a payment that succeeded.

use std::collections::HashMap;

use super::order::PaymentTransaction;
use super::tags::is_same_tag;

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PaymentKind {
    Payment,
    /// Money that is reserved, but not paid.
    Authorization,
    Void,
    Refund,
    Unknown,
}

const KINDS: [(&str, PaymentKind); 12] = [
    ("capture", PaymentKind::Payment),
    ("sale", PaymentKind::Payment),
    ("payment", PaymentKind::Payment),
    ("charge", PaymentKind::Payment),
    ("purchase", PaymentKind::Payment),
    ("debit", PaymentKind::Payment),
    ("authorization", PaymentKind::Authorization),
    ("authorize", PaymentKind::Authorization),
    ("auth", PaymentKind::Authorization),
    ("void", PaymentKind::Void),
    ("cancel", PaymentKind::Void),
    ("refund", PaymentKind::Refund),
];

/// The status of a refund that succeeded. Of a payment, it says that the money was paid back.
const REFUNDED: &str = "refunded";

const SUCCESSFUL: [&str; 8] =
    ["success", "succeeded", "successful", "paid", "captured", "completed", "settled", "approved"];

const UNSUCCESSFUL: [&str; 11] = [
    "failure",
    "failed",
    "error",
    "declined",
    "denied",
    "rejected",
    "pending",
    "voided",
    "canceled",
    "cancelled",
    "expired",
];

impl PaymentKind {
    fn of(payment: &PaymentTransaction) -> Self {
        let Some(kind) = payment.kind.as_deref() else { return Self::Payment };
        let known = KINDS.iter().find(|(name, _)| is_same_tag(name, kind));
        known.map_or(Self::Unknown, |(_, kind)| *kind)
    }
}

fn is_one_of(names: &[&str], status: &str) -> bool {
    names.iter().any(|name| is_same_tag(name, status))
}

fn is_refunded(payment: &PaymentTransaction) -> bool {
    payment.status.as_deref().is_some_and(|status| is_same_tag(REFUNDED, status))
}

fn succeeded(payment: &PaymentTransaction) -> bool {
    let is_refund = PaymentKind::of(payment) == PaymentKind::Refund;
    (is_refund && is_refunded(payment))
        || payment.status.as_deref().is_none_or(|status| is_one_of(&SUCCESSFUL, status))
}

/// The money was paid, and paid back.
fn is_paid_back(payment: &PaymentTransaction) -> bool {
    PaymentKind::of(payment) == PaymentKind::Payment && is_refunded(payment)
}

fn amount(payment: &PaymentTransaction) -> i128 {
    i128::from(payment.amount_cents.unwrap_or_default().max(0))
}

/// Money that moved for an order, in cents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MovedMoney {
    pub(crate) paid: i128,
    /// What is reserved, beyond what was paid of it.
    authorized: i128,
    pub(crate) refunded: i128,
}

/// What was done with a transaction, by those that name it as their parent.
#[derive(Default)]
struct Followed {
    is_void: bool,
    paid_cents: i128,
    refunded_cents: i128,
}

impl MovedMoney {
    /// Only real transactions that succeeded count. An authorization and its captures count once,
    /// and so do a payment that was paid back and the refunds of it, also those that do not name
    /// it. There can be many, so they are not searched for each other.
    pub(crate) fn of<'a>(payments: impl Iterator<Item = &'a PaymentTransaction> + Clone) -> Self {
        let made =
            payments.filter(|it| it.is_test != Some(true) && (succeeded(it) || is_paid_back(it)));
        let mut followed: HashMap<&str, Followed> = HashMap::new();
        for payment in made.clone() {
            let Some(parent) = payment.parent_identifier.as_deref() else { continue };
            let parent = followed.entry(parent).or_default();
            match PaymentKind::of(payment) {
                PaymentKind::Void => parent.is_void = true,
                PaymentKind::Payment => parent.paid_cents += amount(payment),
                PaymentKind::Refund => parent.refunded_cents += amount(payment),
                PaymentKind::Authorization | PaymentKind::Unknown => (),
            }
        }
        let mut moved = Self::default();
        let (mut paid_back, mut refunds_of_payments) = (0, 0);
        for payment in made {
            let after = payment.identifier.as_deref().and_then(|id| followed.get(id));
            let is_void = after.is_some_and(|after| after.is_void);
            let captured = after.map_or(0, |after| after.paid_cents);
            let refunded = after.map_or(0, |after| after.refunded_cents);
            match PaymentKind::of(payment) {
                PaymentKind::Payment if !is_void => {
                    moved.paid += amount(payment);
                    refunds_of_payments += refunded;
                    if is_refunded(payment) {
                        paid_back += (amount(payment) - refunded).max(0);
                    }
                }
                PaymentKind::Authorization if !is_void => {
                    moved.authorized += (amount(payment) - captured).max(0);
                }
                PaymentKind::Refund => moved.refunded += amount(payment),
                PaymentKind::Payment
                | PaymentKind::Authorization
                | PaymentKind::Void
                | PaymentKind::Unknown => (),
            }
        }
        let other_refunds = (moved.refunded - refunds_of_payments).max(0);
        moved.refunded += (paid_back - other_refunds).max(0);
        moved
    }
}

/// Whether payments add up to the total of their order: what was paid, with or without what is
/// still reserved. None if that cannot be judged, because there are none or one is not understood.
pub(super) fn add_up(payments: &[PaymentTransaction], total_cents: i64) -> Option<bool> {
    let understood = |payment: &PaymentTransaction| {
        let failed = payment.status.as_deref().is_some_and(|it| is_one_of(&UNSUCCESSFUL, it));
        payment.amount_cents.is_some()
            && PaymentKind::of(payment) != PaymentKind::Unknown
            && (failed || succeeded(payment))
    };
    if payments.is_empty() || !payments.iter().all(understood) {
        return None;
    }
    let moved = MovedMoney::of(payments.iter());
    let reserved = moved.paid + moved.authorized;
    let total = i128::from(total_cents);
    Some(moved.paid == total || reserved == total)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A transaction of this type, status and amount.
    pub(crate) fn payment(kind: &str, status: &str, amount_cents: i64) -> PaymentTransaction {
        PaymentTransaction {
            identifier: None,
            parent_identifier: None,
            amount_cents: Some(amount_cents),
            status: Some(status.to_owned()).filter(|status| !status.is_empty()),
            kind: Some(kind.to_owned()).filter(|kind| !kind.is_empty()),
            gateway: None,
            is_online: None,
            is_test: None,
            created_at: None,
            updated_at: None,
            payment_details: None,
        }
    }

    fn moved(payments: &[PaymentTransaction]) -> [i128; 3] {
        let moved = MovedMoney::of(payments.iter());
        [moved.paid, moved.authorized, moved.refunded]
    }

    /// A transaction with an identifier, based on another.
    fn linked(of: PaymentTransaction, id: &str, parent: &str) -> PaymentTransaction {
        let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        PaymentTransaction { identifier: some(id), parent_identifier: some(parent), ..of }
    }

    #[test]
    fn only_payments_that_succeeded_are_paid() {
        assert_eq!(moved(&[payment("", "", 500)]), [500, 0, 0]);
        assert_eq!(moved(&[payment("CAPTURE", "Success", 500)]), [500, 0, 0]);
        assert_eq!(moved(&[payment("sale", "failure", 500)]), [0, 0, 0]);
        assert_eq!(moved(&[payment("sale", "pending", 500)]), [0, 0, 0]);
        assert_eq!(moved(&[payment("refund", "success", 500)]), [0, 0, 500]);
        assert_eq!(moved(&[payment("verification", "success", 500)]), [0, 0, 0]);
    }

    #[test]
    fn a_refunded_payment_was_paid_and_paid_back() {
        assert_eq!(moved(&[payment("refund", "refunded", 500)]), [0, 0, 500]);
        assert_eq!(moved(&[payment("sale", "Refunded", 500)]), [500, 0, 500]);
        assert_eq!(moved(&[payment("", "refunded", 500)]), [500, 0, 500]);
        assert_eq!(moved(&[payment("authorization", "refunded", 500)]), [0, 0, 0]);
        assert_eq!(add_up(&[payment("sale", "refunded", 500)], 500), None, "it was paid before");
    }

    #[test]
    fn a_refunded_payment_and_its_refunds_count_once() {
        let sale = linked(payment("sale", "refunded", 500), "t1", "");
        let whole = linked(payment("refund", "success", 500), "t2", "t1");
        let part = linked(payment("refund", "success", 200), "t2", "t1");
        let failed = linked(payment("refund", "failed", 500), "t2", "t1");
        let of_none = linked(payment("refund", "success", 500), "t2", "");
        let of_authorization = linked(payment("refund", "success", 500), "t2", "t0");
        let other = linked(payment("sale", "success", 300), "t3", "");
        let of_other = linked(payment("refund", "success", 100), "t4", "t3");

        for refund in [whole, part, failed, of_none, of_authorization] {
            assert_eq!(moved(&[sale.clone(), refund, other.clone()]), [800, 0, 500]);
        }
        assert_eq!(moved(&[sale, other, of_other]), [800, 0, 600]);
    }

    #[test]
    fn a_test_is_no_payment() {
        let test = PaymentTransaction { is_test: Some(true), ..payment("sale", "success", 500) };
        assert_eq!(moved(std::slice::from_ref(&test)), [0, 0, 0]);
        assert_eq!(add_up(&[test, payment("sale", "success", 700)], 700), Some(true));
    }

    #[test]
    fn an_authorization_and_its_capture_count_once() {
        let authorized = linked(payment("authorization", "success", 500), "t1", "");
        let captured = linked(payment("capture", "success", 300), "t2", "t1");
        let voided = linked(payment("void", "success", 500), "t3", "t1");
        let refused = linked(payment("void", "failure", 500), "t3", "t1");

        assert_eq!(moved(std::slice::from_ref(&authorized)), [0, 500, 0]);
        assert_eq!(moved(&[authorized.clone(), captured]), [300, 200, 0]);
        assert_eq!(moved(&[authorized.clone(), voided]), [0, 0, 0]);
        assert_eq!(moved(&[authorized, refused]), [0, 500, 0]);
        let sale = linked(payment("sale", "success", 500), "t4", "");
        let undone = linked(payment("void", "success", 500), "t5", "t4");
        assert_eq!(moved(&[sale, undone]), [0, 0, 0]);
    }

    #[test]
    fn payments_add_up_with_or_without_what_is_reserved() {
        let authorized = linked(payment("authorization", "success", 500), "t1", "");
        let captured = linked(payment("capture", "success", 500), "t2", "t1");
        let part = linked(payment("capture", "success", 300), "t2", "t1");
        let failed = payment("sale", "declined", 500);
        let refund = payment("refund", "success", 200);

        assert_eq!(add_up(std::slice::from_ref(&authorized), 500), Some(true), "not paid yet");
        assert_eq!(add_up(&[failed.clone(), authorized.clone(), captured], 500), Some(true));
        assert_eq!(add_up(&[authorized.clone(), part.clone()], 500), Some(true), "rest is open");
        assert_eq!(add_up(&[authorized, part, refund], 300), Some(true), "less was shipped");
        assert_eq!(add_up(&[failed], 500), Some(false));
        assert_eq!(add_up(&[payment("sale", "in review", 500)], 400), None);
        assert_eq!(add_up(&[], 500), None);
    }
}
