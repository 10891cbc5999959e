//! Erasing what is about a shopper: stored documents are replaced by what remains of them. The
//! numbers that guard them against repetition stay: a refund that is reported again is recognized.

use boxed::boxed;
use bytes::Bytes;
use domain::{identifier::MerchantId, returns::identifier::RmaId};

use crate::{
    Store, StoreError, Transaction,
    core::{
        error::During,
        value::{Row, params},
    },
    orders::compressed::compress_order,
};

/// A stored document with the key that it has among those of the same order, return or message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentRow<K> {
    pub key: K,
    pub body: Bytes,
}

impl Transaction {
    /// Replaces the snapshot of an order, which its shopper then does not find any more; a conflict
    /// when the order is not at `version`.
    pub fn erase_order(
        &mut self,
        merchant: &MerchantId,
        order_id: &str,
        version: i64,
        body: Bytes,
    ) {
        self.one_row(
            "UPDATE orders SET version = version + 1, shopper_hash = 0, body = $4
             WHERE merchant_id = $1 AND order_id = $2 AND version = $3",
            params![merchant, order_id, version, compress_order(body)],
        );
    }

    /// Replaces recorded refunds.
    pub fn erase_refunds(&mut self, merchant: &MerchantId, refunds: Vec<DocumentRow<String>>) {
        self.one_row_each(
            "UPDATE refunds SET body = r.body FROM ROWS(merchant_id, refund_id, body)
             WHERE refunds.merchant_id = r.merchant_id AND refunds.refund_id = r.refund_id",
            refunds.into_iter().map(|it| params![merchant, it.key, it.body]).collect(),
        );
    }

    /// Replaces the description of the problem of a refund.
    pub fn erase_refund_problem(&mut self, merchant: &MerchantId, refund_id: &str, detail: &str) {
        self.any_rows(
            "UPDATE refund_problems SET detail = $3 WHERE merchant_id = $1 AND refund_id = $2",
            params![merchant, refund_id, detail],
        );
    }

    /// Replaces a return, and removes the files of its labels and what finds it by the name of its
    /// shopper; a conflict when the return is not at `version`.
    pub fn erase_return(&mut self, merchant: &MerchantId, rma: &RmaId, version: i64, body: String) {
        self.one_row(
            "UPDATE returns SET version = version + 1, body = $4
             WHERE merchant_id = $1 AND rma_id = $2 AND version = $3",
            params![merchant, rma.as_str(), version, body],
        );
        self.any_rows(
            "DELETE FROM label_documents WHERE merchant_id = $1 AND rma_id = $2",
            params![merchant, rma.as_str()],
        );
        self.any_rows(
            "DELETE FROM receiving_keys
             WHERE merchant_id = $1 AND rma_id = $2 AND lookup_key LIKE 'person %'",
            params![merchant, rma.as_str()],
        );
    }

    /// Replaces events in the journal of a return.
    pub fn erase_return_events(
        &mut self,
        merchant: &MerchantId,
        rma: &RmaId,
        events: Vec<DocumentRow<i64>>,
    ) {
        self.one_row_each(
            "UPDATE return_events SET body = r.body FROM ROWS(merchant_id, rma_id, number, body)
             WHERE return_events.merchant_id = r.merchant_id
                 AND return_events.rma_id = r.rma_id AND return_events.number = r.number",
            events
                .into_iter()
                .map(|it| {
                    let body = String::from_utf8_lossy(&it.body).into_owned();
                    params![merchant, rma.as_str(), it.key, body]
                })
                .collect(),
        );
    }

    /// Replaces a drop-ship order; a conflict when it is not at `version`.
    pub fn erase_drop_ship_order(
        &mut self,
        merchant: &MerchantId,
        client_identifier: &str,
        version: i64,
        body: String,
    ) {
        self.one_row(
            "UPDATE drop_ship_orders SET version = version + 1, body = $4
             WHERE merchant_id = $1 AND client_identifier = $2 AND version = $3",
            params![merchant, client_identifier, version, body],
        );
    }

    /// Replaces the bodies of messages, and removes what was answered to them. `reason` stands for
    /// the reason why one was discarded.
    pub fn erase_messages(
        &mut self,
        merchant: &MerchantId,
        messages: Vec<DocumentRow<i64>>,
        reason: &str,
    ) {
        let ids: Vec<i64> = messages.iter().map(|it| it.key).collect();
        self.any_rows_each(
            "UPDATE messages SET body = r.body FROM ROWS(merchant_id, message_id, body)
             WHERE messages.merchant_id = r.merchant_id AND messages.message_id = r.message_id",
            messages.into_iter().map(|it| params![merchant, it.key, it.body]).collect(),
        );
        self.any_rows_each(
            "UPDATE attempts SET answer = NULL FROM ROWS(merchant_id, message_id)
             WHERE attempts.merchant_id = r.merchant_id AND attempts.message_id = r.message_id",
            ids.iter().map(|id| params![merchant, *id]).collect(),
        );
        self.any_rows_each(
            "UPDATE discards SET reason = r.reason FROM ROWS(merchant_id, message_id, reason)
             WHERE discards.merchant_id = r.merchant_id AND discards.message_id = r.message_id",
            ids.iter().map(|id| params![merchant, *id, reason]).collect(),
        );
    }
}

impl Store {
    /// The recorded refunds of an order as they were sent, by their identifiers.
    #[boxed]
    pub async fn refund_documents(
        &self,
        merchant: &MerchantId,
        order_id: &str,
    ) -> Result<Vec<DocumentRow<String>>, StoreError> {
        self.read_all(
            "reading the refunds of an order",
            "SELECT refund_id, body FROM refunds WHERE merchant_id = $1 AND order_id = $2
             ORDER BY refund_id",
            params![merchant, order_id],
            |row| Ok(DocumentRow { key: row.text(0)?.to_owned(), body: row.bytes(1)? }),
        )
        .await
    }

    /// The journal of a return as it is stored, by the numbers of its events.
    #[boxed]
    pub async fn journal_documents(
        &self,
        merchant: &MerchantId,
        rma: &RmaId,
    ) -> Result<Vec<DocumentRow<i64>>, StoreError> {
        self.read_all(
            "reading the journal of a return",
            "SELECT number, body FROM return_events WHERE merchant_id = $1 AND rma_id = $2
             ORDER BY number",
            params![merchant, rma.as_str()],
            |row: &Row| {
                let body = Bytes::copy_from_slice(row.text(1)?.as_bytes());
                Ok(DocumentRow { key: row.int(0)?, body })
            },
        )
        .await
    }

    /// Removes the traces that replaced and removed data leaves in the files of the database, as
    /// far as the engine leaves any that it would not overwrite by itself soon.
    #[boxed]
    pub async fn remove_traces(&self) -> Result<(), StoreError> {
        self.engine.remove_traces().await.during("removing traces of erased data")
    }
}
