//! How often somebody may try to log in: by address, and by the name that is tried.
//!
//! Only tries that fail are counted. A name has room for more of them than an address, so that one
//! machine cannot keep a person out.

use std::{net::IpAddr, time::Duration};

use domain::access::operator::OperatorName;

use crate::guard::rate_limit::RateLimit;

const PER_ADDRESS: u32 = 10;
const PER_NAME: u32 = 30;

/// Who tries, and under which name; a name that nobody can have needs no limit of its own.
pub struct Try {
    pub address: IpAddr,
    pub name: Option<OperatorName>,
}

pub struct Logins {
    by_address: RateLimit,
    by_name: RateLimit<OperatorName>,
}

impl Default for Logins {
    fn default() -> Self {
        Self { by_address: RateLimit::new(PER_ADDRESS), by_name: RateLimit::new(PER_NAME) }
    }
}

impl Logins {
    /// Counts a try before it is made, or says in how many seconds the next may be.
    pub fn begin(&self, attempt: &Try, now: Duration) -> Result<(), u32> {
        let by_address = self.by_address.check(attempt.address, now);
        if !by_address.allowed {
            return Err(by_address.reset_s);
        }
        let Some(name) = &attempt.name else { return Ok(()) };
        let by_name = self.by_name.check_key(name.clone(), now);
        if by_name.allowed { Ok(()) } else { Err(by_name.reset_s) }
    }

    /// The try was right, so it is not counted after all.
    pub fn succeeded(&self, attempt: &Try, now: Duration) {
        self.by_address.take_back(attempt.address, now);
        if let Some(name) = &attempt.name {
            self.by_name.take_back_key(name, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(address: u8, name: &str) -> Try {
        Try { address: [192, 0, 2, address].into(), name: OperatorName::parse(name).ok() }
    }

    const NOW: Duration = Duration::from_secs(100);

    #[test]
    fn an_address_and_a_name_have_only_so_many_wrong_tries() {
        let logins = Logins::default();
        for _ in 0..PER_ADDRESS {
            assert_eq!(logins.begin(&attempt(1, "lena"), NOW), Ok(()));
        }
        assert_eq!(logins.begin(&attempt(1, "mara"), NOW), Err(60));

        for address in 2..=3 {
            for _ in 0..PER_ADDRESS {
                assert_eq!(logins.begin(&attempt(address, "lena"), NOW), Ok(()));
            }
        }
        assert_eq!(logins.begin(&attempt(4, "lena"), NOW), Err(60));
        assert_eq!(logins.begin(&attempt(4, "mara"), NOW), Ok(()));
        assert_eq!(logins.begin(&attempt(4, "No Name"), NOW), Ok(()));
    }

    #[test]
    fn whoever_knows_the_password_is_not_counted() {
        let logins = Logins::default();
        for _ in 0..100 {
            assert_eq!(logins.begin(&attempt(1, "lena"), NOW), Ok(()));
            logins.succeeded(&attempt(1, "lena"), NOW);
        }
    }
}
