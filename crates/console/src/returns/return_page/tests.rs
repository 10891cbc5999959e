//! The page of a return, with hostile text in every field that others fill.

use app::{
    AppError,
    messages::message_log::AttemptView,
    returns::return_story::{
        journal_steps::{EventMark, STEPS_MAX},
        timeline::TimelineMessage,
    },
};
use domain::{identifier::MerchantId, orders::erasure::ERASED_EMAIL};
use jiff::Timestamp;

use super::*;
use crate::core::fixtures::{
    HOSTILE, assert_is_text, hostile_exchange, hostile_message, sample_visitor,
};

fn sample_story(steps: Vec<timeline::TimelineStep>) -> ReturnStory {
    ReturnStory {
        merchant: MerchantId::parse("acme").unwrap(),
        rma: domain::samples::rma(),
        exchanges: Vec::new(),
        marks: Vec::new(),
        past: None,
        steps,
        cancel: Availability::No("the carrier already has goods of the return".to_owned()),
        close_receiving: Availability::Yes,
    }
}

/// The page of the newest state.
fn show<'a>(
    visitor: &'a Visitor,
    story: &'a ReturnStory,
    fault: Option<&'a str>,
) -> ReturnPage<'a> {
    return_page(visitor, story, ShownState::newest(story), fault)
}

/// The page after one of the events.
fn show_after(story: &ReturnStory, event: i64) -> String {
    let shown = ShownState::select(story, Some(event)).unwrap();
    return_page(&sample_visitor(), story, shown, None).render().unwrap()
}

#[test]
fn a_return_shows_its_items_and_actions() {
    let (visitor, mut story) = (sample_visitor(), sample_story(Vec::new()));
    let html = show(&visitor, &story, None).render().unwrap();
    for part in [
        "Return RMA-7K3Q-9XWD-2M4T",
        "9400111899223197428490",
        "Exchange for TEE-NAVY-L",
        "The carrier already has goods of the return.",
        "/console/merchants/acme/policy/3",
        "/labels/RMA-7K3Q-9XWD-2M4T",
        "action=\"/console/returns/RMA-7K3Q-9XWD-2M4T/close-receiving\"",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    assert!(!html.contains("/cancel\""), "{html}");

    story.cancel = Availability::Yes;
    let html = show(&visitor, &story, Some("Enter a reason.")).render().unwrap();
    assert!(html.contains("action=\"/console/returns/RMA-7K3Q-9XWD-2M4T/cancel\""), "{html}");
    assert!(html.contains("Enter a reason."), "{html}");
}

#[test]
fn a_label_says_that_its_end_is_not_stated() {
    let label = |expires_at: Option<&str>| {
        let label = serde_json::json!({
            "generation": 1, "tracking_number": "T-1", "issued_at": "2026-02-20T00:00:00Z",
            "expires_at": expires_at
        });
        let mut story = sample_story(Vec::new());
        story.rma.labels = vec![serde_json::from_value(label).unwrap()];
        show(&sample_visitor(), &story, None).render().unwrap()
    };
    assert!(label(None).contains("not stated"));
    let stated = label(Some("2026-03-20T00:00:00Z"));
    assert!(stated.contains("20 Mar 2026") && !stated.contains("not stated"), "{stated}");
}

#[test]
fn the_events_of_a_return_stay_text() {
    let hostile = || HOSTILE.to_owned();
    let message = TimelineMessage {
        message: hostile_message(),
        attempts: vec![AttemptView {
            at: Timestamp::UNIX_EPOCH,
            cycle: 1,
            attempt: 1,
            status: None,
            error: Some(hostile()),
            latency_ms: 1.0,
            answer: Some(hostile()),
        }],
    };
    let mut story = sample_story(vec![timeline::TimelineStep {
        at: Timestamp::UNIX_EPOCH,
        number: Some(1),
        events: vec![hostile()],
        actor: Some(hostile()),
        message: Some(message),
    }]);
    story.cancel = Availability::No(hostile());
    let rma = &mut story.rma;
    (rma.email, rma.giftee_email, rma.concept) =
        (Some(hostile()), Some(hostile()), Some(hostile()));
    HOSTILE.clone_into(&mut rma.currency);
    for unit in &mut rma.units {
        let goods = &mut unit.goods;
        for text in [
            &mut goods.order_identifier,
            &mut goods.order_line_item_identifier,
            &mut goods.title,
            &mut goods.return_reason,
        ] {
            HOSTILE.clone_into(text);
        }
        (goods.sku, goods.exchange_sku) = (Some(hostile()), Some(hostile()));
        unit.tracking_number = Some(hostile());
    }
    story.exchanges = vec![hostile_exchange()];
    let visitor = sample_visitor();
    assert_is_text(&show(&visitor, &story, Some(HOSTILE)));
}

/// A story of three events, seen after one of them: the value of the first unit grows with each.
fn sample_states(wanted: i64) -> ReturnStory {
    let step = |number: i64| timeline::TimelineStep {
        at: Timestamp::UNIX_EPOCH,
        number: Some(number),
        events: vec![format!("Step {number}")],
        actor: None,
        message: None,
    };
    let mut story = sample_story((1..=3).map(step).collect());
    story.cancel = Availability::Yes;
    for number in 1..=3 {
        let at = Timestamp::from_second(1_771_582_500 + number).unwrap();
        story.marks.push(EventMark { number, at });
        story.rma.units[0].goods.amounts.price_cents = 1_000 * number;
        if number == wanted {
            story.past = Some(story.rma.clone());
        }
    }
    story
}

#[test]
fn a_past_state_shows_its_units_and_statement_and_has_no_actions() {
    let html = show_after(&sample_states(2), 2);
    for part in [
        "State after event 2 of 3, <time datetime=\"2026-02-20T10:15:02Z\">",
        "href=\"/console/returns/RMA-7K3Q-9XWD-2M4T?event=1\" rel=\"prev\"",
        "href=\"/console/returns/RMA-7K3Q-9XWD-2M4T?event=3\" rel=\"next\"",
        "<a href=\"/console/returns/RMA-7K3Q-9XWD-2M4T\">Newest state</a>",
        "?event=2\" aria-current=\"true\">State after event 2</a>",
        // 20.00 - 2.50 + 3.60, and both units together.
        "<td class=\"number\">21.10 USD</td>",
        "<dt>Price</dt><dd>65.00 USD</dd>",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    assert!(!html.contains("<form method=\"post\" action=\"/console/returns"), "{html}");
    assert!(!html.contains("Close receiving"), "{html}");
    assert_eq!(html.matches("aria-current=\"true\"").count(), 1, "{html}");

    let first = show_after(&sample_states(1), 1);
    assert!(!first.contains("Previous state") && first.contains("Next state"), "{first}");
}

#[test]
fn the_newest_state_has_actions_and_a_way_back_and_other_events_are_unknown() {
    let story = sample_states(3);
    for html in [show(&sample_visitor(), &story, None).render().unwrap(), show_after(&story, 3)] {
        assert!(html.contains("Cancel return") && html.contains("Close receiving"), "{html}");
        assert!(html.contains("Newest state, after event 3."), "{html}");
        assert!(html.contains("?event=2\" rel=\"prev\""), "{html}");
        assert!(html.contains("31.10 USD"), "{html}");
    }
    for unknown in [-1, 0, 4, i64::MAX] {
        let refused = ShownState::select(&story, Some(unknown)).map(drop);
        assert!(matches!(refused, Err(AppError::NotFound(_))), "{unknown}");
    }
}

#[test]
fn a_statement_has_every_component_and_leads_to_its_balance() {
    let mut story = sample_story(Vec::new());
    story.rma.fee_cents = 595;
    let html = show(&sample_visitor(), &story, None).render().unwrap();
    for part in [
        "<dt>Price</dt><dd>90.00 USD</dd>",
        "<dt>Discount</dt><dd>−5.00 USD</dd>",
        "<dt>Tax</dt><dd>7.20 USD</dd>",
        "<dt>Fee</dt><dd>−5.95 USD</dd>",
        "<dt>Total</dt><dd>86.25 USD</dd>",
        "<dt>Refund</dt>",
        "<dt>Exchange</dt>",
        "Exchange order <strong>EX-100472</strong>",
        "<dt>Balance, still due</dt><dd>40.15 USD</dd>",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    for (currency, price) in [("JPY", "9,000 JPY"), ("KWD", "9.000 KWD")] {
        currency.clone_into(&mut story.rma.currency);
        let html = show(&sample_visitor(), &story, None).render().unwrap();
        assert!(html.contains(&format!("<dt>Price</dt><dd>{price}</dd>")), "{html}");
    }
}

#[test]
fn a_long_timeline_says_how_many_events_it_leaves_out() {
    let mut story = sample_states(3);
    let visitor = sample_visitor();
    assert!(!show(&visitor, &story, None).render().unwrap().contains("are not listed here"));

    let at = Timestamp::UNIX_EPOCH;
    story.marks = (1..).map(|number| EventMark { number, at }).take(STEPS_MAX + 7).collect();
    let html = show(&visitor, &story, None).render().unwrap();
    let words = "The first 7 events are not listed here.";
    assert!(html.contains(words), "{html}");
    assert!(html.contains("<code>GET /returns/RMA-7K3Q-9XWD-2M4T/events</code>"), "{html}");
}

#[test]
fn a_new_label_is_offered_unless_the_shopper_was_erased() {
    let rma = Rma::open(domain::samples::rma_opening(), Timestamp::UNIX_EPOCH);
    assert_eq!(find_label_action(&rma), LabelAction::RequestAgain);
    let erased = Rma { email: Some(ERASED_EMAIL.to_owned()), ..rma };
    assert_eq!(find_label_action(&erased), LabelAction::Nothing);
}
