//! Encrypts secrets that must be read again.
//!
//! The keys are in a file outside the database, so that a copy of the database alone reveals
//! nothing. A sealed value is the identifier of its key, a random nonce, and ChaCha20-Poly1305 over
//! the secret. Each purpose has a key of its own, derived from the one in the file, and the value
//! is bound to its merchant and its row: one sealed value cannot replace another.
//!
//! Keys can be replaced while the process runs. Values that were sealed with an older key can be
//! opened as long as the file contains that key.

use std::sync::{Arc, PoisonError, RwLock};

use ring::{
    aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    hkdf::{HKDF_SHA256, Salt},
    hmac,
};

use crate::{
    World,
    key_ring::{KEY_ID_BYTES, KeyRing, SealingKey},
};

const SALT: &[u8] = b"homeward sealing";

/// What a sealed value is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    SigningSecret,
    EndpointSecret,
    /// The key or the webhook secret of an account at a carrier.
    CarrierSecret,
    /// The password or the key of a merchant's mail server.
    MailSecret,
    /// A response that is stored under an idempotency key.
    Response,
    ShopperPass,
    PictureToken,
    Notice,
    /// A browser in which an operator has logged in.
    Device,
    /// The hash of the record of a withdrawal.
    Withdrawal,
    /// A code that proves an e-mail address.
    ProofCode,
    /// A piece of a backup.
    Backup,
    /// A known value that proves that a key is the right one.
    KeyCheck,
}

impl Purpose {
    const ALL: [Self; 13] = [
        Self::SigningSecret,
        Self::EndpointSecret,
        Self::CarrierSecret,
        Self::MailSecret,
        Self::Response,
        Self::ShopperPass,
        Self::PictureToken,
        Self::Notice,
        Self::Device,
        Self::Withdrawal,
        Self::ProofCode,
        Self::Backup,
        Self::KeyCheck,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::SigningSecret => "signing secret",
            Self::EndpointSecret => "endpoint secret",
            Self::CarrierSecret => "carrier secret",
            Self::MailSecret => "mail secret",
            Self::Response => "response",
            Self::ShopperPass => "shopper pass",
            Self::PictureToken => "picture token",
            Self::Notice => "notice",
            Self::Device => "device",
            Self::Withdrawal => "seal of a withdrawal",
            Self::ProofCode => "proof code",
            Self::Backup => "backup",
            Self::KeyCheck => "key check",
        }
    }
}

/// What a sealed value is bound to. It cannot be opened anywhere else.
#[derive(Clone, Copy, Debug)]
pub struct SealContext<'a> {
    pub purpose: Purpose,
    /// The merchant, or empty.
    pub merchant: &'a str,
    /// What identifies the row within the merchant's rows, or empty.
    pub row: &'a str,
}

impl SealContext<'_> {
    /// Each part with its length before it, so that no two contexts give the same bytes.
    fn bytes(&self) -> Vec<u8> {
        let parts = [self.purpose.name(), self.merchant, self.row];
        let part = |text: &str| [&text.len().to_be_bytes()[..], text.as_bytes()].concat();
        parts.iter().flat_map(|text| part(text)).collect()
    }
}

/// Why a sealed value cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    #[error(
        "a stored {purpose} was encrypted with the key {key}, which is not in the secret key file"
    )]
    UnknownKey { purpose: &'static str, key: String },
    #[error("a stored {purpose} cannot be decrypted: it was changed, or it belongs elsewhere")]
    Damaged { purpose: &'static str },
}

pub struct Vault {
    keys: RwLock<Arc<VaultKeys>>,
}

/// The keys of a ring, newest first.
struct VaultKeys(Vec<DerivedKeys>);

/// One key of the file, as one key for each purpose.
struct DerivedKeys {
    id: String,
    fingerprints: hmac::Key,
    by_purpose: Vec<(Purpose, LessSafeKey)>,
}

impl DerivedKeys {
    fn new(key: &SealingKey) -> Self {
        let root = Salt::new(HKDF_SHA256, SALT).extract(&key.secret);
        let derive = |purpose: Purpose| {
            let info = [purpose.name().as_bytes()];
            let derived = root.expand(&info, &CHACHA20_POLY1305);
            let derived = derived.expect("the key is far shorter than what can be derived");
            (purpose, LessSafeKey::new(UnboundKey::from(derived)))
        };
        let fingerprints = root.expand(&[b"fingerprints"], hmac::HMAC_SHA256);
        let fingerprints = fingerprints.expect("the key is far shorter than what can be derived");
        Self {
            id: key.id.clone(),
            fingerprints: hmac::Key::from(fingerprints),
            by_purpose: Purpose::ALL.map(derive).into(),
        }
    }

    fn key(&self, purpose: Purpose) -> Option<&LessSafeKey> {
        self.by_purpose.iter().find(|(own, _)| *own == purpose).map(|(_, key)| key)
    }
}

impl Vault {
    pub fn new(ring: &KeyRing) -> Self {
        Self { keys: RwLock::new(derive_all(ring)) }
    }

    /// Seals with the newest key of `ring` from now on.
    pub fn replace(&self, ring: &KeyRing) {
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = derive_all(ring);
    }

    fn keys(&self) -> Arc<VaultKeys> {
        Arc::clone(&self.keys.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn seal(&self, world: &World, context: SealContext<'_>, secret: &[u8]) -> Vec<u8> {
        let keys = self.keys();
        let newest = keys.0.first().expect("a ring has at least one key");
        let key = newest.key(context.purpose).expect("there is a key for each purpose");
        let nonce = world.random::<NONCE_LEN>();
        let mut body = secret.to_vec();
        key.seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::from(context.bytes()),
            &mut body,
        )
        .expect("secrets are far smaller than the cipher's limit");
        [newest.id.as_bytes(), &nonce, &body].concat()
    }

    pub fn open(&self, context: SealContext<'_>, sealed: &[u8]) -> Result<Vec<u8>, VaultError> {
        let purpose = context.purpose.name();
        let damaged = || VaultError::Damaged { purpose };
        let (id, rest) = sealed.split_first_chunk::<KEY_ID_BYTES>().ok_or_else(damaged)?;
        let (nonce, body) = rest.split_first_chunk::<NONCE_LEN>().ok_or_else(damaged)?;
        let keys = self.keys();
        let key = keys.0.iter().find(|key| key.id.as_bytes() == id);
        let key = key.and_then(|key| key.key(context.purpose)).ok_or_else(|| {
            VaultError::UnknownKey { purpose, key: String::from_utf8_lossy(id).into_owned() }
        })?;
        let mut body = body.to_vec();
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let secret = key.open_in_place(nonce, Aad::from(context.bytes()), &mut body);
        secret.map(|secret| secret.to_vec()).map_err(|_| damaged())
    }

    /// A hash of a short-lived secret with the newest key, to compare it later. It cannot be made
    /// without the key, and is another one after a rotation.
    pub fn fingerprint(&self, context: SealContext<'_>, secret: &[u8]) -> Vec<u8> {
        let keys = self.keys();
        let newest = keys.0.first().expect("a ring has at least one key");
        let hashed = [&context.bytes()[..], secret].concat();
        hmac::sign(&newest.fingerprints, &hashed).as_ref().to_vec()
    }

    /// The value sealed with the newest key. None if it already is.
    pub fn reseal(
        &self,
        world: &World,
        context: SealContext<'_>,
        sealed: &[u8],
    ) -> Result<Option<Vec<u8>>, VaultError> {
        if sealed.starts_with(self.newest().as_bytes()) {
            return Ok(None);
        }
        let secret = self.open(context, sealed)?;
        Ok(Some(self.seal(world, context, &secret)))
    }

    /// The identifier of the key that seals.
    pub fn newest(&self) -> String {
        self.keys().0.first().map(|key| key.id.clone()).unwrap_or_default()
    }
}

fn derive_all(ring: &KeyRing) -> Arc<VaultKeys> {
    Arc::new(VaultKeys(ring.keys().map(DerivedKeys::new).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACME: SealContext<'_> =
        SealContext { purpose: Purpose::SigningSecret, merchant: "acme", row: "1" };

    #[test]
    fn a_sealed_value_opens_with_its_key_purpose_merchant_and_row_only() {
        let world = World::system();
        let vault = Vault::new(&KeyRing::generate(&world));
        let sealed = vault.seal(&world, ACME, b"whsec_1");

        assert_eq!(vault.open(ACME, &sealed).unwrap(), b"whsec_1");
        for other in [
            SealContext { purpose: Purpose::EndpointSecret, ..ACME },
            SealContext { merchant: "other", ..ACME },
            SealContext { row: "2", ..ACME },
            SealContext { merchant: "acm", row: "e1", ..ACME },
        ] {
            assert!(vault.open(other, &sealed).is_err(), "{other:?}");
        }
        for length in 0..sealed.len() {
            assert!(vault.open(ACME, &sealed[..length]).is_err(), "{length}");
        }
        let other = Vault::new(&KeyRing::generate(&world));
        let refused = other.open(ACME, &sealed).unwrap_err().to_string();
        assert!(refused.contains(&vault.newest()), "it names the missing key: {refused}");
    }

    #[test]
    fn the_same_secret_is_sealed_differently_each_time() {
        let world = World::system();
        let vault = Vault::new(&KeyRing::generate(&world));
        assert_ne!(vault.seal(&world, ACME, b"same"), vault.seal(&world, ACME, b"same"));
    }

    #[test]
    fn a_fingerprint_depends_on_the_key_the_context_and_the_secret() {
        let world = World::system();
        let vault = Vault::new(&KeyRing::generate(&world));
        let print = vault.fingerprint(ACME, b"123456");
        assert_eq!(vault.fingerprint(ACME, b"123456"), print);
        assert_ne!(vault.fingerprint(ACME, b"123457"), print);
        assert_ne!(vault.fingerprint(SealContext { row: "2", ..ACME }, b"123456"), print);
        let other = Vault::new(&KeyRing::generate(&world));
        assert_ne!(other.fingerprint(ACME, b"123456"), print);
    }

    #[test]
    fn after_a_rotation_old_values_open_and_are_sealed_anew_once() {
        let world = World::system();
        let first = KeyRing::generate(&world);
        let vault = Vault::new(&first);
        let old = vault.seal(&world, ACME, b"whsec_1");
        vault.replace(&first.rotate(&world));

        assert_eq!(vault.open(ACME, &old).unwrap(), b"whsec_1");
        let new = vault.reseal(&world, ACME, &old).unwrap().unwrap();
        assert_eq!(vault.reseal(&world, ACME, &new).unwrap(), None);
        assert_eq!(vault.open(ACME, &new).unwrap(), b"whsec_1");
        assert!(Vault::new(&first).open(ACME, &new).is_err(), "sealed with the new key");
    }
}
