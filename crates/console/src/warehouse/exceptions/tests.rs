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
    let query = ExceptionQuery { after: HOSTILE.to_owned() };
    let form = Form::of(&[
        ("merchant", "platform"),
        ("unit", HOSTILE),
        ("asn_number", &found.exceptions[0].unit.questions[1].asn_number),
        ("other_line", "true"),
        ("to_asn_number", HOSTILE),
        ("to_line", "L-77"),
        ("reason", HOSTILE),
    ]);
    let refusal = Some(RefusedDecision { why: HOSTILE.to_owned(), form: &form });
    let html = assert_is_text(&ExceptionsPage::new(&visitor, &query, &found, refusal));

    assert!(!html.contains("Too many"), "{html}");
    assert!(html.contains("Wrong SKU") && html.contains("Already known"), "{html}");
    assert_eq!(html.matches("value=\"surplus\"").count(), 1, "a known unit cannot be received");
    assert_eq!(html.matches("value=\"reject\"").count(), 2, "{html}");
    assert!(html.contains("SKU, carton"), "{html}");
    assert_eq!(html.matches("value=\"L-77\"").count(), 1, "what was entered is kept: {html}");
    assert_eq!(html.matches("<details class=\"other\" open>").count(), 1, "{html}");
}
