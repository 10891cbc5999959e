//! The page of an order, with hostile text in every field that merchants fill.

use domain::{
    json,
    orders::order_message::{OrderReadContext, RefundCheck, read_order},
    returns::{ledger::Ledger, policy::Policy, returnability::check_returnability},
};
use jiff::Timestamp;

use super::*;
use crate::core::fixtures::{
    HOSTILE, assert_is_text, hostile_exchange, hostile_message, sample_visitor,
};

/// The sample with every field; `change` can replace text in it.
fn sample_view(change: impl Fn(&str) -> String) -> OrderView {
    let message: serde_json::Value =
        serde_json::from_str(domain::samples::order_message()).unwrap();
    let order = message.pointer("/returns_portal_order/orders/0").unwrap().to_string();
    let text = change(&order);
    let document = json::parse(text.as_bytes()).unwrap();
    let now: Timestamp = "2026-02-20T00:00:00Z".parse().unwrap();
    let order =
        read_order(&document, &OrderReadContext { now, strict: false, refunds: RefundCheck::All })
            .unwrap()
            .0
            .order;
    let ledger = Ledger::default();
    OrderView {
        returnability: check_returnability(&order, &ledger, &Policy::default(), now),
        policy_version: 3,
        returns: vec![domain::samples::rma()],
        exchange: None,
        origin: None,
        messages: Vec::new(),
        problems: Vec::new(),
        order,
        ledger,
    }
}

#[test]
fn an_order_shows_its_lines_its_amounts_and_what_can_be_returned() {
    let (visitor, view) = (sample_visitor(), sample_view(str::to_owned));
    let html = order_page(&visitor, "acme", &view).render().unwrap();

    for part in [
        "Order ORD-100472",
        "Organic cotton tee, navy",
        "124.55 USD",
        "dana.whitfield@example.com",
        "418 Juniper Street",
        "RMA-7K3Q-9XWD-2M4T",
        "/console/merchants/acme/policy/3",
        "/console/orders/acme/ORD-100472/as-sent",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
}

#[test]
fn the_end_of_a_window_is_easy_to_read() {
    let view = sample_view(|order| {
        let mut order: serde_json::Value = serde_json::from_str(order).unwrap();
        for line in order["items"].as_array_mut().unwrap() {
            line["return_policy_end_date"] = "2026-09-30T16:00:00Z".into();
        }
        order.to_string()
    });
    let visitor = sample_visitor();
    let html = order_page(&visitor, "acme", &view).render().unwrap();
    assert!(html.contains("can be returned until 30 Sep 2026, 16:00:00"), "{html}");
}

#[test]
fn text_from_a_merchant_stays_text() {
    let quoted = serde_json::Value::from(HOSTILE).to_string();
    let mut view = sample_view(|order| {
        let values = [
            "\"Dana\"",
            "\"Whitfield\"",
            "\"Organic cotton tee, navy\"",
            "\"418 Juniper Street\"",
            "\"TEE-NAVY-M\"",
            "\"ORD-100472\"",
            "\"Visa\"",
            "\"capture\"",
            "\"SPRING5\"",
        ];
        values.iter().fold(order.to_owned(), |text, value| text.replace(value, &quoted))
    });
    let hostile = || HOSTILE.to_owned();
    view.order.customer.email = hostile();
    view.order.note = Some(hostile());
    view.order.raw_status = Some(hostile());
    view.order.tags = vec![hostile()];
    view.order.concept = Some(hostile());
    for refund in &mut view.order.refunds {
        (refund.identifier, refund.note, refund.rma_identifier) =
            (hostile(), Some(hostile()), Some(hostile()));
    }
    view.problems = vec![ProblemView {
        merchant: hostile(),
        refund_identifier: hostile(),
        order_identifier: hostile(),
        kind: "unmatched".to_owned(),
        state: hostile(),
        noticed_at: Timestamp::UNIX_EPOCH,
        detail: hostile(),
        difference: None,
    }];
    view.messages = vec![hostile_message()];
    (view.exchange, view.origin) = (Some(hostile_exchange()), Some(hostile_exchange()));
    let visitor = sample_visitor();
    assert_is_text(&order_page(&visitor, HOSTILE, &view));
}
