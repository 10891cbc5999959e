//! What the start page shows of a demo: the addresses, what to try, and the progress of its
//! history.
//!
//! The page is available from the start, so the demo sets these things when it knows them.

use std::sync::{
    Arc, Mutex, MutexGuard, OnceLock, PoisonError,
    atomic::{AtomicU32, Ordering},
};

use world::Pace;

/// The progress of a complete history.
pub const COMPLETE: u32 = 1_000;

/// A handle to a running demo. Its copies are the same demo.
#[derive(Clone, Debug)]
pub struct DemoStatus(Arc<Status>);

#[derive(Debug)]
struct Status {
    pace: Pace,
    guide: OnceLock<Guide>,
    /// In thousandths.
    progress: AtomicU32,
    problem: Mutex<Option<String>>,
}

/// What a visitor needs to know.
#[derive(Clone, Debug, Default)]
pub struct Guide {
    /// The address of the demo.
    pub address: String,
    /// The merchant with a portal.
    pub merchant: String,
    pub merchant_name: String,
    /// Where the merchant's own server shows the calls it received.
    pub merchant_page: String,
    /// Where the mails to shoppers are shown.
    pub mailbox_page: String,
    pub client_id: String,
    pub client_secret: String,
    pub logins: Vec<DemoLogin>,
    pub orders: Vec<SampleOrder>,
    pub data_dir: String,
}

/// A person who can log in to the console.
#[derive(Clone, Debug)]
pub struct DemoLogin {
    pub name: String,
    pub password: String,
    /// What the person can do: a heading and a sentence.
    pub purpose: &'static str,
    pub description: &'static str,
}

/// An order for visitors to return.
#[derive(Clone, Debug)]
pub struct SampleOrder {
    pub number: &'static str,
    pub email: &'static str,
    pub postal_code: &'static str,
    pub description: &'static str,
}

impl DemoStatus {
    pub fn new(pace: Pace) -> Self {
        let (progress, problem) = (AtomicU32::new(0), Mutex::new(None));
        Self(Arc::new(Status { pace, guide: OnceLock::new(), progress, problem }))
    }

    /// Sets what visitors need to know. Only the first call has an effect.
    pub fn set_guide(&self, guide: Guide) {
        let _ = self.0.guide.set(guide);
    }

    pub fn pace(&self) -> &Pace {
        &self.0.pace
    }

    pub fn guide(&self) -> &Guide {
        self.0.guide.get_or_init(Guide::default)
    }

    /// How much of the history is complete, in thousandths.
    pub fn progress(&self) -> u32 {
        self.0.progress.load(Ordering::Relaxed)
    }

    pub fn set_progress(&self, thousandths: u32) {
        self.0.progress.store(thousandths.min(COMPLETE), Ordering::Relaxed);
    }

    /// Shows a problem on the page.
    pub fn report_problem(&self, text: String) {
        *self.lock_problem() = Some(text);
    }

    pub fn problem(&self) -> Option<String> {
        self.lock_problem().clone()
    }

    fn lock_problem(&self) -> MutexGuard<'_, Option<String>> {
        self.0.problem.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
