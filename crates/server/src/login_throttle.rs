//! Slows down the guessing of passwords, in a way that cannot be used to lock a person out.
//!
//! Wrong passwords are counted for the name at one address, for the address, and for the name.
//! After some free attempts, every further one doubles the time until the next. The wait for a name
//! alone is short: it limits guessing from many addresses, while the long waits concern only the
//! address that guesses. A browser that has logged in before has a cookie that says so. Its
//! attempts are counted for this browser alone, so that guesses of others do not concern its owner.
//!
//! Counts are in memory and bounded. One failure is forgiven after a while without another.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use domain::access::operator::OperatorName;

use crate::guard::rate_limit::counted_as;

const KEYS_MAX: usize = 100_000;
/// The wait after the last free attempt. Each further failure doubles it.
const FIRST_WAIT_S: u64 = 30;
/// The wait of new names and addresses while there are too many of them to count.
const FULL_WAIT_S: u32 = 60;

/// An attempt to log in. Texts that cannot be an operator's name have no name to count.
#[derive(Clone, Debug)]
pub struct LoginAttempt {
    pub address: IpAddr,
    pub name: Option<OperatorName>,
    /// The browser, if this name has logged in with it before.
    pub device: Option<String>,
}

/// What failures are counted for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    NameAtAddress { name: OperatorName, address: IpAddr },
    Address(IpAddr),
    Name(OperatorName),
    Device(String),
}

/// How failures slow down further attempts.
struct Backoff {
    /// Attempts without a wait.
    free: u32,
    wait_max_s: u64,
    /// The time after which one failure is forgiven.
    forgive_s: u64,
}

impl Key {
    const fn backoff(&self) -> Backoff {
        const MINUTE_S: u64 = 60;
        const HOUR_S: u64 = 60 * MINUTE_S;
        match self {
            Self::NameAtAddress { .. } | Self::Device(_) => {
                Backoff { free: 10, wait_max_s: HOUR_S, forgive_s: HOUR_S }
            }
            // Many people may have the same address.
            Self::Address(_) => Backoff { free: 30, wait_max_s: HOUR_S / 4, forgive_s: MINUTE_S },
            Self::Name(_) => Backoff { free: 100, wait_max_s: MINUTE_S, forgive_s: MINUTE_S },
        }
    }

    /// Whether a right password clears all failures, not only its own attempt. If it did so for
    /// an address, guesses could be hidden between logins to an account of one's own.
    const fn is_cleared_by_success(&self) -> bool {
        matches!(self, Self::NameAtAddress { .. } | Self::Device(_))
    }
}

impl LoginAttempt {
    fn keys(&self) -> Vec<Key> {
        let address = counted_as(self.address);
        let Some(name) = &self.name else { return vec![Key::Address(address)] };
        if let Some(device) = &self.device {
            return vec![Key::Device(device.clone())];
        }
        let name = name.clone();
        let at_address = Key::NameAtAddress { name: name.clone(), address };
        vec![at_address, Key::Address(address), Key::Name(name)]
    }
}

/// The failures of one key.
#[derive(Debug, Default)]
struct Failures {
    count: u32,
    /// When one was last counted or forgiven.
    counted_at: Duration,
    blocked_until: Duration,
}

impl Failures {
    fn forgive(&mut self, backoff: &Backoff, now: Duration) {
        let passed_s = now.saturating_sub(self.counted_at).as_secs();
        let forgiven = passed_s / backoff.forgive_s;
        self.count = self.count.saturating_sub(u32::try_from(forgiven).unwrap_or(u32::MAX));
        self.counted_at += Duration::from_secs(forgiven * backoff.forgive_s);
    }

    fn count(&mut self, backoff: &Backoff, now: Duration) {
        self.forgive(backoff, now);
        self.count += 1;
        self.counted_at = now;
        if let Some(beyond) = self.count.checked_sub(backoff.free) {
            let factor = 2_u64.saturating_pow(beyond);
            let wait_s = FIRST_WAIT_S.saturating_mul(factor).min(backoff.wait_max_s);
            self.blocked_until = now + Duration::from_secs(wait_s);
        }
    }
}

/// Limits attempts to log in.
#[derive(Debug, Default)]
pub struct LoginThrottle(Mutex<HashMap<Key, Failures>>);

impl LoginThrottle {
    /// Counts an attempt as failed, before the password is checked. If it has to wait, the error is
    /// the number of seconds.
    pub fn count(&self, attempt: &LoginAttempt, now: Duration) -> Result<(), u32> {
        let (mut all, keys) = (self.lock(), attempt.keys());
        let blocked = keys.iter().filter_map(|key| all.get(key)).map(|it| it.blocked_until).max();
        if let Some(wait) =
            blocked.and_then(|until| until.checked_sub(now)).filter(|it| !it.is_zero())
        {
            return Err(u32::try_from(wait.as_secs()).unwrap_or(u32::MAX).saturating_add(1));
        }
        if all.len() >= KEYS_MAX {
            all.retain(|key, failures| {
                failures.forgive(&key.backoff(), now);
                failures.count > 0
            });
        }
        if all.len() >= KEYS_MAX && !keys.iter().all(|key| all.contains_key(key)) {
            return Err(FULL_WAIT_S);
        }
        for key in keys {
            let backoff = key.backoff();
            all.entry(key).or_default().count(&backoff, now);
        }
        Ok(())
    }

    /// Takes back the count of an attempt that succeeded.
    pub fn take_back(&self, attempt: &LoginAttempt, now: Duration) {
        let mut all = self.lock();
        for key in attempt.keys() {
            let Some(failures) = all.get_mut(&key) else { continue };
            failures.count = failures.count.saturating_sub(1);
            failures.blocked_until = now;
            if key.is_cleared_by_success() || failures.count == 0 {
                all.remove(&key);
            }
        }
    }

    /// Takes back the count at `counted_at` of an attempt whose password was not checked. Failures
    /// before it and after it stay, and so does the wait after a later one.
    pub fn forget(&self, attempt: &LoginAttempt, counted_at: Duration) {
        let mut all = self.lock();
        for key in attempt.keys() {
            let Some(failures) = all.get_mut(&key) else { continue };
            failures.count = failures.count.saturating_sub(1);
            if failures.counted_at == counted_at {
                failures.blocked_until = counted_at;
            }
            if failures.count == 0 {
                all.remove(&key);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Failures>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(address: u8, name: &str) -> LoginAttempt {
        let address = [192, 0, 2, address].into();
        LoginAttempt { address, name: OperatorName::parse(name).ok(), device: None }
    }

    fn with_device(address: u8, name: &str) -> LoginAttempt {
        LoginAttempt { device: Some(format!("browser of {name}")), ..attempt(address, name) }
    }

    const NOW: Duration = Duration::from_secs(100);
    const HOUR: Duration = Duration::from_secs(60 * 60);
    const FIRST_WAIT: Duration = Duration::from_secs(FIRST_WAIT_S);

    /// Fails until an attempt has to wait: the number of failures.
    fn fail(throttle: &LoginThrottle, attempt: &LoginAttempt, now: Duration) -> u32 {
        let mut failures = 0;
        while throttle.count(attempt, now).is_ok() {
            failures += 1;
        }
        failures
    }

    #[test]
    fn each_failure_doubles_the_wait_up_to_an_hour() {
        let (throttle, lena) = (LoginThrottle::default(), attempt(1, "lena"));
        assert_eq!(fail(&throttle, &lena, NOW), 10);

        let (mut now, mut waits) = (NOW, Vec::new());
        for _ in 0..10 {
            let seconds = throttle.count(&lena, now).unwrap_err();
            waits.push(seconds - 1);
            now += Duration::from_secs(seconds.into());
            throttle.count(&lena, now).unwrap();
        }
        assert_eq!(waits, [30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]);
    }

    #[test]
    fn guesses_at_one_address_do_not_concern_another() {
        let throttle = LoginThrottle::default();
        for address in 1..=3 {
            fail(&throttle, &attempt(address, "lena"), NOW);
        }
        assert_eq!(throttle.count(&attempt(4, "lena"), NOW), Ok(()));
    }

    #[test]
    fn guesses_at_many_addresses_are_limited_by_name_for_a_short_time() {
        let throttle = LoginThrottle::default();
        let failed: u32 = (1..=200).map(|it| fail(&throttle, &attempt(it, "lena"), NOW)).sum();
        assert_eq!(failed, 100);
        assert_eq!(throttle.count(&attempt(250, "lena"), NOW), Err(31));
        assert_eq!(throttle.count(&attempt(250, "mara"), NOW), Ok(()));
        assert_eq!(throttle.count(&attempt(250, "lena"), NOW + HOUR / 60), Ok(()));
    }

    #[test]
    fn a_browser_that_logged_in_before_is_counted_alone() {
        let throttle = LoginThrottle::default();
        for address in 1..=200 {
            fail(&throttle, &attempt(address, "lena"), NOW);
        }
        assert_eq!(fail(&throttle, &with_device(1, "lena"), NOW), 10, "but it is counted");
        assert_eq!(throttle.count(&with_device(1, "mara"), NOW), Ok(()));
    }

    #[test]
    fn an_address_that_tries_many_names_has_to_wait() {
        let throttle = LoginThrottle::default();
        let tried =
            (0..100).filter(|it| throttle.count(&attempt(1, &format!("name-{it}")), NOW).is_ok());
        assert_eq!(tried.count(), 30);
        assert!(throttle.count(&attempt(1, "No Name"), NOW).is_err());
    }

    #[test]
    fn successful_attempts_are_not_counted_and_clear_those_before() {
        let (throttle, lena) = (LoginThrottle::default(), attempt(1, "lena"));
        for _ in 0..100 {
            assert_eq!(throttle.count(&lena, NOW), Ok(()));
            throttle.take_back(&lena, NOW);
        }
        assert!(throttle.lock().is_empty());
        for _ in 0..9 {
            throttle.count(&lena, NOW).unwrap();
        }
        throttle.count(&lena, NOW).unwrap();
        throttle.take_back(&lena, NOW);
        assert_eq!(fail(&throttle, &lena, NOW), 10);
    }

    #[test]
    fn attempts_that_were_not_checked_are_not_counted_and_clear_no_failures() {
        let (throttle, lena) = (LoginThrottle::default(), attempt(1, "lena"));
        for _ in 0..100 {
            assert_eq!(throttle.count(&lena, NOW), Ok(()));
            throttle.forget(&lena, NOW);
        }
        assert!(throttle.lock().is_empty());

        for _ in 0..9 {
            throttle.count(&lena, NOW).unwrap();
        }
        throttle.count(&lena, NOW).unwrap();
        throttle.forget(&lena, NOW);
        assert_eq!(fail(&throttle, &lena, NOW), 1);

        let (unchecked, failed) = (NOW + HOUR, NOW + HOUR + FIRST_WAIT);
        throttle.count(&lena, unchecked).unwrap();
        fail(&throttle, &lena, failed);
        throttle.forget(&lena, unchecked);
        assert!(throttle.count(&lena, failed).is_err(), "the later failure has to be waited for");
    }

    #[test]
    fn failures_are_forgiven_after_a_while() {
        let (throttle, lena) = (LoginThrottle::default(), attempt(1, "lena"));
        fail(&throttle, &lena, NOW);
        assert_eq!(fail(&throttle, &lena, NOW + 3 * HOUR), 3);
        assert_eq!(fail(&throttle, &lena, NOW + 50 * HOUR), 10);
    }
}
