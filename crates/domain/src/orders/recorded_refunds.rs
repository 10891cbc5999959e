//! Refunds that were recorded with earlier snapshots of an order, compared with a newer one.
//!
//! A recorded refund never changes and is never removed. A newer snapshot may contradict it: it
//! lacks the line, has shipped fewer units, or reports another refund for the same unit. The refund
//! is kept, and a person should look at it. A new refund must fit.

use std::collections::{HashMap, HashSet};

use super::order::{Order, OrderLine, Refund, RefundLine};

/// A recorded refund that no longer fits its order.
#[derive(Clone, Debug, PartialEq)]
pub struct MisfitRefund<'a> {
    pub refund: &'a Refund,
    /// Its position in the newer snapshot, if that does not omit it.
    pub position: Option<usize>,
    pub reason: String,
}

/// A line of a refund that does not fit its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MisfitLine {
    /// The positions of the refund in the order, and of the line in the refund.
    pub refund: usize,
    pub line: usize,
    pub misfit: Misfit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// The order has no such line.
    NoLine,
    /// With the refunds before it, it pays for more units than were shipped.
    TooManyUnits { refunded: i64, shipped: i64 },
}

/// The units of an order that refunds pay for, one refund after the other.
struct RefundedUnits<'a> {
    shipped: HashMap<&'a str, i64>,
    refunded: HashMap<&'a str, i64>,
}

impl<'a> RefundedUnits<'a> {
    fn new(order: &'a Order) -> Self {
        let shipped = |line: &'a OrderLine| (line.identifier.as_str(), line.quantity_shipped);
        Self { shipped: order.items.iter().map(shipped).collect(), refunded: HashMap::new() }
    }

    /// Counts a refund, and returns its lines that do not fit. An ignored one does not count.
    fn add(&mut self, refund: &'a Refund) -> Vec<(usize, &'a RefundLine, Misfit)> {
        let mut misfits = Vec::new();
        for (position, line) in refund.refund_line_items.iter().enumerate() {
            let identifier = line.order_item_identifier.as_str();
            let refunded = self.refunded.entry(identifier).or_default();
            if !refund.is_ignored() {
                *refunded += line.quantity;
            }
            match self.shipped.get(identifier) {
                None => misfits.push((position, line, Misfit::NoLine)),
                Some(&shipped) if *refunded > shipped && !refund.is_ignored() => {
                    let misfit = Misfit::TooManyUnits { refunded: *refunded, shipped };
                    misfits.push((position, line, misfit));
                }
                Some(_) => (),
            }
        }
        misfits
    }
}

/// The lines of the order's new refunds that do not fit it, beside those that are recorded.
pub fn find_misfit_lines(order: &Order, is_recorded: impl Fn(&Refund) -> bool) -> Vec<MisfitLine> {
    let (recorded, new): (Vec<_>, Vec<_>) =
        order.refunds.iter().enumerate().partition(|(_, content)| is_recorded(content));
    let mut units = RefundedUnits::new(order);
    for (_, content) in recorded {
        units.add(content);
    }
    let mut found = Vec::new();
    for (refund, content) in new {
        let misfits = units.add(content).into_iter();
        found.extend(misfits.map(|(line, _, misfit)| MisfitLine { refund, line, misfit }));
    }
    found
}

/// The refunds in `recorded` that `order` contradicts: first those that it has, then those that it
/// omits.
pub fn find_misfits<'a>(order: &'a Order, recorded: &'a [Refund]) -> Vec<MisfitRefund<'a>> {
    let known: HashSet<&str> = recorded.iter().map(|it| it.identifier.as_str()).collect();
    let reported: HashSet<&str> = order.refunds.iter().map(|it| it.identifier.as_str()).collect();
    let here = order.refunds.iter().enumerate().map(|(position, it)| (Some(position), it));
    let omitted = recorded.iter().filter(|it| !reported.contains(it.identifier.as_str()));
    let mut units = RefundedUnits::new(order);
    let mut misfits = Vec::new();
    for (position, refund) in here.chain(omitted.map(|it| (None, it))) {
        let lines = units.add(refund);
        let is_recorded = known.contains(refund.identifier.as_str());
        if is_recorded && !lines.is_empty() && !refund.is_ignored() {
            let reasons: Vec<String> =
                lines.into_iter().map(|(_, line, misfit)| describe(line, misfit)).collect();
            let reason = format!("does not fit the newest snapshot: {}", reasons.join(", "));
            misfits.push(MisfitRefund { refund, position, reason });
        }
    }
    misfits
}

fn describe(line: &RefundLine, misfit: Misfit) -> String {
    let identifier = &line.order_item_identifier;
    match misfit {
        Misfit::NoLine => format!("the order no longer has line {identifier}"),
        Misfit::TooManyUnits { refunded, shipped } => {
            format!(
                "{refunded} units of line {identifier} are refunded, but only {shipped} shipped"
            )
        }
    }
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
    fn a_refund_that_is_sent_again_after_its_line_is_gone_does_not_fit_either() {
        let mut order = sample_order();
        order.refunds = vec![refund_of("G", "B", 1), refund_of("F", "C", 1)];
        let recorded = [refund_of("F", "C", 1)];

        let found = find_misfits(&order, &recorded);
        let positions: Vec<Option<usize>> = found.iter().map(|it| it.position).collect();
        assert_eq!(positions, [Some(1)]);
    }

    #[test]
    fn the_lines_of_refunds_that_do_not_fit_are_found() {
        let mut order = sample_order();
        let mut ignored = refund_of("I", "A", 9);
        ignored.tags = vec!["ignore_refund".to_owned()];
        order.refunds = vec![
            refund_of("F", "C", 1),
            refund_of("G", "A", 2),
            ignored,
            refund_of("H", "A", 1),
            refund_of("J", "B", 1),
        ];

        let too_many = Misfit::TooManyUnits { refunded: 3, shipped: 2 };
        let expected = [
            MisfitLine { refund: 0, line: 0, misfit: Misfit::NoLine },
            MisfitLine { refund: 3, line: 0, misfit: too_many },
        ];
        assert_eq!(find_misfit_lines(&order, |_| false), expected);

        let recorded = |refund: &Refund| refund.identifier == "F" || refund.identifier == "H";
        let expected = [MisfitLine { refund: 1, line: 0, misfit: too_many }];
        assert_eq!(find_misfit_lines(&order, recorded), expected, "wherever the new one is");
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
