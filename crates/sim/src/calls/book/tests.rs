//! What the book notices, and what it drops.

use axum::http::header::AUTHORIZATION;
use domain::messages::kind::MessageKind;
use jiff::Timestamp;

use super::*;
use crate::calls::call::CallOutcome;

const OK: CallOutcome = CallOutcome::Status(200);
const BROKEN: CallOutcome = CallOutcome::Status(503);

fn new_book() -> Book {
    Book::new(100, 10, AUTHORIZATION)
}

/// Message `id` is number `sequence` of lane 1, and its body is hash 7.
fn entry(id: u64, sequence: u64, answer: CallOutcome) -> CallRecord {
    let call = Call {
        number: 0,
        at: Timestamp::UNIX_EPOCH,
        kind: Some(MessageKind::Rma),
        path: "/rmas".to_owned(),
        webhook_id: Some(format!("msg_{id}")),
        sequence: Some(sequence),
        attempt: Some(1),
        signature: SignatureCheck::Valid,
        answer,
        repeated: false,
        body_bytes: 4,
        content: None,
    };
    let body = Bytes::from_static(b"body");
    CallRecord {
        call,
        content: RawContent { headers: HeaderMap::new(), body, answer_body: Bytes::new() },
        id_hash: id,
        body_hash: 7,
        unauthorized: false,
        lane: Some(LaneKey { hash: 1, name: "rma R1".to_owned() }),
        changed_order: None,
    }
}

fn record_all(entries: impl IntoIterator<Item = CallRecord>) -> Summary {
    let mut book = new_book();
    entries.into_iter().for_each(|entry| book.record(entry));
    book.summary().clone()
}

#[test]
fn retries_in_order_break_no_promise() {
    let summary = record_all([
        entry(1, 1, BROKEN),
        entry(1, 1, BROKEN),
        entry(1, 1, OK),
        entry(2, 2, OK),
        entry(2, 2, OK),
        entry(5, 5, OK),
    ]);
    assert_eq!(summary.violations, []);
    assert_eq!((summary.distinct_ids, summary.repeats), (3, 3));
    assert_eq!((summary.accepted_ids, summary.accepted_again), (3, 1));
    assert_eq!(summary.kind(MessageKind::Rma).answers, BTreeMap::from([(OK, 4), (BROKEN, 2)]));
}

#[test]
fn a_first_arrival_behind_an_accepted_one_is_a_violation() {
    let summary = record_all([entry(2, 2, OK), entry(1, 1, BROKEN), entry(3, 2, OK)]);
    let violation = |call, id: &str, sequence| Violation::OutOfOrder {
        call,
        kind: MessageKind::Rma,
        lane: "rma R1".to_owned(),
        webhook_id: id.to_owned(),
        sequence,
        accepted_sequence: 2,
    };
    assert_eq!(summary.violations, [violation(2, "msg_1", 1), violation(3, "msg_3", 2)]);
}

#[test]
fn a_failed_one_does_not_bar_the_way_and_a_late_success_is_only_noted() {
    let summary = record_all([entry(1, 1, BROKEN), entry(2, 2, OK), entry(1, 1, OK)]);
    assert_eq!(summary.violations, []);
    assert_eq!(summary.accepted_late, 1);
}

#[test]
fn lanes_do_not_disturb_each_other() {
    let other = CallRecord {
        lane: Some(LaneKey { hash: 2, name: "rma R2".to_owned() }),
        ..entry(2, 1, OK)
    };
    assert_eq!(record_all([entry(1, 9, OK), other]).violations, []);
}

#[test]
fn a_message_with_other_bytes_is_a_violation() {
    let changed = CallRecord { body_hash: 8, ..entry(1, 1, OK) };
    let violation = Violation::BodyChanged { call: 2, webhook_id: "msg_1".to_owned() };
    assert_eq!(record_all([entry(1, 1, BROKEN), changed]).violations, [violation]);
}

#[test]
fn a_bad_signature_says_nothing_about_a_message() {
    let mut forged = entry(9, 9, OK);
    forged.call.signature = SignatureCheck::Invalid;
    let summary = record_all([forged, entry(1, 1, OK)]);
    assert_eq!((summary.bad_signatures, summary.distinct_ids), (1, 1));
    assert_eq!(summary.violations, []);
}

#[test]
fn old_calls_are_forgotten_their_content_before() {
    let mut book = new_book();
    (1..=250).for_each(|id| book.record(entry(id, id, OK)));
    assert_eq!(book.summary().calls, 250);
    assert_eq!(book.call(150), None);
    assert_eq!(book.call(151).map(|call| call.content), Some(None));
    assert_eq!(book.call(240).map(|call| call.content), Some(None));
    assert_eq!(book.call(241).unwrap().content.unwrap().body, "body");
    assert_eq!(book.call(251), None);
}

#[test]
fn contents_are_bounded_in_bytes() {
    let mut book = new_book();
    for id in 1..=5 {
        let mut big = entry(id, id, OK);
        big.content.body = vec![b' '; CONTENTS_MAX_BYTES / 2].into();
        book.record(big);
    }
    assert_eq!(book.contents.len(), 2);
    assert_eq!(book.content_bytes, CONTENTS_MAX_BYTES);
}

#[test]
fn calls_are_read_page_by_page_with_the_newest_last() {
    let mut book = new_book();
    (1..=120).for_each(|id| book.record(entry(id, id, OK)));
    let numbers = |query: &CallQuery| {
        let Calls { calls, cursor, more } = book.calls(query);
        let numbers: Vec<_> = calls.iter().map(|call| call.number).collect();
        (numbers, cursor, more)
    };
    let limit = Some(2);
    let newest = CallQuery { limit, ..CallQuery::default() };
    assert_eq!(numbers(&newest), (vec![119, 120], 120, false));
    let from_the_start = CallQuery { after: Some(0), ..newest.clone() };
    assert_eq!(numbers(&from_the_start), (vec![21, 22], 22, true));
    let last = CallQuery { after: Some(119), ..newest.clone() };
    assert_eq!(numbers(&last), (vec![120], 120, false));
    let beyond = CallQuery { after: Some(u64::MAX), ..newest.clone() };
    assert_eq!(numbers(&beyond), (vec![], 120, false));
    let one = CallQuery { id: Some("msg_33".to_owned()), after: Some(0), ..newest };
    assert_eq!(numbers(&one), (vec![33], 120, false));
}
