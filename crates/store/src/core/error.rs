//! Why the store did not do what was asked.
//!
//! [`StoreError`] is for the code above: it singles out [`StoreError::Conflict`],
//! which callers act on, and names the operation in everything else.
//! [`EngineError`] is what an engine says, before the operation is named. Its text is complete, so it
//! ends the chain of causes that [`with_causes`] prints.

/// Why the store did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Somebody else changed the row first: load it again and decide again.
    #[error("changed by someone else meanwhile")]
    Conflict,
    /// A stored row no longer reads as what this version writes.
    #[error("row {id} of {table} is unreadable: {why}")]
    Corrupt { table: &'static str, id: String, why: String },
    #[error("the database failed while {operation}")]
    Database { operation: &'static str, source: EngineError },
    /// The store cannot be used as it is; the text says what to do.
    #[error("{0}")]
    Unusable(String),
}

/// What an engine answers when a statement did not go through.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A guard did not hold, or the engine asks to try the transaction again.
    #[error("a row was not as expected")]
    Conflict,
    #[error("SQLite: {0}")]
    Sqlite(rusqlite::Error),
    #[error("PostgreSQL: {}", postgres_words(.0))]
    Postgres(tokio_postgres::Error),
    #[error("no connection to PostgreSQL: {0}")]
    Pool(String),
    #[error("column {column} should be {wanted} but is {found}")]
    Shape { column: usize, wanted: &'static str, found: &'static str },
    #[error("the commit that covered it failed")]
    NotCommitted,
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

/// An error with everything that caused it, for a log line: the last cause, such as the database's
/// own message, comes last.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// The driver's own text is only "db error"; the server's words are one level down.
fn postgres_words(error: &tokio_postgres::Error) -> String {
    match (error.as_db_error(), std::error::Error::source(error)) {
        (Some(server), _) => format!("{} ({})", server.message(), server.code().code()),
        (None, Some(source)) => format!("{error}: {source}"),
        (None, None) => error.to_string(),
    }
}

/// Names the operation that failed, so that no bare engine error travels up.
pub(crate) trait During<T> {
    fn during(self, operation: &'static str) -> Result<T, StoreError>;
}

impl<T> During<T> for Result<T, EngineError> {
    fn during(self, operation: &'static str) -> Result<T, StoreError> {
        self.map_err(|error| match error {
            EngineError::Conflict => StoreError::Conflict,
            source @ (EngineError::Sqlite(_)
            | EngineError::Postgres(_)
            | EngineError::Pool(_)
            | EngineError::Shape { .. }
            | EngineError::NotCommitted
            | EngineError::Closed) => StoreError::Database { operation, source },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_line_ends_with_the_message_of_the_database_which_is_printed_once() {
        let source = EngineError::from(rusqlite::Error::InvalidQuery);
        let error = StoreError::Database { operation: "reading deliveries", source };
        assert_eq!(
            with_causes(&error),
            format!(
                "the database failed while reading deliveries: SQLite: {}",
                rusqlite::Error::InvalidQuery
            )
        );
    }
}
