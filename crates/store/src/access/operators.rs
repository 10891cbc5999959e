//! Operators and their sessions. Of a session's token only the hash is kept.

use bytes::Bytes;
use domain::access::operator::{Operator, OperatorName};

use crate::{
    Store, StoreError, Transaction, Versioned,
    core::{
        body::{parse_body, to_json},
        error::During,
        value::{Row, params},
    },
};

/// A session and whose it is.
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
            params![operator.name.as_str(), to_json(operator)],
        );
    }

    /// Replaces an operator read at `version`.
    pub fn update_operator(&mut self, operator: &Operator, version: i64) {
        self.one_row(
            "UPDATE operators SET version = version + 1, body = $3
             WHERE operator = $1 AND version = $2",
            params![operator.name.as_str(), version, to_json(operator)],
        );
    }

    /// Makes the transaction hold only while the operator is as it was read.
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

    /// Notes that a session was used; it may have ended meanwhile.
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
    pub fn delete_expired_sessions(&mut self, now_us: i64, limit: i64) {
        self.any_rows(
            "DELETE FROM sessions WHERE token_hash IN (
                 SELECT token_hash FROM sessions WHERE expires_us < $1
                 ORDER BY expires_us, token_hash LIMIT $2)",
            params![now_us, limit],
        );
    }
}

impl Store {
    pub async fn operator(
        &self,
        name: &OperatorName,
    ) -> Result<Option<Versioned<Operator>>, StoreError> {
        let rows = self
            .query(
                "reading an operator",
                "SELECT operator, version, body FROM operators WHERE operator = $1",
                params![name.as_str()],
            )
            .await?;
        rows.first().map(operator).transpose()
    }

    /// Operators in the order of their names.
    pub async fn operators(&self, limit: usize) -> Result<Vec<Operator>, StoreError> {
        let rows = self
            .query(
                "listing operators",
                "SELECT operator, version, body FROM operators ORDER BY operator LIMIT $1",
                params![limit],
            )
            .await?;
        rows.iter().map(|row| Ok(operator(row)?.value)).collect()
    }

    /// The session whose token has this hash, if it is known.
    pub async fn session(&self, hash: Bytes) -> Result<Option<SessionRow>, StoreError> {
        let rows = self
            .query(
                "reading a session",
                "SELECT o.operator, o.version, o.body, s.created_us, s.last_seen_us, s.expires_us
                 FROM sessions s JOIN operators o ON o.operator = s.operator
                 WHERE s.token_hash = $1",
                params![hash],
            )
            .await?;
        rows.first().map(session).transpose()
    }
}

fn operator(row: &Row) -> Result<Versioned<Operator>, StoreError> {
    let read = || Ok((row.text(0)?, row.int(1)?, row.text(2)?));
    let (name, version, body) = read().during("reading an operator")?;
    Ok(Versioned { value: parse_body("operators", name, body)?, version })
}

fn session(row: &Row) -> Result<SessionRow, StoreError> {
    let times = || Ok((row.int(3)?, row.int(4)?, row.int(5)?));
    let (created_us, last_seen_us, expires_us) = times().during("reading a session")?;
    Ok(SessionRow { operator: operator(row)?.value, created_us, last_seen_us, expires_us })
}
