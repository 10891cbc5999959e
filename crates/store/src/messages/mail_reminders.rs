//! The returns whose shoppers are to be reminded, and when.

use boxed::boxed;
use domain::{identifier::MerchantId, returns::identifier::RmaId};

use crate::{
    Store, StoreError, Transaction,
    core::{
        body::{corrupt, parse_merchant},
        value::params,
    },
};

/// A reminder that is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueReminder {
    pub merchant: MerchantId,
    pub rma_id: RmaId,
    pub due_us: i64,
}

impl Transaction {
    /// Reminds the shopper at `due_us`, and not at the time that was set before.
    pub fn put_mail_reminder(&mut self, merchant: &MerchantId, rma: &RmaId, due_us: i64) {
        self.one_row(
            "INSERT INTO mail_reminders (merchant_id, rma_id, due_us) VALUES ($1, $2, $3)
             ON CONFLICT (merchant_id, rma_id) DO UPDATE SET due_us = excluded.due_us",
            params![merchant, rma.as_str(), due_us],
        );
    }

    /// There is nothing to remind of any more.
    pub fn delete_mail_reminder(&mut self, merchant: &MerchantId, rma: &RmaId) {
        self.any_rows(
            "DELETE FROM mail_reminders WHERE merchant_id = $1 AND rma_id = $2",
            params![merchant, rma.as_str()],
        );
    }

    /// Ends a reminder that was read. Fails with a conflict if another node has ended it, or if it
    /// is due at another time by now.
    pub fn end_mail_reminder(&mut self, reminder: &DueReminder) {
        let DueReminder { merchant, rma_id, due_us } = reminder;
        self.one_row(
            "DELETE FROM mail_reminders WHERE merchant_id = $1 AND rma_id = $2 AND due_us = $3",
            params![merchant, rma_id.as_str(), *due_us],
        );
    }
}

impl Store {
    /// The reminders of all merchants that are due, the oldest first.
    #[boxed]
    pub async fn due_mail_reminders(
        &self,
        now_us: i64,
        limit: usize,
    ) -> Result<Vec<DueReminder>, StoreError> {
        self.read_all(
            "looking for reminders that are due",
            "SELECT merchant_id, rma_id, due_us FROM mail_reminders WHERE due_us <= $1
             ORDER BY due_us, merchant_id, rma_id LIMIT $2",
            params![now_us, limit],
            |row| {
                let merchant = parse_merchant("mail_reminders", row.text(0)?)?;
                let text = row.text(1)?;
                let rma_id = RmaId::parse(text);
                let rma_id =
                    rma_id.ok_or_else(|| corrupt("mail_reminders", text, &"not a return"))?;
                Ok(DueReminder { merchant, rma_id, due_us: row.int(2)? })
            },
        )
        .await
    }
}
