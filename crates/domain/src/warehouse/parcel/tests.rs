//! What codes mean on the bench.

use super::*;
use crate::samples;
use crate::warehouse::receiving::{ReceivingContext, ReceivingDecision, UnitScan, receive};

fn acme() -> MerchantId {
    MerchantId::parse("acme").unwrap()
}

/// The sample's return: two tees, one of them received.
fn returned() -> Parcel {
    Parcel::of_return(&acme(), &samples::rma())
}

/// The sample's ASN with two pieces: LP-0093321 (TEE-NAVY-M) and LP-0093322 (CAP-SAND).
fn pieces() -> Parcel {
    Parcel::of_asns(&acme(), "ASN-20260301-7", &[samples::inbound_asn()])
}

/// Three caps, announced by quantity.
fn quantities() -> AsnState {
    let mut state = samples::inbound_asn();
    for carton in &mut state.asn.cartons {
        carton.details.retain(|detail| detail.sku == "CAP-SAND");
        for detail in &mut carton.details {
            (detail.unit_identifier, detail.quantity) = (None, 3);
        }
    }
    state.asn.details_type = crate::warehouse::asn::DetailsType::Sku;
    state
}

fn graded() -> GradedUnit<'static> {
    GradedUnit {
        plate: "U-1",
        condition: Condition::A,
        user_login: "mkowalski",
        channel: Some("RTS"),
        location: None,
        serial_number: None,
        batch_number: None,
        warehouse: None,
        reject_reason: None,
    }
}

fn awaited(parcel: &Parcel, code: &str) -> Option<String> {
    match parcel.meaning(code) {
        CodeMeaning::Expected(line) => Some(line.line_identifier.clone()),
        CodeMeaning::Received(_)
        | CodeMeaning::Full(_)
        | CodeMeaning::Units(_)
        | CodeMeaning::Unexpected => None,
    }
}

#[test]
fn a_unit_of_a_return_is_known_by_sku_upc_or_line() {
    let parcel = returned();
    assert_eq!((parcel.lines.len(), parcel.awaited()), (1, 1));
    for code in ["TEE-NAVY-M", "012345678905", "ORD-100472-1"] {
        assert_eq!(awaited(&parcel, code).as_deref(), Some("ORD-100472-1"), "{code}");
    }
    assert_eq!(parcel.meaning("CAP-SAND"), CodeMeaning::Unexpected);
}

#[test]
fn a_received_unit_of_a_return_is_known_by_its_license_plate() {
    let parcel = returned();
    let plate = parcel.here.keys().next().unwrap();
    assert_eq!(parcel.meaning(plate), CodeMeaning::Received(None));
}

#[test]
fn more_than_a_return_holds_is_full() {
    let mut parcel = returned();
    parcel.lines[0].received = 2;
    assert!(matches!(parcel.meaning("TEE-NAVY-M"), CodeMeaning::Full(_)));
}

#[test]
fn a_piece_is_known_by_either_of_its_identifiers_and_its_article_only_asks_which() {
    let parcel = pieces();
    assert_eq!(awaited(&parcel, "LP-0093321").as_deref(), Some("1"));
    assert_eq!(awaited(&parcel, "HP-55012").as_deref(), Some("1"));
    assert!(matches!(parcel.meaning("TEE-NAVY-M"), CodeMeaning::Units(lines) if lines.len() == 1));
    assert_eq!(awaited(&parcel, "1"), None, "lines of an ASN are not scanned");
}

#[test]
fn what_the_bench_makes_of_a_unit_is_what_receiving_accepts() {
    for (state, code) in [(samples::inbound_asn(), "HP-55012"), (quantities(), "CAP-SAND")] {
        let number = state.asn.asn_number.to_string();
        let parcel = Parcel::of_asns(&acme(), &number, std::slice::from_ref(&state));
        let CodeMeaning::Expected(line) = parcel.meaning(code) else { panic!("{code}") };
        let receipt = parcel.receipt(line, &graded());
        let scan = UnitScan {
            unit_identifier: receipt.unit_identifier.as_deref().unwrap(),
            receipt: &receipt,
        };
        let scene = ReceivingContext { asn: Some(&state), others: &[], unit: None };
        let decision = receive(&scene, &scan, Timestamp::UNIX_EPOCH);
        assert!(matches!(decision, ReceivingDecision::Accepted(_)), "{decision:?}");
    }
}

#[test]
fn a_unit_of_a_return_is_told_with_its_line_and_code() {
    let parcel = returned();
    let receipt = parcel.receipt(&parcel.lines[0], &graded());
    assert_eq!(receipt.rma_identifier.unwrap().as_str(), parcel.number);
    assert_eq!(receipt.asn_number, None);
    assert_eq!(receipt.line_identifier.as_deref(), Some("ORD-100472-1"));
    assert_eq!(receipt.sku.as_deref(), Some("TEE-NAVY-M"));
    assert_eq!(receipt.unit_identifier.as_deref(), Some("U-1"));
}

#[test]
fn what_does_not_fit_is_asked_about_under_the_number_of_the_parcel() {
    let parcel = returned();
    let asked = |known| parcel.question(known, &graded());
    let article = asked(UnexpectedCode::ByArticle("MUG"));
    assert_eq!(article.asn_number.as_deref(), Some(parcel.number.as_str()));
    assert_eq!((article.rma_identifier, article.sku.as_deref()), (None, Some("MUG")));
    assert_eq!(article.unit_identifier.as_deref(), Some("U-1"));
    assert_eq!(
        asked(UnexpectedCode::ByArticle("4006381333931")).upc.as_deref(),
        Some("4006381333931")
    );
    assert_eq!(asked(UnexpectedCode::ByPlate("LP-9")).unit_identifier.as_deref(), Some("LP-9"));
}

#[test]
fn what_cannot_be_received_says_why() {
    assert_eq!(returned().refusal, None);
    let mut closed = samples::rma();
    closed.receiving_complete = true;
    assert!(Parcel::of_return(&acme(), &closed).refusal.unwrap().contains("receiving was closed"));
    let mut canceled = samples::rma();
    canceled.status = RmaStatus::Canceled;
    assert!(Parcel::of_return(&acme(), &canceled).refusal.unwrap().contains("canceled"));
    let mut state = samples::inbound_asn();
    state.asn.status = AsnStatus::Cancelled;
    assert!(Parcel::of_asns(&acme(), "7", &[state]).refusal.is_some());
}

#[test]
fn programs_that_share_a_number_are_told_apart_by_the_line() {
    let mut other = quantities();
    other.asn.program_identifier = "outlet".to_owned();
    let parcel = Parcel::of_asns(&acme(), "ASN-20260301-7", &[samples::inbound_asn(), other]);
    assert_eq!(parcel.awaited(), 5);
    let CodeMeaning::Expected(line) = parcel.meaning("CAP-SAND") else { panic!() };
    assert_eq!(line.program.as_deref(), Some("outlet"));
    assert_eq!(parcel.receipt(line, &graded()).line_identifier.as_deref(), Some("2"));
}

#[test]
fn a_symbol_finds_its_article_and_its_serial_number_the_very_piece() {
    let mut state = samples::inbound_asn();
    let details = state.asn.cartons.iter_mut().flat_map(|carton| &mut carton.details);
    for (detail, serial) in details.zip(["S-1", "S-2"]) {
        (detail.sku, detail.upc) = ("TEE".to_owned(), Some("9506000134352".to_owned()));
        detail.serial_number = Some(serial.to_owned());
    }
    let parcel = Parcel::of_asns(&acme(), "7", &[state]);
    for code in ["S-2", "21S-2\u{241d}0109506000134352", "010950600013435221S-2"] {
        assert_eq!(awaited(&parcel, code).as_deref(), Some("2"), "{code}");
    }
    let article = parcel.meaning("0109506000134352");
    assert!(matches!(article, CodeMeaning::Units(lines) if lines.len() == 2));
    // The serial number of another article is another unit.
    assert_eq!(parcel.meaning("010001234567890521S-2"), CodeMeaning::Unexpected);

    let receipt = parcel.question(UnexpectedCode::ByArticle("21S-9|0100012345678905"), &graded());
    assert_eq!(receipt.upc.as_deref(), Some("00012345678905"));
}
