//! Announced goods: ASNs, their lines, and what is received of them.

use std::collections::BTreeMap;

use domain::{
    identifier::MerchantId,
    warehouse::{
        asn::{AsnCarton, AsnDetail, DetailsType},
        asn_number::AsnNumber,
        receiving::{Acceptance, AsnState},
        unit::UnitRecord,
    },
};

use crate::{
    ArticleCode, AsnLineFilter, CodedAsn, ScannedArticle, ScannedKeys, Store, StoreError, UnitRow,
    Versioned,
    conformance::{Subject, acme, assert_conflict, commit, on_every_engine, other},
};

on_every_engine!(
    an_asn_reads_back_with_the_lines_that_match,
    an_asn_is_inserted_once_and_replaced_only_at_its_version,
    a_number_is_shared_by_programs_and_merchants,
    a_unit_is_announced_once,
    an_announced_unit_is_found_without_a_row,
    units_count_on_their_asn_and_line_only_at_its_version,
    lines_that_await_a_unit_are_found_among_ten_thousand,
    concurrent_receipts_on_one_asn_have_one_winner,
    the_scans_of_a_batch_find_their_lines_together,
    open_lines_of_an_article_are_found_for_every_scan_of_it,
    units_of_many_lines_are_counted_at_once,
    an_asn_is_found_by_the_codes_on_its_outside,
);

/// The sample's ASN: line 1 announces LP-0093321 of TEE-NAVY-M, line 2 LP-0093322 of CAP-SAND.
fn asn(number: &str, program: &str) -> AsnState {
    let mut state = domain::samples::inbound_asn();
    state.asn.asn_number = AsnNumber::parse(number).unwrap();
    state.asn.program_identifier = program.to_owned();
    state
}

/// An ASN of so many lines of one SKU, each with a carton of its own.
fn large(lines: usize) -> AsnState {
    let mut state = asn("LARGE", "west");
    let detail = state.asn.cartons[0].details[0].clone();
    state.asn.details_type = DetailsType::Sku;
    let carton = |place: usize| AsnCarton {
        identifier: Some(format!("C-{place}")),
        reference: None,
        details: vec![AsnDetail {
            line_identifier: format!("L-{place}"),
            unit_identifier: None,
            client_unit_identifier: None,
            serial_number: None,
            ..detail.clone()
        }],
    };
    state.asn.cartons = (1..=lines).map(carton).collect();
    state
}

async fn insert(store: &Store, merchant: &MerchantId, state: &AsnState) -> Result<(), StoreError> {
    commit(store, |it| it.insert_asn(merchant, state)).await
}

/// The identifiers of the lines that are read of an ASN.
async fn lines(store: &Store, number: &str, wanted: &AsnLineFilter<'_>) -> Vec<String> {
    let stored = store.asns(&acme(), number, wanted).await.unwrap();
    stored[0].value.asn.lines().map(|line| line.detail.line_identifier.clone()).collect()
}

/// Counts a unit of a line.
fn counted(state: &AsnState, line: Option<&str>) -> AsnState {
    let line_identifier = line.map(str::to_owned);
    let mut counted = state.clone();
    let unit = UnitRecord::new("LP-1");
    counted.count(&Acceptance { line_identifier, unit, assigned: false });
    counted
}

/// One unit of a line.
fn one_of(line: Option<&str>) -> BTreeMap<String, i64> {
    line.into_iter().map(|line| (line.to_owned(), 1)).collect()
}

async fn an_asn_reads_back_with_the_lines_that_match(Subject { store, .. }: Subject) {
    let state = asn("A-1", "west");
    insert(&store, &acme(), &state).await.unwrap();
    let none = AsnLineFilter::default();
    let detail = &state.asn.cartons[0].details[0];
    let own = detail.client_unit_identifier.as_deref().unwrap();
    let serial_number = detail.serial_number.as_deref().unwrap();
    let upc = detail.upc.as_deref().unwrap();
    let carton = state.asn.cartons[0].identifier.as_deref().unwrap();

    let all = AsnLineFilter { sku: "TEE-NAVY-M", unit: "LP-0093322", ..none };
    let stored = store.asns(&acme(), "A-1", &all).await.unwrap();
    assert_eq!((stored.len(), stored[0].version), (1, 1));
    let read = &stored[0].value;
    let whole: Vec<_> =
        state.asn.lines().map(|it| (it.carton.reference.clone(), it.detail)).collect();
    let parts: Vec<_> =
        read.asn.lines().map(|it| (it.carton.reference.clone(), it.detail)).collect();
    assert_eq!(parts, whole);
    assert_eq!((&read.asn.from, &read.asn.to), (&state.asn.from, &state.asn.to));
    assert_eq!(read.announced_at, state.announced_at);
    assert_eq!(read.asn.asn_type.as_deref(), Some("return"));
    assert_eq!(read.asn.message_timestamp, state.asn.message_timestamp);
    for (wanted, expected) in [
        (none, &[][..]),
        (AsnLineFilter { line: "2", ..none }, &["2"]),
        (AsnLineFilter { unit: "LP-0093321", ..none }, &["1"]),
        (AsnLineFilter { own: "LP-0093321", ..none }, &["1"]),
        (AsnLineFilter { own, ..none }, &["1"]),
        (AsnLineFilter { sku: "CAP-SAND", ..none }, &["2"]),
        (AsnLineFilter { upc, ..none }, &["1"]),
        (AsnLineFilter { upc: "0012345678905", ..none }, &["1"]),
        (AsnLineFilter { asin: "b07xyz1234", ..none }, &["1"]),
        (AsnLineFilter { serial_number, ..none }, &[]),
        (AsnLineFilter { carton, ..none }, &[]),
        (AsnLineFilter { serial_number, more: true, ..none }, &["1", "2"]),
    ] {
        assert_eq!(lines(&store, "A-1", &wanted).await, expected, "{wanted:?}");
    }
    assert!(store.asns(&acme(), "A-2", &none).await.unwrap().is_empty());
    assert!(store.asns(&other(), "A-1", &none).await.unwrap().is_empty());
}

async fn an_asn_is_inserted_once_and_replaced_only_at_its_version(Subject { store, .. }: Subject) {
    let first = asn("A-1", "west");
    let mut second = first.clone();
    second.fingerprint = "second".to_owned();
    second.asn.concept = None;
    second.asn.cartons[0].details.remove(0);
    let replace = async |version: i64| {
        commit(&store, |it| it.replace_asn(&acme(), &second, version, 2)).await
    };

    insert(&store, &acme(), &first).await.unwrap();
    assert_conflict(&insert(&store, &acme(), &second).await);
    assert_conflict(&replace(2).await);
    assert_eq!(
        lines(&store, "A-1", &AsnLineFilter { line: "1", ..AsnLineFilter::default() }).await,
        ["1"]
    );
    replace(1).await.unwrap();

    let stored = store.asn_heads(&acme(), "A-1").await.unwrap();
    assert_eq!((stored[0].version, stored[0].value.fingerprint.as_str()), (2, "second"));
    assert_eq!(stored[0].value.asn.concept, None);
    let any = AsnLineFilter { more: true, ..AsnLineFilter::default() };
    assert_eq!(lines(&store, "A-1", &any).await, ["2"]);
}

async fn a_number_is_shared_by_programs_and_merchants(Subject { store, .. }: Subject) {
    for (merchant, program) in [(acme(), "west"), (acme(), "east"), (other(), "west")] {
        let mut state = asn("A-1", program);
        for detail in state.asn.cartons.iter_mut().flat_map(|carton| &mut carton.details) {
            detail.unit_identifier = None;
        }
        insert(&store, &merchant, &state).await.unwrap();
    }

    let stored = store.asn_heads(&acme(), "A-1").await.unwrap();

    let programs: Vec<_> =
        stored.iter().map(|it| it.value.asn.program_identifier.as_str()).collect();
    assert_eq!(programs, ["east", "west"]);
    assert_eq!(store.merchants_of_asn("A-1").await.unwrap(), [acme(), other()]);
    assert_eq!(store.merchants_of_asn("A-2").await.unwrap(), []);
}

async fn a_unit_is_announced_once(Subject { store, .. }: Subject) {
    insert(&store, &acme(), &asn("A-1", "west")).await.unwrap();

    assert_conflict(&insert(&store, &acme(), &asn("A-2", "west")).await);

    assert!(store.asn_heads(&acme(), "A-2").await.unwrap().is_empty(), "nothing was kept");
    insert(&store, &other(), &asn("A-2", "west")).await.unwrap();
}

async fn an_announced_unit_is_found_without_a_row(Subject { store, .. }: Subject) {
    let state = asn("A-1", "west");
    insert(&store, &acme(), &state).await.unwrap();
    let line = state.asn.line("1").unwrap();
    let announced = UnitRecord::announced(&line, state.announced_at);

    let stored = store.units(&acme(), ["LP-0093321", "LP-9"].into_iter()).await.unwrap();

    assert_eq!(stored.len(), 1);
    assert_eq!((stored[0].version, &stored[0].value), (0, &announced));
    assert_eq!(store.merchants_of_unit("LP-0093321").await.unwrap(), [acme()]);
    assert!(store.units(&other(), ["LP-0093321"].into_iter()).await.unwrap().is_empty());
    let row = UnitRow { replaces: 0, unit: domain::samples::received_unit() };
    commit(&store, |it| it.put_units(&acme(), vec![row])).await.unwrap();
    let stored = store.units(&acme(), ["LP-0093321"].into_iter()).await.unwrap();
    assert_eq!((stored[0].version, &stored[0].value), (1, &domain::samples::received_unit()));
    assert_eq!(store.merchants_of_unit("LP-0093321").await.unwrap(), [acme()]);
}

async fn units_count_on_their_asn_and_line_only_at_its_version(Subject { store, .. }: Subject) {
    let mut state = asn("A-1", "west");
    state.asn.cartons[0].details[0].quantity = 2;
    insert(&store, &acme(), &state).await.unwrap();
    let count = async |state: &AsnState, version: i64, line: Option<&str>| {
        let asn = Versioned { value: state.clone(), version };
        commit(&store, |it| it.count_units(&acme(), &asn, &one_of(line), 3)).await
    };
    let open = AsnLineFilter { more: true, ..AsnLineFilter::default() };

    let first = counted(&state, Some("1"));
    assert_conflict(&count(&first, 2, Some("1")).await);
    assert_conflict(&count(&first, 1, Some("9")).await);
    count(&first, 1, Some("1")).await.unwrap();
    let stored = store.asns(&acme(), "A-1", &open).await.unwrap().remove(0);
    assert_eq!((stored.version, stored.value.here, stored.value.told), (2, 1, 1));
    assert_eq!(stored.value.received["1"], 1);
    let second = counted(&stored.value, Some("1"));
    count(&second, 2, Some("1")).await.unwrap();
    assert_eq!(lines(&store, "A-1", &open).await, ["2"], "line 1 awaits no more");
    let named = AsnLineFilter { line: "1", ..AsnLineFilter::default() };
    let stored = store.asns(&acme(), "A-1", &named).await.unwrap().remove(0);
    assert_eq!((stored.value.received["1"], stored.value.here), (2, 2));
    count(&counted(&stored.value, None), 3, None).await.unwrap();
    assert_eq!(store.asn_heads(&acme(), "A-1").await.unwrap()[0].value.here, 3);
}

async fn lines_that_await_a_unit_are_found_among_ten_thousand(Subject { store, .. }: Subject) {
    let state = large(10_000);
    insert(&store, &acme(), &state).await.unwrap();
    let first = Versioned { value: counted(&state, Some("L-1")), version: 1 };
    commit(&store, |it| it.count_units(&acme(), &first, &one_of(Some("L-1")), 3)).await.unwrap();
    let of_sku = AsnLineFilter { sku: "TEE-NAVY-M", ..AsnLineFilter::default() };

    let found = lines(&store, "LARGE", &of_sku).await;
    assert_eq!(found.len(), 10);
    assert!(!found.contains(&"L-1".to_owned()), "they await a unit: {found:?}");
    let in_carton = AsnLineFilter { carton: "C-9876", ..of_sku };
    assert!(lines(&store, "LARGE", &in_carton).await.contains(&"L-9876".to_owned()));
}

async fn concurrent_receipts_on_one_asn_have_one_winner(Subject { store, .. }: Subject) {
    let state = asn("A-1", "west");
    insert(&store, &acme(), &state).await.unwrap();
    let mut writers = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let asn = Versioned { value: counted(&state, Some("1")), version: 1 };
        let store = store.clone();
        writers.spawn(async move {
            commit(&store, |it| it.count_units(&acme(), &asn, &one_of(Some("1")), 3)).await
        });
    }

    let outcomes = writers.join_all().await;

    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    let named = AsnLineFilter { line: "1", ..AsnLineFilter::default() };
    let stored = store.asns(&acme(), "A-1", &named).await.unwrap().remove(0);
    assert_eq!((stored.value.received["1"], stored.value.told), (1, 1));
}

/// The identifiers of the lines that scans find, in the order of the ASN.
async fn scanned(store: &Store, number: &str, keys: &ScannedKeys<'_>) -> Vec<String> {
    let stored = store.scanned_asns(&acme(), number, keys).await.unwrap();
    stored.asns[0].value.asn.lines().map(|line| line.detail.line_identifier.clone()).collect()
}

async fn the_scans_of_a_batch_find_their_lines_together(Subject { store, .. }: Subject) {
    let state = asn("A-1", "west");
    insert(&store, &acme(), &state).await.unwrap();
    let mut second = asn("A-2", "west");
    second.asn.cartons[0].details.truncate(1);
    second.asn.cartons[0].details[0].unit_identifier = Some("LP-7".to_owned());
    insert(&store, &acme(), &second).await.unwrap();
    let own = state.asn.cartons[0].details[0].client_unit_identifier.as_deref().unwrap();
    let none = ScannedKeys::default();

    for (keys, expected) in [
        (none.clone(), &[][..]),
        (ScannedKeys { lines: ["2", "9"].into(), ..none.clone() }, &["2"]),
        (ScannedKeys { units: ["LP-0093321", "LP-9"].into(), ..none.clone() }, &["1"]),
        (ScannedKeys { own: [own].into(), ..none.clone() }, &["1"]),
        (
            ScannedKeys { lines: ["2"].into(), units: ["LP-0093321"].into(), ..none.clone() },
            &["1", "2"],
        ),
    ] {
        assert_eq!(scanned(&store, "A-1", &keys).await, expected, "{keys:?}");
    }
    let keys = ScannedKeys { units: ["LP-7", "LP-0093321"].into(), ..none };
    let found = store.scanned_asns(&acme(), "A-1", &keys).await.unwrap();
    assert_eq!(found.elsewhere, ["LP-7".to_owned()].into());
    assert_eq!((found.asns[0].version, found.asns[0].value.announced_at), (1, state.announced_at));
    assert!(store.scanned_asns(&acme(), "A-3", &keys).await.unwrap().asns.is_empty());
    let others = store.scanned_asns(&other(), "A-1", &keys).await.unwrap();
    assert!(others.asns.is_empty() && others.elsewhere.is_empty());
}

async fn open_lines_of_an_article_are_found_for_every_scan_of_it(Subject { store, .. }: Subject) {
    let state = large(50);
    insert(&store, &acme(), &state).await.unwrap();
    let counts: BTreeMap<String, i64> = (1..=20).map(|line| (format!("L-{line}"), 1)).collect();
    let mut value = state.clone();
    value.received.clone_from(&counts);
    let asn = Versioned { value, version: 1 };
    commit(&store, |it| it.count_units(&acme(), &asn, &counts, 3)).await.unwrap();
    let article = |code, carton| ScannedArticle { code, carton };
    let keys = |articles: &[(ScannedArticle<'static>, i64)]| ScannedKeys {
        articles: articles.iter().copied().collect(),
        ..ScannedKeys::default()
    };
    let sku = ArticleCode::Sku("TEE-NAVY-M");

    let found = scanned(&store, "LARGE", &keys(&[(article(sku, ""), 25)])).await;
    assert_eq!(found.len(), 25);
    assert!(found.iter().all(|line| !counts.contains_key(line)), "they await a unit: {found:?}");
    let in_carton = keys(&[(article(sku, "C-9"), 1), (article(sku, "C-44"), 1)]);
    let found = scanned(&store, "LARGE", &in_carton).await;
    assert!(found.contains(&"L-44".to_owned()) && !found.contains(&"L-9".to_owned()), "{found:?}");
    let upc = keys(&[(article(ArticleCode::Upc("0012345678905"), ""), 3)]);
    assert_eq!(scanned(&store, "LARGE", &upc).await.len(), 3);
    let by_asin = keys(&[(article(ArticleCode::Asin("b07xyz1234"), ""), 2)]);
    assert_eq!(scanned(&store, "LARGE", &by_asin).await.len(), 2);
    let all = keys(&[(article(sku, ""), 60)]);
    assert_eq!(scanned(&store, "LARGE", &all).await.len(), 50, "complete lines come last");
}

async fn units_of_many_lines_are_counted_at_once(Subject { store, .. }: Subject) {
    let state = asn("A-1", "west");
    insert(&store, &acme(), &state).await.unwrap();
    let asn = Versioned { value: counted(&counted(&state, Some("1")), Some("2")), version: 1 };
    let both: BTreeMap<String, i64> = [("1".to_owned(), 1), ("2".to_owned(), 1)].into();
    let unknown: BTreeMap<String, i64> = [("1".to_owned(), 1), ("9".to_owned(), 1)].into();

    assert_conflict(&commit(&store, |it| it.count_units(&acme(), &asn, &unknown, 3)).await);
    commit(&store, |it| it.count_units(&acme(), &asn, &both, 3)).await.unwrap();
    assert_conflict(&commit(&store, |it| it.count_units(&acme(), &asn, &both, 3)).await);

    let all = AsnLineFilter { any: 10, ..AsnLineFilter::default() };
    let stored = store.asns(&acme(), "A-1", &all).await.unwrap().remove(0);
    assert_eq!((stored.version, stored.value.here, stored.value.told), (2, 2, 2));
    assert_eq!(stored.value.received, both);
    let open = AsnLineFilter { more: true, ..AsnLineFilter::default() };
    assert!(lines(&store, "A-1", &open).await.is_empty(), "none awaits a unit");
}

async fn an_asn_is_found_by_the_codes_on_its_outside(subject: Subject) {
    let store = &subject.store;
    let mut state = asn("BY-CODE", "west");
    state.asn.tracking_number = Some("1Z-CODE".to_owned());
    state.asn.cartons[0].identifier = Some("(00)106141412345678908".to_owned());
    insert(store, &acme(), &state).await.unwrap();
    insert(store, &other(), &state).await.unwrap();
    let found = |merchant: MerchantId, carton: Option<&str>| CodedAsn {
        merchant,
        asn_number: "BY-CODE".to_owned(),
        carton: carton.map(str::to_owned),
    };
    let tracked = store.asns_by_code("1Z-CODE").await.unwrap();
    assert_eq!(tracked, [found(acme(), None), found(other(), None)]);
    let carton = Some("(00)106141412345678908");
    let cartons = store.asns_by_code("106141412345678908").await.unwrap();
    assert_eq!(cartons, [found(acme(), carton), found(other(), carton)]);

    // A replaced ASN is found by its new codes only.
    state.asn.tracking_number = Some("1Z-NEW".to_owned());
    commit(store, |it| it.replace_asn(&acme(), &state, 1, 2)).await.unwrap();
    assert_eq!(store.asns_by_code("1Z-CODE").await.unwrap(), [found(other(), None)]);
    assert_eq!(store.asns_by_code("1Z-NEW").await.unwrap(), [found(acme(), None)]);
}
