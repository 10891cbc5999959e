//! Settings that must be in a range. Outside of it, the server would start and not work.

use std::{fmt::Display, ops::RangeInclusive, path::PathBuf, time::Duration};

use domain::messages::retry::RetrySchedule;

use super::{BackupSchedule, origin::refuse};

const DAY_MS: u64 = 24 * 60 * 60 * 1_000;
const RETRY_FACTOR_MAX: u64 = 100;
const DELIVERY_TIMEOUT_MS_MAX: u64 = 10 * 60 * 1_000;
const DRAIN_S_MAX: u64 = 60 * 60;
/// A year.
const HOURS_MAX: u64 = 8_760;
const BACKUPS_MAX: usize = 10_000;

fn require_range<T: PartialOrd + Display>(
    name: &'static str,
    value: T,
    range: RangeInclusive<T>,
) -> anyhow::Result<T> {
    let (least, most) = (range.start(), range.end());
    if !range.contains(&value) {
        return Err(refuse(name, format!("must be from {least} to {most}, not {value}")));
    }
    Ok(value)
}

pub(super) fn check_rate_limit(per_minute: u32) -> anyhow::Result<u32> {
    require_range("rate_limit_per_minute", per_minute, 1..=u32::MAX)
}

pub(super) fn check_retry_schedule(base_ms: u64, factor: u64) -> anyhow::Result<RetrySchedule> {
    Ok(RetrySchedule {
        base_ms: require_range("retry_base_ms", base_ms, 1..=DAY_MS)?,
        factor: require_range("retry_factor", factor, 1..=RETRY_FACTOR_MAX)?,
    })
}

pub(super) fn check_timeout(ms: u64) -> anyhow::Result<Duration> {
    require_range("delivery_timeout_ms", ms, 1..=DELIVERY_TIMEOUT_MS_MAX).map(Duration::from_millis)
}

pub(super) fn check_drain(seconds: u64) -> anyhow::Result<Duration> {
    require_range("drain_seconds", seconds, 0..=DRAIN_S_MAX).map(Duration::from_secs)
}

pub(super) fn check_backups(
    folder: Option<PathBuf>,
    every_hours: u64,
    keep: usize,
) -> anyhow::Result<Option<BackupSchedule>> {
    require_range("backup_every_hours", every_hours, 1..=HOURS_MAX)?;
    require_range("backup_keep", keep, 1..=BACKUPS_MAX)?;
    let every = Duration::from_secs(every_hours.saturating_mul(60 * 60));
    Ok(folder.map(|folder| BackupSchedule { folder, every, keep }))
}
