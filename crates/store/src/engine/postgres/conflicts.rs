//! Which errors of the server mean that another transaction was faster, and which that the server
//! is gone.

use std::{error::Error, io};

use tokio_postgres::error::SqlState;

use crate::core::error::EngineError;

/// The routine of Citus that reports what another server said about copied rows. It keeps the
/// message and loses the code.
const COPY_ROUTINE: &str = "ReportCopyError";

/// How the messages of the codes in [`is_conflict_code`] begin.
const MESSAGES: [&str; 4] = [
    "could not serialize access",
    "deadlock detected",
    "duplicate key value violates unique constraint",
    "canceling statement due to lock timeout",
];

/// The server aborts one of two transactions that deadlock, and one of two that insert the same
/// key. Both are conflicts: the use case tries again.
pub(super) fn conflict_or_error(error: tokio_postgres::Error) -> EngineError {
    let is_conflict = match error.as_db_error() {
        // A shard that has just moved: the copied rows went to another server.
        Some(server) if server.routine() == Some(COPY_ROUTINE) => {
            is_conflict_message(server.message())
        }
        Some(_) | None => error.code().is_some_and(is_conflict_code),
    };
    if is_conflict { EngineError::Conflict } else { EngineError::Postgres(error) }
}

/// Whether the connection ended, so that it is unknown what the server did last.
pub(super) fn is_connection_lost(error: &EngineError) -> bool {
    let EngineError::Postgres(error) = error else { return false };
    let is_broken = error.source().is_some_and(<dyn Error>::is::<io::Error>);
    let ends = [SqlState::ADMIN_SHUTDOWN, SqlState::CRASH_SHUTDOWN];
    error.is_closed() || is_broken || error.code().is_some_and(|code| ends.contains(code))
}

fn is_conflict_code(code: &SqlState) -> bool {
    let conflicts = [
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::UNIQUE_VIOLATION,
        SqlState::LOCK_NOT_AVAILABLE,
    ];
    conflicts.contains(code)
}

/// Any other message, such as that of a full disk, is an error. In a language other than English,
/// a conflict is one too, which is rare and safe: nothing was stored.
fn is_conflict_message(message: &str) -> bool {
    MESSAGES.iter().any(|begin| message.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_message_about_rivals_is_a_conflict() {
        let duplicate = "duplicate key value violates unique constraint \"orders_pkey_102031\"";
        assert!(is_conflict_message(duplicate));
        assert!(is_conflict_message("deadlock detected"));
        for message in [
            "could not extend file \"base/1/2\": No space left on device",
            "failed to complete COPY on worker1:5432",
            "relation \"orders_102031\" does not exist",
        ] {
            assert!(!is_conflict_message(message), "{message}");
        }
    }
}
