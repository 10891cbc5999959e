//! Signatures as Standard Webhooks asks for them.
//!
//! What is signed is `id.timestamp.body`, with HMAC-SHA256; the signature is `v1,` and the base64
//! of that. While a secret is being rotated, both sign, and the signatures are separated by a
//! space: a receiver that has either secret finds one that fits. The keys are prepared once, and a
//! body is hashed in place.

pub(crate) mod explain;

use std::fmt::{self, Write};

use base64::{Engine, engine::general_purpose::STANDARD};
use ring::hmac;
use world::Secret;

use crate::address::Refused;

const SECRET_PREFIX: &str = "whsec_";
const VERSION: &[u8] = b"v1,";

/// The length of 32 bytes in base64.
const ENCODED_BYTES: usize = 44;

/// Signs messages with every live secret of a merchant.
#[derive(Debug)]
pub(crate) struct Signer {
    keys: Vec<hmac::Key>,
}

impl Signer {
    /// Prepares the keys of `secrets`, newest first, each `whsec_` and base64.
    pub(crate) fn new(secrets: &[Secret]) -> Result<Self, Refused> {
        if secrets.is_empty() {
            return Err(Refused::Credential("there is no secret to sign with"));
        }
        let malformed = Refused::Credential("a signing secret is not whsec_ and base64");
        let key = |secret: &Secret| {
            let encoded = secret.reveal().strip_prefix(SECRET_PREFIX)?;
            let bytes = STANDARD.decode(encoded).ok().filter(|bytes| !bytes.is_empty())?;
            Some(hmac::Key::new(hmac::HMAC_SHA256, &bytes))
        };
        let keys: Option<Vec<_>> = secrets.iter().map(key).collect();
        Ok(Self { keys: keys.ok_or(malformed)? })
    }

    /// Appends the value of `webhook-signature` to `head`.
    pub(crate) fn write(&self, head: &mut Vec<u8>, id: &str, timestamp_s: i64, body: &[u8]) {
        let mut encoded = [0; ENCODED_BYTES];
        for (index, key) in self.keys.iter().enumerate() {
            let mut signed = Signed(hmac::Context::with_key(key));
            write!(signed, "{id}.{timestamp_s}.").expect("a signature takes all there is to sign");
            signed.0.update(body);
            STANDARD.encode_slice(signed.0.sign(), &mut encoded).expect("a signature has 32 bytes");
            if index > 0 {
                head.push(b' ');
            }
            head.extend_from_slice(VERSION);
            head.extend_from_slice(&encoded);
        }
    }
}

/// What a signature is made over.
struct Signed(hmac::Context);

impl fmt::Write for Signed {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    impl Signer {
        /// The value of `webhook-signature`.
        pub(crate) fn sign(&self, id: &str, timestamp_s: i64, body: &[u8]) -> String {
            let mut value = Vec::new();
            self.write(&mut value, id, timestamp_s, body);
            String::from_utf8(value).unwrap()
        }
    }

    fn signer(secrets: &[&str]) -> Result<Signer, Refused> {
        let secrets: Vec<_> = secrets.iter().map(|text| Secret::new((*text).to_owned())).collect();
        Signer::new(&secrets)
    }

    #[test]
    fn the_published_example_is_signed_as_published() {
        let body = br#"{"test": 2432232314}"#;
        let signature =
            signer(&[SECRET]).unwrap().sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body);
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn two_live_secrets_give_two_signatures_the_newest_first() {
        let other = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
        let sign = |secrets: &[&str]| signer(secrets).unwrap().sign("msg_1", 7, b"{}");
        assert_eq!(sign(&[other, SECRET]), format!("{} {}", sign(&[other]), sign(&[SECRET])));
    }

    #[test]
    fn a_secret_that_is_none_is_refused() {
        for secret in ["", "whsec_", "whsec_%%%", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec"] {
            assert!(signer(&[SECRET, secret]).is_err(), "{secret:?} was accepted");
        }
        assert!(signer(&[]).is_err());
    }

    proptest! {
        #[test]
        fn what_is_signed_is_id_and_time_and_body_with_dots_between(
            id in "[a-z0-9_]{1,30}",
            timestamp_s in any::<i64>(),
            body in prop::collection::vec(any::<u8>(), 0..300),
        ) {
            let key = STANDARD.decode(&SECRET[SECRET_PREFIX.len()..]).unwrap();
            let key = hmac::Key::new(hmac::HMAC_SHA256, &key);
            let whole = [format!("{id}.{timestamp_s}.").as_bytes(), &body].concat();

            let signature = signer(&[SECRET]).unwrap().sign(&id, timestamp_s, &body);

            let tag = STANDARD.decode(signature.strip_prefix("v1,").unwrap()).unwrap();
            prop_assert!(hmac::verify(&key, &whole, &tag).is_ok());
        }
    }
}
