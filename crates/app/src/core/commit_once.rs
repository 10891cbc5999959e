//! Load, decide, commit: the loop around every use case that changes something.
//!
//! Nothing is locked between load and commit. When another request changed the same rows first, the
//! store reports a conflict, and the decision is made again on the new state.
//!
//! A request with an `Idempotency-Key` is decided once: its response is committed with the change,
//! and the same request within a day gets that response again. A response may contain a new secret,
//! so responses are sealed.

use bytes::Bytes;
use domain::identifier::ClientId;
use serde::{Serialize, de::DeserializeOwned};
use store::{StoreError, StoredResponse, Transaction};

use crate::{App, AppError};

/// How often a decision is made before a conflict is reported to the caller.
pub(crate) const COMMIT_ATTEMPTS_MAX: u32 = 8;
/// How long a response is stored.
const RETENTION_US: i64 = 24 * 60 * 60 * 1_000_000;
/// What sealed responses are bound to.
const SEAL_PURPOSE: &str = "answer";

/// Identifies a request that may be sent again.
#[derive(Clone, Debug)]
pub struct IdempotencyKey {
    pub key: String,
    /// The hash of everything that identifies the request: method, address and body.
    pub request_hash: Bytes,
}

/// The client that makes a request, and its idempotency key, if any.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub client: &'a ClientId,
    pub repeatable: Option<&'a IdempotencyKey>,
}

/// Makes the decision and commits it, once for each key.
pub(crate) async fn commit_once<T, D>(
    app: &App,
    request: Request<'_>,
    decide: impl Fn() -> D,
) -> Result<T, AppError>
where
    T: Serialize + DeserializeOwned,
    D: Future<Output = Result<(T, Transaction), AppError>> + Send,
{
    for _ in 0..COMMIT_ATTEMPTS_MAX {
        if let Some(response) = replay_response(app, request).await? {
            return Ok(response);
        }
        let (response, transaction) = decide().await?;
        if let CommitOutcome::Committed(response) =
            try_commit(app, request, response, transaction).await?
        {
            return Ok(response);
        }
    }
    Err(StoreError::Conflict.into())
}

/// The same for a response that exists before the decision, which completes it: a very large
/// response is not kept a second time in case of a conflict.
pub(crate) async fn complete_once<T, D>(
    app: &App,
    request: Request<'_>,
    mut response: T,
    decide: impl Fn(T) -> D,
) -> Result<T, AppError>
where
    T: Serialize + DeserializeOwned,
    D: Future<Output = Result<(T, Transaction), AppError>> + Send,
{
    for _ in 0..COMMIT_ATTEMPTS_MAX {
        if let Some(response) = replay_response(app, request).await? {
            return Ok(response);
        }
        let (completed, transaction) = decide(response).await?;
        match try_commit(app, request, completed, transaction).await? {
            CommitOutcome::Committed(completed) => return Ok(completed),
            CommitOutcome::Conflict(completed) => response = completed,
        }
    }
    Err(StoreError::Conflict.into())
}

/// How the commit of a decision ended. Both give the response back.
enum CommitOutcome<T> {
    Committed(T),
    /// Another request changed the same rows first.
    Conflict(T),
}

/// Commits a decision together with its response.
async fn try_commit<T: Serialize>(
    app: &App,
    request: Request<'_>,
    response: T,
    mut transaction: Transaction,
) -> Result<CommitOutcome<T>, AppError> {
    store_response(app, request, &response, &mut transaction);
    match app.commit(transaction).await {
        Ok(()) => Ok(CommitOutcome::Committed(response)),
        Err(StoreError::Conflict) => Ok(CommitOutcome::Conflict(response)),
        Err(error) => Err(error.into()),
    }
}

/// The response that this request already got, if its key was used.
pub(crate) async fn replay_response<T: DeserializeOwned>(
    app: &App,
    request: Request<'_>,
) -> Result<Option<T>, AppError> {
    let Some(idempotency) = request.repeatable else { return Ok(None) };
    let cutoff_us = response_cutoff_us(app);
    let Some(stored) =
        app.store.stored_response(request.client, &idempotency.key, cutoff_us).await?
    else {
        return Ok(None);
    };
    if stored.request_hash != idempotency.request_hash {
        return Err(AppError::Conflict(
            "this Idempotency-Key was used for another request in the last 24 hours".to_owned(),
        ));
    }
    let body = app.vault.open(SEAL_PURPOSE, &stored.body)?;
    serde_json::from_slice(&body).map(Some).map_err(AppError::UnreadableResponse)
}

fn store_response(
    app: &App,
    request: Request<'_>,
    response: &impl Serialize,
    transaction: &mut Transaction,
) {
    let Some(idempotency) = request.repeatable else { return };
    let text = serde_json::to_vec(response).expect("responses have string keys and finite numbers");
    let stored = StoredResponse {
        request_hash: idempotency.request_hash.clone(),
        answered_us: app.world.now_us(),
        body: app.vault.seal(&app.world, SEAL_PURPOSE, &text).into(),
    };
    let cutoff_us = response_cutoff_us(app);
    transaction.store_response(request.client, &idempotency.key, &stored, cutoff_us);
}

/// Responses from before this time have expired.
pub(crate) fn response_cutoff_us(app: &App) -> i64 {
    app.world.now_us() - RETENTION_US
}
