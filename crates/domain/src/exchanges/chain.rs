//! Returns of goods that the shopper got in an exchange.
//!
//! The merchant publishes an exchange order like any other order, with its own prices. But it was
//! paid with the returned units, and with what the shopper paid on top. More than that is never
//! refunded, however many exchanges there were: each order of a chain is limited to the credit of
//! the one before it.

use super::record::ExchangeRecord;
use crate::orders::order::Order;
use crate::returns::money::{cents, line_totals};

/// The most that can be refunded for all units of the exchange order: the credit, and what was paid
/// on top.
pub fn limit_cents(order: &Order, record: &ExchangeRecord) -> i64 {
    let on_top = order.transactions.iter().filter(|payment| {
        let ours = payment.identifier.as_ref() == Some(&record.transaction_id);
        !ours && payment.is_test != Some(true)
    });
    let on_top: i128 =
        on_top.map(|it| i128::from(it.amount_cents.unwrap_or_default().max(0))).sum();
    cents(i128::from(record.goods_credit_cents) + on_top)
}

/// The order with a discount, and with less tax if that is not enough, so that its units together
/// are worth no more than can be refunded.
#[must_use]
pub fn held_to_credit(order: &Order, record: &ExchangeRecord) -> Order {
    let totals = line_totals(order);
    let net: i128 = totals.iter().map(|line| i128::from(line.net_cents)).sum();
    let tax: i128 = totals.iter().map(|line| i128::from(line.tax_cents)).sum();
    let excess = (net + tax - i128::from(limit_cents(order, record))).max(0);
    let mut order = order.clone();
    if excess == 0 {
        return order;
    }
    let in_lines: i128 =
        order.items.iter().map(|line| i128::from(line.discount_amount_cents.max(0))).sum();
    let beyond = (i128::from(order.discount_amount_cents) - in_lines).max(0);
    let discount = excess.min(net);
    order.discount_amount_cents = cents(in_lines + beyond + discount);
    let mut untaxed = excess - discount;
    for line in order.items.iter_mut().rev() {
        let less = untaxed.min(i128::from(line.tax_amount_cents.max(0)));
        line.tax_amount_cents -= cents(less);
        untaxed -= less;
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchanges::record::ExchangeState;
    use crate::orders::order::PaymentTransaction;
    use crate::random::SeededRandom;
    use crate::returns::identifier::RmaId;
    use crate::returns::ledger::Ledger;
    use crate::returns::test_orders::{empty_order, fill_randomly, order_line, order_of};
    use proptest::prelude::*;

    fn sample_record(credit_cents: i64) -> ExchangeRecord {
        ExchangeRecord {
            original_order_id: "O-1".to_owned(),
            rma_identifier: RmaId::parse("RMA-7K3Q-9XWD-2M4T").unwrap(),
            transaction_id: "PAY-1".to_owned(),
            state: ExchangeState::Placed,
            credit_cents,
            goods_credit_cents: credit_cents,
            currency: "USD".to_owned(),
            created_at: "2026-01-10T12:00:00Z".parse().unwrap(),
            decided_at: None,
            exchange_order_identifier: Some("E-1".to_owned()),
            total_amount_cents: None,
            product_amount_cents: None,
            tax_amount_cents: None,
        }
    }

    fn worth(order: &Order) -> i64 {
        let lines = Ledger::default().units(order);
        lines.iter().flat_map(|it| &it.units).map(|unit| unit.amounts.refund_cents()).sum()
    }

    #[test]
    fn a_dearer_replacement_is_refunded_at_what_was_given_for_it() {
        let exchange = order_of(vec![order_line("A", 2, [9000, 720, 0])], 0);

        assert_eq!(worth(&held_to_credit(&exchange, &sample_record(6001))), 6001);
        assert_eq!(worth(&held_to_credit(&exchange, &sample_record(20_000))), 9720);
    }

    #[test]
    fn what_was_paid_on_top_counts_and_the_credit_itself_does_not_count_twice() {
        let mut exchange = order_of(vec![order_line("A", 1, [5000, 400, 0])], 0);
        let payment = |identifier: &str, amount_cents| PaymentTransaction {
            identifier: Some(identifier.to_owned()),
            parent_identifier: None,
            amount_cents: Some(amount_cents),
            status: None,
            kind: None,
            gateway: None,
            is_online: None,
            is_test: None,
            created_at: None,
            updated_at: None,
            payment_details: None,
        };
        exchange.transactions = vec![payment("PAY-1", 4000), payment("TX-2", 500)];

        assert_eq!(worth(&held_to_credit(&exchange, &sample_record(4000))), 4500);
    }

    proptest! {
        #[test]
        fn no_exchange_order_is_worth_more_than_its_credit(
            seed in any::<u64>(), credit_cents in 0_i64..200_000,
        ) {
            let mut exchange = empty_order();
            fill_randomly(&mut exchange, &mut SeededRandom::new(seed));
            let record = sample_record(credit_cents);
            let held = held_to_credit(&exchange, &record);

            prop_assert!(worth(&held) <= limit_cents(&exchange, &record));
            prop_assert!(worth(&held) <= worth(&exchange).max(0));
        }
    }
}
