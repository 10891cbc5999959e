//! Passwords of people: kept as argon2id hashes, which cost memory and time to compute.
//!
//! That cost is what protects them, and it must not become a way to bring the service down: only
//! a few are computed at once, away from the threads that answer requests.

use std::sync::Arc;

use argon2::{Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version};
use tokio::{sync::Semaphore, task::spawn_blocking};
use world::Secret;

use crate::App;

/// What OWASP asks of argon2id: 19 MiB, two passes, one lane.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;
const SALT_BYTES: usize = 16;
const AT_ONCE: usize = 2;

/// No password has this hash. Comparing with it costs what comparing with a real one does, so the
/// time of an answer does not tell whether a name exists.
const NOBODYS: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA\
                       $AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Whose turn it is to compute.
pub(crate) struct PasswordHasherSlots(Arc<Semaphore>);

impl Default for PasswordHasherSlots {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(AT_ONCE)))
    }
}

fn argon2() -> Argon2<'static> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None).expect("the parameters are in range");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

impl PasswordHasherSlots {
    /// Runs `compute` when it is its turn.
    async fn compute<T: Send + 'static>(&self, compute: impl FnOnce() -> T + Send + 'static) -> T {
        let turn = Arc::clone(&self.0).acquire_owned().await.expect("it is never closed");
        let computed = spawn_blocking(move || {
            // Held until the end, even if the caller has gone away.
            let _turn = turn;
            compute()
        });
        computed.await.expect("computing a hash does not panic")
    }
}

/// What is kept of a password.
pub(crate) async fn hash_password(app: &App, password: &Secret) -> String {
    let (salt, password) = (app.world.random::<SALT_BYTES>(), password.clone());
    let compute = move || {
        let hashed = argon2().hash_password_with_salt(password.reveal().as_bytes(), &salt);
        hashed.expect("a bounded password can be hashed").to_string()
    };
    app.passwords.compute(compute).await
}

/// Whether `password` is the one that `kept` was made from. Nobody's takes as long.
pub(crate) async fn verify_password(app: &App, password: &Secret, kept: Option<&str>) -> bool {
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
}
