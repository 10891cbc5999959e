//! Responses that are stored under an `Idempotency-Key`: the same request within a day gets the
//! first response again.
//!
//! A response may contain a new secret, so responses are sealed.

use serde::{Serialize, de::DeserializeOwned};
use store::{StoredResponse, Transaction};

use crate::{App, AppError, core::scope::RequestScope};

/// How long a response is stored.
const RETENTION_US: i64 = 24 * 60 * 60 * 1_000_000;
/// What sealed responses are bound to.
const SEAL_PURPOSE: &str = "answer";

/// The response that this request got before, if it has a key that was used.
pub(crate) async fn replay_response<T: DeserializeOwned>(
    scope: RequestScope<'_>,
) -> Result<Option<T>, AppError> {
    let Some(idempotency) = scope.idempotency else { return Ok(None) };
    let cutoff_us = response_cutoff_us(scope.app);
    let stored = scope.app.store.stored_response(scope.client, &idempotency.key, cutoff_us).await?;
    let Some(stored) = stored else { return Ok(None) };
    if stored.request_hash != idempotency.request_hash {
        return Err(AppError::Conflict(
            "this Idempotency-Key was used for another request in the last 24 hours".to_owned(),
        ));
    }
    let body = scope.app.vault.open(SEAL_PURPOSE, &stored.body)?;
    serde_json::from_slice(&body).map(Some).map_err(AppError::UnreadableResponse)
}

/// Stores the response with the change that it reports, if the request has a key.
pub(crate) fn store_response(
    scope: RequestScope<'_>,
    response: &impl Serialize,
    transaction: &mut Transaction,
) {
    let Some(idempotency) = scope.idempotency else { return };
    let app = scope.app;
    let text = serde_json::to_vec(response).expect("responses have string keys, finite numbers");
    let stored = StoredResponse {
        request_hash: idempotency.request_hash.clone(),
        answered_us: app.world.now_us(),
        body: app.vault.seal(&app.world, SEAL_PURPOSE, &text).into(),
    };
    let cutoff_us = response_cutoff_us(app);
    transaction.store_response(scope.client, &idempotency.key, &stored, cutoff_us);
}

/// Responses from before this time have expired.
pub(crate) fn response_cutoff_us(app: &App) -> i64 {
    app.world.now_us() - RETENTION_US
}
