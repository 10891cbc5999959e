//! Why the store did not do what was asked.
//!
//! [`StoreError`] is for the code above: it singles out [`StoreError::Conflict`], which callers act
//! on, and names the operation in everything else. [`EngineError`] is what an engine reports,
//! before the operation is named.
//!
//! The text of both is complete and ends with the database's own message, so that a log line that
//! prints only the error still shows the cause. It is for operators: callers of the API never see
//! it.

/// Why the store did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another request changed the row first: load it again and decide again.
    #[error("changed by another request in the meantime")]
    Conflict,
    /// A stored row cannot be read as what this version writes.
    #[error("row {id} of {table} is unreadable: {why}")]
    Corrupt { table: &'static str, id: String, why: String },
    #[error("the database failed while {operation}: {cause}")]
    Database { operation: &'static str, cause: EngineError },
    /// The store cannot be used as it is; the text says what to do.
    #[error("{0}")]
    Unusable(String),
}

/// What an engine reports when a statement failed.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A guard did not hold, or the engine asks to try the transaction again.
    #[error("a row was not as expected")]
    Conflict,
    #[error("SQLite: {0}")]
    Sqlite(rusqlite::Error),
    #[error("PostgreSQL: {}", postgres_message(.0))]
    Postgres(tokio_postgres::Error),
    #[error("no connection to PostgreSQL: {0}")]
    Pool(String),
    /// A stored row cannot be read as what this version writes.
    #[error("row {id} of {table} is unreadable: {why}")]
    Corrupt { table: &'static str, id: String, why: String },
    #[error("column {column} should be {wanted} but is {found}")]
    Shape { column: usize, wanted: &'static str, found: &'static str },
    /// With the message of SQLite about the commit.
    #[error("the commit that covered it failed: SQLite: {0}")]
    NotCommitted(String),
    /// With the message about the connection.
    #[error("the connection was lost during the commit, which may have succeeded: {0}")]
    CommitUnknown(String),
    #[error("the store is closed")]
    Closed,
}

impl From<rusqlite::Error> for EngineError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<tokio_postgres::Error> for EngineError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Postgres(error)
    }
}

/// An error with everything that caused it, for a log line: the last cause comes last.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// The driver prints only "db error"; the server's message and code are one level down.
pub(crate) fn postgres_message(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(server) => format!("{} ({})", server.message(), server.code().code()),
        None => with_causes(error),
    }
}

/// Names the operation that failed, so that every error says what the store was asked to do.
pub(crate) trait During<T> {
    /// `operation` completes the sentence "the database failed while ...".
    fn during(self, operation: &'static str) -> Result<T, StoreError>;
}

impl<T> During<T> for Result<T, EngineError> {
    fn during(self, operation: &'static str) -> Result<T, StoreError> {
        self.map_err(|error| match error {
            EngineError::Conflict => StoreError::Conflict,
            EngineError::Corrupt { table, id, why } => StoreError::Corrupt { table, id, why },
            cause @ (EngineError::Sqlite(_)
            | EngineError::Postgres(_)
            | EngineError::Pool(_)
            | EngineError::Shape { .. }
            | EngineError::NotCommitted(_)
            | EngineError::CommitUnknown(_)
            | EngineError::Closed) => StoreError::Database { operation, cause },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_ends_with_the_message_of_the_database_which_is_printed_once() {
        let failed: Result<(), _> = Err(EngineError::from(rusqlite::Error::InvalidQuery));
        let error = failed.during("reading deliveries").unwrap_err();
        let expected = format!(
            "the database failed while reading deliveries: SQLite: {}",
            rusqlite::Error::InvalidQuery
        );
        assert_eq!(error.to_string(), expected);
        assert_eq!(with_causes(&error), expected);
    }
}
