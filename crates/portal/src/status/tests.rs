//! The steps of a return and what it says about gift cards.

use domain::{
    returns::rma::{CarrierScan, LineQuantity, NewRma},
    samples,
};

use super::*;

fn at(time: &str) -> Timestamp {
    time.parse().unwrap()
}

/// A return of one tee by mail that the warehouse expects.
fn open_return(resolution: Resolution, giftee: Option<&str>) -> Rma {
    let mut opening = samples::rma_opening();
    opening.goods.truncate(1);
    opening.goods[0].resolution = resolution;
    let opening = NewRma { giftee_email: giftee.map(str::to_owned), ..opening };
    let rma = Rma::open(opening, at("2026-02-20T10:15:00Z"));
    after(&rma, "2026-02-20T10:16:00Z", &RmaEvent::label("9400".to_owned(), Vec::new()))
}

fn after(rma: &Rma, time: &str, event: &RmaEvent) -> Rma {
    apply(rma, event, at(time)).unwrap().rma
}

fn scanned(rma: &Rma) -> Rma {
    let scan = CarrierScan::InTransit;
    let event = RmaEvent::Scanned { scan, tracking_number: None, lines: Vec::new() };
    after(rma, "2026-02-23T07:00:00Z", &event)
}

fn refunded(rma: &Rma) -> Rma {
    let order_line_item_identifier = "ORD-100472-1".to_owned();
    let event = RmaEvent::Refunded {
        refund_identifier: "RF-1".to_owned(),
        order_identifier: "ORD-100472".to_owned(),
        lines: vec![LineQuantity { order_line_item_identifier, quantity: 1 }],
        amount_cents: 4_610,
        accepted_cents: 0,
    };
    after(rma, "2026-02-24T07:00:00Z", &event)
}

fn received(rma: &Rma) -> Rma {
    after(rma, "2026-02-26T07:00:00Z", &RmaEvent::receipt("LP-1", "ORD-100472-1"))
}

/// The steps in English that are done, and those that are not.
fn steps(rma: &Rma) -> (Vec<String>, Vec<&'static str>) {
    let steps = list_steps(Language::English, rma, locate_goods(rma));
    let is_sorted = steps.is_sorted_by_key(|step| !step.done);
    assert!(is_sorted, "a step is done before an earlier one");
    let (done, open): (Vec<Step>, Vec<Step>) = steps.into_iter().partition(|step| step.done);
    let done = done.iter().map(|step| format!("{} {}", step.text, step.date).trim().to_owned());
    (done.collect(), open.iter().map(|step| step.text).collect())
}

fn next(rma: &Rma) -> &'static str {
    next_step_text(rma, locate_goods(rma), words_in(Language::English))
}

#[test]
fn a_return_that_was_paid_is_complete_only_when_its_goods_have_arrived() {
    let words = &words_in(Language::English).status;
    let paid = refunded(&scanned(&open_return(Resolution::Refund, None)));
    assert_eq!(paid.status, RmaStatus::Refunded);
    let (done, open) = steps(&paid);
    assert_eq!(done.len(), 3, "{done:?}");
    assert_eq!(open, ["Items arrived", "Return completed"]);
    assert_eq!(next(&paid), words.next_in_transit);
    assert!(!is_complete(&paid));

    let complete = received(&paid);
    let (done, open) = steps(&complete);
    assert_eq!(
        done[3..],
        ["Items arrived 26 February 2026", "Return completed 26 February 2026"],
        "the later of the two days"
    );
    assert!(open.is_empty(), "{open:?}");
    assert_eq!(next(&complete), words.next_completed);
    assert!(is_complete(&complete));
}

#[test]
fn goods_that_are_not_expected_do_not_delay_a_return() {
    let mut unmanaged = samples::rma_opening();
    unmanaged.goods.truncate(1);
    unmanaged.managed_receiving = false;
    let unmanaged = Rma::open(unmanaged, at("2026-02-20T10:15:00Z"));
    let label = RmaEvent::label("9400".to_owned(), Vec::new());
    let unmanaged = refunded(&scanned(&after(&unmanaged, "2026-02-20T10:16:00Z", &label)));
    let mut lost = refunded(&scanned(&open_return(Resolution::Refund, None)));
    lost.units[0].tracking = Some(TrackingStatus::Failure);
    let mut closed = refunded(&scanned(&open_return(Resolution::Refund, None)));
    closed.units[0].receiving = Some(ReceivingStatus::NotReceived);
    for rma in [unmanaged, lost, closed] {
        let (done, open) = steps(&rma);
        assert!(done.last().unwrap().starts_with("Return completed"), "{done:?} {open:?}");
        assert!(is_complete(&rma));
    }
}

#[test]
fn the_link_to_the_order_names_only_what_is_possible() {
    for language in Language::ALL {
        let words = words_in(language);
        let (both, label) = (reason_to_find(true, true, words), reason_to_find(true, false, words));
        let cancel = reason_to_find(false, true, words);
        assert!(both != label && label != cancel && cancel != both, "{language:?}");
        assert_eq!(reason_to_find(false, false, words), None);
    }
    let words = words_in(Language::English);
    assert_eq!(reason_to_find(true, false, words), Some("Find your order to print the label"));
    assert_eq!(reason_to_find(false, true, words), Some("Find your order to cancel the return"));
}

#[test]
fn a_gift_card_is_no_order_and_the_recipient_of_a_gift_gets_no_refund() {
    let describe = |rma: &Rma| describe_unit(Language::English, rma, &rma.units[0]).resolution;
    let pending = open_return(Resolution::GiftCard, None);
    assert_eq!(describe(&pending), "Your gift card is being issued");
    let placed = RmaEvent::ExchangePlaced {
        exchange_order_identifier: "EX-1".to_owned(),
        order_identifier: "ORD-100472".to_owned(),
    };
    let placed = after(&pending, "2026-02-21T10:00:00Z", &placed);
    assert_eq!(describe(&placed), "Gift card issued on 21 February 2026");
    let (done, _) = steps(&placed);
    assert_eq!(done[1], "Gift card issued 21 February 2026");

    let gift = open_return(Resolution::Refund, Some("robin@example.com"));
    assert_eq!(describe(&gift), "Gift card");
    let paid = received(&refunded(&scanned(&gift)));
    assert_eq!(describe(&paid), "Gift card issued on 24 February 2026");
    let mut unpaid = received(&scanned(&gift));
    assert_eq!(next(&unpaid), words_in(Language::English).gifts.next_await_card);
    unpaid.giftee_email = None;
    assert_eq!(next(&unpaid), words_in(Language::English).status.next_await_refund);
}
