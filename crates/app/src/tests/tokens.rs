//! A token that is issued while its client is changed.

use domain::identifier::ClientId;
use store::StoreError;
use world::Secret;

use super::{Fixture, scope_of, test_operator};
use crate::access::{
    issue_token::{commit_token, proven_client},
    rotate_secret::rotate_client_secret,
};

#[tokio::test]
async fn no_token_is_issued_for_a_secret_that_is_revoked_meanwhile() {
    let fixture = Fixture::new().await;
    let secret = Secret::new(fixture.acme.client_secret.clone());
    let prove = || proven_client(&fixture.app, Some(&fixture.acme.client_id), Some(&secret));
    let proven = prove().await.unwrap();

    let id = ClientId::parse(&fixture.acme.client_id).unwrap();
    let operator = test_operator();
    rotate_client_secret(scope_of(&fixture.app, &operator), &id, true).await.unwrap();

    let scopes = proven.value.scopes;
    let refused = commit_token(&fixture.app, &proven, scopes).await;
    assert!(matches!(refused, Err(StoreError::Conflict)));
    assert!(prove().await.is_err(), "the secret is revoked");
}
