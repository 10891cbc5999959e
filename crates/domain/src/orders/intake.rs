//! Which of two snapshots of an order is kept.

use serde::{Deserialize, Serialize};

/// What happened to an order that arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Outcome)]
pub enum IntakeOutcome {
    /// The order is new.
    Created,
    /// The snapshot replaced the stored one.
    Updated,
    /// The stored snapshot is identical.
    Unchanged,
    /// The stored snapshot is newer; nothing was stored.
    Stale,
}

impl IntakeOutcome {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Unchanged => "unchanged",
            Self::Stale => "stale",
        }
    }

    pub fn is_stored(self) -> bool {
        match self {
            Self::Created | Self::Updated => true,
            Self::Unchanged | Self::Stale => false,
        }
    }
}

/// What distinguishes two snapshots of the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapshotVersion<'a> {
    /// Microseconds of `updated_at`.
    pub updated_us: i64,
    pub hash: &'a [u8],
}

/// What happens to `arrived`, given the `stored` snapshot, if any.
pub fn compare(
    stored: Option<&SnapshotVersion<'_>>,
    arrived: &SnapshotVersion<'_>,
) -> IntakeOutcome {
    match stored {
        None => IntakeOutcome::Created,
        Some(stored) if arrived.hash == stored.hash => IntakeOutcome::Unchanged,
        Some(stored) if arrived.updated_us < stored.updated_us => IntakeOutcome::Stale,
        Some(_) => IntakeOutcome::Updated,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(updated_us: i64, hash: &[u8]) -> SnapshotVersion<'_> {
        SnapshotVersion { updated_us, hash }
    }

    #[test]
    fn the_newest_snapshot_is_kept() {
        let stored = snapshot(5, b"a");
        assert_eq!(compare(None, &stored), IntakeOutcome::Created);
        assert_eq!(compare(Some(&stored), &snapshot(6, b"b")), IntakeOutcome::Updated);
        assert_eq!(compare(Some(&stored), &snapshot(4, b"b")), IntakeOutcome::Stale);
        assert_eq!(compare(Some(&stored), &stored), IntakeOutcome::Unchanged);
    }

    #[test]
    fn a_correction_within_the_same_moment_is_stored() {
        assert_eq!(compare(Some(&snapshot(5, b"a")), &snapshot(5, b"b")), IntakeOutcome::Updated);
    }
}
