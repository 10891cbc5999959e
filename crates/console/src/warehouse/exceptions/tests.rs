//! The page of exceptions, with hostile text in every field that others fill.

use domain::warehouse::unit::UnitRecord;
use jiff::Timestamp;

use super::*;
use crate::core::fixtures::{HOSTILE, assert_is_text, sample_visitor};

fn question(kind: ExceptionKind, answer: Option<ReceivingAnswer>) -> ReceivingQuestion {
    let hostile = || HOSTILE.to_owned();
    let scanned = domain::samples::received_unit().receipt.unwrap().scanned;
    let scanned = domain::returns::receipt::Receipt {
        sku: Some(hostile()),
        serial_number: Some(hostile()),
        user_login: Some(hostile()),
        ..scanned
    };
    let candidate = ReceivingCandidate {
        asn_number: AsnNumber::parse("ASN-1").unwrap(),
        line_identifier: hostile(),
        sku: hostile(),
        awaited: 2,
        why: vec![MatchSign::SameSku, MatchSign::SameCarton],
    };
    ReceivingQuestion {
        asn_number: format!("{kind:?} {HOSTILE}"),
        kind,
        raised_at: Timestamp::UNIX_EPOCH,
        scanned,
        candidates: vec![candidate],
        answer,
    }
}

#[test]
fn an_exception_stays_text_and_only_open_ones_are_shown() {
    let mut unit = UnitRecord::new(HOSTILE);
    unit.questions = vec![
        question(ExceptionKind::Overage, Some(ReceivingAnswer::Surplus)),
        question(ExceptionKind::WrongSku, None),
        question(ExceptionKind::AlreadyReceivedElsewhere, None),
    ];
    let doubt =
        UnitException { merchant: "platform".to_owned(), since: Timestamp::UNIX_EPOCH, unit };
    let found = UnitExceptionPage { exceptions: vec![doubt], next: Some(HOSTILE.to_owned()) };

    let visitor = sample_visitor();
    let (query, refusal) = (ExceptionQuery::default(), Some(HOSTILE.to_owned()));
    let html = assert_is_text(&ExceptionsPage::new(&visitor, &query, &found, refusal));

    assert!(!html.contains("Too many"), "{html}");
    assert!(html.contains("Wrong SKU") && html.contains("Already known"), "{html}");
    assert_eq!(html.matches("value=\"surplus\"").count(), 1, "a known unit cannot be received");
    assert_eq!(html.matches("value=\"reject\"").count(), 2, "{html}");
    assert!(html.contains("SKU, carton"), "{html}");
}
