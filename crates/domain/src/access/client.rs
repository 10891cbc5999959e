//! A client: the credentials with which a system requests tokens.
//!
//! A client belongs to a merchant or to the platform (operators' tools, carrier gateway,
//! warehouse). Its secrets are long and random, so a plain hash is enough to keep them. Two may be
//! valid at once, so that a secret can be replaced without downtime.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{access::scope::Scopes, identifier::ClientId};

/// How many secrets of one client are valid at once.
pub const SECRETS_MAX: usize = 2;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Client {
    pub id: ClientId,
    pub name: String,
    pub scopes: Scopes,
    /// Newest first, at most [`SECRETS_MAX`].
    pub secrets: Vec<SecretHash>,
    pub created_at: Timestamp,
    pub disabled_at: Option<Timestamp>,
}

/// What is stored of a secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecretHash {
    /// Hexadecimal SHA-256.
    pub hash: String,
    pub created_at: Timestamp,
}

impl Client {
    pub fn is_live(&self) -> bool {
        self.disabled_at.is_none()
    }

    /// The client with a new secret. The newest old one remains valid unless `revoke_old`.
    #[must_use]
    pub fn with_new_secret(mut self, secret: SecretHash, revoke_old: bool) -> Self {
        self.secrets.truncate(if revoke_old { 0 } else { SECRETS_MAX - 1 });
        self.secrets.insert(0, secret);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identifier::MerchantId;

    fn client_with(hashes: &[&str]) -> Client {
        Client {
            id: ClientId::new(&MerchantId::parse("acme").unwrap(), "1"),
            name: "shop".to_owned(),
            scopes: Scopes::merchant(),
            secrets: hashes.iter().map(|hash| secret(hash)).collect(),
            created_at: Timestamp::UNIX_EPOCH,
            disabled_at: None,
        }
    }

    fn secret(hash: &str) -> SecretHash {
        SecretHash { hash: hash.to_owned(), created_at: Timestamp::UNIX_EPOCH }
    }

    #[test]
    fn the_newest_two_secrets_remain_valid() {
        let rotated = client_with(&["b", "a"]).with_new_secret(secret("c"), false);
        assert_eq!(rotated.secrets, [secret("c"), secret("b")]);
    }

    #[test]
    fn revoking_leaves_only_the_new_secret() {
        let rotated = client_with(&["b", "a"]).with_new_secret(secret("c"), true);
        assert_eq!(rotated.secrets, [secret("c")]);
    }
}
