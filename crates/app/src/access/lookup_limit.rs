//! Limits how often orders can be guessed at a merchant's portal, from however many addresses.
//!
//! A postal code is easy to guess, so all failures with one are counted together: a walk over order
//! numbers ends after a few tries, and shoppers then need the e-mail address of their order. An
//! e-mail address is hard to guess. Failures with one are counted by order and by address, so that
//! one visitor cannot lock out the others. What strangers or merchants can cause to be sent is
//! counted in the same way.
//!
//! A look-up that succeeds writes nothing. One that fails is counted before it is answered.
//! Attempts that arrive together cannot exceed a limit together: on a node they know of each other,
//! and few of them are examined at once, so that each further node adds few.

use std::{collections::HashMap, sync::Arc};

use bytes::Bytes;
use domain::identifier::MerchantId;
use store::{AttemptWindow, LookupState, StoreError, Transaction};
use world::{KeyedTurns, Turn};

use crate::{App, AppError, access::secrets};

/// Failures with a postal code, at one merchant in an hour.
const POSTAL_FAILURES_MAX: i64 = 50;
/// Failures with the same order number, or with the same e-mail address, in an hour.
const SUBJECT_FAILURES_MAX: i64 = 20;
/// Statements of withdrawal from the same order, in an hour.
const STATEMENTS_MAX: i64 = 20;
/// Test mails of a merchant, in an hour.
pub(crate) const TEST_MAILS_MAX: i64 = 20;
const SLOT_US: i64 = 10 * 60 * 1_000_000;
const SLOTS: i64 = 6;
/// Attempts with the same subject that a node examines at once.
const AT_ONCE: usize = 4;

/// The turns of attempts, by merchant and subject.
pub(crate) struct LookupTurns(Arc<KeyedTurns<(MerchantId, String)>>);

type LookupTurn = Turn<(MerchantId, String)>;

impl Default for LookupTurns {
    fn default() -> Self {
        Self(KeyedTurns::new(AT_ONCE))
    }
}

/// The result of an attempt.
pub(crate) enum Examined<T> {
    Valid(T),
    Invalid,
    /// Whether the claim is true stays secret, because too many failed before it.
    TooManyFailures,
}

/// An attempt to name an order.
pub(crate) struct LookupAttempt<'a> {
    merchant: &'a MerchantId,
    window: AttemptWindow,
    /// What the attempt is counted by, one or two, and how many failures are allowed.
    subjects: Vec<(String, i64)>,
}

impl<'a> LookupAttempt<'a> {
    pub(crate) fn new(
        app: &App,
        merchant: &'a MerchantId,
        order_number: &str,
        secret: &str,
    ) -> Self {
        let subjects = if secret.contains('@') {
            let order = subject("order by e-mail", order_number);
            vec![(order, SUBJECT_FAILURES_MAX), (subject("e-mail", secret), SUBJECT_FAILURES_MAX)]
        } else {
            let order = subject("order by postal code", order_number);
            vec![(order, SUBJECT_FAILURES_MAX), ("postal code".to_owned(), POSTAL_FAILURES_MAX)]
        };
        Self { merchant, window: current_window(app), subjects }
    }

    /// An attempt to name the gift code of an order.
    pub(crate) fn of_gift_code(app: &App, merchant: &'a MerchantId, order_id: &str) -> Self {
        let subjects = vec![(subject("gift code", order_id), SUBJECT_FAILURES_MAX)];
        Self { merchant, window: current_window(app), subjects }
    }

    /// Whether the claim about an order is true. The claim gets the newest snapshot of the order,
    /// and finds nothing if it is false.
    pub(crate) async fn examine<T>(
        &self,
        app: &App,
        order_id: &str,
        claim: impl AsyncFnOnce(Option<Bytes>) -> Result<Option<T>, AppError>,
    ) -> Result<Examined<T>, AppError> {
        // All attempts wait for their turns in the same order, so that none waits for another that
        // waits for it: subjects of the order before those that other orders share.
        let mut turns = Vec::with_capacity(self.subjects.len());
        for (subject, _) in &self.subjects {
            let key = (self.merchant.clone(), subject.clone());
            turns.push(app.lookup_turns.0.wait(key).await);
        }
        // Before the failures are read: those of others who end in between are among them.
        let others: Vec<i64> =
            turns.iter().map(|turn| i64::try_from(turn.others()).unwrap_or(i64::MAX)).collect();
        let subjects = [self.subjects.first(), self.subjects.last()];
        let subjects = subjects.map(|it| it.map_or("", |(subject, _)| subject.as_str()));
        let LookupState { order, failures } =
            app.store.look_up(self.merchant, order_id, subjects, self.window).await?;
        // Before the claim: otherwise the time that the response takes would reveal whether it is
        // true.
        if self.is_exhausted(&failures, &others) {
            return Ok(Examined::TooManyFailures);
        }
        match claim(order).await? {
            Some(found) => Ok(Examined::Valid(found)),
            None if self.count(app, turns).await? => Ok(Examined::Invalid),
            None => Ok(Examined::TooManyFailures),
        }
    }

    /// Whether there would be too many failures if this attempt failed, and the others that are
    /// examined now.
    fn is_exhausted(&self, failures: &HashMap<String, i64>, others: &[i64]) -> bool {
        self.subjects.iter().zip(others).any(|((subject, limit), others)| {
            let failed = failures.get(subject).copied().unwrap_or(0);
            failed.saturating_add(*others) >= *limit
        })
    }

    /// Counts a failure, and then ends its turns. False if there were too many.
    async fn count(&self, app: &App, turns: Vec<LookupTurn>) -> Result<bool, AppError> {
        let mut transaction = Transaction::new("counting a look-up");
        for (subject, limit) in &self.subjects {
            transaction.count_lookup(self.merchant, subject, self.window, *limit);
        }
        // A visitor who closes the connection ends the request, but not this: otherwise those who
        // wait no longer than a success takes would never be counted.
        let store = app.store.clone();
        let counted = tokio::spawn(async move {
            let committed = store.commit(transaction).await;
            drop(turns);
            committed
        });
        match counted.await.expect("counting does not panic") {
            Ok(_) => Ok(true),
            Err(StoreError::Conflict) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// Counts a statement of withdrawal from an order. False if there were too many in an hour. It is
/// the visitor's right, but each one is kept and tells the merchant.
pub(crate) async fn count_statement(
    app: &App,
    merchant: &MerchantId,
    order_id: &str,
) -> Result<bool, AppError> {
    let subjects = vec![(subject("withdrawal", order_id), STATEMENTS_MAX)];
    LookupAttempt { merchant, window: current_window(app), subjects }.count(app, Vec::new()).await
}

/// Counts a test mail. False if there were too many in an hour: its recipient can be anyone.
pub(crate) async fn count_test_mail(app: &App, merchant: &MerchantId) -> Result<bool, AppError> {
    let subjects = vec![("test mail".to_owned(), TEST_MAILS_MAX)];
    LookupAttempt { merchant, window: current_window(app), subjects }.count(app, Vec::new()).await
}

fn current_window(app: &App) -> AttemptWindow {
    let now_us = app.world.wall_clock_us();
    let slot_us = now_us - now_us.rem_euclid(SLOT_US);
    AttemptWindow { slot_us, from_us: slot_us - SLOTS * SLOT_US }
}

/// Counts that began before this no longer matter.
pub(crate) fn lookup_cutoff_us(app: &App) -> i64 {
    current_window(app).from_us
}

/// One of 65,536 subjects of the kind, so that a flood of invented order numbers fills no disk. Two
/// spellings of an order number that differ in case or punctuation are one subject.
fn subject(kind: &str, text: &str) -> String {
    let letters = text.chars().filter(|letter| letter.is_alphanumeric());
    let letters: String = letters.flat_map(char::to_lowercase).collect();
    let hash = secrets::hash(letters.as_bytes());
    let bucket: Vec<u8> = hash.iter().copied().take(2).collect();
    format!("{kind} {}", secrets::hexadecimal(&bucket))
}
