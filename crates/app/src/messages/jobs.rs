//! Jobs that work on many messages in the background, with progress, until they are done or
//! canceled. They live in the process that runs them.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use serde::{Deserialize, Serialize};

/// Finished jobs that are kept.
const JOBS_MAX: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    Running,
    Done,
    Cancelled,
    Failed,
}

impl JobState {
    /// As it is serialized.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Done => "done",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
        }
    }
}

/// The progress of a job.
pub(crate) trait Job: Clone {
    fn id(&self) -> &str;
    fn state(&self) -> JobState;
}

/// The jobs of one sort that this process runs or has run.
pub(crate) struct Jobs<J>(Mutex<BTreeMap<String, J>>);

impl<J> Default for Jobs<J> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<J: Job> Jobs<J> {
    pub(crate) fn change(&self, id: &str, change: impl FnOnce(&mut J)) -> Option<J> {
        let mut jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let job = jobs.get_mut(id)?;
        change(job);
        Some(job.clone())
    }

    pub(crate) fn add(&self, job: J) {
        insert(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner), job);
    }

    /// Adds the job, unless one with the same identifier is running. Returns whether it was added.
    pub(crate) fn add_unless_running(&self, job: J) -> bool {
        let mut jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if jobs.get(job.id()).is_some_and(|known| known.state() == JobState::Running) {
            return false;
        }
        insert(&mut jobs, job);
        true
    }

    /// The jobs for which `is_wanted` holds.
    pub(crate) fn list(&self, is_wanted: impl Fn(&J) -> bool) -> Vec<J> {
        let jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.values().filter(|job| is_wanted(job)).cloned().collect()
    }

    pub(crate) fn is_running(&self, id: &str) -> bool {
        self.change(id, |_| ()).is_some_and(|job| job.state() == JobState::Running)
    }
}

fn insert<J: Job>(jobs: &mut BTreeMap<String, J>, job: J) {
    if jobs.len() >= JOBS_MAX {
        jobs.retain(|_, job| job.state() == JobState::Running);
    }
    jobs.insert(job.id().to_owned(), job);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone)]
    struct Sample(JobState);

    impl Job for Sample {
        fn id(&self) -> &'static str {
            "one"
        }

        fn state(&self) -> JobState {
            self.0
        }
    }

    #[test]
    fn a_running_job_is_not_replaced() {
        let jobs = Jobs::default();
        assert!(jobs.add_unless_running(Sample(JobState::Running)));
        assert!(!jobs.add_unless_running(Sample(JobState::Running)));
        jobs.change("one", |job| job.0 = JobState::Done);
        assert!(jobs.add_unless_running(Sample(JobState::Running)));
        assert!(jobs.is_running("one"));
    }
}
