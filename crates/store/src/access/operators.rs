//! Operators and their sessions. Only the hash of a session's token is stored.

use boxed::boxed;
use bytes::Bytes;
use domain::{
    access::operator::{Operator, OperatorName},
    bodies::WriteJson,
};

use crate::{
    EngineError, Store, StoreError, Transaction, Versioned,
    core::{
        body::parse_body,
        value::{Row, params},
    },
};

/// A session and the operator it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRow {
    pub operator: Operator,
    pub created_us: i64,
    pub last_seen_us: i64,
    pub expires_us: i64,
}

impl Transaction {
    /// Adds an operator; a conflict when the name is taken.
    pub fn insert_operator(&mut self, operator: &Operator) {
        self.one_row(
            "INSERT INTO operators (operator, version, body) VALUES ($1, 1, $2)
             ON CONFLICT DO NOTHING",
            params![operator.name.as_str(), operator.to_json()],
        );
    }

    /// Replaces an operator read at `version`.
    pub fn update_operator(&mut self, operator: &Operator, version: i64) {
        self.one_row(
            "UPDATE operators SET version = version + 1, body = $3
             WHERE operator = $1 AND version = $2",
            params![operator.name.as_str(), version, operator.to_json()],
        );
    }

    /// Makes the transaction a conflict unless the operator still has the version it was read at.
    pub fn guard_operator(&mut self, name: &OperatorName, version: i64) {
        self.one_row(
            "UPDATE operators SET version = version WHERE operator = $1 AND version = $2",
            params![name.as_str(), version],
        );
    }

    pub fn insert_session(
        &mut self,
        hash: Bytes,
        name: &OperatorName,
        created_us: i64,
        expires_us: i64,
    ) {
        self.one_row(
            "INSERT INTO sessions (token_hash, operator, created_us, last_seen_us, expires_us)
             VALUES ($1, $2, $3, $3, $4)",
            params![hash, name.as_str(), created_us, expires_us],
        );
    }

    /// Extends a session that was used; it may have ended in the meantime.
    pub fn touch_session(&mut self, hash: Bytes, last_seen_us: i64, expires_us: i64) {
        self.any_rows(
            "UPDATE sessions SET last_seen_us = $2, expires_us = $3 WHERE token_hash = $1",
            params![hash, last_seen_us, expires_us],
        );
    }

    pub fn delete_session(&mut self, hash: Bytes) {
        self.any_rows("DELETE FROM sessions WHERE token_hash = $1", params![hash]);
    }

    /// Ends every session of an operator at once.
    pub fn delete_sessions(&mut self, name: &OperatorName) {
        self.any_rows("DELETE FROM sessions WHERE operator = $1", params![name.as_str()]);
    }

    /// Removes up to `limit` sessions that ended before `now_us`.
    pub fn delete_expired_sessions(&mut self, now_us: i64, limit: usize) {
        self.any_rows(
            "DELETE FROM sessions WHERE token_hash IN (
             SELECT token_hash FROM sessions WHERE expires_us < $1
             ORDER BY expires_us, token_hash LIMIT $2)",
            params![now_us, limit],
        );
    }
}

impl Store {
    #[boxed]
    pub async fn operator(
        &self,
        name: &OperatorName,
    ) -> Result<Option<Versioned<Operator>>, StoreError> {
        self.read_first(
            "reading an operator",
            "SELECT operator, version, body FROM operators WHERE operator = $1",
            params![name.as_str()],
            read_operator,
        )
        .await
    }

    /// Operators in the order of their names.
    #[boxed]
    pub async fn operators(&self, limit: usize) -> Result<Vec<Operator>, StoreError> {
        self.read_all(
            "listing operators",
            "SELECT operator, version, body FROM operators ORDER BY operator LIMIT $1",
            params![limit],
            |row| Ok(read_operator(row)?.value),
        )
        .await
    }

    /// Whether there are sessions that ended before `now_us`.
    #[boxed]
    pub async fn has_expired_sessions(&self, now_us: i64) -> Result<bool, StoreError> {
        let found = self.read_first(
            "looking for expired sessions",
            "SELECT expires_us FROM sessions WHERE expires_us < $1 LIMIT 1",
            params![now_us],
            |_| Ok(()),
        );
        Ok(found.await?.is_some())
    }

    /// The session with this hash of its token.
    #[boxed]
    pub async fn session(&self, hash: Bytes) -> Result<Option<SessionRow>, StoreError> {
        self.read_first(
            "reading a session",
            "SELECT o.operator, o.version, o.body, s.created_us, s.last_seen_us, s.expires_us
             FROM sessions s JOIN operators o ON o.operator = s.operator
             WHERE s.token_hash = $1",
            params![hash],
            read_session,
        )
        .await
    }
}

fn read_operator(row: &Row) -> Result<Versioned<Operator>, EngineError> {
    let value = parse_body("operators", row.text(0)?, row.text(2)?)?;
    Ok(Versioned { value, version: row.int(1)? })
}

fn read_session(row: &Row) -> Result<SessionRow, EngineError> {
    Ok(SessionRow {
        operator: read_operator(row)?.value,
        created_us: row.int(3)?,
        last_seen_us: row.int(4)?,
        expires_us: row.int(5)?,
    })
}
