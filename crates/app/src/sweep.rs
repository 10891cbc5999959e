//! What has run out is removed: tokens after their end, answers after a day.
//!
//! In small batches, so that nobody waits behind it.

use store::{StoreError, Transaction};

use crate::{App, commit_once};

const BATCH: i64 = 500;

/// Removes one batch of each.
pub async fn sweep(app: &App) -> Result<(), StoreError> {
    let mut transaction = Transaction::new("removing what has run out");
    transaction.delete_expired_tokens(app.world.now_us(), BATCH);
    transaction.delete_old_answers(commit_once::forgotten_us(app), BATCH);
    app.store.commit(transaction).await.map(drop)
}
