//! Reminds shoppers whose labels end soon.

use boxed::boxed;
use domain::messages::mail::occasion::of_reminder;
use store::{DueReminder, StoreError, Transaction, with_causes};

use super::return_mails::enqueue_occasion;
use crate::{App, AppError};

/// Reminders that are sent in one pass.
const BATCH: usize = 200;

/// Enqueues the reminders that are due. Returns how many were looked at.
#[boxed]
pub async fn send_reminders(app: &App) -> Result<usize, AppError> {
    let due = app.store.due_mail_reminders(app.world.now_us(), BATCH).await?;
    for reminder in &due {
        match remind(app, reminder).await {
            // Another node was faster, or the return has changed.
            Ok(()) | Err(AppError::Store(StoreError::Conflict)) => (),
            // The other shoppers are reminded all the same.
            Err(error) => {
                let DueReminder { merchant, rma_id, .. } = reminder;
                let cause = with_causes(&error);
                tracing::warn!(
                    "reminding the shopper of {rma_id} of {merchant} failed, will retry: {cause}"
                );
            }
        }
    }
    Ok(due.len())
}

async fn remind(app: &App, reminder: &DueReminder) -> Result<(), AppError> {
    let DueReminder { merchant, rma_id, .. } = reminder;
    let mut transaction = Transaction::new("reminding a shopper");
    transaction.end_mail_reminder(reminder);
    if let Some(found) = app.store.rma(merchant, rma_id).await? {
        let rma = found.value;
        if let Some(occasion) = of_reminder(&rma, app.world.now()) {
            enqueue_occasion(app, &mut transaction, merchant, &rma, occasion).await?;
        }
    }
    Ok(app.commit(transaction).await?)
}
