//! Signatures of mails (DKIM, RFC 6376 and RFC 8463), with which the servers of recipients verify
//! that a mail comes from the domain of its sender.

use base64::{Engine, engine::general_purpose::STANDARD};
use domain::messages::mail::settings::DkimKey;
use ring::{
    digest::{SHA256, digest},
    rand::SystemRandom,
    signature::{Ed25519KeyPair, RSA_PKCS1_SHA256, RsaKeyPair},
};
use rustls::pki_types::{PrivateKeyDer, pem::PemObject};
use world::Secret;

use super::mime::MimeMessage;

const SIGNED_HEADERS: [&str; 7] =
    ["From", "To", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type"];

/// Signs the mails of one domain.
pub(super) struct DkimSigner {
    domain: String,
    selector: String,
    key: SigningKey,
}

enum SigningKey {
    Rsa(Box<RsaKeyPair>),
    Ed25519(Box<Ed25519KeyPair>),
}

/// Whether a text is a private key in PEM that mails can be signed with; if not, why.
pub fn check_key(pem: &str) -> Result<(), &'static str> {
    read_key(pem).map(drop)
}

fn read_key(pem: &str) -> Result<SigningKey, &'static str> {
    let refused = "must be a private key in PEM: RSA with 2048 to 4096 bits, or Ed25519";
    let key = PrivateKeyDer::from_pem_slice(pem.as_bytes()).map_err(|_| refused)?;
    #[expect(clippy::wildcard_enum_match_arm, reason = "the list is of another crate, and open")]
    match key {
        PrivateKeyDer::Pkcs1(der) => {
            let key = RsaKeyPair::from_der(der.secret_pkcs1_der()).map_err(|_| refused)?;
            Ok(SigningKey::Rsa(Box::new(key)))
        }
        PrivateKeyDer::Pkcs8(der) => {
            let der = der.secret_pkcs8_der();
            if let Ok(key) = RsaKeyPair::from_pkcs8(der) {
                return Ok(SigningKey::Rsa(Box::new(key)));
            }
            let key = Ed25519KeyPair::from_pkcs8_maybe_unchecked(der).map_err(|_| refused)?;
            Ok(SigningKey::Ed25519(Box::new(key)))
        }
        _ => Err(refused),
    }
}

impl DkimSigner {
    pub(super) fn new(key: &DkimKey<Secret>) -> Result<Self, &'static str> {
        Ok(Self {
            domain: key.domain.clone(),
            selector: key.selector.clone(),
            key: read_key(key.key.reveal())?,
        })
    }

    /// Adds the signature in front of the headers.
    pub(super) fn sign(&self, message: &mut MimeMessage, at_s: i64) {
        let algorithm = match self.key {
            SigningKey::Rsa(_) => "rsa-sha256",
            SigningKey::Ed25519(_) => "ed25519-sha256",
        };
        let body_hash = STANDARD.encode(digest(&SHA256, &relax_body(&message.body)));
        let names = SIGNED_HEADERS.map(str::to_ascii_lowercase).join(":");
        let unsigned = format!(
            "v=1; a={algorithm}; c=relaxed/relaxed; d={}; s={};\r\n t={at_s}; h={names};\r\n \
             bh={body_hash};\r\n b=",
            self.domain, self.selector
        );
        let mut data = String::new();
        for name in SIGNED_HEADERS {
            let header = message.headers.iter().find(|(known, _)| *known == name);
            if let Some((name, value)) = header {
                data.push_str(&relax_header(name, value));
                data.push_str("\r\n");
            }
        }
        data.push_str(&relax_header("DKIM-Signature", &unsigned));
        let Some(signature) = self.key.sign(data.as_bytes()) else { return };
        let signature = fold(&STANDARD.encode(signature));
        message.headers.insert(0, ("DKIM-Signature", format!("{unsigned}{signature}")));
    }
}

impl SigningKey {
    fn sign(&self, data: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Rsa(key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), data, &mut signature).ok()?;
                Some(signature)
            }
            Self::Ed25519(key) => Some(key.sign(digest(&SHA256, data).as_ref()).as_ref().to_vec()),
        }
    }
}

/// A header as it is signed: its name in lowercase, and one space in place of many.
fn relax_header(name: &str, value: &str) -> String {
    let words: Vec<&str> = value.split_ascii_whitespace().collect();
    format!("{}:{}", name.to_ascii_lowercase(), words.join(" "))
}

/// A body as it is signed: one space in place of many, and none at the end of a line.
fn relax_body(body: &[u8]) -> Vec<u8> {
    let mut relaxed = Vec::with_capacity(body.len());
    for line in body.split_inclusive(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r\n").unwrap_or(line);
        let start = relaxed.len();
        let mut spaces = false;
        for byte in line {
            if matches!(byte, b' ' | b'\t') {
                spaces = true;
                continue;
            }
            if spaces {
                relaxed.push(b' ');
            }
            spaces = false;
            relaxed.push(*byte);
        }
        debug_assert!(relaxed.len() >= start);
        relaxed.extend_from_slice(b"\r\n");
    }
    while relaxed.ends_with(b"\r\n\r\n") {
        relaxed.truncate(relaxed.len() - 2);
    }
    if relaxed == b"\r\n" { Vec::new() } else { relaxed }
}

/// Long values are continued on the next line.
fn fold(value: &str) -> String {
    let characters: Vec<char> = value.chars().collect();
    let lines = characters.chunks(70).map(|line| line.iter().collect::<String>());
    lines.collect::<Vec<_>>().join("\r\n ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of RFC 6376, section 3.4.5.
    #[test]
    fn headers_and_bodies_are_relaxed_as_the_standard_says() {
        assert_eq!(relax_header("A", " X"), "a:X");
        assert_eq!(relax_header("B ", " Y\t\r\n\tZ  ").replace(' ', "_"), "b_:Y_Z");
        assert_eq!(relax_body(b" C \r\nD \t E\r\n\r\n\r\n"), b" C\r\nD E\r\n");
        assert_eq!(relax_body(b"\r\n\r\n"), b"");
    }

    #[test]
    fn what_is_not_a_key_is_refused() {
        for pem in ["", "key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"] {
            assert!(check_key(pem).is_err(), "{pem}");
        }
    }
}
