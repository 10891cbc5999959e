//! Load, decide, commit: the loop around every use case that changes something.
//!
//! Nothing is locked between load and commit. When somebody else was faster the
//! store says so, and the decision is simply taken again on the new state.
//!
//! A request with an `Idempotency-Key` is decided once: its answer is committed
//! with the change, and the same request within a day gets that answer. Answers may hold
//! a freshly made secret, so they are sealed.

use bytes::Bytes;
use domain::identifier::ClientId;
use serde::{Serialize, de::DeserializeOwned};
use store::{StoreError, StoredResponse, Transaction};

use crate::{App, AppError};

/// How often a decision is taken again after losing a race.
pub(crate) const RACES_MAX: u32 = 8;
/// For how long an answer is remembered.
const REMEMBERED_US: i64 = 24 * 60 * 60 * 1_000_000;
const ANSWER: &str = "answer";

/// A request that may come again.
#[derive(Clone, Debug)]
pub struct IdempotencyKey {
    pub key: String,
    /// Of everything that makes the request what it is: method, address and body.
    pub request_hash: Bytes,
}

/// Who asks, and under which key if any.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub client: &'a ClientId,
    pub repeatable: Option<&'a IdempotencyKey>,
}

/// Takes the decision and commits it, once for each key.
pub(crate) async fn commit_once<T, D>(
    app: &App,
    request: Request<'_>,
    decide: impl Fn() -> D,
) -> Result<T, AppError>
where
    T: Serialize + DeserializeOwned,
    D: Future<Output = Result<(T, Transaction), AppError>> + Send,
{
    for _ in 0..RACES_MAX {
        if let Some(answer) = replay_response(app, request).await? {
            return Ok(answer);
        }
        if let Race::Won(answer) = race(app, request, decide().await?).await? {
            return Ok(answer);
        }
    }
    Err(StoreError::Conflict.into())
}

/// The same for an answer that the decision begins with and completes: one that is very large is not kept a
/// second time for the case that the race is lost.
pub(crate) async fn complete_once<T, D>(
    app: &App,
    request: Request<'_>,
    mut answer: T,
    decide: impl Fn(T) -> D,
) -> Result<T, AppError>
where
    T: Serialize + DeserializeOwned,
    D: Future<Output = Result<(T, Transaction), AppError>> + Send,
{
    for _ in 0..RACES_MAX {
        if let Some(answer) = replay_response(app, request).await? {
            return Ok(answer);
        }
        match race(app, request, decide(answer).await?).await? {
            Race::Won(completed) => return Ok(completed),
            Race::Lost(completed) => answer = completed,
        }
    }
    Err(StoreError::Conflict.into())
}

/// How the commit of a decision ended.
enum Race<T> {
    Won(T),
    /// Somebody else was faster.
    Lost(T),
}

/// Commits a decision together with its answer.
async fn race<T: Serialize>(
    app: &App,
    request: Request<'_>,
    (answer, mut transaction): (T, Transaction),
) -> Result<Race<T>, AppError> {
    keep(app, request, &answer, &mut transaction);
    match app.commit(transaction).await {
        Ok(()) => Ok(Race::Won(answer)),
        Err(StoreError::Conflict) => Ok(Race::Lost(answer)),
        Err(error) => Err(error.into()),
    }
}

/// The answer already given to this request, if it has a key that was used.
pub(crate) async fn replay_response<T: DeserializeOwned>(
    app: &App,
    request: Request<'_>,
) -> Result<Option<T>, AppError> {
    let Some(repeatable) = request.repeatable else { return Ok(None) };
    let forgotten_us = response_cutoff_us(app);
    let Some(known) =
        app.store.stored_response(request.client, &repeatable.key, forgotten_us).await?
    else {
        return Ok(None);
    };
    if known.request_hash != repeatable.request_hash {
        return Err(AppError::Conflict(
            "this Idempotency-Key was used for another request in the last 24 hours".to_owned(),
        ));
    }
    let body = app.vault.open(ANSWER, &known.body)?;
    serde_json::from_slice(&body).map(Some).map_err(AppError::UnreadableAnswer)
}

fn keep(app: &App, request: Request<'_>, answer: &impl Serialize, transaction: &mut Transaction) {
    let Some(repeatable) = request.repeatable else { return };
    let text = serde_json::to_vec(answer).expect("answers have string keys and finite numbers");
    let answer = StoredResponse {
        request_hash: repeatable.request_hash.clone(),
        answered_us: app.world.now_us(),
        body: app.vault.seal(&app.world, ANSWER, &text).into(),
    };
    transaction.store_response(request.client, &repeatable.key, &answer, response_cutoff_us(app));
}

pub(crate) fn response_cutoff_us(app: &App) -> i64 {
    app.world.now_us() - REMEMBERED_US
}
