//! Fees, bonus credit, methods and shipping, by example.

use proptest::prelude::*;

use super::*;
use crate::returns::policy::{GiftCardOffer, ReasonFee};
use crate::returns::test_orders::{order_line, order_of};

fn sample_policy() -> Policy {
    let mut policy = Policy::default();
    policy.methods[0].fee_cents = 595;
    policy.methods[0].fees_by_reason =
        vec![ReasonFee { reason: "too_small".to_owned(), fee_cents: 200 }];
    policy.gift_card = Some(GiftCardOffer {
        sku: "GIFT-CARD".to_owned(),
        bonus_per_mille: 105,
        bonus_max_cents: Some(500),
    });
    policy
}

fn unit<'a>(
    line: &'a OrderLine,
    refund: i64,
    reason: &'a str,
    resolution: Resolution,
) -> ChosenUnit<'a> {
    let amounts = UnitAmounts { price_cents: refund, discount_cents: 0, tax_cents: 0 };
    ChosenUnit { line, amounts, reason, resolution, exchange_price_cents: None }
}

fn quote_for(units: &[ChosenUnit<'_>]) -> Quote {
    quote_return(&sample_policy(), ReturnMethod::MailBack, units, 0)
}

fn rule(offered: Result<(), NotOffered>) -> Option<OfferRule> {
    offered.err().map(|not_offered| {
        assert!(!not_offered.why.is_empty());
        not_offered.rule
    })
}

#[test]
fn a_fee_is_charged_once_for_all_units_of_a_return() {
    let line = order_line("a", 2, [2_000, 0, 0]);
    let one = unit(&line, 1_000, "changed_mind", Resolution::Refund);

    let quote = quote_for(&[one, one]);

    assert_eq!((quote.refund_cents, quote.fee_cents(), quote.total_cents), (2_000, 595, 1_405));
}

#[test]
fn the_fee_is_waived_when_every_reason_is_the_merchants_fault() {
    let line = order_line("a", 2, [2_000, 0, 0]);
    let damaged = unit(&line, 1_000, "damaged", Resolution::Refund);
    let unwanted = unit(&line, 1_000, "changed_mind", Resolution::Refund);

    assert_eq!(quote_for(&[damaged, damaged]).fee_cents(), 0);
    assert_eq!(quote_for(&[damaged, unwanted]).fee_cents(), 595);
    assert_eq!(quote_for(&[]), Quote::default());
}

#[test]
fn the_lowest_of_several_fees_by_reason_counts() {
    let line = order_line("a", 2, [2_000, 0, 0]);
    let small = unit(&line, 1_000, "too_small", Resolution::Refund);
    let unwanted = unit(&line, 1_000, "changed_mind", Resolution::Refund);

    assert_eq!(quote_for(&[small]).fee_cents(), 200);
    assert_eq!(quote_for(&[unwanted, small]).fee_cents(), 200);
}

#[test]
fn a_fee_is_never_more_than_what_is_paid_out() {
    let line = order_line("a", 2, [400, 0, 0]);
    let refund = unit(&line, 400, "changed_mind", Resolution::Refund);
    let card = unit(&line, 100, "changed_mind", Resolution::GiftCard);
    let exchange = unit(&line, 900, "changed_mind", Resolution::Exchange);

    let alone = quote_for(&[refund]);
    assert_eq!((alone.fee_cents(), alone.total_cents), (400, 0));
    let both = quote_for(&[refund, card]);
    assert_eq!((both.fee_from_refund_cents, both.fee_from_gift_card_cents), (400, 100));
    assert_eq!(both.total_cents, both.bonus_credit_cents);
    let exchanged = quote_for(&[exchange]);
    assert_eq!((exchanged.fee_cents(), exchanged.exchange_cents), (0, 900));
    assert_eq!(exchanged.total_cents, 0);
}

#[test]
fn bonus_credit_is_rounded_down_and_has_its_maximum() {
    let line = order_line("a", 1, [999, 0, 0]);
    let card = |cents| unit(&line, cents, "damaged", Resolution::GiftCard);

    assert_eq!(quote_for(&[card(999)]).bonus_credit_cents, 104);
    assert_eq!(quote_for(&[card(999)]).total_cents, 999 + 104);
    assert_eq!(quote_for(&[card(999), card(50_000)]).bonus_credit_cents, 500);
    let refund = unit(&line, 999, "damaged", Resolution::Refund);
    assert_eq!(quote_for(&[refund]).bonus_credit_cents, 0);
}

#[test]
fn a_method_is_offered_where_and_for_what_the_policy_says() {
    let mut policy = sample_policy();
    policy.methods.push(MethodOffer {
        countries: vec!["US".to_owned()],
        reasons: vec!["damaged".to_owned()],
        unit_weight_max: Some(1.0),
        amount_max_cents: Some(1_500),
        ..MethodOffer::free(ReturnMethod::CustomerKeep)
    });
    let light = order_line("a", 2, [2_000, 0, 0]);
    let mut heavy = light.clone();
    heavy.weight = Some(1.5);
    let mut unknown = light.clone();
    unknown.weight = None;
    let damaged = |line| unit(line, 1_000, "damaged", Resolution::Refund);
    let keep = |country: &str, units: &[ChosenUnit<'_>]| {
        rule(check_method(&policy, ReturnMethod::CustomerKeep, country, units))
    };

    assert_eq!(keep("us", &[damaged(&light)]), None);
    assert_eq!(keep("DE", &[damaged(&light)]), Some(OfferRule::MethodCountry));
    assert_eq!(keep("US", &[damaged(&heavy)]), Some(OfferRule::MethodWeight));
    assert_eq!(keep("US", &[damaged(&unknown)]), Some(OfferRule::MethodWeight));
    assert_eq!(
        keep("US", &[damaged(&light), damaged(&light)]),
        Some(OfferRule::MethodAmount),
        "together they are worth more than a shopper may keep"
    );
    let unwanted = unit(&light, 1_000, "other", Resolution::Refund);
    assert_eq!(keep("US", &[unwanted]), Some(OfferRule::MethodReason));
    let pickup = check_method(&policy, ReturnMethod::HomePickup, "US", &[unwanted]);
    assert_eq!(pickup.unwrap_err().why, "home-pickup is not offered");
    assert_eq!(check_method(&policy, ReturnMethod::MailBack, "FR", &[damaged(&heavy)]), Ok(()));
}

#[test]
fn exchanges_and_gift_cards_are_offered_as_the_policy_says() {
    use Resolution::{Exchange, GiftCard, Refund};

    let mut policy = sample_policy();
    let mut line = order_line("a", 1, [1_000, 0, 0]);
    let offered = |policy: &Policy, line: &OrderLine, reason: &str, resolution| {
        rule(check_resolution(policy, &unit(line, 1_000, reason, resolution)))
    };

    assert_eq!(offered(&policy, &line, "too_small", Exchange), None);
    assert_eq!(offered(&policy, &line, "changed_mind", Exchange), Some(OfferRule::ExchangeOffered));
    assert_eq!(offered(&policy, &line, "changed_mind", GiftCard), None);
    assert_eq!(offered(&policy, &line, "bored", Refund), Some(OfferRule::ReasonKnown));
    line.variant_identifier.clear();
    assert_eq!(offered(&policy, &line, "too_small", Exchange), Some(OfferRule::ExchangeOffered));
    line.variant_identifier = "VAR".to_owned();
    policy.exchanges = false;
    policy.gift_card = None;
    assert_eq!(offered(&policy, &line, "too_small", Exchange), Some(OfferRule::ExchangeOffered));
    assert_eq!(offered(&policy, &line, "too_small", GiftCard), Some(OfferRule::GiftCardOffered));
    assert_eq!(offered(&policy, &line, "too_small", Refund), None);
}

#[test]
fn shipping_is_refunded_once_with_the_last_unit() {
    let mut policy = sample_policy();
    policy.shipping_refunded = ShippingRefunded::WhenEverythingReturns;
    let order = order_of(vec![order_line("a", 2, [2_000, 0, 0])], 0);
    let chosen = [unit(&order.items[0], 1_000, "changed_mind", Resolution::Refund)];
    let (first, _) = Ledger::default().spend(&order, "a", 1, "rma_1").unwrap();
    let (last, _) = first.spend(&order, "a", 1, "rma_2").unwrap();

    assert_eq!(shipping_due(&policy, &order, &first, &chosen), 0);
    assert_eq!(shipping_due(&policy, &order, &last, &chosen), 643);
    let (paid, _) = last.spend_shipping(&order, "rma_2").unwrap();
    assert_eq!(shipping_due(&policy, &order, &paid, &chosen), 0);

    let mut unshipped = order.clone();
    unshipped.items[0].quantity = 3;
    assert_eq!(shipping_due(&policy, &unshipped, &last, &chosen), 0);
    unshipped.items[0].quantity_canceled = 1;
    assert_eq!(shipping_due(&policy, &unshipped, &last, &chosen), 643);

    let quote = quote_return(&policy, ReturnMethod::MailBack, &chosen, 643);
    assert_eq!((quote.shipping_refund_cents, quote.total_cents), (643, 1_000 - 595 + 643));
}

#[test]
fn shipping_is_refunded_for_the_merchants_fault_and_not_with_an_exchange() {
    let mut policy = sample_policy();
    let order = order_of(vec![order_line("a", 2, [2_000, 0, 0])], 0);
    let ledger = Ledger::default();
    let due = |policy: &Policy, reason, resolution| {
        let units = [unit(&order.items[0], 1_000, reason, resolution)];
        shipping_due(policy, &order, &ledger, &units)
    };

    assert_eq!(due(&policy, "damaged", Resolution::Refund), 0, "by default it never does");
    policy.shipping_refunded = ShippingRefunded::MerchantFault;
    assert_eq!(due(&policy, "damaged", Resolution::Refund), 643);
    assert_eq!(due(&policy, "damaged", Resolution::GiftCard), 643);
    assert_eq!(due(&policy, "damaged", Resolution::Exchange), 0);
    assert_eq!(due(&policy, "changed_mind", Resolution::Refund), 0);
}

proptest! {
    #[test]
    fn a_quote_adds_up_and_no_fee_exceeds_what_it_is_taken_from(
        amounts in prop::collection::vec(
            (prop_oneof![0..5_000_i64, 0..=i64::MAX], 0_usize..3, 0_usize..9), 0..6),
        fee_cents in prop_oneof![0..10_000_i64, Just(i64::MAX)],
        bonus_per_mille in 0..=1_000_u32,
    ) {
        let mut policy = sample_policy();
        policy.methods[0].fee_cents = fee_cents;
        policy.gift_card.as_mut().unwrap().bonus_per_mille = bonus_per_mille;
        let line = order_line("a", 1, [1, 0, 0]);
        let unknown = "unknown".to_owned();
        let codes: Vec<&String> = policy.reasons.iter().map(|reason| &reason.code).collect();
        let units: Vec<ChosenUnit<'_>> = amounts.iter().map(|(cents, resolution, reason)| {
            let reason = codes.get(*reason).copied().unwrap_or(&unknown);
            unit(&line, *cents, reason, Resolution::ALL[*resolution])
        }).collect();

        let quote = quote_return(&policy, ReturnMethod::MailBack, &units, 0);

        prop_assert!(quote.fee_from_refund_cents <= quote.refund_cents);
        prop_assert!(quote.fee_from_gift_card_cents <= quote.gift_card_cents);
        prop_assert!(quote.fee_cents() <= fee_cents.max(200));
        prop_assert!(quote.bonus_credit_cents <= 500 && quote.total_cents >= 0);
        let parts = [
            i128::from(quote.refund_cents),
            i128::from(quote.gift_card_cents),
            i128::from(quote.bonus_credit_cents),
            -i128::from(quote.fee_cents()),
        ];
        let total = parts.iter().sum::<i128>().min(i64::MAX.into());
        prop_assert_eq!(i128::from(quote.total_cents), total);
    }
}

#[test]
fn the_difference_to_a_cheaper_variant_is_refunded() {
    let line = order_line("a", 1, [4_500, 0, 0]);
    let cheaper = ChosenUnit {
        exchange_price_cents: Some(4_000),
        ..unit(&line, 4_500, "damaged", Resolution::Exchange)
    };

    let quote = quote_for(&[cheaper]);

    assert_eq!((quote.refund_cents, quote.exchange_cents, quote.total_cents), (500, 4_000, 500));
}
