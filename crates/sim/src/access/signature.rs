//! Standard Webhooks signatures, as a merchant checks them.
//!
//! A call carries `webhook-id`, `webhook-timestamp` (seconds since the epoch) and
//! `webhook-signature`: one or more signatures separated by spaces, each `v1,<base64>`. The
//! signature is the HMAC-SHA256 of `id.timestamp.body`. While a secret is being rotated there are
//! two signatures, and a merchant may have two secrets: one matching pair is enough. A timestamp
//! that differs by more than five minutes is refused, because an old call could be replayed.

use axum::http::HeaderMap;
use base64::{
    Engine,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use ring::hmac;

const TOLERANCE_S: u64 = 5 * 60;

/// People copy secrets by hand, and may lose the padding.
const SECRET_BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The secrets of a merchant.
pub(crate) struct SignatureVerifier {
    keys: Vec<hmac::Key>,
}

/// A secret that is not `whsec_` and base64.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UnreadableSecret;

impl SignatureVerifier {
    pub(crate) fn new(secrets: &[String]) -> Result<Self, UnreadableSecret> {
        let key = |secret: &String| {
            let encoded = secret.strip_prefix("whsec_")?;
            let bytes = SECRET_BASE64.decode(encoded).ok().filter(|bytes| !bytes.is_empty())?;
            Some(hmac::Key::new(hmac::HMAC_SHA256, &bytes))
        };
        let keys = secrets.iter().map(key).collect::<Option<_>>().ok_or(UnreadableSecret)?;
        Ok(Self { keys })
    }

    pub(crate) fn has_secrets(&self) -> bool {
        !self.keys.is_empty()
    }

    /// Checks the signature of a call. The error says what is wrong.
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
            return Err("webhook-timestamp differs by more than five minutes");
        }
        let content = [id.as_bytes(), b".", timestamp.as_bytes(), b".", body].concat();
        let matches = |signature: &str| {
            let encoded = signature.strip_prefix("v1,");
            let tag = encoded.and_then(|encoded| SECRET_BASE64.decode(encoded).ok());
            tag.is_some_and(|tag| {
                self.keys.iter().any(|key| hmac::verify(key, &content, &tag).is_ok())
            })
        };
        if signatures.split(' ').any(matches) { Ok(()) } else { Err("no signature matches") }
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

    fn new_verifier(secrets: &[&str]) -> SignatureVerifier {
        let secrets: Vec<_> = secrets.iter().map(|&secret| secret.to_owned()).collect();
        SignatureVerifier::new(&secrets).unwrap()
    }

    #[test]
    fn the_published_example_is_accepted() {
        assert_eq!(new_verifier(&[SECRET]).check(&headers(SIGNATURE), BODY, AT_S + 300), Ok(()));
    }

    #[test]
    fn one_matching_pair_among_several_is_enough() {
        let two = "v1,AAAA v1a,zzz v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        let verifier = new_verifier(&["whsec_b3RoZXI", SECRET]);
        assert_eq!(verifier.check(&headers(two), BODY, AT_S - 300), Ok(()));
    }

    #[test]
    fn another_body_secret_or_time_is_refused() {
        let right = new_verifier(&[SECRET]);
        let other = new_verifier(&["whsec_b3RoZXI="]);
        assert!(right.check(&headers(SIGNATURE), b"{}", AT_S).is_err());
        assert!(other.check(&headers(SIGNATURE), BODY, AT_S).is_err());
        assert!(right.check(&headers(SIGNATURE), BODY, AT_S + 301).is_err());
        assert!(right.check(&HeaderMap::new(), BODY, AT_S).is_err());
        assert!(right.check(&headers("v1, ,v1,"), BODY, AT_S).is_err());
    }

    #[test]
    fn a_secret_that_cannot_be_read_is_refused() {
        for secret in ["MfKQ9r8G", "whsec_", "whsec_%%%"] {
            assert!(SignatureVerifier::new(&[secret.to_owned()]).is_err(), "{secret}");
        }
    }
}
