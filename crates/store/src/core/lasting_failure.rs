//! A failure that may last, such as that of work which needs the database while that is down: it is
//! logged when it begins, then once a minute with how often it happened, and when it has ended.

use std::{
    borrow::Cow,
    error::Error,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use super::error::with_causes;

const LOG_EVERY: Duration = Duration::from_secs(60);

/// Logs the failures of one piece of work.
#[derive(Debug)]
pub struct LastingFailure {
    /// Such as `renewing leases`.
    work: Cow<'static, str>,
    /// What happens after a failure, such as `retrying in 5 s`.
    next: &'static str,
    state: Mutex<FailureState>,
}

#[derive(Debug, Default)]
struct FailureState {
    /// Since the work succeeded last.
    failures: u64,
    /// Since the last line about a failure.
    unlogged: u64,
    logged_at: Option<Instant>,
    /// Whether a line says that the work fails, and none that it works again.
    is_announced: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum FailureLine {
    First,
    /// With the failures since the last line.
    Again(u64),
}

impl LastingFailure {
    pub fn new(work: impl Into<Cow<'static, str>>, next: &'static str) -> Self {
        Self { work: work.into(), next, state: Mutex::default() }
    }

    /// Notes whether the work succeeded, and logs what is new.
    pub fn note<T, E: Error>(&self, result: &Result<T, E>) {
        match result {
            Ok(_) => self.note_success(),
            Err(error) => self.note_failure(&with_causes(error)),
        }
    }

    pub fn note_failure(&self, cause: &str) {
        let Self { work, next, .. } = self;
        match self.lock().fail(Instant::now()) {
            Some(FailureLine::First) => tracing::error!("{work} failed, {next}: {cause}"),
            Some(FailureLine::Again(1)) => tracing::error!("{work} failed again, {next}: {cause}"),
            Some(FailureLine::Again(count)) => {
                tracing::error!("{work} failed {count} more times, {next}: {cause}");
            }
            None => (),
        }
    }

    pub fn note_success(&self) {
        if let Some(failures) = self.lock().succeed() {
            let times =
                if failures == 1 { "1 failure".into() } else { format!("{failures} failures") };
            tracing::info!("{} works again, after {times}", self.work);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, FailureState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FailureState {
    /// What to log about a failure. Work that fails and succeeds by turns is not logged more often
    /// than work that always fails.
    fn fail(&mut self, now: Instant) -> Option<FailureLine> {
        self.failures += 1;
        self.unlogged += 1;
        let is_recent = |at: Instant| now.duration_since(at) < LOG_EVERY;
        if self.logged_at.is_some_and(is_recent) {
            return None;
        }
        let count = std::mem::take(&mut self.unlogged);
        self.logged_at = Some(now);
        self.is_announced = true;
        Some(if count == self.failures { FailureLine::First } else { FailureLine::Again(count) })
    }

    /// The failures before this success, if it is to be logged.
    fn succeed(&mut self) -> Option<u64> {
        let failures = std::mem::take(&mut self.failures);
        self.unlogged = 0;
        std::mem::take(&mut self.is_announced).then_some(failures)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lasting_failure_is_logged_at_its_start_each_minute_and_at_its_end() {
        let (mut state, start) = (FailureState::default(), Instant::now());
        let mut lines = Vec::new();
        for second in 0..150 {
            lines.extend(state.fail(start + Duration::from_secs(second)));
        }
        assert_eq!(lines, [FailureLine::First, FailureLine::Again(60), FailureLine::Again(60)]);
        assert_eq!(state.succeed(), Some(150));
        assert_eq!(state.succeed(), None, "once");
    }

    #[test]
    fn work_that_fails_now_and_then_is_not_logged_each_time() {
        let (mut state, start) = (FailureState::default(), Instant::now());
        let mut lines = 0;
        for second in 0..120 {
            lines += u32::from(state.fail(start + Duration::from_secs(second)).is_some());
            lines += u32::from(state.succeed().is_some());
        }
        assert_eq!(lines, 4, "two failures and the end of each");
    }
}
