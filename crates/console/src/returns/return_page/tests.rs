//! The page of a return, with hostile text in every field that others fill.

use app::{messages::message_log::AttemptView, returns::return_story::timeline::TimelineMessage};
use domain::identifier::MerchantId;
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
        states: Vec::new(),
        steps,
        cancel: Availability::No("the carrier already has goods of the return".to_owned()),
        close_receiving: Availability::Yes,
    }
}

#[test]
fn a_return_shows_its_items_and_actions() {
    let (visitor, mut story) = (sample_visitor(), sample_story(Vec::new()));
    let html = return_page(&visitor, &story, None).render().unwrap();
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
    let html = return_page(&visitor, &story, Some("Enter a reason.")).render().unwrap();
    assert!(html.contains("action=\"/console/returns/RMA-7K3Q-9XWD-2M4T/cancel\""), "{html}");
    assert!(html.contains("Enter a reason."), "{html}");
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
    assert_is_text(&return_page(&visitor, &story, Some(HOSTILE)));
}
