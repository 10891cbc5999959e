//! Sessions run out, and sooner when nobody uses them.

use domain::access::operator::{OperatorName, Role};
use world::Secret;

use super::{Fixture, HOUR_US, scope_of, test_operator};
use crate::{
    access::{
        operators::{NewOperator, add_operator, set_operator_disabled, set_password},
        sessions::{LoginRequest, log_in, peek_session, use_session},
    },
    background::cleanup::remove_expired,
};

const MINUTE_US: i64 = 60_000_000;

async fn logged_in(fixture: &Fixture, role: Role) -> Secret {
    let name = OperatorName::parse("lena").unwrap();
    let new = NewOperator { name, role, merchant: None, password: None };
    let login = add_operator(scope_of(&fixture.app, &test_operator()), &new).await.unwrap();
    let password = Secret::new(login.password.unwrap());
    let address = [192, 0, 2, 1].into();
    let request = LoginRequest { name: "Lena ", password: &password, address };
    log_in(&fixture.app, &request).await.unwrap().unwrap().0
}

async fn lasts(fixture: &Fixture, token: &Secret) -> bool {
    use_session(&fixture.app, token).await.unwrap().is_some()
}

#[tokio::test]
async fn an_idle_session_of_an_operator_ends_after_half_an_hour() {
    let fixture = Fixture::new().await;
    let token = logged_in(&fixture, Role::Operator).await;

    for _ in 0..4 {
        fixture.pass(29 * MINUTE_US);
        assert!(lasts(&fixture, &token).await, "it is used");
    }
    fixture.pass(30 * MINUTE_US);
    assert!(!lasts(&fixture, &token).await);
}

#[tokio::test]
async fn a_page_that_is_left_open_does_not_keep_its_session_alive() {
    let fixture = Fixture::new().await;
    let token = logged_in(&fixture, Role::Operator).await;

    for _ in 0..29 {
        fixture.pass(MINUTE_US);
        assert!(peek_session(&fixture.app, &token).await.unwrap().is_some());
    }
    fixture.pass(MINUTE_US);
    assert!(peek_session(&fixture.app, &token).await.unwrap().is_none());
}

#[tokio::test]
async fn a_scanner_may_lie_on_the_table_for_eight_hours() {
    let fixture = Fixture::new().await;
    let token = logged_in(&fixture, Role::Warehouse).await;

    fixture.pass(8 * HOUR_US - 1);
    assert!(lasts(&fixture, &token).await);
    fixture.pass(4 * HOUR_US + 1);
    assert!(!lasts(&fixture, &token).await, "twelve hours after the log-in it ends in any case");
}

#[tokio::test]
async fn no_session_lasts_longer_than_half_a_day_however_much_it_is_used() {
    let fixture = Fixture::new().await;
    let token = logged_in(&fixture, Role::Operator).await;

    for _ in 0..(12 * 3 - 1) {
        fixture.pass(20 * MINUTE_US);
        assert!(lasts(&fixture, &token).await);
    }
    fixture.pass(20 * MINUTE_US);
    assert!(!lasts(&fixture, &token).await);
    fixture.pass(1);
    remove_expired(&fixture.app).await.unwrap();
    let hash = crate::access::secrets::hash(token.reveal().as_bytes());
    assert_eq!(fixture.app.store.session(hash).await.unwrap(), None, "it is swept");
}

#[tokio::test]
async fn a_disabled_operator_has_no_session_and_a_short_password_is_refused() {
    let fixture = Fixture::new().await;
    let token = logged_in(&fixture, Role::Operator).await;
    let name = OperatorName::parse("lena").unwrap();

    let short = Secret::new("too short".to_owned());
    let refused = set_password(scope_of(&fixture.app, &test_operator()), &name, Some(&short)).await;
    let words = "1 field is invalid: $.password must have 10 to 200 characters";
    assert_eq!(refused.unwrap_err().to_string(), words);
    assert!(lasts(&fixture, &token).await);
    set_operator_disabled(scope_of(&fixture.app, &test_operator()), &name, true).await.unwrap();
    assert!(!lasts(&fixture, &token).await);
}

#[tokio::test]
async fn what_is_no_token_of_ours_is_nobodys_session() {
    let fixture = Fixture::new().await;
    logged_in(&fixture, Role::Operator).await;
    for token in ["", "x", &"x".repeat(10_000)] {
        assert!(!lasts(&fixture, &Secret::new(token.to_owned())).await);
    }
}
