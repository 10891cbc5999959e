//! Encrypts secrets that must be read again.
//!
//! The key is in a file outside the database, so that a copy of the database alone reveals nothing.
//! Sealed bytes are a random nonce followed by ChaCha20-Poly1305 over the secret. They are bound to
//! a label that says what the secret is, so that one sealed value cannot replace another.

use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};

use crate::World;

/// The length of a key.
pub const KEY_BYTES: usize = 32;

pub struct Vault {
    key: LessSafeKey,
}

/// The key does not match, or the sealed bytes were changed.
#[derive(Debug, thiserror::Error)]
#[error("a stored {label} cannot be decrypted: was it encrypted with another secret key file?")]
pub struct VaultError {
    label: &'static str,
}

impl Vault {
    pub fn new(key: &[u8; KEY_BYTES]) -> Self {
        let key = UnboundKey::new(&CHACHA20_POLY1305, key).expect("the key has the cipher's size");
        Self { key: LessSafeKey::new(key) }
    }

    pub fn seal(&self, world: &World, label: &'static str, secret: &[u8]) -> Vec<u8> {
        let nonce = world.random::<NONCE_LEN>();
        let mut sealed = nonce.to_vec();
        let mut body = secret.to_vec();
        self.key
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(label.as_bytes()),
                &mut body,
            )
            .expect("secrets are far smaller than the cipher's limit");
        sealed.append(&mut body);
        sealed
    }

    pub fn open(&self, label: &'static str, sealed: &[u8]) -> Result<Vec<u8>, VaultError> {
        let refused = VaultError { label };
        let Some((nonce, body)) = sealed.split_first_chunk::<NONCE_LEN>() else {
            return Err(refused);
        };
        let mut body = body.to_vec();
        let nonce = Nonce::assume_unique_for_key(*nonce);
        match self.key.open_in_place(nonce, Aad::from(label.as_bytes()), &mut body) {
            Ok(secret) => Ok(secret.to_vec()),
            Err(_) => Err(refused),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_key_and_label_decrypt_a_secret() {
        let world = World::system();
        let vault = Vault::new(&[1; KEY_BYTES]);
        let sealed = vault.seal(&world, "signing secret", b"whsec_1");

        assert_eq!(vault.open("signing secret", &sealed).unwrap(), b"whsec_1");
        assert!(vault.open("answer", &sealed).is_err());
        assert!(Vault::new(&[2; KEY_BYTES]).open("signing secret", &sealed).is_err());
        assert!(vault.open("signing secret", &sealed[..20]).is_err());
    }

    #[test]
    fn the_same_secret_is_sealed_differently_each_time() {
        let world = World::system();
        let vault = Vault::new(&[1; KEY_BYTES]);
        assert_ne!(vault.seal(&world, "x", b"same"), vault.seal(&world, "x", b"same"));
    }
}
