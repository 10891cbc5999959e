//! The keys with which values in this database may be encrypted: never the keys themselves, only
//! their identifiers, each with a known value that the key encrypted.

use boxed::boxed;
use bytes::Bytes;

use crate::{Store, StoreError, Transaction, core::value::params};

/// A key and the value that proves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealingKeyRow {
    pub id: String,
    pub check: Bytes,
}

impl Transaction {
    /// Adds a key. A key that is known is a conflict.
    pub fn insert_sealing_key(&mut self, key: &SealingKeyRow) {
        self.one_row(
            "INSERT INTO sealing_keys (key_id, check_value) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            params![key.id.as_str(), key.check.clone()],
        );
    }

    /// Forgets a key. A key that is not known is a conflict.
    pub fn delete_sealing_key(&mut self, id: &str) {
        self.one_row("DELETE FROM sealing_keys WHERE key_id = $1", params![id]);
    }
}

impl Store {
    #[boxed]
    pub async fn sealing_keys(&self) -> Result<Vec<SealingKeyRow>, StoreError> {
        self.read_all(
            "reading the sealing keys",
            "SELECT key_id, check_value FROM sealing_keys ORDER BY key_id",
            params![],
            |row| Ok(SealingKeyRow { id: row.text(0)?.to_owned(), check: row.bytes(1)? }),
        )
        .await
    }
}
