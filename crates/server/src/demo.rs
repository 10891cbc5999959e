//! What a demo tells the start page: where everything is, what to try, and how far its history is made.
//!
//! The page is shown from the first moment on, so whoever runs the demo tells these things when it knows them.

use std::sync::{
    Arc, Mutex, MutexGuard, OnceLock, PoisonError,
    atomic::{AtomicU32, Ordering},
};

use world::Pace;

/// How much of the history is made when all of it is.
pub const WHOLE: u32 = 1_000;

/// A handle on a demo that runs. Its copies are the same demo.
#[derive(Clone, Debug)]
pub struct Demo(Arc<Running>);

#[derive(Debug)]
struct Running {
    pace: Pace,
    guide: OnceLock<Guide>,
    /// In thousandths.
    made: AtomicU32,
    trouble: Mutex<Option<String>>,
}

/// What a visitor needs to know.
#[derive(Clone, Debug, Default)]
pub struct Guide {
    /// Where the demo is.
    pub address: String,
    /// The merchant with a portal.
    pub merchant: String,
    pub merchant_name: String,
    /// Where the merchant's own server shows what it was told.
    pub merchant_page: String,
    pub client_id: String,
    pub client_secret: String,
    pub logins: Vec<Login>,
    pub orders: Vec<OrderToTry>,
    pub data_dir: String,
}

/// Somebody who can log in to the console.
#[derive(Clone, Debug)]
pub struct Login {
    pub name: String,
    pub password: String,
    /// What for, as a heading and in a sentence.
    pub purpose: &'static str,
    pub what: &'static str,
}

/// An order for visitors to return.
#[derive(Clone, Debug)]
pub struct OrderToTry {
    pub number: &'static str,
    pub email: &'static str,
    pub postal_code: &'static str,
    pub what: &'static str,
}

impl Demo {
    pub fn new(pace: Pace) -> Self {
        let (made, trouble) = (AtomicU32::new(0), Mutex::new(None));
        Self(Arc::new(Running { pace, guide: OnceLock::new(), made, trouble }))
    }

    /// Says what visitors need to know, before the first of them comes.
    pub fn tell(&self, guide: Guide) {
        let _ = self.0.guide.set(guide);
    }

    pub fn pace(&self) -> &Pace {
        &self.0.pace
    }

    pub fn guide(&self) -> &Guide {
        self.0.guide.get_or_init(Guide::default)
    }

    /// How much of the history is made, in thousandths.
    pub fn made(&self) -> u32 {
        self.0.made.load(Ordering::Relaxed)
    }

    pub fn set_made(&self, thousandths: u32) {
        self.0.made.store(thousandths.min(WHOLE), Ordering::Relaxed);
    }

    /// Says on the page what went wrong.
    pub fn complain(&self, words: String) {
        *self.trouble_now() = Some(words);
    }

    pub fn trouble(&self) -> Option<String> {
        self.trouble_now().clone()
    }

    fn trouble_now(&self) -> MutexGuard<'_, Option<String>> {
        self.0.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
