//! Passwords of operators: stored as argon2id hashes, which cost memory and time to compute.
//!
//! The cost protects the passwords, but it must not be a way to overload the service. So only a few
//! hashes are computed at once, and not on the threads that handle requests. Few requests wait for
//! one, because each has a place among the changes of the node.

use std::sync::Arc;

use argon2::{Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version};
use tokio::{sync::Semaphore, task::spawn_blocking};
use world::Secret;

use crate::{App, AppError};

/// What OWASP recommends for argon2id: 19 MiB, two passes, one lane.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;
const SALT_BYTES: usize = 16;
const AT_ONCE: usize = 2;
const WAITING_MAX: usize = 64;

/// No password has this hash. Checking it takes as long as checking a real one, so the time of a
/// response does not reveal whether a name exists.
const NOBODYS: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA\
                       $AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Limits how many hashes are computed at once, and how many requests wait for one.
pub(crate) struct PasswordHasherSlots {
    turns: Arc<Semaphore>,
    /// Of those who have a turn or wait for one.
    places: Semaphore,
}

impl Default for PasswordHasherSlots {
    fn default() -> Self {
        let turns = Arc::new(Semaphore::new(AT_ONCE));
        Self { turns, places: Semaphore::new(AT_ONCE + WAITING_MAX) }
    }
}

fn argon2() -> Argon2<'static> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None).expect("the parameters are in range");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

impl PasswordHasherSlots {
    /// Runs `compute` when it is its turn.
    async fn compute<T: Send + 'static>(
        &self,
        compute: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, AppError> {
        let _place = self.places.try_acquire().map_err(|_| AppError::Busy("passwords"))?;
        let turn = Arc::clone(&self.turns).acquire_owned().await.expect("it is never closed");
        let computed = spawn_blocking(move || {
            // Held until the end, even if the caller has gone away.
            let _turn = turn;
            compute()
        });
        Ok(computed.await.expect("computing a hash does not panic"))
    }
}

/// What is stored of a password.
pub(crate) async fn hash_password(app: &App, password: &Secret) -> Result<String, AppError> {
    let (salt, password) = (app.world.random::<SALT_BYTES>(), password.clone());
    let compute = move || {
        let hashed = argon2().hash_password_with_salt(password.reveal().as_bytes(), &salt);
        hashed.expect("a bounded password can be hashed").to_string()
    };
    app.passwords.compute(compute).await
}

/// Whether `kept` is the hash of `password`. Takes as long for a name that does not exist.
pub(crate) async fn verify_password(
    app: &App,
    password: &Secret,
    kept: Option<&str>,
) -> Result<bool, AppError> {
    let (kept, password) = (kept.unwrap_or(NOBODYS).to_owned(), password.clone());
    let compute =
        move || argon2().verify_password(password.reveal().as_bytes(), kept.as_str()).is_ok();
    app.passwords.compute(compute).await
}

#[cfg(test)]
mod tests {
    use argon2::password_hash::phc::PasswordHash;

    use super::*;

    #[test]
    fn nobodys_hash_costs_what_a_real_one_does_and_fits_no_password() {
        let real = argon2().hash_password_with_salt(b"correct horse", &[7; 16]).unwrap();
        let nobodys = PasswordHash::new(NOBODYS).unwrap();

        assert_eq!(real.params, nobodys.params);
        assert_eq!(real.algorithm, nobodys.algorithm);
        assert!(argon2().verify_password(b"correct horse", &real).is_ok());
        assert!(argon2().verify_password(b"wrong horse", &real).is_err());
        assert!(argon2().verify_password(b"", &nobodys).is_err());
    }

    #[tokio::test]
    async fn few_requests_wait_for_a_hash_and_others_are_refused() {
        let slots = PasswordHasherSlots::default();
        let turns = Arc::clone(&slots.turns).acquire_many_owned(2).await.unwrap();
        let mut waiting: Vec<_> =
            (0..AT_ONCE + WAITING_MAX).map(|_| Box::pin(slots.compute(|| "done"))).collect();
        for one in &mut waiting {
            assert!(futures_util::poll!(one).is_pending());
        }

        let why = slots.compute(|| "done").await.unwrap_err();
        assert_eq!(why.to_string(), "too many passwords are waiting; try again");
        drop(turns);
        for one in waiting {
            assert_eq!(one.await.unwrap(), "done");
        }
        assert_eq!(slots.compute(|| "done").await.unwrap(), "done");
    }
}
