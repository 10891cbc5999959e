//! Lists in the order of changes.

use std::{collections::BTreeMap, time::Duration};

use domain::{
    bodies::WriteJson,
    identifier::MerchantId,
    returns::{
        identifier::RmaId,
        rma::{Rma, RmaStatus},
    },
    time::from_micros,
    warehouse::{
        asn::AsnStatus,
        asn_number::AsnNumber,
        drop_ship::{DropShipOrder, DropShipStatus},
        receiving::AsnState,
        shipment::{Shipment, ShipmentHead, ShipmentStatus},
    },
};
use tokio_postgres::Client;

use crate::{
    Cursor, Location, OrderRow, ShipmentRow, Store, Versioned, WorkFilter, WorkList, WorkPage,
    conformance::{
        Subject, acme, commit, connect, metrics, on_every_engine, orders::order_row, other,
        postgres,
    },
};

on_every_engine!(
    a_change_is_listed_after_everything_that_was_read_before,
    every_list_is_of_one_merchant_or_of_all_and_filtered_by_status,
    a_row_is_found_by_its_number_and_only_while_it_is_news,
    a_reading_begins_at_a_time,
);

/// Later than every change of these tests, also for what is held back.
const NOW_US: i64 = i64::MAX;
const MINUTE_US: i64 = 60_000_000;

fn any() -> WorkFilter {
    let (merchant, status, since_us, after) = (None, None, None, None);
    WorkFilter { merchant, status, since_us, after, limit: 100, now_us: NOW_US }
}

fn of(merchant: MerchantId) -> WorkFilter {
    WorkFilter { merchant: Some(merchant), ..any() }
}

fn after(cursor: &Cursor) -> WorkFilter {
    WorkFilter { after: Some(cursor.clone()), ..any() }
}

fn ids(page: &WorkPage) -> Vec<&str> {
    page.rows.iter().map(|row| row.id.as_str()).collect()
}

/// The page, when all commits of the test are in it: other tests run on the same server, and their
/// transactions hold the lists back for a moment.
async fn read(store: &Store, list: WorkList, filter: &WorkFilter, rows: usize) -> WorkPage {
    for _ in 0..500 {
        let page = store.work_list(list, filter).await.unwrap();
        if page.rows.len() >= rows {
            return page;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the list does not get {rows} rows");
}

fn drop_ship_order(identifier: &str, updated_us: i64) -> DropShipOrder {
    DropShipOrder {
        client_identifier: identifier.to_owned(),
        updated_at: from_micros(updated_us).unwrap(),
        ..domain::samples::drop_ship_order()
    }
}

async fn place(store: &Store, merchant: &MerchantId, identifier: &str, updated_us: i64) {
    let order = drop_ship_order(identifier, updated_us);
    commit(store, |it| it.put_drop_ship_order(merchant, &order, 0)).await.unwrap();
}

const LIST: WorkList = WorkList::DropShipOrders;

async fn a_change_is_listed_after_everything_that_was_read_before(Subject { store, .. }: Subject) {
    let empty = store.work_list(LIST, &any()).await.unwrap();
    assert_eq!((ids(&empty), empty.more), (Vec::new(), false));
    for identifier in ["DS-1", "DS-2", "DS-3"] {
        place(&store, &acme(), identifier, 1).await;
    }

    let all = read(&store, LIST, &after(&empty.next), 3).await;
    assert_eq!((ids(&all), all.more), (vec!["DS-1", "DS-2", "DS-3"], false));
    let first = store.work_list(LIST, &WorkFilter { limit: 2, ..any() }).await.unwrap();
    assert_eq!((ids(&first), first.more), (vec!["DS-1", "DS-2"], true));
    let second = store.work_list(LIST, &after(&first.next)).await.unwrap();
    assert_eq!((ids(&second), second.more, &second.next), (vec!["DS-3"], false, &all.next));
    let nothing = store.work_list(LIST, &after(&all.next)).await.unwrap();
    assert_eq!((ids(&nothing), &nothing.next), (Vec::new(), &all.next));

    let changed = drop_ship_order("DS-1", 2);
    commit(&store, |it| it.put_drop_ship_order(&acme(), &changed, 1)).await.unwrap();
    let news = read(&store, LIST, &after(&all.next), 1).await;
    assert_eq!((ids(&news), news.rows[0].changed_us), (vec!["DS-1"], 2));
    let all = read(&store, LIST, &any(), 3).await;
    assert_eq!(ids(&all), ["DS-2", "DS-3", "DS-1"]);
    for filter in [any(), of(acme())] {
        let filter = WorkFilter { limit: 2, ..filter };
        let latest = store.latest_work(LIST, &filter).await.unwrap();
        assert_eq!((ids(&latest), latest.more), (vec!["DS-1", "DS-3"], true));
        let filter = WorkFilter { after: Some(latest.next), ..filter };
        let rest = store.latest_work(LIST, &filter).await.unwrap();
        assert_eq!((ids(&rest), rest.more), (vec!["DS-2"], false));
    }
}

/// Stores something in every list, and changes it.
async fn fill(store: &Store, merchant: &MerchantId) {
    let put = |orders: Vec<OrderRow>, now_us| {
        commit(store, move |it| it.put_orders(merchant, orders, now_us))
    };
    put(vec![order_row("A-1", 0), order_row("A-2", 0)], 1).await.unwrap();
    put(vec![order_row("A-1", 1)], 2).await.unwrap();
    commit(store, |it| it.touch_order(merchant, "A-2", 1, 3)).await.unwrap();

    let rma = Rma { rma_identifier: RmaId::from_random([7; 8]), ..domain::samples::rma() };
    let canceled = Rma { status: RmaStatus::Canceled, ..rma.clone() };
    commit(store, |it| it.insert_return(merchant, &rma)).await.unwrap();
    commit(store, |it| it.update_return(merchant, &canceled, 1, rma.status)).await.unwrap();

    let mut asn: AsnState = domain::samples::inbound_asn();
    asn.asn.asn_number = AsnNumber::parse("ASN-1").unwrap();
    asn.asn.program_identifier = "west_1 a".to_owned();
    commit(store, |it| it.insert_asn(merchant, &asn)).await.unwrap();
    asn.asn.status = AsnStatus::Delivered;
    commit(store, |it| it.replace_asn(merchant, &asn, 1, 4)).await.unwrap();
    let counted = Versioned { value: asn, version: 2 };
    commit(store, |it| it.count_units(merchant, &counted, &BTreeMap::new(), 5)).await.unwrap();

    let shipment = domain::samples::outbound_shipment();
    let row = |shipment: &Shipment| ShipmentRow {
        head: ShipmentHead::of(shipment),
        body: shipment.to_json().into(),
    };
    let numbers = || [shipment.asn_number.as_str()].into_iter();
    commit(store, |it| it.insert_shipment(merchant, row(&shipment), numbers())).await.unwrap();
    let delivered = Shipment { status: ShipmentStatus::Delivered, ..shipment.clone() };
    commit(store, |it| it.update_shipment(merchant, row(&delivered), 1)).await.unwrap();

    let placed = drop_ship_order("DS-1", 1);
    let shipped = DropShipOrder { status: DropShipStatus::Shipped, ..placed.clone() };
    commit(store, |it| it.put_drop_ship_order(merchant, &placed, 0)).await.unwrap();
    commit(store, |it| it.put_drop_ship_order(merchant, &shipped, 1)).await.unwrap();
}

async fn every_list_is_of_one_merchant_or_of_all_and_filtered_by_status(
    Subject { store, .. }: Subject,
) {
    fill(&store, &acme()).await;
    fill(&store, &other()).await;
    let rma = RmaId::from_random([7; 8]);
    let shipment = domain::samples::outbound_shipment().asn_number;
    let lists = [
        (WorkList::Returns, rma.as_str(), "CANCELED"),
        (WorkList::Asns, "ASN-1 west_1 a", "delivered"),
        (WorkList::Shipments, shipment.as_str(), "delivered"),
        (WorkList::DropShipOrders, "DS-1", "shipped"),
    ];
    for (list, id, status) in lists {
        let of_all = read(&store, list, &any(), 2).await;
        let rows = of_all
            .rows
            .iter()
            .map(|row| (row.merchant.as_str(), row.id.as_str(), row.status.as_str()));
        assert_eq!(rows.collect::<Vec<_>>(), [("acme", id, status), ("other", id, status)]);
        let second = store.work_list(list, &after(&of_all.next)).await.unwrap();
        assert!(ids(&second).is_empty(), "{list:?}: the cursor is parsed: {second:?}");
        let text = Cursor::parse(&of_all.next.to_string()).unwrap();
        assert_eq!(text, of_all.next);
        let wanted = |status| WorkFilter { status: Some(status), ..of(other()) };
        let found = store.work_list(list, &wanted(status)).await.unwrap();
        assert_eq!((ids(&found), found.rows[0].merchant.as_str()), (vec![id], "other"));
        let none = store.work_list(list, &wanted("lost")).await.unwrap();
        assert_eq!((ids(&none), &none.next), (Vec::new(), &found.next), "it was examined");
    }
    let orders = read(&store, WorkList::Orders, &of(acme()), 2).await;
    let times: Vec<_> = orders.rows.iter().map(|row| (row.id.as_str(), row.changed_us)).collect();
    assert_eq!(times, [("A-1", 2), ("A-2", 3)]);
}

async fn a_row_is_found_by_its_number_and_only_while_it_is_news(Subject { store, .. }: Subject) {
    fill(&store, &acme()).await;
    read(&store, LIST, &any(), 1).await;
    let named = async |list, filter: WorkFilter, id: &str| {
        store.work_list_named(list, &filter, [("acme", id), ("other", id)].into_iter()).await
    };

    let found = named(WorkList::Asns, any(), "ASN-1").await.unwrap();
    assert_eq!(ids(&found), ["ASN-1 west_1 a"]);
    let again = named(WorkList::Asns, after(&found.next), "ASN-1").await.unwrap();
    assert_eq!((ids(&again), &again.next), (Vec::new(), &found.next));
    for (list, id) in [(LIST, "DS-1"), (WorkList::Orders, "A-1")] {
        assert_eq!(ids(&named(list, any(), id).await.unwrap()), [id]);
        assert!(ids(&named(list, any(), "no").await.unwrap()).is_empty());
    }
}

async fn a_reading_begins_at_a_time(Subject { store, .. }: Subject) {
    for number in 0..40 {
        place(&store, &acme(), &format!("DS-{number:02}"), number * MINUTE_US).await;
    }
    read(&store, LIST, &any(), 40).await;
    for filter in [any(), of(acme())] {
        let since =
            |minute: i64| WorkFilter { since_us: Some(minute * MINUTE_US), ..filter.clone() };
        let page = store.work_list(LIST, &since(37)).await.unwrap();
        assert_eq!(ids(&page), ["DS-36", "DS-37", "DS-38", "DS-39"], "one minute earlier, too");
        let late = store.work_list(LIST, &since(99)).await.unwrap();
        assert!(ids(&late).is_empty());
        let early = store.work_list(LIST, &since(-99)).await.unwrap();
        assert_eq!(early.rows.len(), 40);
    }
    let late = WorkFilter { since_us: Some(99 * MINUTE_US), ..any() };
    let start = store.work_list(LIST, &late).await.unwrap().next;
    place(&store, &acme(), "DS-NEW", 99 * MINUTE_US).await;
    let filter = WorkFilter { after: Some(start), ..late };
    assert_eq!(ids(&read(&store, LIST, &filter, 1).await), ["DS-NEW"]);
}

async fn connect_to(location: &Location) -> Client {
    let Location::Postgres(url) = location else { panic!("{location:?}") };
    connect(url).await
}

#[tokio::test]
async fn a_change_that_commits_late_is_not_behind_the_cursor_of_a_reader() {
    let Some(Subject { store, location, .. }) = postgres("a_change_that_commits_late").await else {
        return;
    };
    place(&store, &acme(), "DS-EARLY", 1).await;
    let early = read(&store, LIST, &any(), 1).await;
    let slow = connect_to(&location).await;
    slow.batch_execute(
        "BEGIN; UPDATE drop_ship_orders SET changed = (SELECT last FROM change_counter)
             + CAST(CAST(pg_current_xact_id() AS text) AS bigint)",
    )
    .await
    .unwrap();
    place(&store, &acme(), "DS-FAST", 2).await;

    let meanwhile = store.work_list(LIST, &after(&early.next)).await.unwrap();
    assert!(ids(&meanwhile).is_empty(), "the later change waits for the earlier one");

    slow.batch_execute("COMMIT").await.unwrap();
    let both = read(&store, LIST, &after(&meanwhile.next), 2).await;
    assert_eq!(ids(&both), ["DS-EARLY", "DS-FAST"]);
}

#[tokio::test]
async fn numbers_go_on_rising_when_a_dump_was_loaded_into_another_server() {
    let Some(Subject { store, location, .. }) = postgres("numbers_after_a_dump").await else {
        return;
    };
    place(&store, &acme(), "DS-1", 1).await;
    let before = read(&store, LIST, &any(), 1).await;
    store.migrate().await.unwrap();
    let client = connect_to(&location).await;
    let base = async || -> i64 {
        client.query_one("SELECT last FROM change_counter", &[]).await.unwrap().get(0)
    };
    let first = base().await;

    // The row as a dump of a server with far more transactions would have inserted it.
    let loaded = "UPDATE change_counter SET last = last - 1000000, written_by = 4000000000";
    client.batch_execute(loaded).await.unwrap();
    let restored = Store::open(&location, &metrics()).await.unwrap();
    restored.migrate().await.unwrap();

    assert!(base().await > first, "another base");
    place(&restored, &acme(), "DS-2", 2).await;
    assert_eq!(ids(&read(&restored, LIST, &after(&before.next), 1).await), ["DS-2"]);
}
