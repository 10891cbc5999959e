//! What only a moved clock or a race can show; everything else is seen from outside.

mod alerts;
mod cleanup;
mod keys;
mod labels;
mod replay;
mod retention;
mod sessions;
mod shoppers;
mod tokens;
mod warehouse;

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use bytes::Bytes;
use delivery::address::AddressGuard;
use domain::{
    identifier::{ClientId, MerchantId},
    merchants::merchant::MerchantSettings,
    orders::intake::IntakeOutcome,
    returns::rma::{NewRma, Rma},
};
use jiff::Timestamp;
use prometheus_client::registry::Registry;
use store::{Attempt, AttemptOutcome, Location, PendingMessage, Store, Transaction};
use tempfile::TempDir;
use world::{KeyRing, Secret, Vault, World};

use crate::{
    App, AppError, AppParts,
    access::{
        authenticate::{Caller, authenticate},
        issue_token::{TOKEN_LIFETIME_S, TokenRequest, issue_token},
    },
    background::cleanup::remove_expired,
    core::{
        metrics::AppMetrics,
        scope::{IdempotencyKey, RequestScope},
    },
    merchants::{
        add_merchant::{AddedMerchant, NewMerchant, add_merchant},
        change_merchant::{MerchantChange, change_merchant},
    },
    orders::{
        erase_shopper::{ErasureRequest, ShopperErasure, erase_shopper},
        publish_orders::{IntakeResult, OrdersMessage, publish_orders},
        shopper_data::ShopperQuery,
    },
    returns::{origin::Origin, return_draft::put_new_return},
};

const HOUR_US: i64 = 3_600_000_000;

struct Fixture {
    app: App,
    clock: Arc<AtomicI64>,
    acme: AddedMerchant,
    /// The keys that the app started with.
    ring: KeyRing,
    directory: TempDir,
}

impl Fixture {
    async fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let location = Location::Sqlite(directory.path().join("homeward.db"));
        let mut registry = Registry::default();
        let metrics = store::StoreMetrics::register(&mut registry);
        let store = Store::open(&location, &metrics).await.unwrap();
        store.migrate().await.unwrap();
        let clock = Arc::new(AtomicI64::new(1_700_000_000_000_000));
        let world = World::manual(Arc::clone(&clock));
        let ring = KeyRing::generate(&world);
        let vault = Vault::new(&ring);
        let app = App::new(AppParts {
            store,
            world,
            vault,
            dispatcher: delivery::DispatcherHandle::new().0,
            guard: AddressGuard::new(Vec::new()),
            http: delivery::HttpClient::new(
                AddressGuard::new(Vec::new()),
                delivery::machine_trust(),
                World::system(),
                delivery::CallSettings::default(),
            ),
            metrics: AppMetrics::register(&mut registry),
            mail: crate::messages::mail::platform::PlatformMail::default(),
            certificate_required: false,
        });
        let new = NewMerchant {
            id: MerchantId::parse("acme").unwrap(),
            name: "Acme".to_owned(),
            settings: MerchantSettings::default(),
        };
        let acme = add_merchant(scope_of(&app, &test_operator()), &new).await.unwrap();
        Self { app, clock, acme, ring, directory }
    }

    fn pass(&self, microseconds: i64) {
        self.clock.fetch_add(microseconds, Ordering::Relaxed);
    }

    async fn token(&self) -> Secret {
        let asked = TokenRequest {
            grant_type: Some("client_credentials".to_owned()),
            client_id: Some(self.acme.client_id.clone()),
            client_secret: Some(Secret::new(self.acme.client_secret.clone())),
            scope: None,
        };
        issue_token(&self.app, asked).await.unwrap().access_token
    }

    /// Stores tokens of the merchant's client, whose text is unknown.
    async fn insert_tokens(&self, count: u32, expires_us: i64) {
        let id = ClientId::parse(&self.acme.client_id).unwrap();
        let client = self.app.store.client(&id).await.unwrap().unwrap().value;
        let mut transaction = Transaction::new("issuing many tokens");
        for number in 0..count {
            let hash = Bytes::copy_from_slice(&number.to_be_bytes());
            transaction.insert_token(&client, hash, client.scopes, expires_us);
        }
        self.app.store.commit(transaction).await.unwrap();
    }

    async fn caller(&self) -> Caller {
        authenticate(&self.app, self.token().await.reveal()).await.unwrap().unwrap()
    }

    /// Stores the only attempt at a message, which ended like this.
    async fn store_attempt(&self, message: PendingMessage, status: u16, outcome: AttemptOutcome) {
        let attempt = Attempt {
            message: Arc::new(message),
            number: 1,
            at_us: 1,
            latency_us: 1,
            waited_us: 1,
            status: Some(status),
            error: None,
            answer: None,
            outcome,
        };
        let mut transaction = Transaction::new("testing");
        transaction.record_attempts([&attempt].into_iter());
        self.app.store.commit(transaction).await.unwrap();
    }

    async fn store_return(&self, rma: &Rma) {
        let acme = MerchantId::parse("acme").unwrap();
        let mut transaction = Transaction::new("testing");
        let origin = Origin::simulated_carrier();
        put_new_return(&self.app, &mut transaction, &acme, rma, &origin).await.unwrap();
        self.app.commit(transaction).await.unwrap();
    }

    /// Erases a shopper, whatever is open.
    async fn erase(&self, email: &str) -> ShopperErasure {
        let request = ErasureRequest {
            shopper: ShopperQuery { email: email.to_owned(), merchant: None, after: None },
            force_reason: Some("a letter".to_owned()),
        };
        erase_shopper(scope_of(&self.app, &test_operator()), &request).await.unwrap()
    }

    async fn load_return(&self, rma: &Rma) -> Rma {
        let acme = MerchantId::parse("acme").unwrap();
        self.app.store.rma(&acme, &rma.rma_identifier).await.unwrap().unwrap().value
    }

    async fn publish(&self, key: Option<&str>, body: &str) -> Result<IntakeResult, AppError> {
        let key = key.map(|key| IdempotencyKey {
            key: key.to_owned(),
            request_hash: crate::access::secrets::hash(body.as_bytes()),
        });
        let body = Bytes::from(body.to_owned());
        let message = OrdersMessage { body, dry_run: false, strict: false };
        publish_orders(self.caller().await.scope(&self.app, key.as_ref()), message).await
    }
}

/// A return that has just started.
fn started_return(opening: NewRma) -> Rma {
    Rma::open(opening, Timestamp::from_microsecond(1_700_000_000_000_000).unwrap())
}

fn test_operator() -> ClientId {
    ClientId::new(&MerchantId::platform(), "test")
}

fn scope_of<'a>(app: &'a App, client: &'a ClientId) -> RequestScope<'a> {
    RequestScope { app, client, address: None, merchant: None, idempotency: None, request: None }
}

fn sample() -> &'static str {
    domain::samples::order_message()
}

#[tokio::test]
async fn a_token_ends_after_25_hours() {
    let fixture = Fixture::new().await;
    let token = fixture.token().await;

    fixture.pass(TOKEN_LIFETIME_S * 1_000_000 - 1);
    assert!(authenticate(&fixture.app, token.reveal()).await.unwrap().is_some());
    fixture.pass(1);
    assert!(authenticate(&fixture.app, token.reveal()).await.unwrap().is_none());
}

#[tokio::test]
async fn an_answer_is_remembered_for_24_hours() {
    let fixture = Fixture::new().await;
    let first = fixture.publish(Some("key"), sample()).await.unwrap();
    assert_eq!(first.orders[0].result, IntakeOutcome::Created);

    fixture.pass(24 * HOUR_US - 1);
    assert_eq!(fixture.publish(Some("key"), sample()).await.unwrap(), first);
    let other = sample().replace("ORD-100472", "ORD-2");
    let refused = fixture.publish(Some("key"), &other).await.unwrap_err();
    assert!(matches!(refused, AppError::Conflict(_)));

    fixture.pass(2);
    let again = fixture.publish(Some("key"), sample()).await.unwrap();
    assert_eq!(again.orders[0].result, IntakeOutcome::Unchanged);
}

#[tokio::test]
async fn what_has_run_out_is_swept_and_the_rest_stays() {
    let fixture = Fixture::new().await;
    let old = fixture.token().await;
    fixture.pass(2 * HOUR_US);
    let young = fixture.token().await;

    fixture.pass(24 * HOUR_US);
    remove_expired(&fixture.app).await.unwrap();

    let store = &fixture.app.store;
    let acme = MerchantId::parse("acme").unwrap();
    let hash = |token: &Secret| crate::access::secrets::hash(token.reveal().as_bytes());
    assert!(store.token_owner(&acme, hash(&old)).await.unwrap().is_none());
    assert!(store.token_owner(&acme, hash(&young)).await.unwrap().is_some());
}

#[tokio::test]
async fn everything_that_has_expired_is_removed_however_much_it_is() {
    let fixture = Fixture::new().await;
    let now_us = fixture.app.world.wall_clock_us();
    fixture.insert_tokens(1_700, now_us - 1).await;

    remove_expired(&fixture.app).await.unwrap();

    assert!(!fixture.app.store.has_expired_tokens(now_us).await.unwrap());
}

#[tokio::test]
async fn a_client_has_a_thousand_live_tokens_at_most() {
    let fixture = Fixture::new().await;
    let oldest = fixture.token().await;
    let lives = || async { authenticate(&fixture.app, oldest.reveal()).await.unwrap().is_some() };
    fixture.pass(1);
    let expires_us = fixture.app.world.wall_clock_us() + TOKEN_LIFETIME_S * 1_000_000;
    fixture.insert_tokens(998, expires_us).await;
    fixture.pass(1);
    fixture.token().await;
    assert!(lives().await);

    fixture.pass(1);
    let newest = fixture.token().await;
    fixture.app.callers.forget_all();

    assert!(!lives().await, "the oldest ends");
    assert!(authenticate(&fixture.app, newest.reveal()).await.unwrap().is_some());
}

#[tokio::test]
async fn the_same_request_many_times_at_once_is_decided_once() {
    let fixture = Fixture::new().await;

    let rivals = (0..16).map(|_| fixture.publish(Some("key"), sample()));
    let answers = futures_util::future::join_all(rivals).await;

    for answer in answers {
        assert_eq!(answer.unwrap().orders[0].result, IntakeOutcome::Created, "the first answer");
    }
}

#[tokio::test]
async fn of_many_snapshots_at_once_the_newest_stands() {
    let fixture = Fixture::new().await;
    let snapshot = |minute: usize| {
        let mut message: serde_json::Value = serde_json::from_str(sample()).unwrap();
        message["returns_portal_order"]["orders"][0]["updated_at"] =
            format!("2030-01-01T00:{minute:02}:00Z").into();
        message.to_string()
    };
    let bodies: Vec<String> = (0..8).map(snapshot).collect();

    let rivals = bodies.iter().map(|body| fixture.publish(None, body));
    for answer in futures_util::future::join_all(rivals).await {
        answer.unwrap();
    }

    let acme = MerchantId::parse("acme").unwrap();
    let held = crate::orders::load_order::load_order_json(&fixture.app, &acme, "ORD-100472")
        .await
        .unwrap();
    assert!(String::from_utf8(held).unwrap().contains("2030-01-01T00:07:00Z"));
}

#[tokio::test]
async fn a_disabled_merchant_is_refused_at_once() {
    let fixture = Fixture::new().await;
    let token = fixture.token().await;
    assert!(authenticate(&fixture.app, token.reveal()).await.unwrap().is_some());

    let change = MerchantChange { disabled: Some(true), ..MerchantChange::default() };
    let acme = MerchantId::parse("acme").unwrap();
    let operator = test_operator();
    let scope = scope_of(&fixture.app, &operator).for_merchant(&acme);
    change_merchant(scope, &change).await.unwrap();

    assert!(authenticate(&fixture.app, token.reveal()).await.unwrap().is_none());
}
