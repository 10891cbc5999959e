//! Load, decide, commit: the loop around every use case that changes something.
//!
//! Nothing is locked between load and commit. If another request was faster, the store reports a
//! conflict, and the use case loads and decides again.
//!
//! A request with an `Idempotency-Key` is decided once: its response is committed with the change.

use store::{StoreError, Transaction};

use crate::{
    AppError,
    core::{
        idempotency::{Replayable, replay_response, store_response},
        scope::RequestScope,
    },
};

/// How many attempts may conflict before the request fails with a conflict.
const ATTEMPTS_MAX: u32 = 8;

/// How one attempt to commit ended.
pub(crate) enum CommitAttempt<T, S> {
    Committed(T),
    /// Another request was faster. The next attempt starts with this.
    Conflict(S),
}

/// The loop: repeats `attempt` until it ends in anything but a conflict. Each attempt loads again
/// what it decides on, and starts with the state that the attempt before left.
pub(crate) async fn retry_from<S, T, F>(
    mut state: S,
    attempt: impl Fn(S) -> F,
) -> Result<T, AppError>
where
    F: Future<Output = Result<CommitAttempt<T, S>, AppError>> + Send,
{
    for _ in 0..ATTEMPTS_MAX {
        match attempt(state).await? {
            CommitAttempt::Committed(value) => return Ok(value),
            CommitAttempt::Conflict(left) => state = left,
        }
    }
    Err(StoreError::Conflict.into())
}

/// The same for attempts that leave nothing.
pub(crate) async fn retry_conflicts<T, F>(attempt: impl Fn() -> F) -> Result<T, AppError>
where
    F: Future<Output = Result<T, AppError>> + Send,
{
    retry_from((), |()| {
        let attempted = attempt();
        async move {
            match attempted.await {
                Ok(value) => Ok(CommitAttempt::Committed(value)),
                Err(AppError::Store(StoreError::Conflict)) => Ok(CommitAttempt::Conflict(())),
                Err(error) => Err(error),
            }
        }
    })
    .await
}

/// Decides and commits, once for each idempotency key. `decide` returns the response and the
/// transaction that makes it true.
pub(crate) async fn commit_once<T, D>(
    scope: RequestScope<'_>,
    decide: impl Fn() -> D,
) -> Result<T, AppError>
where
    T: Replayable,
    D: Future<Output = Result<(T, Transaction), AppError>> + Send,
{
    retry_conflicts(|| {
        let decision = decide();
        async move {
            if let Some(response) = replay_response(scope).await? {
                return Ok(response);
            }
            let (response, mut transaction) = decision.await?;
            store_response(scope, &response, &mut transaction);
            scope.app.commit(transaction).await?;
            Ok(response)
        }
    })
    .await
}

/// The same for a response that `decide` is given as a draft and completes. After a conflict it
/// continues with what it completed, so that a very large response is in memory only once.
pub(crate) async fn complete_once<T, D>(
    scope: RequestScope<'_>,
    draft: T,
    decide: impl Fn(T) -> D,
) -> Result<T, AppError>
where
    T: Replayable,
    D: Future<Output = Result<(T, Transaction), AppError>> + Send,
{
    retry_from(draft, |draft| {
        let decision = decide(draft);
        async move {
            if let Some(response) = replay_response(scope).await? {
                return Ok(CommitAttempt::Committed(response));
            }
            let (response, mut transaction) = decision.await?;
            store_response(scope, &response, &mut transaction);
            match scope.app.commit(transaction).await {
                Ok(()) => Ok(CommitAttempt::Committed(response)),
                Err(StoreError::Conflict) => Ok(CommitAttempt::Conflict(response)),
                Err(error) => Err(error.into()),
            }
        }
    })
    .await
}
