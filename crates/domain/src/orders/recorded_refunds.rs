//! Refunds that were recorded with earlier snapshots of an order, compared with a newer one.
//!
//! A recorded refund never changes and is never removed. A newer snapshot may omit it and then
//! contradict it, because it lacks the line, has shipped fewer units, or reports another refund for
//! the same unit. The refund is kept, and a person should look at it.

use std::collections::{HashMap, HashSet};

use super::order::{Order, Refund};

/// A recorded refund that no longer fits its order.
#[derive(Clone, Debug, PartialEq)]
pub struct MisfitRefund<'a> {
    pub refund: &'a Refund,
    pub reason: String,
}

/// The refunds in `recorded` that `order` omits and contradicts. They are in the order of arrival.
pub fn find_misfits<'a>(order: &Order, recorded: &'a [Refund]) -> Vec<MisfitRefund<'a>> {
    let shipped: HashMap<&str, i64> =
        order.items.iter().map(|line| (line.identifier.as_str(), line.quantity_shipped)).collect();
    let reported: HashSet<&str> = order.refunds.iter().map(|it| it.identifier.as_str()).collect();
    let mut paid: HashMap<&str, i64> = HashMap::new();
    let lines = order.refunds.iter().filter(|refund| !refund.is_ignored());
    for line in lines.flat_map(|refund| &refund.refund_line_items) {
        *paid.entry(line.order_item_identifier.as_str()).or_default() += line.quantity;
    }
    let omitted = recorded
        .iter()
        .filter(|refund| !refund.is_ignored() && !reported.contains(refund.identifier.as_str()));
    let mut misfits = Vec::new();
    for refund in omitted {
        let mut reasons = Vec::new();
        for line in &refund.refund_line_items {
            let identifier = line.order_item_identifier.as_str();
            let paid = paid.entry(identifier).or_default();
            *paid += line.quantity;
            match shipped.get(identifier) {
                None => reasons.push(format!("the order no longer has line {identifier}")),
                Some(shipped) if *paid > *shipped => {
                    reasons.push(format!(
                        "{paid} units of line {identifier} are refunded, but only {shipped} shipped"
                    ));
                }
                Some(_) => (),
            }
        }
        if !reasons.is_empty() {
            let reason = format!("does not fit the newest snapshot: {}", reasons.join(", "));
            misfits.push(MisfitRefund { refund, reason });
        }
    }
    misfits
}

/// The positions of the lines of `refund` whose identifiers another recorded refund already uses.
pub fn find_reused_lines(refund: &Refund, recorded: &[Refund]) -> Vec<usize> {
    let others = recorded.iter().filter(|other| other.identifier != refund.identifier);
    let taken: HashSet<&str> = others
        .flat_map(|other| &other.refund_line_items)
        .map(|line| line.identifier.as_str())
        .collect();
    let lines = refund.refund_line_items.iter().enumerate();
    lines.filter(|(_, line)| taken.contains(line.identifier.as_str())).map(|(at, _)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::orders::order::RefundLine;
    use crate::returns::test_orders::{order_line, order_of};

    fn refund_of(identifier: &str, line: &str, quantity: i64) -> Refund {
        Refund {
            identifier: identifier.to_owned(),
            total_refund_amount_cents: 100,
            refund_line_items: vec![RefundLine {
                identifier: format!("{identifier}-1"),
                quantity,
                order_item_identifier: line.to_owned(),
            }],
            note: None,
            created_at: "2026-01-10T12:00:00Z".parse().unwrap(),
            rma_identifier: None,
            tags: Vec::new(),
        }
    }

    /// Two units of A and one of B.
    fn sample_order() -> Order {
        order_of(vec![order_line("A", 2, [900, 0, 0]), order_line("B", 1, [500, 0, 0])], 0)
    }

    fn misfits(order: &Order, recorded: &[Refund]) -> Vec<(String, String)> {
        let found = find_misfits(order, recorded);
        let plain = |it: MisfitRefund<'_>| {
            let reason = it.reason.trim_start_matches("does not fit the newest snapshot: ");
            (it.refund.identifier.clone(), reason.to_owned())
        };
        found.into_iter().map(plain).collect()
    }

    #[test]
    fn a_refund_whose_line_is_gone_does_not_fit() {
        let recorded = [refund_of("F", "C", 1), refund_of("G", "B", 1)];

        let expected = [("F".to_owned(), "the order no longer has line C".to_owned())];
        assert_eq!(misfits(&sample_order(), &recorded), expected);
    }

    #[test]
    fn a_refund_of_more_units_than_are_shipped_now_does_not_fit() {
        let mut order = sample_order();
        order.items[0].quantity_shipped = 1;

        let found = misfits(&order, &[refund_of("F", "A", 2)]);

        let reason = "2 units of line A are refunded, but only 1 shipped";
        assert_eq!(found, [("F".to_owned(), reason.to_owned())]);
    }

    #[test]
    fn a_refund_that_was_replaced_by_another_for_the_same_unit_does_not_fit() {
        let mut order = sample_order();
        order.refunds = vec![refund_of("G", "B", 1)];
        let recorded = [refund_of("F", "B", 1), refund_of("G", "B", 1)];

        let reason = "2 units of line B are refunded, but only 1 shipped";
        assert_eq!(misfits(&order, &recorded), [("F".to_owned(), reason.to_owned())]);
    }

    #[test]
    fn refunds_that_are_omitted_but_still_fit_and_ignored_ones_are_no_problem() {
        let mut ignored = refund_of("I", "C", 5);
        ignored.tags = vec!["ignore_refund".to_owned()];
        let recorded = [refund_of("F", "A", 1), refund_of("G", "A", 1), ignored];

        assert_eq!(misfits(&sample_order(), &recorded), []);
    }

    #[test]
    fn the_identifier_of_a_refund_line_is_used_once_in_all_refunds() {
        let mut new = refund_of("F", "A", 1);
        new.refund_line_items.push(RefundLine {
            identifier: "G-1".to_owned(),
            quantity: 1,
            order_item_identifier: "B".to_owned(),
        });

        assert_eq!(find_reused_lines(&new, &[refund_of("G", "A", 1)]), [1]);
        assert!(find_reused_lines(&new, &[refund_of("F", "A", 1)]).is_empty());
    }
}
