//! The journal of a return leads to the return, and nothing else does.

use super::*;
use crate::samples;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_771_000_000 + second).unwrap()
}

fn event(number: i64, change: ReturnChange) -> ReturnEvent {
    let actor = Actor::unnamed(ActorKind::Shopper);
    ReturnEvent { number, at: at(number), actor, cause: None, change }
}

fn label() -> ReturnChange {
    let (tracking_number, lines) = ("9400".to_owned(), Vec::new());
    ReturnChange::Event(RmaEvent::label(tracking_number, lines))
}

/// A return that has just started.
fn started() -> Rma {
    let mut rma = samples::rma();
    for unit in &mut rma.units {
        (unit.tracking_number, unit.tracking) = (None, None);
    }
    rma.messages_sent = 1;
    rma
}

#[test]
fn a_return_is_the_result_of_its_events() {
    let start = event(1, ReturnChange::State(Box::new(started())));

    let states = replay(&[start.clone(), event(2, label())]).unwrap();

    assert_eq!(states[0], started());
    assert_eq!(states[1].messages_sent, 2);
    assert_eq!(states[1].units[0].tracking_number.as_deref(), Some("9400"));
    assert_eq!(states[1].updated_at, at(2).max(started().updated_at));
    assert_eq!(state_after(vec![start, event(2, label())]).as_ref(), Ok(&states[1]));
}

#[test]
fn a_journal_with_a_gap_or_a_repeated_event_is_noticed() {
    let start = event(1, ReturnChange::State(Box::new(started())));

    assert_eq!(replay(&[]), Err(JournalFault::NoStart));
    assert_eq!(state_after(Vec::new()), Err(JournalFault::NoStart));
    let gap = vec![start.clone(), event(3, label())];
    assert_eq!(state_after(gap), Err(JournalFault::OutOfOrder(3)));
    assert_eq!(replay(&[event(2, label())]), Err(JournalFault::NoStart));
    assert_eq!(replay(&[start.clone(), event(3, label())]), Err(JournalFault::OutOfOrder(3)));
    let twice = [start.clone(), event(2, label()), event(3, label())];
    assert_eq!(replay(&twice), Err(JournalFault::OutOfOrder(3)));
    let closed = event(
        2,
        ReturnChange::Event(RmaEvent::ExchangePlaced {
            order_identifier: "none".to_owned(),
            exchange_order_identifier: "EX".to_owned(),
        }),
    );
    assert!(matches!(replay(&[start, closed]), Err(JournalFault::Refused(2, _))));
}

#[test]
fn changes_and_actors_are_stored_as_text() {
    for change in [label(), ReturnChange::State(Box::new(started()))] {
        let text = serde_json::to_string(&change).unwrap();
        assert_eq!(serde_json::from_str::<ReturnChange>(&text).unwrap(), change, "{text}");
    }
    for kind in ActorKind::ALL {
        for actor in [Actor::unnamed(kind), Actor::new(kind, "acme.k7w2mq9d")] {
            assert_eq!(Actor::parse(&actor.to_string()), Some(actor));
        }
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
    }
    assert_eq!(Actor::parse("robot"), None);
}
