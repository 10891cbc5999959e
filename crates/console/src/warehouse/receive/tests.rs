//! What the bench tells, before anything is stored.

use app::warehouse::workbench::{MatchingParcel, ScannedUnit};
use domain::{
    identifier::MerchantId,
    returns::receipt::Condition,
    samples,
    warehouse::{
        parcel::{ExpectedLine, Parcel},
        receiving::{ReceivingContext, ReceivingDecision, UnitScan, receive},
        unit::ReceivingQuestion,
    },
};
use jiff::Timestamp;

use super::{
    parts::{Choice, Sheet, codes, feedback},
    state::{Place, Said},
    step::{can_be_closed, likely},
};

fn found(parcel: Parcel) -> MatchingParcel {
    MatchingParcel { parcel, merchant_name: "Harbor & Pine".to_owned() }
}

fn acme() -> MerchantId {
    MerchantId::parse("acme").unwrap()
}

fn pieces() -> Parcel {
    Parcel::of_asns(&acme(), "ASN-20260301-7", &[samples::inbound_asn()])
}

fn seen(question: Option<ReceivingQuestion>) -> ScannedUnit {
    ScannedUnit {
        unit_identifier: "LP-1".to_owned(),
        article: "Tee".to_owned(),
        condition: Condition::TT,
        at: Timestamp::UNIX_EPOCH,
        question,
    }
}

/// The question about a tee without a license plate, for the ASN of the sample.
fn question() -> ReceivingQuestion {
    let mut receipt = samples::asn_receipt();
    (receipt.unit_identifier, receipt.line_identifier) = (None, None);
    receipt.client_unit_identifier = None;
    let scan = UnitScan { unit_identifier: "LP-1", receipt: &receipt };
    let state = samples::inbound_asn();
    let scene = ReceivingContext { asn: Some(&state), others: &[], unit: None };
    match receive(&scene, &scan, Timestamp::UNIX_EPOCH) {
        ReceivingDecision::Exception(unit) => unit.questions[0].clone(),
        ReceivingDecision::Accepted(_) | ReceivingDecision::Repeat => panic!("it has no plate"),
    }
}

#[test]
fn what_was_received_is_told_with_its_condition() {
    let told = feedback(Some(Said::Received), &pieces(), &[seen(None)]).unwrap();
    assert!(told.good);
    assert_eq!((told.title, told.words.as_str()), ("Received", "Tee · TT Needs a test"));
    assert!(feedback(None, &pieces(), &[seen(None)]).is_none());
}

#[test]
fn a_question_is_told_with_its_reason_and_proposals() {
    let told = feedback(Some(Said::Asked), &pieces(), &[seen(Some(question()))]).unwrap();
    assert!(!told.good);
    assert!(told.words.starts_with("This ASN does not announce it."), "{}", told.words);
    let first = &told.proposals[0];
    assert_eq!(first.title, "It is TEE-NAVY-M, line 1 of ASN-20260301-7");
    assert!(first.detail.contains("same SKU"), "{}", first.detail);
    assert_eq!(told.plate, "LP-1");
}

#[test]
fn a_sheet_of_very_many_lines_shows_what_is_awaited_first() {
    let mut parcel = pieces();
    let line = parcel.lines[0].clone();
    let numbered = |number: i64| ExpectedLine {
        line_identifier: number.to_string(),
        received: i64::from(number < 100),
        ..line.clone()
    };
    parcel.lines = (0..150).map(numbered).collect();
    let found = found(parcel);
    let sheet = Sheet::new(&found);
    assert_eq!((sheet.lines.len(), sheet.unseen), (40, 110));
    assert_eq!(sheet.lines[0].line_identifier, "100");
    assert_eq!((sheet.received(), sheet.quantity()), (100, 150));
}

#[test]
fn a_line_names_its_other_codes() {
    let parcel = pieces();
    let expected = "LP-0093321 · HP-55012 · 012345678905";
    assert_eq!(codes(&parcel.lines[0]), expected);
}

#[test]
fn only_a_return_with_something_missing_can_be_closed() {
    let rma = samples::rma();
    assert!(can_be_closed(&found(Parcel::of_return(&acme(), &rma))));
    assert!(!can_be_closed(&found(pieces())));
    assert!(!can_be_closed(&found(Parcel::unknown("X"))));
}

#[test]
fn the_code_of_a_stranger_among_pieces_is_most_likely_a_license_plate() {
    assert_eq!(likely(&found(pieces()), "LP-9"), "piece");
    assert_eq!(likely(&found(pieces()), "LP-0093321"), "piece");
    assert_eq!(likely(&found(pieces()), "TEE-NAVY-M"), "article");
    assert_eq!(likely(&found(Parcel::unknown("X")), "LP-9"), "article");
    let kept = Choice::keep(&Place::default(), "a b", "piece");
    assert_eq!(kept.address, "/console/receive?unit=a%20b&keep=piece");
}
