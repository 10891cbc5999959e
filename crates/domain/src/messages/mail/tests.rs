//! Which mails are sent when, to whom, and what texts may contain.

use std::collections::BTreeSet;

use super::content::{MailItemState, MailPayment};
use super::occasion::{MailOccasion, of_event, of_reminder, of_start, recipient, reminder_due_at};
use super::template::{MailValues, Placeholder, check_text, fill_in};
use super::*;
use crate::orders::erasure::ERASED_EMAIL;
use crate::returns::condition::Condition;
use crate::returns::rma::{
    CarrierScan, LineQuantity, NewRma, ReturnAmounts, Rma, RmaEvent, VoidReason, apply,
};
use crate::returns::{Resolution, ReturnMethod};
use crate::samples;

fn at(text: &str) -> jiff::Timestamp {
    text.parse().unwrap()
}

/// The start of the sample return, for the shopper who bought the goods or for a giftee.
fn opening(gift: bool) -> NewRma {
    let giftee_email = gift.then(|| "robin.ames@example.com".to_owned());
    NewRma { giftee_email, ..samples::rma_opening() }
}

fn start(gift: bool) -> Rma {
    Rma::open(opening(gift), at("2026-02-20T10:15:00Z"))
}

/// Applies events an hour apart, and collects the mails about each of them.
fn follow(mut rma: Rma, events: &[RmaEvent]) -> Vec<MailOccasion> {
    let mut mails = vec![of_start(&rma)];
    for event in events {
        let later = rma.updated_at + jiff::SignedDuration::from_hours(1);
        let after = apply(&rma, event, later).unwrap().rma;
        mails.extend(of_event(&rma, event, &after));
        rma = after;
    }
    mails
}

#[test]
fn a_mail_names_the_new_variant_and_its_sku_only_if_the_name_is_unknown() {
    let exchanged = |rma: &Rma| of_start(rma).content.items[1].state.clone();
    let variant = |name: &str| Some(MailItemState::Exchanged(name.to_owned()));
    let mut rma = start(false);
    assert_eq!(exchanged(&rma), variant("Organic cotton tee, navy, L"));
    rma.units[1].goods.exchange_title = None;
    assert_eq!(exchanged(&rma), variant("TEE-NAVY-L"));
}

fn kinds(mails: &[MailOccasion]) -> Vec<MailKind> {
    mails.iter().map(|mail| mail.kind).collect()
}

fn label() -> RmaEvent {
    RmaEvent::label("9400111899223197428490".to_owned(), Vec::new())
}

fn scan(scan: CarrierScan) -> RmaEvent {
    RmaEvent::Scanned { scan, tracking_number: None, lines: Vec::new() }
}

fn receive(plate: &str, reject_reason: Option<&str>) -> RmaEvent {
    RmaEvent::Received {
        receipt_identifier: plate.to_owned(),
        line: Some("ORD-100472-1".to_owned()),
        sku: None,
        condition: Condition::A,
        reject_reason: reject_reason.map(str::to_owned),
        channel: None,
        assigned: false,
    }
}

fn refund() -> RmaEvent {
    RmaEvent::Refunded {
        refund_identifier: "RF-1".to_owned(),
        order_identifier: "ORD-100472".to_owned(),
        lines: vec![LineQuantity {
            order_line_item_identifier: "ORD-100472-1".to_owned(),
            quantity: 1,
        }],
        amount_cents: 4610,
        accepted_cents: 0,
    }
}

fn exchange_placed() -> RmaEvent {
    RmaEvent::ExchangePlaced {
        order_identifier: "ORD-100472".to_owned(),
        exchange_order_identifier: "EX-1".to_owned(),
    }
}

fn exchange_shipped() -> RmaEvent {
    RmaEvent::ExchangeFulfilled { exchange_order_identifier: "EX-1".to_owned() }
}

fn exchange_failed() -> RmaEvent {
    RmaEvent::ExchangeFailed { order_identifier: "ORD-100472".to_owned() }
}

/// A return on which everything happens that a mail is about, but for a cancellation.
fn whole_story() -> Vec<RmaEvent> {
    vec![
        exchange_placed(),
        label(),
        RmaEvent::LabelRenewed { generation: 1, reason: VoidReason::Lost },
        RmaEvent::label("9400111899223197428499".to_owned(), Vec::new()),
        scan(CarrierScan::Accepted),
        scan(CarrierScan::InTransit),
        exchange_shipped(),
        receive("LP-1", None),
        receive("LP-2", Some("stained")),
        refund(),
    ]
}

#[test]
fn each_step_of_a_return_is_told_once() {
    let mails = follow(start(false), &whole_story());
    assert_eq!(
        kinds(&mails),
        [
            MailKind::ReturnConfirmed,
            // An hour after the start.
            MailKind::LabelReady,
            // In place of the first one.
            MailKind::LabelReady,
            MailKind::ParcelSeen,
            MailKind::ExchangeShipped,
            MailKind::Received,
            MailKind::RefundReported,
        ]
    );
    let received = &mails[5].content.items;
    let states: Vec<_> = received.iter().filter_map(|item| item.state.clone()).collect();
    let rejected = MailItemState::Rejected("stained".to_owned());
    assert_eq!(states, [MailItemState::Received, rejected]);
    let paid = &mails[6].content;
    assert_eq!((paid.amount_cents, paid.paid_as), (Some(4610), Some(MailPayment::OriginalPayment)));
}

#[test]
fn a_label_that_comes_at_once_is_part_of_the_confirmation() {
    let rma = start(false);
    let soon = rma.created_at + jiff::SignedDuration::from_secs(5);
    let after = apply(&rma, &label(), soon).unwrap().rma;
    assert_eq!(of_event(&rma, &label(), &after), []);
}

#[test]
fn an_exchange_that_fails_and_a_cancellation_are_told() {
    let mails = follow(start(false), &[exchange_failed(), RmaEvent::Canceled]);
    assert_eq!(
        kinds(&mails),
        [MailKind::ReturnConfirmed, MailKind::ExchangeRefunded, MailKind::Canceled]
    );
    let failed = &mails[1].content;
    assert_eq!((failed.amount_cents, failed.paid_as), (Some(2 * 4610), None));
    assert_eq!((failed.instead_of, mails[2].content.method), (None, None));

    let gift = follow(start(true), &[exchange_failed()]);
    assert_eq!(gift[1].content.paid_as, Some(MailPayment::GiftCard), "never money");
}

#[test]
fn a_failed_exchange_promises_no_money_for_goods_that_were_rejected() {
    let rejected = |count: usize| {
        let plates = ["LP-1", "LP-2"].into_iter().take(count);
        let mut events: Vec<RmaEvent> =
            plates.map(|plate| receive(plate, Some("stained"))).collect();
        events.push(exchange_failed());
        let mut mails = follow(start(false), &events);
        mails.retain(|mail| mail.kind == MailKind::ExchangeRefunded);
        mails
    };

    assert_eq!(rejected(1)[0].content.amount_cents, Some(4610), "for the other unit");
    assert_eq!(rejected(2), []);
}

#[test]
fn a_failed_exchange_promises_nothing_that_was_refunded_already() {
    let mails = follow(start(false), &[refund(), exchange_failed()]);
    let failed = mails.iter().find(|mail| mail.kind == MailKind::ExchangeRefunded);
    assert_eq!(failed.unwrap().content.amount_cents, Some(4610), "for the other unit");
}

#[test]
fn a_gift_card_that_cannot_be_issued_is_no_failed_exchange() {
    let mut new = opening(false);
    for goods in &mut new.goods {
        (goods.resolution, goods.exchange_sku) = (Resolution::GiftCard, None);
        goods.fallback = None;
    }
    let rma = Rma::open(new, at("2026-02-20T10:15:00Z"));
    let mails = follow(rma, &[exchange_failed()]);
    assert_eq!(kinds(&mails), [MailKind::ReturnConfirmed, MailKind::ExchangeRefunded]);
    let failed = &mails[1].content;
    assert_eq!((failed.instead_of, failed.paid_as), (Some(MailPayment::GiftCard), None));
}

#[test]
fn goods_that_are_kept_have_no_label_and_an_even_exchange_has_no_amounts() {
    let mut kept = NewRma { return_method: ReturnMethod::CustomerKeep, ..opening(false) };
    kept.goods.retain(|goods| goods.resolution == Resolution::Refund);
    let kept = follow(Rma::open(kept, at("2026-02-20T10:15:00Z")), &[RmaEvent::Canceled]);
    assert_eq!(kept[1].content.method, Some(ReturnMethod::CustomerKeep));

    let mut even = NewRma { amounts: ReturnAmounts::default(), ..opening(false) };
    even.goods.retain(|goods| goods.resolution == Resolution::Exchange);
    assert!(!even.goods.is_empty());
    let mail = of_start(&Rma::open(even, at("2026-02-20T10:15:00Z")));
    assert_eq!((mail.content.amounts, mail.content.amount_cents), (Vec::new(), Some(0)));
}

#[test]
fn a_gift_card_is_told_when_it_is_issued() {
    let mut new = opening(false);
    for goods in &mut new.goods {
        (goods.resolution, goods.exchange_sku) = (Resolution::GiftCard, None);
        goods.fallback = None;
    }
    let rma = Rma::open(new, at("2026-02-20T10:15:00Z"));
    let mails = follow(rma, &[exchange_placed()]);
    assert_eq!(kinds(&mails), [MailKind::ReturnConfirmed, MailKind::RefundReported]);
    assert_eq!(mails[1].content.paid_as, Some(MailPayment::GiftCard));
}

#[test]
fn a_return_whose_shopper_was_erased_has_no_recipient() {
    for gift in [false, true] {
        let mut rma = start(gift);
        assert!(recipient(&rma).is_some());
        let erased = Some(ERASED_EMAIL.to_owned());
        rma.giftee_email = rma.giftee_email.and(erased.clone());
        rma.email = rma.email.and(erased);
        assert_eq!(recipient(&rma), None);
    }
}

#[test]
fn mails_about_a_gift_go_to_the_giftee_and_say_nothing_of_the_buyer() {
    let gift = start(true);
    assert_eq!(recipient(&gift), Some("robin.ames@example.com"));
    let stories = [whole_story(), vec![exchange_failed(), RmaEvent::Canceled]];
    let mut seen = BTreeSet::new();
    for story in &stories {
        let mut mails = follow(gift.clone(), story);
        mails.extend(of_reminder(&gift, gift.created_at));
        for mail in mails {
            seen.insert(mail.kind);
            let text = serde_json::to_string(&mail.content).unwrap();
            for buyers in ["dana", "whitfield", "ORD-100472"] {
                assert!(!text.to_lowercase().contains(&buyers.to_lowercase()), "{text}");
            }
            assert_ne!(mail.content.paid_as, Some(MailPayment::OriginalPayment));
        }
    }
    // The other two are not about a return.
    let others = [MailKind::ProofCode, MailKind::WithdrawalAcknowledged];
    let all = MailKind::ALL.into_iter().filter(|kind| !others.contains(kind));
    assert_eq!(seen, all.collect());
}

#[test]
fn a_shopper_is_reminded_a_week_before_the_label_ends_until_the_parcel_is_seen() {
    let rma = start(false);
    assert_eq!(reminder_due_at(&rma), Some(at("2026-04-14T10:15:00Z")));
    assert!(of_reminder(&rma, at("2026-04-14T10:15:00Z")).is_some());
    assert_eq!(of_reminder(&rma, at("2026-04-21T10:15:01Z")), None, "the label has expired");

    let moving = apply(&rma, &scan(CarrierScan::Accepted), rma.created_at).unwrap().rma;
    assert_eq!(reminder_due_at(&moving), None);
    let failed = apply(&rma, &exchange_failed(), rma.created_at).unwrap().rma;
    let canceled = apply(&failed, &RmaEvent::Canceled, rma.created_at).unwrap().rma;
    assert_eq!(reminder_due_at(&canceled), None);
    let kept = NewRma { return_method: ReturnMethod::CustomerKeep, ..opening(false) };
    assert_eq!(reminder_due_at(&Rma::open(kept, rma.created_at)), None);
}

#[test]
fn a_text_may_have_the_placeholders_of_its_kind_and_no_others() {
    let kind = MailKind::ReturnConfirmed;
    assert_eq!(check_text(kind, "Return {return_number} of {amount} to {shop}"), Ok(()));
    assert_eq!(
        check_text(kind, "Return {retrun_number}").unwrap_err(),
        "has the unknown placeholder {retrun_number}; mails of this kind have {shop}, \
         {order_number}, {return_number}, {amount}"
    );
    assert!(check_text(kind, "{code}").is_err(), "of another kind");
    for stray in ["{", "}", "a } b", "{return_number", "{{shop}}", "{shop}}"] {
        assert!(check_text(kind, stray).is_err(), "{stray}");
    }
}

#[test]
fn a_text_is_filled_in_once() {
    let mut values = MailValues::default();
    values.set(Placeholder::Shop, Some("{amount} & Sons".to_owned()));
    values.set(Placeholder::Amount, Some("$1".to_owned()));
    assert_eq!(fill_in("{shop}: {amount}{date}!", &values), "{amount} & Sons: $1!");
}

#[test]
fn kinds_are_parsed_from_their_names() {
    for kind in MailKind::ALL {
        assert_eq!(MailKind::parse(kind.name()), Some(kind));
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
    }
}

proptest::proptest! {
    #[test]
    fn no_text_breaks_the_check_or_the_filling(text in "[a-z{}\\n ]{0,40}") {
        let known = check_text(MailKind::ProofCode, &text).is_ok();
        let filled = fill_in(&text, &MailValues::default());
        let braces = filled.contains(['{', '}']);
        proptest::prop_assert!(!known || !braces);
    }
}
