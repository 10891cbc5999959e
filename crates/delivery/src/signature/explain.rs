//! Why a signature does not fit: which secret it was made with, and over which bytes.
//!
//! A receiver that refuses a message has other bytes, another secret, or another computation. What
//! it has is compared with what was sent, and what it computed with what usual mistakes compute.

use std::fmt::Write as _;

use base64::{Engine, engine::general_purpose::STANDARD};
use domain::messages::signature::{ReceivedCall, SecretCheck, SignatureExplanation};
use ring::{digest, hmac};
use world::Secret;

use super::SECRET_PREFIX;

/// Libraries refuse a message that was signed longer ago.
const TOLERANCE_S: i64 = 5 * 60;
/// How many bytes of the signed content are shown.
const SHOWN_BYTES: usize = 120;
/// How many bytes of the hash of a secret identify it.
const FINGERPRINT_BYTES: usize = 4;

/// A message as we sent it.
#[derive(Clone, Copy, Debug)]
pub struct SentCall<'a> {
    pub id: &'a str,
    pub body: &'a [u8],
    /// Newest first.
    pub secrets: &'a [Secret],
}

/// Compares what was received with what was sent.
pub fn explain_signature(
    sent: &SentCall<'_>,
    received: &ReceivedCall,
    now_s: i64,
) -> SignatureExplanation {
    let content = signed_content(received, received.body.as_bytes());
    let tags = read_tags(&received.webhook_signature);
    let made = |secret: &Secret, content: &[u8]| {
        decode_secret(secret).is_some_and(|key| tags.contains(&sign(&key, content)))
    };
    let secrets: Vec<SecretCheck> = sent
        .secrets
        .iter()
        .map(|secret| SecretCheck {
            fingerprint: fingerprint(secret),
            fits: made(secret, &content),
        })
        .collect();
    let fits = secrets.iter().any(|secret| secret.fits);
    let mut findings = Vec::new();
    compare_calls(sent, received, &mut findings);
    check_time(received, now_s, &mut findings);
    if tags.is_empty() {
        findings.push("webhook-signature has no signature that begins with v1,".to_owned());
    } else if !fits {
        let over_sent = signed_content(received, sent.body);
        let is_ours = sent.secrets.iter().any(|secret| made(secret, &over_sent));
        findings.push(if is_ours {
            "the signature fits to the body that was sent, and not to the one that you have: \
             verify the bytes before anything reads or changes them"
                .to_owned()
        } else {
            "the signature was made with none of your secrets: either it was made before both were \
             rotated, or someone else made it"
                .to_owned()
        });
    }
    findings.extend(received.computed.as_deref().map(|own| explain_computed(sent, received, own)));
    let start = content.get(..SHOWN_BYTES).unwrap_or(&content);
    SignatureExplanation {
        fits,
        secrets,
        signed_bytes: content.len(),
        signed_start: String::from_utf8_lossy(start).into_owned(),
        findings,
    }
}

fn compare_calls(sent: &SentCall<'_>, received: &ReceivedCall, findings: &mut Vec<String>) {
    if received.webhook_id != sent.id {
        findings.push(format!("webhook-id is {}, and {} was sent", received.webhook_id, sent.id));
    }
    let body = received.body.as_bytes();
    if body == sent.body {
        return;
    }
    let same = body.iter().zip(sent.body).take_while(|(own, ours)| own == ours).count();
    let mut finding = format!(
        "the body has {} bytes, {} were sent, and they differ from byte {same} on",
        body.len(),
        sent.body.len()
    );
    if body.trim_ascii() == sent.body.trim_ascii() {
        finding.push_str(": only white space at its ends differs, such as a newline");
    } else if is_same_json(body, sent.body) {
        finding.push_str(": it is the same JSON, read and written again");
    }
    findings.push(finding);
}

fn is_same_json(one: &[u8], other: &[u8]) -> bool {
    let parse = |text: &[u8]| serde_json::from_slice::<serde_json::Value>(text).ok();
    parse(one).is_some_and(|one| Some(one) == parse(other))
}

fn check_time(received: &ReceivedCall, now_s: i64, findings: &mut Vec<String>) {
    match received.webhook_timestamp.parse::<i64>() {
        Ok(at_s) if (now_s - at_s).abs() > TOLERANCE_S => findings.push(format!(
            "webhook-timestamp differs by {} s from the time now: libraries refuse more than {} s, \
             so check your clock if it was new when you refused it",
            (now_s - at_s).abs(),
            TOLERANCE_S
        )),
        Ok(_) => (),
        Err(_) => findings.push("webhook-timestamp is not a number of seconds".to_owned()),
    }
}

/// What the receiver computed instead, if it is a usual mistake.
fn explain_computed(sent: &SentCall<'_>, received: &ReceivedCall, computed: &str) -> String {
    let body = received.body.as_bytes();
    let timestamp = received.webhook_timestamp.as_bytes();
    let contents = [
        ("", signed_content(received, body)),
        (" over the body alone", body.to_vec()),
        (" without the webhook-id", [timestamp, b".", body].concat()),
        (" over the body that was sent", signed_content(received, sent.body)),
    ];
    for (index, secret) in sent.secrets.iter().enumerate() {
        let text = secret.reveal();
        let plain = text.strip_prefix(SECRET_PREFIX).unwrap_or(text);
        let keys = [
            ("", decode_secret(secret).unwrap_or_default()),
            (
                " with the text of the secret as the key: decode the base64 after whsec_",
                plain.into(),
            ),
            (" with whsec_ as part of the key: leave it out, and decode the base64", text.into()),
        ];
        for (with, key) in &keys {
            for (over, content) in &contents {
                let tag = sign(key, content);
                let is_hex = computed.eq_ignore_ascii_case(&to_hex(&tag));
                if is_hex || computed.trim_start_matches("v1,") == STANDARD.encode(&tag) {
                    let form = if is_hex { " in hex, and not in base64" } else { "" };
                    let age = if index == 0 { "newest" } else { "previous" };
                    return format!("you computed it with the {age} secret{over}{form}{with}");
                }
            }
        }
    }
    "you computed it with another secret, or over other bytes than these".to_owned()
}

fn signed_content(received: &ReceivedCall, body: &[u8]) -> Vec<u8> {
    let ReceivedCall { webhook_id, webhook_timestamp, .. } = received;
    [webhook_id.as_bytes(), b".", webhook_timestamp.as_bytes(), b".", body].concat()
}

fn read_tags(signatures: &str) -> Vec<Vec<u8>> {
    let encoded = signatures.split(' ').filter_map(|signature| signature.strip_prefix("v1,"));
    encoded.filter_map(|text| STANDARD.decode(text).ok()).collect()
}

fn decode_secret(secret: &Secret) -> Option<Vec<u8>> {
    STANDARD.decode(secret.reveal().strip_prefix(SECRET_PREFIX)?).ok()
}

fn sign(key: &[u8], content: &[u8]) -> Vec<u8> {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), content).as_ref().to_vec()
}

fn fingerprint(secret: &Secret) -> String {
    let hash = digest::digest(&digest::SHA256, secret.reveal().as_bytes());
    to_hex(hash.as_ref().get(..FINGERPRINT_BYTES).unwrap_or_default())
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] = br#"{"a":1,"b":2}"#;
    const NOW_S: i64 = 1_771_085_530;

    fn sample_secrets() -> Vec<Secret> {
        ["whsec_bmV3ZXN0IHNlY3JldA==", "whsec_cHJldmlvdXMgc2VjcmV0"]
            .map(|text| Secret::new(text.to_owned()))
            .into()
    }

    fn received(body: &[u8], secret: &Secret) -> ReceivedCall {
        let mut call = ReceivedCall {
            webhook_id: "msg_acme_42".to_owned(),
            webhook_timestamp: NOW_S.to_string(),
            webhook_signature: String::new(),
            body: String::from_utf8(body.to_vec()).unwrap(),
            computed: None,
        };
        let tag = sign(&decode_secret(secret).unwrap(), &signed_content(&call, BODY));
        call.webhook_signature = format!("v1,{}", STANDARD.encode(tag));
        call
    }

    fn explain(call: &ReceivedCall) -> SignatureExplanation {
        let secrets = sample_secrets();
        let sent = SentCall { id: "msg_acme_42", body: BODY, secrets: &secrets };
        explain_signature(&sent, call, NOW_S + 1)
    }

    #[test]
    fn a_signature_that_fits_has_its_secret_and_no_findings() {
        let call = received(BODY, &sample_secrets()[1]);
        let explained = explain(&call);
        assert!(explained.fits && explained.findings.is_empty(), "{explained:?}");
        let fits: Vec<bool> = explained.secrets.iter().map(|secret| secret.fits).collect();
        assert_eq!(fits, [false, true]);
        assert_eq!(explained.signed_start, r#"msg_acme_42.1771085530.{"a":1,"b":2}"#);
        assert_eq!(explained.signed_bytes, explained.signed_start.len());
        assert_eq!(explained.secrets[0].fingerprint.len(), 8);
    }

    #[test]
    fn a_body_that_was_written_again_is_named_with_the_byte_where_it_differs() {
        let explained = explain(&received(br#"{"a": 1, "b": 2}"#, &sample_secrets()[0]));
        assert!(!explained.fits);
        let [body, signature] = explained.findings.as_slice() else { panic!("{explained:?}") };
        assert!(body.contains("differ from byte 5 on: it is the same JSON"), "{body}");
        assert!(signature.contains("verify the bytes before"), "{signature}");
        let explained = explain(&received(b"{\"a\":1,\"b\":2}\n", &sample_secrets()[0]));
        assert!(explained.findings[0].ends_with("such as a newline"), "{explained:?}");
    }

    #[test]
    fn a_foreign_secret_an_old_time_and_a_missing_signature_are_named() {
        let foreign = Secret::new("whsec_c29tZW9uZSBlbHNl".to_owned());
        let explained = explain(&received(BODY, &foreign));
        assert!(explained.findings[0].contains("none of your secrets"), "{explained:?}");
        let mut call = received(BODY, &sample_secrets()[0]);
        call.webhook_timestamp = (NOW_S - 4_000).to_string();
        call.webhook_signature = "sha256=abc".to_owned();
        call.webhook_id = "msg_acme_41".to_owned();
        let explained = explain(&call);
        for part in ["msg_acme_41", "differs by 4001 s", "begins with v1,"] {
            assert!(explained.findings.iter().any(|it| it.contains(part)), "{part} {explained:?}");
        }
    }

    #[test]
    fn what_a_receiver_computed_instead_is_recognized() {
        let secret = sample_secrets().remove(0);
        let key = decode_secret(&secret).unwrap();
        let call = received(BODY, &secret);
        let content = signed_content(&call, BODY);
        for (computed, part) in [
            (STANDARD.encode(sign(&key, BODY)), "over the body alone"),
            (to_hex(&sign(&key, &content)), "in hex"),
            (STANDARD.encode(sign(secret.reveal().as_bytes(), &content)), "whsec_ as part"),
            (format!("v1,{}", STANDARD.encode(sign(&key, &content))), "the newest secret"),
            ("nonsense".to_owned(), "another secret"),
        ] {
            let call = ReceivedCall { computed: Some(computed), ..call.clone() };
            let explained = explain(&call);
            assert!(explained.findings[0].contains(part), "{part}: {explained:?}");
        }
    }
}
