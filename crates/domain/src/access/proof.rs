//! Codes that prove that a shopper reads the mail of an order's address.
//!
//! A code has six digits, so what counts is how often it can be guessed. Only the newest code of an
//! order is valid, for ten minutes, five attempts and one success, and an order has at most nine
//! failed attempts in any 24 hours, from however many addresses: a guess succeeds with a
//! probability of 9 in 1,000,000 for an order and a day.

use omit_none::omit_none;
use serde::{Deserialize, Serialize};

const MINUTE_US: i64 = 60 * 1_000_000;
const HOUR_US: i64 = 60 * MINUTE_US;
const DAY_US: i64 = 24 * HOUR_US;

/// How long a code is valid.
pub const CODE_MINUTES: i64 = 10;
/// How often a code can be entered.
const ATTEMPTS_PER_CODE: u32 = 5;
const CODES_PER_HOUR: usize = 3;
const CODES_PER_DAY: usize = 8;
const FAILURES_PER_DAY: usize = 9;

/// How many codes there are.
pub const CODES: u32 = 1_000_000;

/// After this time without a change, nothing of a state counts any more.
pub const PROOF_STATE_US: i64 = DAY_US;

/// The codes of an order, as far as they still count.
#[omit_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofState {
    /// The newest code, until it is used.
    code: Option<SentCode>,
    /// When codes were sent, in the last day.
    #[serde(default)]
    sent_us: Vec<i64>,
    /// When a wrong code was entered, in the last day.
    #[serde(default)]
    failed_us: Vec<i64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct SentCode {
    /// What is stored of the code.
    fingerprint: String,
    until_us: i64,
    attempts_left: u32,
}

/// Why no code is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyCodes;

/// What follows from entering a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofAnswer {
    Proven,
    /// It is not the code, or it is no longer valid.
    Wrong,
    /// The code was not compared: too many attempts failed.
    TooManyFailures,
}

impl ProofState {
    /// How many codes were sent in the last day.
    pub fn codes_sent(&self) -> i64 {
        i64::try_from(self.sent_us.len()).unwrap_or(i64::MAX)
    }

    /// The state after a new code is sent. It replaces the one before.
    pub fn issue(&self, fingerprint: &str, now_us: i64) -> Result<Self, TooManyCodes> {
        let mut next = self.forget_old(now_us);
        let in_hour = next.sent_us.iter().filter(|sent| now_us - **sent < HOUR_US).count();
        let refused = in_hour >= CODES_PER_HOUR
            || next.sent_us.len() >= CODES_PER_DAY
            || next.failed_us.len() >= FAILURES_PER_DAY;
        if refused {
            return Err(TooManyCodes);
        }
        next.sent_us.push(now_us);
        next.code = Some(SentCode {
            fingerprint: fingerprint.to_owned(),
            until_us: now_us + CODE_MINUTES * MINUTE_US,
            attempts_left: ATTEMPTS_PER_CODE,
        });
        Ok(next)
    }

    /// Enters a code. Both fingerprints are made with a key that is not known outside, so the
    /// time of the comparison reveals nothing.
    #[must_use]
    pub fn enter(&self, fingerprint: &str, now_us: i64) -> (Self, ProofAnswer) {
        let mut next = self.forget_old(now_us);
        if next.failed_us.len() >= FAILURES_PER_DAY {
            return (next, ProofAnswer::TooManyFailures);
        }
        let Some(mut code) = next.code.take() else { return (next, ProofAnswer::Wrong) };
        if code.fingerprint == fingerprint {
            return (next, ProofAnswer::Proven);
        }
        next.failed_us.push(now_us);
        code.attempts_left = code.attempts_left.saturating_sub(1);
        next.code = Some(code).filter(|code| code.attempts_left > 0);
        (next, ProofAnswer::Wrong)
    }

    /// The state without what is too old to count. Times in the future count as now, so that a
    /// clock that was set back locks no one out for longer.
    fn forget_old(&self, now_us: i64) -> Self {
        let recent = |times: &[i64]| -> Vec<i64> {
            let times = times.iter().map(|time| (*time).min(now_us));
            times.filter(|time| now_us - time < DAY_US).collect()
        };
        Self {
            code: self.code.clone().filter(|code| now_us < code.until_us),
            sent_us: recent(&self.sent_us),
            failed_us: recent(&self.failed_us),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_code_proves_once_within_ten_minutes_and_five_attempts() {
        let sent = ProofState::default().issue("right", 0).unwrap();
        assert_eq!(sent.enter("right", 10 * MINUTE_US).1, ProofAnswer::Wrong, "expired");
        let (used, answer) = sent.enter("right", 10 * MINUTE_US - 1);
        assert_eq!(answer, ProofAnswer::Proven);
        assert_eq!(used.enter("right", 10 * MINUTE_US - 1).1, ProofAnswer::Wrong, "used");

        let mut state = sent;
        for attempt in 0..5 {
            let (next, answer) = state.enter("wrong", attempt);
            assert_eq!(answer, ProofAnswer::Wrong);
            state = next;
        }
        assert_eq!(state.enter("right", 6).1, ProofAnswer::Wrong, "five attempts are used");
    }

    #[test]
    fn a_new_code_replaces_the_one_before_and_there_are_three_an_hour() {
        let first = ProofState::default().issue("first", 0).unwrap();
        let second = first.issue("second", 1).unwrap();
        assert_eq!(second.enter("first", 2).1, ProofAnswer::Wrong);
        assert_eq!(second.enter("second", 2).1, ProofAnswer::Proven);
        let third = second.issue("third", 2).unwrap();
        assert_eq!(third.issue("fourth", HOUR_US - 1), Err(TooManyCodes));
        assert!(third.issue("fourth", HOUR_US).is_ok());
    }

    proptest! {
        #[test]
        fn no_one_guesses_more_than_nine_times_a_day(
            steps in proptest::collection::vec((any::<bool>(), 0..20 * MINUTE_US), 1..400),
        ) {
            let (mut state, mut now_us) = (ProofState::default(), 0);
            let mut guesses: Vec<i64> = Vec::new();
            for (sends, pause) in steps {
                now_us += pause;
                if sends {
                    state = state.issue("secret", now_us).unwrap_or(state);
                } else {
                    let before = state.clone();
                    let (next, answer) = state.enter("guess", now_us);
                    prop_assert_ne!(answer, ProofAnswer::Proven);
                    // A guess counts if the right code would have been accepted.
                    if before.enter("secret", now_us).1 == ProofAnswer::Proven {
                        guesses.push(now_us);
                    }
                    state = next;
                }
                let in_day = guesses.iter().filter(|it| now_us - **it < DAY_US).count();
                prop_assert!(in_day <= FAILURES_PER_DAY, "{in_day} guesses");
            }
        }
    }
}
