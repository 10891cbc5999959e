//! Standard Webhooks signatures, as a merchant checks them.
//!
//! A call carries `webhook-id`, `webhook-timestamp` (seconds since the epoch) and
//! `webhook-signature`: one or more signatures separated by spaces, each `v1,<base64>`. What is
//! signed is `id.timestamp.body` with HMAC-SHA256. While a secret is being rotated there are
//! two signatures, and a merchant may know two secrets: one pair that fits is enough. A
//! timestamp that is more than five minutes away is refused, or an old call could be played
//! back.

use axum::http::HeaderMap;
use base64::{
    Engine,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use ring::hmac;

const TOLERANCE_S: u64 = 5 * 60;

/// Secrets are copied by hand, and the padding is easily lost.
const SECRET_BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The secrets of a merchant.
pub(crate) struct Verifier {
    keys: Vec<hmac::Key>,
}

/// A secret is not `whsec_` and base64.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UnreadableSecret;

impl Verifier {
    pub(crate) fn new(secrets: &[String]) -> Result<Self, UnreadableSecret> {
        let key = |secret: &String| {
            let encoded = secret.strip_prefix("whsec_")?;
            let bytes = SECRET_BASE64.decode(encoded).ok().filter(|bytes| !bytes.is_empty())?;
            Some(hmac::Key::new(hmac::HMAC_SHA256, &bytes))
        };
        let keys = secrets.iter().map(key).collect::<Option<_>>().ok_or(UnreadableSecret)?;
        Ok(Self { keys })
    }

    pub(crate) fn knows_a_secret(&self) -> bool {
        !self.keys.is_empty()
    }

    /// Says what is wrong with the signature of a call, if anything is.
    pub(crate) fn check(
        &self,
        headers: &HeaderMap,
        body: &[u8],
        now_s: i64,
    ) -> Result<(), &'static str> {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let id = text("webhook-id").ok_or("webhook-id is missing")?;
        let timestamp = text("webhook-timestamp").ok_or("webhook-timestamp is missing")?;
        let signatures = text("webhook-signature").ok_or("webhook-signature is missing")?;
        let at_s: i64 = timestamp.parse().map_err(|_| "webhook-timestamp is not a number")?;
        if at_s.abs_diff(now_s) > TOLERANCE_S {
            return Err("webhook-timestamp is more than five minutes away");
        }
        let content = [id.as_bytes(), b".", timestamp.as_bytes(), b".", body].concat();
        let fits = |signature: &str| {
            let encoded = signature.strip_prefix("v1,");
            let tag = encoded.and_then(|encoded| SECRET_BASE64.decode(encoded).ok());
            tag.is_some_and(|tag| {
                self.keys.iter().any(|key| hmac::verify(key, &content, &tag).is_ok())
            })
        };
        if signatures.split(' ').any(fits) { Ok(()) } else { Err("no signature fits") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const BODY: &[u8] = br#"{"test": 2432232314}"#;
    const AT_S: i64 = 1_614_265_330;
    const SIGNATURE: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    fn headers(signature: &'static str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek".parse().unwrap());
        headers.insert("webhook-timestamp", AT_S.into());
        headers.insert("webhook-signature", signature.parse().unwrap());
        headers
    }

    fn verifier(secrets: &[&str]) -> Verifier {
        let secrets: Vec<_> = secrets.iter().map(|&secret| secret.to_owned()).collect();
        Verifier::new(&secrets).unwrap()
    }

    #[test]
    fn the_published_example_is_accepted() {
        assert_eq!(verifier(&[SECRET]).check(&headers(SIGNATURE), BODY, AT_S + 300), Ok(()));
    }

    #[test]
    fn one_fitting_pair_among_several_is_enough() {
        let two = "v1,AAAA v1a,zzz v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        let verifier = verifier(&["whsec_b3RoZXI", SECRET]);
        assert_eq!(verifier.check(&headers(two), BODY, AT_S - 300), Ok(()));
    }

    #[test]
    fn another_body_secret_or_time_is_refused() {
        let told = verifier(&[SECRET]);
        let other = verifier(&["whsec_b3RoZXI="]);
        assert!(told.check(&headers(SIGNATURE), b"{}", AT_S).is_err());
        assert!(other.check(&headers(SIGNATURE), BODY, AT_S).is_err());
        assert!(told.check(&headers(SIGNATURE), BODY, AT_S + 301).is_err());
        assert!(told.check(&HeaderMap::new(), BODY, AT_S).is_err());
        assert!(told.check(&headers("v1, ,v1,"), BODY, AT_S).is_err());
    }

    #[test]
    fn a_secret_that_cannot_be_read_is_refused() {
        for secret in ["MfKQ9r8G", "whsec_", "whsec_%%%"] {
            assert!(Verifier::new(&[secret.to_owned()]).is_err(), "{secret}");
        }
    }
}
