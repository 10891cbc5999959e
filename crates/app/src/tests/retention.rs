//! Retention periods, which only a moved clock shows.

use bytes::Bytes;
use domain::{
    identifier::MerchantId,
    merchants::{language::Language, retention::RetentionPeriods},
    messages::{
        kind::MessageKind,
        mail::{Mail, MailKind},
    },
    orders::{
        erasure::{ERASED, is_erased},
        order::OrderStatus,
    },
    returns::{
        identifier::RmaId,
        journal::{Actor, ActorKind},
        ledger::Ledger,
        rma::{NewRma, Rma, RmaEvent, apply},
    },
    warehouse::drop_ship::DropShipOrder,
};
use store::{
    AttemptOutcome, AuditFilter, Cursor, EventHeader, OrderRow, PendingMessage, Transaction,
};

use super::{Fixture, HOUR_US, scope_of, test_operator};
use crate::{
    merchants::retention::{apply_retention, set_retention},
    messages::outbox::{self, About},
    orders::shopper_data::find_order,
    warehouse::drop_ship::{place_drop_ship_order, read_drop_ship_order},
};

const DAY_US: i64 = 24 * HOUR_US;

fn acme() -> MerchantId {
    MerchantId::parse("acme").unwrap()
}

/// An order with nothing but what it must have.
fn message(identifier: &str) -> String {
    let sample = domain::samples::minimal_order_message();
    let mut message: serde_json::Value = serde_json::from_str(sample).unwrap();
    message["returns_portal_order"]["orders"][0]["identifier"] = identifier.into();
    message.to_string()
}

async fn set(fixture: &Fixture, periods: RetentionPeriods) {
    let (merchant, operator) = (acme(), test_operator());
    let scope = scope_of(&fixture.app, &operator).for_merchant(&merchant);
    set_retention(scope, &periods).await.unwrap();
}

async fn is_erased_now(fixture: &Fixture, order: &str) -> bool {
    is_erased(&find_order(&fixture.app, &acme(), order).await.unwrap().unwrap().order)
}

#[tokio::test]
async fn an_order_without_returns_is_erased_when_its_period_is_over_and_not_before() {
    let fixture = Fixture::new().await;
    fixture.publish(None, &message("ORD-1")).await.unwrap();
    fixture.pass(20 * DAY_US);
    fixture.publish(None, &message("ORD-2")).await.unwrap();
    fixture.pass(11 * DAY_US);

    assert_eq!(apply_retention(&fixture.app).await.unwrap(), 0);
    set(&fixture, RetentionPeriods { orders_days: Some(30), ..Default::default() }).await;
    assert_eq!(apply_retention(&fixture.app).await.unwrap(), 1);

    assert!(is_erased_now(&fixture, "ORD-1").await);
    assert!(!is_erased_now(&fixture, "ORD-2").await);
    assert_eq!(apply_retention(&fixture.app).await.unwrap(), 0);
    fixture.pass(20 * DAY_US);
    assert_eq!(apply_retention(&fixture.app).await.unwrap(), 1);
    assert!(is_erased_now(&fixture, "ORD-2").await);
}

#[tokio::test]
async fn old_audit_records_of_a_merchant_are_removed_and_younger_ones_stay() {
    let fixture = Fixture::new().await;
    fixture.pass(40 * DAY_US);
    set(&fixture, RetentionPeriods { audit_days: Some(30), ..Default::default() }).await;

    apply_retention(&fixture.app).await.unwrap();

    let (merchant, newest) = (acme(), Cursor::newest());
    let filter = AuditFilter { merchant: Some(&merchant), actor: None, before: &newest, limit: 9 };
    let records = fixture.app.store.audit(&filter).await.unwrap();
    let actions: Vec<&str> = records.iter().map(|it| it.action.as_str()).collect();
    assert_eq!(actions, ["retention.set"]);
}

/// Enqueues a mail about a return, and delivers it if `is_delivered`.
pub(super) async fn write_mail(fixture: &Fixture, is_delivered: bool) -> i64 {
    let message = enqueue_mail(fixture, "RMA-7K3Q-9XWD-2M4T").await;
    let number = message.message_id;
    if is_delivered {
        fixture.store_attempt(message, 250, AttemptOutcome::Delivered).await;
    }
    number
}

async fn enqueue_mail(fixture: &Fixture, reference: &str) -> PendingMessage {
    let mail = Mail {
        mail: MailKind::ReturnConfirmed,
        language: Language::English,
        recipient: "dana@example.com".to_owned(),
        subject: "Hello Dana".to_owned(),
        content: domain::samples::mail_content(MailKind::ReturnConfirmed),
        text: "Dana lives here".to_owned(),
        html: "<p>Dana lives here</p>".to_owned(),
        attachment: None,
    };
    let about = About { kind: MessageKind::Mail, reference, sequence: 1 };
    let body = serde_json::to_vec(&mail).unwrap().into();
    let mut transaction = Transaction::new("testing");
    transaction.enqueue(outbox::message(&fixture.app, &acme(), &about, body));
    fixture.app.store.commit(transaction).await.unwrap()[0].clone()
}

/// A drop-ship order to the shopper of [`message`].
async fn place_drop_ship(fixture: &Fixture) -> DropShipOrder {
    let sample = domain::samples::drop_ship_order_request();
    let mut order: serde_json::Value = serde_json::from_str(sample).unwrap();
    order["order"]["shipping_address"]["name"] = "Lena Brandt".into();
    order["order"]["shipping_address"]["zip_code"] = "20095".into();
    let body = order.to_string();
    let document = domain::json::parse(body.as_bytes()).unwrap();
    let order = read_drop_ship_order(&fixture.app, &document).unwrap();
    let (merchant, operator) = (acme(), test_operator());
    let scope = scope_of(&fixture.app, &operator).for_merchant(&merchant);
    place_drop_ship_order(scope, &order).await.unwrap()
}

async fn close_drop_ship(fixture: &Fixture, mut order: DropShipOrder) {
    order.order_items.iter_mut().for_each(|item| item.quantity_shipped = item.quantity);
    let mut transaction = Transaction::new("testing");
    transaction.put_drop_ship_order(&acme(), &order, 1);
    fixture.app.store.commit(transaction).await.unwrap();
}

#[tokio::test]
async fn an_order_waits_for_a_drop_ship_order_of_the_same_person_that_is_younger() {
    let fixture = Fixture::new().await;
    fixture.publish(None, &message("ORD-1")).await.unwrap();
    fixture.pass(20 * DAY_US);
    let placed = place_drop_ship(&fixture).await;
    close_drop_ship(&fixture, placed.clone()).await;
    set(&fixture, RetentionPeriods { orders_days: Some(30), ..Default::default() }).await;

    fixture.pass(11 * DAY_US);
    assert_eq!(apply_retention(&fixture.app).await.unwrap(), 0);
    fixture.pass(20 * DAY_US);
    assert_eq!(apply_retention(&fixture.app).await.unwrap(), 1);

    assert!(is_erased_now(&fixture, "ORD-1").await);
    let id = &placed.client_identifier;
    let order = fixture.app.store.drop_ship_order(&acme(), id).await.unwrap().unwrap().value;
    assert_eq!(order.shipping_address.name, ERASED);
}

#[tokio::test]
async fn an_order_is_erased_when_its_drop_ship_orders_and_messages_are_finished() {
    let fixture = Fixture::new().await;
    fixture.publish(None, &message("ORD-1")).await.unwrap();
    let placed = place_drop_ship(&fixture).await;
    fixture.pass(31 * DAY_US);
    set(&fixture, RetentionPeriods { orders_days: Some(30), ..Default::default() }).await;

    for _ in 0..2 {
        assert_eq!(apply_retention(&fixture.app).await.unwrap(), 0);
        let id = &placed.client_identifier;
        let order = fixture.app.store.drop_ship_order(&acme(), id).await.unwrap().unwrap().value;
        assert_eq!(order.shipping_address.name, "Lena Brandt");
        assert!(!is_erased_now(&fixture, "ORD-1").await);
    }

    let waiting = enqueue_mail(&fixture, "ORD-1").await;
    close_drop_ship(&fixture, placed).await;
    assert_eq!(apply_retention(&fixture.app).await.unwrap(), 0);

    fixture.store_attempt(waiting, 250, AttemptOutcome::Delivered).await;
    assert_eq!(apply_retention(&fixture.app).await.unwrap(), 1);
    assert!(is_erased_now(&fixture, "ORD-1").await);
    assert_eq!(apply_retention(&fixture.app).await.unwrap(), 0);
}

#[tokio::test]
async fn a_deferred_order_that_has_changed_is_as_young_as_its_change() {
    let fixture = Fixture::new().await;
    fixture.publish(None, &message("ORD-1")).await.unwrap();
    let waiting = enqueue_mail(&fixture, "ORD-1").await;
    fixture.pass(31 * DAY_US);
    set(&fixture, RetentionPeriods { orders_days: Some(30), ..Default::default() }).await;
    assert_eq!(apply_retention(&fixture.app).await.unwrap(), 0);

    let newer =
        message("ORD-1").replace("\"updated_at\":\"2026-03-01", "\"updated_at\":\"2026-03-02");
    fixture.publish(None, &newer).await.unwrap();
    fixture.store_attempt(waiting, 250, AttemptOutcome::Delivered).await;
    assert_eq!(apply_retention(&fixture.app).await.unwrap(), 0);
    assert!(!is_erased_now(&fixture, "ORD-1").await);
    fixture.pass(31 * DAY_US);
    assert_eq!(apply_retention(&fixture.app).await.unwrap(), 1);
}

#[tokio::test]
async fn a_mail_that_was_sent_is_erased_when_its_period_is_over_and_stays_in_the_log() {
    let fixture = Fixture::new().await;
    set(&fixture, RetentionPeriods { mails_days: Some(10), ..Default::default() }).await;
    let (sent, waiting) = (write_mail(&fixture, true).await, write_mail(&fixture, false).await);
    fixture.pass(9 * DAY_US);
    let young = write_mail(&fixture, true).await;

    assert_eq!(apply_retention(&fixture.app).await.unwrap(), 0);
    fixture.pass(2 * DAY_US);
    assert_eq!(apply_retention(&fixture.app).await.unwrap(), 1);
    assert_eq!(apply_retention(&fixture.app).await.unwrap(), 0);

    for (number, is_erased) in [(sent, true), (waiting, false), (young, false)] {
        let (_, body) = fixture.app.store.message(&acme(), number).await.unwrap().unwrap();
        let mail: Mail = serde_json::from_slice(&body).unwrap();
        assert_eq!(mail.is_erased(), is_erased, "{number}");
        let text = String::from_utf8_lossy(&body).to_lowercase();
        assert_eq!(text.contains("dana"), !is_erased, "{text}");
    }
}

#[tokio::test]
async fn an_order_that_is_unreadable_does_not_keep_the_data_of_other_shoppers() {
    let fixture = Fixture::new().await;
    let unreadable = OrderRow {
        order_id: "ORD-0".to_owned(),
        replaces: 0,
        updated_us: 1,
        status: OrderStatus::Shipped,
        shopper_hash: 1,
        secondary_id: String::new(),
        hash: Bytes::from_static(b"hash"),
        body: Bytes::from_static(b"not JSON"),
    };
    let mut transaction = Transaction::new("testing");
    transaction.put_orders(&acme(), vec![unreadable], fixture.app.world.now_us());
    fixture.app.store.commit(transaction).await.unwrap();
    fixture.publish(None, &message("ORD-1")).await.unwrap();
    set(&fixture, RetentionPeriods { orders_days: Some(30), ..Default::default() }).await;
    fixture.pass(31 * DAY_US);

    assert_eq!(apply_retention(&fixture.app).await.unwrap(), 1);

    assert!(is_erased_now(&fixture, "ORD-1").await);
}

/// Stores a return of units of these orders, for which nothing is due any more, without messages.
async fn store_canceled_return(fixture: &Fixture, id: &str, orders: &[&str]) {
    let now = fixture.app.world.now();
    let tee = domain::samples::rma_opening().goods.remove(0);
    let of_order = |order: &&str| {
        let mut goods = tee.clone();
        goods.order_identifier = (*order).to_owned();
        goods
    };
    let opening = NewRma {
        rma_identifier: RmaId::parse(id).unwrap(),
        giftee_email: None,
        goods: orders.iter().map(of_order).collect(),
        ..domain::samples::rma_opening()
    };
    let rma = apply(&Rma::open(opening, now), &RmaEvent::Canceled, now).unwrap().rma;
    let actor = Actor::unnamed(ActorKind::Shopper);
    let header = EventHeader { number: 1, at: now, actor: &actor, cause: None };
    let mut transaction = Transaction::new("testing");
    transaction.start_return(&acme(), &rma, &header);
    fixture.app.store.commit(transaction).await.unwrap();
}

/// Records which returns an order has.
async fn put_returns_of(fixture: &Fixture, order: &str, returns: &[&str]) {
    let ledger: Ledger = serde_json::from_value(serde_json::json!({ "rmas": returns })).unwrap();
    let mut transaction = Transaction::new("testing");
    transaction.put_ledger(&acme(), order, &ledger, 0);
    fixture.app.store.commit(transaction).await.unwrap();
}

#[tokio::test]
async fn orders_that_are_connected_by_returns_are_erased_with_the_youngest_return() {
    let (first, second) = ("RMA-7K3Q-9XWD-2M4T", "RMA-0000-0000-0000");
    let fixture = Fixture::new().await;
    for order in ["ORD-1", "ORD-2"] {
        fixture.publish(None, &message(order)).await.unwrap();
    }
    store_canceled_return(&fixture, first, &["ORD-1", "ORD-2"]).await;
    fixture.pass(20 * DAY_US);
    store_canceled_return(&fixture, second, &["ORD-2"]).await;
    put_returns_of(&fixture, "ORD-1", &[first]).await;
    put_returns_of(&fixture, "ORD-2", &[first, second]).await;
    let days = Some(30);
    let periods =
        RetentionPeriods { orders_days: days, returns_days: days, ..RetentionPeriods::default() };
    set(&fixture, periods).await;

    fixture.pass(11 * DAY_US);
    assert_eq!(apply_retention(&fixture.app).await.unwrap(), 0);
    fixture.pass(20 * DAY_US);
    assert_eq!(apply_retention(&fixture.app).await.unwrap(), 1);
    for order in ["ORD-1", "ORD-2"] {
        assert!(is_erased_now(&fixture, order).await, "{order}");
    }

    let newer =
        message("ORD-1").replace("\"updated_at\":\"2026-03-01", "\"updated_at\":\"2026-03-02");
    fixture.publish(None, &newer).await.unwrap();
    assert!(!is_erased_now(&fixture, "ORD-1").await, "the merchant comes first");
    assert_eq!(apply_retention(&fixture.app).await.unwrap(), 0);
    fixture.pass(31 * DAY_US);
    assert_eq!(apply_retention(&fixture.app).await.unwrap(), 1);
    assert!(is_erased_now(&fixture, "ORD-1").await);
}
