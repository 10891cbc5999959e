//! Retention periods, which only a moved clock shows.

use domain::{
    identifier::MerchantId, merchants::retention::RetentionPeriods, orders::erasure::is_erased,
};
use store::{AuditFilter, Cursor};

use super::{Fixture, HOUR_US, scope_of, test_operator};
use crate::{
    merchants::retention::{apply_retention, set_retention},
    orders::shopper_data::find_order,
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
