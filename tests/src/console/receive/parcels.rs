//! Two hundred parcels with seeded errors at one bench. Every unit ends matched, rejected and told,
//! or as a question: none twice, and none lost.

use std::collections::{BTreeMap, BTreeSet};

use domain::random::SeededRandom;
use serde_json::{Value, json};

use super::bench::{Bench, assert_contains, barcode};
use crate::harness::{home::text, shared};

const PARCELS: usize = 200;
/// The seed decides which parcels have which errors.
const SEED: u64 = 18;

/// What is wrong with a parcel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mistake {
    None,
    /// Something else is in the parcel, and is rejected.
    WrongItem,
    /// Something else is in the parcel, and is set aside.
    OddItem,
    /// One of the two units is missing.
    MissingUnit,
    /// The label of the parcel cannot be read, but its articles are known.
    UnknownParcel,
    /// A unit is scanned twice, and its form is sent twice.
    RepeatedScan,
    /// A barcode is misread before it is read.
    DamagedCode,
}

const MISTAKES: [Mistake; 8] = [
    Mistake::None,
    Mistake::None,
    Mistake::WrongItem,
    Mistake::OddItem,
    Mistake::MissingUnit,
    Mistake::UnknownParcel,
    Mistake::RepeatedScan,
    Mistake::DamagedCode,
];

/// A parcel with two units of one article.
struct Announced {
    /// The return, or the number of the ASN.
    number: String,
    /// The SKU of its article.
    sku: String,
    barcode: String,
    is_return: bool,
    mistake: Mistake,
}

/// What must be true in the end.
#[derive(Default)]
struct Ledger {
    /// Units that were in parcels.
    units: usize,
    received: usize,
    rejected: BTreeSet<String>,
    /// License plates of units that the office is asked about.
    questions: BTreeSet<String>,
}

fn announce(bench: &Bench<'_>, number: usize, random: &mut SeededRandom) -> Announced {
    let mistake = *random.pick(&MISTAKES).unwrap();
    let line = bench.unique(&format!("p{number}"));
    let (is_return, sku, code) = (number.is_multiple_of(4), format!("SKU-{line}"), barcode(&line));
    let number = if is_return {
        bench.start_return_of(&format!("O-{number}"), &[(&line, "A tee", 2)])
    } else {
        let asn = bench.unique(&format!("ASN-{number}"));
        let detail = json!({ "line_identifier": "1", "sku": sku, "upc": code, "quantity": 2 });
        bench.announce_carton(&asn, &bench.unique(&format!("C-{number}")), &[detail]);
        asn
    };
    Announced { number, sku, barcode: code, is_return, mistake }
}

/// Receives a unit with a license plate of its own.
fn receive(bench: &Bench<'_>, page: &str, code: &str, plate: &str) -> String {
    bench.enter(&bench.enter(&bench.scan(page, code), plate), "A")
}

fn open_parcel(bench: &Bench<'_>, parcel: &Announced, ledger: &mut Ledger) {
    let plate = |unit: &str| format!("{unit}-{}", parcel.number);
    let (first, second) = (plate("U1"), plate("U2"));
    if parcel.mistake == Mistake::UnknownParcel {
        return open_unknown(bench, parcel, ledger);
    }
    let mut page = bench.open(&parcel.number);
    if parcel.mistake == Mistake::DamagedCode {
        let last = parcel.barcode.bytes().last().unwrap() - b'0';
        let damaged = format!("{}{}", &parcel.barcode[..12], (last + 3) % 10);
        page = bench.scan(&page, &damaged);
        assert_contains(&page, &["Not in this parcel", "check digit"]);
    }
    ledger.units += 1;
    ledger.received += 1;
    page = receive(bench, &page, &format!("010{}", parcel.barcode), &first);
    assert_contains(&page, &["Received", &first]);
    if parcel.mistake == Mistake::RepeatedScan {
        assert_contains(&bench.scan(&page, &first), &["Already received"]);
    }
    match parcel.mistake {
        Mistake::MissingUnit if parcel.is_return => {
            let sure = bench.follow(&page, "Close parcel");
            bench.submit("<form class=\"actions\"", &sure, &[("act", "close")]);
            return;
        }
        Mistake::MissingUnit => return,
        Mistake::WrongItem | Mistake::OddItem => {
            let odd = plate("ODD");
            let grading = bench.enter(&bench.scan(&bench.scan(&page, "SKU-odd"), "?"), &odd);
            ledger.units += 1;
            page = if parcel.mistake == Mistake::WrongItem {
                ledger.rejected.insert(odd);
                bench.enter(&bench.enter(&bench.enter(&grading, "!"), "1"), "B")
            } else {
                ledger.questions.insert(odd);
                bench.enter(&grading, "B")
            };
            assert!(page.contains("Rejected") || page.contains("Set aside"), "{page}");
        }
        Mistake::None | Mistake::UnknownParcel | Mistake::RepeatedScan | Mistake::DamagedCode => (),
    }
    ledger.units += 1;
    ledger.received += 1;
    let grading = bench.enter(&bench.scan(&page, &parcel.sku), &second);
    let page = bench.enter(&grading, "A");
    assert_contains(&page, &["All units are received"]);
    if parcel.mistake == Mistake::RepeatedScan {
        assert_contains(&bench.enter(&grading, "A"), &["All units are received"]);
    }
}

/// Units of an unreadable parcel: those of returns find them by their article, others stay
/// questions.
fn open_unknown(bench: &Bench<'_>, parcel: &Announced, ledger: &mut Ledger) {
    let page = bench.open(&format!("TORN-{}", parcel.number));
    let page = bench.follow(&page, "Open it anyway");
    let plate = format!("U1-{}", parcel.number);
    let page = receive(bench, &page, &parcel.barcode, &plate);
    ledger.units += 1;
    if parcel.is_return {
        assert_contains(&page, &["Does it belong to one of these returns?", &parcel.number]);
        let page = bench.submit("<form class=\"card\"", &page, &[("rma", &parcel.number)]);
        assert_contains(&page, &["Matched and received"]);
        ledger.received += 1;
    } else {
        assert_contains(&page, &["Set aside"]);
        ledger.questions.insert(plate);
    }
}

/// The license plates of all units with an open question.
fn asked_plates(bench: &Bench<'_>) -> BTreeSet<String> {
    let mut plates = BTreeSet::new();
    let mut target = "/admin/exceptions?limit=500".to_owned();
    loop {
        let page = bench.stage.get(&target).json();
        for exception in page["exceptions"].as_array().unwrap() {
            plates.insert(text(&exception["unit"]["unit_identifier"]));
        }
        let Some(next) = page["next"].as_str() else { return plates };
        target = format!("/admin/exceptions?limit=500&after={next}");
    }
}

/// How many units of a parcel count as received.
fn count_received(bench: &Bench<'_>, parcel: &Announced) -> usize {
    if parcel.is_return {
        let statuses = bench.receiving_statuses(&parcel.number);
        return statuses.iter().filter(|status| *status == "RECEIVED").count();
    }
    let is_here = |unit: &str| {
        let target = format!("/units/{unit}-{}", parcel.number);
        let unit: Value = bench.call("GET", &target, &json!({})).json();
        unit["receipt"].is_object()
    };
    ["U1", "U2"].into_iter().filter(|unit| is_here(unit)).count()
}

#[test]
fn every_unit_of_two_hundred_parcels_is_matched_rejected_or_asked_about() {
    let bench = Bench::new(shared::server());
    let mut random = SeededRandom::new(SEED);
    let parcels: Vec<Announced> =
        (0..PARCELS).map(|number| announce(&bench, number, &mut random)).collect();
    let mut ledger = Ledger::default();
    for parcel in &parcels {
        open_parcel(&bench, parcel, &mut ledger);
    }
    let mut seen: BTreeMap<Mistake, usize> = BTreeMap::new();
    for parcel in &parcels {
        *seen.entry(parcel.mistake).or_default() += 1;
    }
    assert!(seen.len() == 7 && seen.values().all(|count| *count >= 10), "{seen:?}");

    let received: usize = parcels.iter().map(|parcel| count_received(&bench, parcel)).sum();
    assert_eq!(received, ledger.received, "none is received twice, and none is lost");
    let asked = asked_plates(&bench);
    let missing: Vec<&String> = ledger.questions.difference(&asked).collect();
    assert!(missing.is_empty(), "not asked about {missing:?}, only about {asked:?}");
    for plate in &ledger.rejected {
        let told = bench.receipt_messages(plate);
        assert_eq!(told.len(), 1, "{plate}: {told:?}");
        assert_eq!(told[0]["reject_reason"], "Wrong item");
        assert!(!asked.contains(plate), "{plate} is no question any more");
    }
    let ended = received + ledger.questions.len() + ledger.rejected.len();
    assert_eq!(ended, ledger.units);
}
