//! What follows from a statement: which goods come back, what is refunded, and what is not.

mod periods;

use jiff::Timestamp;

use super::clock::{RefundState, find_refund_state};
use super::decide::{
    DecidedWithdrawal, StatementFault, WITHDRAWAL_REASON, WithdrawalContext, WithdrawalIds,
    decide_withdrawal,
};
use super::identifier::WithdrawalId;
use super::record::{StatedItem, WithdrawalOutcome, WithdrawalStatement, WithdrawnResult};
use super::terms::WithdrawalException;
use crate::merchants::language::Language;
use crate::merchants::merchant::MerchantSettings;
use crate::money::books::{Account, Balances};
use crate::money::statement::Statement;
use crate::orders::order::Order;
use crate::returns::ReturnMethod;
use crate::returns::identifier::RmaId;
use crate::returns::ledger::Ledger;
use crate::returns::policy::{MethodOffer, Policy, TagEffect, TagRule};
use crate::returns::rma::{CarrierScan, RmaEvent, apply};
use crate::returns::test_orders::{order_line, order_of, refund_event};

/// Two lines to Germany, shipped on 2 January 2026, with 643 cents of shipping.
fn german_order() -> Order {
    let lines =
        vec![order_line("tee", 2, [9_000, 720, 500]), order_line("mug", 1, [2_400, 192, 0])];
    let mut order = order_of(lines, 0);
    order.shipping_address.country_code = "DE".to_owned();
    order.shipping_amount_cents = 595;
    order.shipping_tax_amount_cents = 48;
    order
}

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn statement(items: &[(&str, i64)]) -> WithdrawalStatement {
    let item = |(line, quantity): &(&str, i64)| StatedItem {
        order_line_item_identifier: (*line).to_owned(),
        quantity: *quantity,
        is_sealed: false,
    };
    WithdrawalStatement {
        name: "Dana Whitfield".to_owned(),
        email: "dana@example.org".to_owned(),
        language: Language::German,
        text: "Hiermit widerrufe ich den Vertrag.".to_owned(),
        items: items.iter().map(item).collect(),
    }
}

fn decide_at(
    order: &Order,
    policy: &Policy,
    ledger: &Ledger,
    stated: &WithdrawalStatement,
    now: &str,
) -> Result<DecidedWithdrawal, StatementFault> {
    let context = WithdrawalContext {
        merchant: "acme",
        order,
        ledger,
        original_order_identifier: None,
        policy,
        policy_version: 3,
        settings: MerchantSettings::default(),
        now: time(now),
    };
    let ids = WithdrawalIds {
        withdrawal: WithdrawalId::from_random([1; 8]),
        rma: RmaId::from_random([2; 8]),
    };
    decide_withdrawal(&context, stated, ids)
}

/// In the period, and without anything that happened before.
fn decide(order: &Order, policy: &Policy, stated: &WithdrawalStatement) -> DecidedWithdrawal {
    decide_at(order, policy, &Ledger::default(), stated, "2026-01-10T12:00:00Z").unwrap()
}

const ALL: [(&str, i64); 2] = [("tee", 2), ("mug", 1)];

#[test]
fn a_withdrawal_returns_everything_without_a_fee_and_with_shipping() {
    let mut policy = Policy {
        methods: vec![MethodOffer { fee_cents: 595, ..MethodOffer::free(ReturnMethod::MailBack) }],
        window_days: 0,
        countries: vec!["US".to_owned()],
        ..Policy::default()
    };
    policy.tags.push(TagRule { tag: "outlet".to_owned(), effect: TagEffect::FinalSale });
    let mut order = german_order();
    order.items[0].tags.push("outlet".to_owned());

    let DecidedWithdrawal { record, started, ledger } = decide(&order, &policy, &statement(&ALL));

    let rma = started.unwrap();
    assert_eq!((record.outcome, record.whole_order), (WithdrawalOutcome::Accepted, true));
    assert_eq!((rma.fee_cents, rma.shipping_refund_cents), (0, 643));
    assert_eq!(rma.withdrawal_identifier, Some(record.withdrawal_identifier.clone()));
    assert!(rma.units.iter().all(|unit| unit.goods.return_reason == WITHDRAWAL_REASON));
    assert_eq!(rma.email.as_deref(), Some(order.customer.email.as_str()), "not the one entered");
    let worth = 9_000 + 720 - 500 + 2_400 + 192;
    assert_eq!(Statement::of(&rma).promised.total_cents, worth + 643);
    let balances = Balances::of(&rma);
    assert_eq!((balances.sum(), balances.get(Account::Shipping)), (0, 643));
    assert_eq!(record.rma_identifier, Some(rma.rma_identifier.clone()));
    assert_eq!(record.refund_due_at, Some(time("2026-01-24T23:00:00Z")), "the end of the 24th");
    assert!(ledger.units(&order).iter().all(|line| line.open().next().is_none()));
    assert_eq!(ledger.shipping().map(|it| it.amount_cents), Some(643));
}

#[test]
fn shipping_is_refunded_with_the_last_goods_once_and_never_more_than_standard_delivery() {
    let order = german_order();
    let policy = Policy::default();
    let part = decide(&order, &policy, &statement(&[("tee", 2)]));
    let (rma, ledger) = (part.started.unwrap(), part.ledger);
    assert_eq!((part.record.whole_order, rma.shipping_refund_cents), (false, 0), "keeps the mug");

    let now = "2026-01-11T12:00:00Z";
    let rest = decide_at(&order, &policy, &ledger, &statement(&[("mug", 1)]), now).unwrap();
    let (rma, ledger) = (rest.started.unwrap(), rest.ledger);
    assert_eq!(rma.shipping_refund_cents, 643);

    let again = decide_at(&order, &policy, &ledger, &statement(&ALL), now).unwrap();
    assert_eq!((again.record.outcome, again.started), (WithdrawalOutcome::Settled, None));

    let mut express = policy;
    express.withdrawal.standard_shipping_cents = Some(300);
    let capped = decide(&order, &express, &statement(&ALL));
    assert_eq!(capped.record.shipping_refund_cents, 300);
    assert_eq!(capped.ledger.shipping().map(|it| it.amount_cents), Some(300));
}

#[test]
fn a_late_statement_is_recorded_with_the_day_on_which_the_period_ended() {
    let order = german_order();
    let late = "2026-01-21T23:00:00Z";
    let decided =
        decide_at(&order, &Policy::default(), &Ledger::default(), &statement(&ALL), late).unwrap();

    assert_eq!((decided.record.outcome, &decided.started), (WithdrawalOutcome::Late, &None));
    assert_eq!(decided.record.period.last_day.unwrap().to_string(), "2026-01-21");
    assert_eq!(decided.record.refund_due_at, None);
    let last_moment = "2026-01-21T22:59:59.999999Z";
    let in_time =
        decide_at(&order, &Policy::default(), &Ledger::default(), &statement(&ALL), last_moment);
    assert_eq!(in_time.unwrap().record.outcome, WithdrawalOutcome::Accepted);
}

#[test]
fn goods_without_the_right_are_named_with_their_legal_basis_and_the_others_come_back() {
    let cases = [
        ("Made to order", WithdrawalException::MadeToOrder, 'c'),
        ("perishable", WithdrawalException::Perishable, 'd'),
        ("Sealed-Hygiene", WithdrawalException::SealedHygiene, 'e'),
        ("digital", WithdrawalException::Digital, 'm'),
    ];
    for (tag, exception, letter) in cases {
        let mut order = german_order();
        order.items[1].tags.push(tag.to_owned());

        let decided = decide(&order, &Policy::default(), &statement(&ALL));

        assert_eq!(decided.record.outcome, WithdrawalOutcome::PartlyAccepted, "{tag}");
        let excepted = &decided.record.items[1];
        assert_eq!(excepted.exception, Some(exception), "{tag}");
        let basis = format!("Directive 2011/83/EU, Article 16({letter})");
        assert_eq!(excepted.legal_basis.as_deref(), Some(basis.as_str()), "{tag}");
        let rma = decided.started.unwrap();
        assert_eq!((rma.units.len(), rma.shipping_refund_cents), (2, 643), "{tag}");
        let alone = decide(&order, &Policy::default(), &statement(&[("mug", 1)]));
        assert_eq!((alone.record.outcome, alone.started), (WithdrawalOutcome::Excepted, None));
    }
}

#[test]
fn goods_whose_seal_is_unbroken_come_back() {
    let mut order = german_order();
    order.items[1].tags.push("hygiene".to_owned());
    let mut sealed = statement(&ALL);
    sealed.items[1].is_sealed = true;
    assert_eq!(
        decide(&order, &Policy::default(), &sealed).record.outcome,
        WithdrawalOutcome::Accepted
    );
    order.items[1].tags = vec!["perishable".to_owned()];
    assert_eq!(
        decide(&order, &Policy::default(), &sealed).record.outcome,
        WithdrawalOutcome::PartlyAccepted,
        "a seal changes nothing for other goods"
    );
}

#[test]
fn goods_that_were_not_shipped_are_canceled_and_the_period_has_no_end() {
    let mut order = german_order();
    order.items[0].quantity = 3;
    let late = "2027-06-01T12:00:00Z";
    let stated = statement(&[("tee", 3), ("mug", 1)]);
    let decided = decide_at(&order, &Policy::default(), &Ledger::default(), &stated, late).unwrap();

    let results: Vec<_> =
        decided.record.items.iter().map(|item| (item.quantity, item.result)).collect();
    assert_eq!(
        results,
        [(2, WithdrawnResult::Return), (1, WithdrawnResult::Cancel), (1, WithdrawnResult::Return)]
    );
    assert_eq!(decided.record.period.ends_at, None);
    assert_eq!(decided.started.unwrap().shipping_refund_cents, 643);

    order.items.truncate(1);
    order.items[0].quantity_shipped = 0;
    let decided = decide(&order, &Policy::default(), &statement(&[("tee", 9)]));
    assert_eq!(decided.record.outcome, WithdrawalOutcome::Accepted);
    assert_eq!((decided.record.items[0].quantity, decided.started), (3, None), "nothing to return");
}

#[test]
fn goods_that_were_not_shipped_are_canceled_once_and_with_the_shipping_charge() {
    let mut order = german_order();
    for line in &mut order.items {
        line.quantity_shipped = 0;
    }
    let (policy, now) = (Policy::default(), "2026-01-11T12:00:00Z");
    let canceled = |decided: &DecidedWithdrawal| -> i64 {
        let items = decided.record.items.iter();
        let items = items.filter(|item| item.result == WithdrawnResult::Cancel);
        items.map(|item| item.quantity).sum()
    };

    let part = decide(&order, &policy, &statement(&[("tee", 1), ("mug", 1)]));
    assert_eq!((canceled(&part), part.record.shipping_refund_cents), (2, 0), "keeps a tee");
    let rest = decide_at(&order, &policy, &part.ledger, &statement(&ALL), now).unwrap();
    assert_eq!((canceled(&rest), rest.record.shipping_refund_cents), (1, 643));
    assert_eq!((rest.record.outcome, rest.started), (WithdrawalOutcome::PartlyAccepted, None));
    let again = decide_at(&order, &policy, &rest.ledger, &statement(&ALL), now).unwrap();
    assert_eq!((canceled(&again), again.record.outcome), (0, WithdrawalOutcome::Settled));
    assert_eq!((again.record.refund_due_at, again.ledger), (None, rest.ledger));

    order.items[0].quantity_canceled = 1;
    let last = decide_at(&order, &policy, &part.ledger, &statement(&ALL), now).unwrap();
    assert_eq!(canceled(&last), 1, "the merchant canceled the first, which leaves the second");
    order.items[0].quantity_shipped = 1;
    let shipped = decide_at(&order, &policy, &last.ledger, &statement(&ALL), now).unwrap();
    assert_eq!(shipped.started.unwrap().units.len(), 1, "it was shipped nevertheless");
}

#[test]
fn a_statement_must_name_something_of_the_order() {
    let order = german_order();
    for items in [&[][..], &[("tee", 0)], &[("hat", 1)]] {
        let now = "2026-01-10T12:00:00Z";
        let decided =
            decide_at(&order, &Policy::default(), &Ledger::default(), &statement(items), now);
        assert_eq!(decided, Err(StatementFault::NoItems), "{items:?}");
    }
}

#[test]
fn the_goods_travel_by_a_method_that_the_merchant_offers_in_the_country() {
    let order = german_order();
    let offer = |method, countries: &[&str]| MethodOffer {
        countries: countries.iter().map(|it| (*it).to_owned()).collect(),
        ..MethodOffer::free(method)
    };
    let cases = [
        (vec![offer(ReturnMethod::ExpressReturns, &[])], ReturnMethod::ExpressReturns),
        (vec![offer(ReturnMethod::CustomerKeep, &[])], ReturnMethod::MailBack),
        (
            vec![
                offer(ReturnMethod::ExpressReturns, &["FR"]),
                offer(ReturnMethod::HomePickup, &[]),
            ],
            ReturnMethod::HomePickup,
        ),
        (
            vec![offer(ReturnMethod::HomePickup, &[]), offer(ReturnMethod::MailBack, &[])],
            ReturnMethod::MailBack,
        ),
    ];
    for (methods, expected) in cases {
        let policy = Policy { methods, ..Policy::default() };
        let rma = decide(&order, &policy, &statement(&ALL)).started.unwrap();
        assert_eq!(rma.return_method, expected);
    }
}

#[test]
fn the_merchant_may_wait_for_the_goods_and_then_the_refund_is_due_until_the_day_is_over() {
    let DecidedWithdrawal { record, started, .. } =
        decide(&german_order(), &Policy::default(), &statement(&ALL));
    let rma = started.unwrap();
    let (early, late) = (time("2026-01-24T22:59:59Z"), time("2026-01-24T23:00:00Z"));
    assert_eq!(find_refund_state(&record, None, late), RefundState::NoReturn);
    assert_eq!(find_refund_state(&record, Some(&rma), late), RefundState::AwaitsGoods);

    let labeled = RmaEvent::label("1Z".to_owned(), Vec::new());
    let rma = apply(&rma, &labeled, early).unwrap().rma;
    assert_eq!(find_refund_state(&record, Some(&rma), late), RefundState::AwaitsGoods);
    let canceled = apply(&rma, &RmaEvent::Canceled, early).unwrap().rma;
    assert_eq!(find_refund_state(&record, Some(&canceled), late), RefundState::Canceled);

    let (scan, tracking_number) = (CarrierScan::InTransit, None);
    let sent = RmaEvent::Scanned { scan, tracking_number, lines: Vec::new() };
    let rma = apply(&rma, &sent, early).unwrap().rma;
    assert_eq!(find_refund_state(&record, Some(&rma), early), RefundState::Due);
    assert_eq!(find_refund_state(&record, Some(&rma), late), RefundState::Overdue);

    let promised = Statement::of(&rma).promised.total_cents;
    let lines = ["tee", "tee", "mug"].map(str::to_owned);
    let paid = apply(&rma, &refund_event(&rma, "RF-1", &lines, promised), late).unwrap().rma;
    assert_eq!(find_refund_state(&record, Some(&paid), late), RefundState::Refunded);
}
