//! Limits how often a login can be attempted, by address and by name.
//!
//! Only failed attempts are counted. A name allows more of them than an address, so that one
//! machine cannot lock a person out.

use std::{net::IpAddr, time::Duration};

use domain::access::operator::OperatorName;

use crate::guard::rate_limit::RateLimit;

const PER_ADDRESS: u32 = 10;
const PER_NAME: u32 = 30;

/// Where a login comes from, and the name it uses. A name that no operator can have needs no limit
/// of its own.
pub struct LoginAttempt {
    pub address: IpAddr,
    pub name: Option<OperatorName>,
}

pub struct LoginThrottle {
    by_address: RateLimit,
    by_name: RateLimit<OperatorName>,
}

impl Default for LoginThrottle {
    fn default() -> Self {
        Self { by_address: RateLimit::new(PER_ADDRESS), by_name: RateLimit::new(PER_NAME) }
    }
}

impl LoginThrottle {
    /// Counts an attempt before the password is checked. If there were too many, the error is the
    /// number of seconds until the next attempt is allowed.
    pub fn count(&self, attempt: &LoginAttempt, now: Duration) -> Result<(), u32> {
        let by_address = self.by_address.check(attempt.address, now);
        if !by_address.allowed {
            return Err(by_address.reset_s);
        }
        let Some(name) = &attempt.name else { return Ok(()) };
        let by_name = self.by_name.check_key(name.clone(), now);
        if by_name.allowed { Ok(()) } else { Err(by_name.reset_s) }
    }

    /// Takes back the count of an attempt that succeeded.
    pub fn take_back(&self, attempt: &LoginAttempt, now: Duration) {
        self.by_address.take_back(attempt.address, now);
        if let Some(name) = &attempt.name {
            self.by_name.take_back_key(name, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(address: u8, name: &str) -> LoginAttempt {
        LoginAttempt { address: [192, 0, 2, address].into(), name: OperatorName::parse(name).ok() }
    }

    const NOW: Duration = Duration::from_secs(100);

    #[test]
    fn failed_attempts_are_limited_by_address_and_by_name() {
        let throttle = LoginThrottle::default();
        for _ in 0..PER_ADDRESS {
            assert_eq!(throttle.count(&attempt(1, "lena"), NOW), Ok(()));
        }
        assert_eq!(throttle.count(&attempt(1, "mara"), NOW), Err(60));

        for address in 2..=3 {
            for _ in 0..PER_ADDRESS {
                assert_eq!(throttle.count(&attempt(address, "lena"), NOW), Ok(()));
            }
        }
        assert_eq!(throttle.count(&attempt(4, "lena"), NOW), Err(60));
        assert_eq!(throttle.count(&attempt(4, "mara"), NOW), Ok(()));
        assert_eq!(throttle.count(&attempt(4, "No Name"), NOW), Ok(()));
    }

    #[test]
    fn successful_attempts_are_not_counted() {
        let throttle = LoginThrottle::default();
        for _ in 0..100 {
            assert_eq!(throttle.count(&attempt(1, "lena"), NOW), Ok(()));
            throttle.take_back(&attempt(1, "lena"), NOW);
        }
    }
}
