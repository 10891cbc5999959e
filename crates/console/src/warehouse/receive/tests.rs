//! What the bench shows, before anything is stored.

use app::warehouse::{parcel_search::MatchingParcel, workbench::ScannedUnit};
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
    feedback::describe_result,
    parts::{BenchLink, PackingList, other_codes},
    result::BenchResult,
    state::{BenchState, CodeKind},
    step::{can_be_closed, likely_code_kind},
};

fn found_parcel(parcel: Parcel) -> MatchingParcel {
    MatchingParcel { parcel, merchant_name: "Harbor & Pine".to_owned() }
}

fn acme() -> MerchantId {
    MerchantId::parse("acme").unwrap()
}

fn parcel_with_plates() -> Parcel {
    Parcel::of_asns(&acme(), "ASN-20260301-7", &[samples::inbound_asn()])
}

fn scan_of(question: Option<ReceivingQuestion>) -> ScannedUnit {
    ScannedUnit {
        unit_identifier: "LP-1".to_owned(),
        article: "Tee".to_owned(),
        line_identifier: None,
        condition: Condition::TT,
        channel: None,
        reject_reason: None,
        at: Timestamp::UNIX_EPOCH,
        correctable: false,
        question,
    }
}

/// The question about a unit without a license plate, for the ASN of the sample.
fn sample_question() -> ReceivingQuestion {
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
fn a_received_unit_is_confirmed_with_its_condition() {
    let feedback =
        describe_result(Some(BenchResult::Received), &parcel_with_plates(), &[scan_of(None)])
            .unwrap();
    assert!(feedback.good);
    assert_eq!((feedback.title, feedback.text.as_str()), ("Received", "Tee · TT Needs a test"));
    assert!(describe_result(None, &parcel_with_plates(), &[scan_of(None)]).is_none());
}

#[test]
fn an_exception_is_shown_with_its_reason_and_proposals() {
    let feedback = describe_result(
        Some(BenchResult::SetAside),
        &parcel_with_plates(),
        &[scan_of(Some(sample_question()))],
    )
    .unwrap();
    assert!(!feedback.good);
    assert!(feedback.text.starts_with("This ASN does not announce it."), "{}", feedback.text);
    let first = &feedback.proposals[0];
    assert_eq!(first.title, "TEE-NAVY-M, line 1 of ASN-20260301-7");
    assert!(first.detail.contains("same SKU"), "{}", first.detail);
    assert_eq!(feedback.plate, "LP-1");
}

#[test]
fn a_long_packing_list_shows_open_lines_first() {
    let mut parcel = parcel_with_plates();
    let line = parcel.lines[0].clone();
    let numbered = |number: i64| ExpectedLine {
        line_identifier: number.to_string(),
        received: i64::from(number < 100),
        ..line.clone()
    };
    parcel.lines = (0..150).map(numbered).collect();
    let found = found_parcel(parcel);
    let list = PackingList::new(&found);
    assert_eq!((list.lines.len(), list.omitted), (40, 110));
    assert_eq!(list.lines[0].line_identifier, "100");
    assert_eq!((list.received, list.quantity), (100, 150));
}

#[test]
fn a_line_shows_its_other_codes() {
    let parcel = parcel_with_plates();
    let expected = "LP-0093321 · HP-55012 · 012345678905 · SN-20114";
    assert_eq!(other_codes(&parcel.lines[0]), expected);
}

#[test]
fn only_a_return_with_missing_units_can_be_closed() {
    let rma = samples::rma();
    assert!(can_be_closed(&found_parcel(Parcel::of_return(&acme(), &rma))));
    assert!(!can_be_closed(&found_parcel(parcel_with_plates())));
    assert!(!can_be_closed(&found_parcel(Parcel::unknown("X"))));
}

#[test]
fn an_unknown_code_is_a_license_plate_if_all_lines_have_one() {
    assert_eq!(likely_code_kind(&found_parcel(parcel_with_plates()), "LP-9"), CodeKind::Unit);
    assert_eq!(likely_code_kind(&found_parcel(parcel_with_plates()), "LP-0093321"), CodeKind::Unit);
    assert_eq!(
        likely_code_kind(&found_parcel(parcel_with_plates()), "TEE-NAVY-M"),
        CodeKind::Product
    );
    assert_eq!(likely_code_kind(&found_parcel(Parcel::unknown("X")), "LP-9"), CodeKind::Product);
    let link = BenchLink::set_aside(&BenchState::default(), "a b", CodeKind::Unit);
    assert_eq!(link.url, "/console/receive?unit=a%20b&keep=piece");
}
