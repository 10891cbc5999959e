//! The files that belong to labels, in pieces.

use boxed::boxed;
use bytes::Bytes;
use domain::{identifier::MerchantId, returns::identifier::RmaId};

use crate::{Store, StoreError, Transaction, core::value::params};

/// The most bytes of a piece.
const PIECE_BYTES: usize = 128 * 1024;

impl Transaction {
    /// Adds a file, if it is not there yet. It is named by its hash.
    pub fn put_label_document(
        &mut self,
        merchant: &MerchantId,
        rma: &RmaId,
        sha256: &str,
        bytes: &Bytes,
    ) {
        for (number, start) in (0..bytes.len()).step_by(PIECE_BYTES).enumerate() {
            let end = bytes.len().min(start.saturating_add(PIECE_BYTES));
            self.any_rows(
                "INSERT INTO label_documents (merchant_id, rma_id, sha256, piece, body)
                 VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
                params![merchant, rma.as_str(), sha256, number, bytes.slice(start..end)],
            );
        }
    }
}

impl Store {
    /// A piece of a file, counted from 0. None behind the last one.
    #[boxed]
    pub async fn label_document_piece(
        &self,
        merchant: &MerchantId,
        rma: &RmaId,
        sha256: &str,
        piece: usize,
    ) -> Result<Option<Bytes>, StoreError> {
        self.read_first(
            "reading a label",
            "SELECT body FROM label_documents
             WHERE merchant_id = $1 AND rma_id = $2 AND sha256 = $3 AND piece = $4",
            params![merchant, rma.as_str(), sha256, piece],
            |row| row.bytes(0),
        )
        .await
    }
}
