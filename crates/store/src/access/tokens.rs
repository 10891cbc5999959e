//! Access tokens, stored only as hashes.

use boxed::boxed;
use bytes::Bytes;
use domain::{
    access::{client::Client, scope::Scopes},
    identifier::MerchantId,
    merchants::merchant::Merchant,
};

use crate::{
    EngineError, Store, StoreError, Transaction,
    core::{
        body::{corrupt, parse_body},
        value::{Row, params},
    },
};

/// Everything that decides what a token may do.
#[derive(Clone, Debug)]
pub struct TokenOwner {
    pub client: Client,
    /// None for a client of the platform.
    pub merchant: Option<Merchant>,
    pub scopes: Scopes,
    pub expires_us: i64,
}

impl Transaction {
    pub fn insert_token(&mut self, client: &Client, hash: Bytes, scopes: Scopes, expires_us: i64) {
        self.one_row(
            "INSERT INTO tokens (merchant_id, token_hash, client_id, scopes, expires_us)
             VALUES ($1, $2, $3, $4, $5)",
            params![
                client.id.merchant().as_str(),
                hash,
                client.id.as_str(),
                scopes.to_string(),
                expires_us
            ],
        );
    }

    /// Ends one token, if it is this client's.
    pub fn delete_token(&mut self, client: &Client, hash: Bytes) {
        self.any_rows(
            "DELETE FROM tokens WHERE merchant_id = $1 AND token_hash = $2 AND client_id = $3",
            params![client.id.merchant().as_str(), hash, client.id.as_str()],
        );
    }

    /// Ends every token of a client at once.
    pub fn delete_tokens(&mut self, client: &Client) {
        self.any_rows(
            "DELETE FROM tokens WHERE merchant_id = $1 AND client_id = $2",
            params![client.id.merchant().as_str(), client.id.as_str()],
        );
    }

    /// Ends all but the newest `keep` tokens of a client, or a few more if they are equally old.
    pub fn delete_oldest_tokens(&mut self, client: &Client, keep: usize) {
        self.any_rows(
            "DELETE FROM tokens WHERE merchant_id = $1 AND client_id = $2 AND expires_us < (
             SELECT expires_us FROM tokens WHERE merchant_id = $1 AND client_id = $2
             ORDER BY expires_us DESC LIMIT 1 OFFSET $3)",
            params![client.id.merchant().as_str(), client.id.as_str(), keep.saturating_sub(1)],
        );
    }

    /// Removes up to `limit` tokens that ended before `now_us`.
    pub fn delete_expired_tokens(&mut self, now_us: i64, limit: usize) {
        self.any_rows(
            "DELETE FROM tokens WHERE (merchant_id, token_hash) IN (
             SELECT merchant_id, token_hash FROM tokens WHERE expires_us < $1
             ORDER BY expires_us, merchant_id, token_hash LIMIT $2)",
            params![now_us, limit],
        );
    }
}

impl Store {
    /// Whether there are tokens that ended before `now_us`.
    #[boxed]
    pub async fn has_expired_tokens(&self, now_us: i64) -> Result<bool, StoreError> {
        let found = self.read_first(
            "looking for expired tokens",
            "SELECT expires_us FROM tokens WHERE expires_us < $1 LIMIT 1",
            params![now_us],
            |_| Ok(()),
        );
        Ok(found.await?.is_some())
    }

    /// The owner of the token with this hash.
    #[boxed]
    pub async fn token_owner(
        &self,
        merchant: &MerchantId,
        hash: Bytes,
    ) -> Result<Option<TokenOwner>, StoreError> {
        self.read_first(
            "looking up a token",
            "SELECT t.scopes, t.expires_us, c.client_id, c.body, m.body
             FROM tokens t
             JOIN clients c ON c.merchant_id = t.merchant_id AND c.client_id = t.client_id
             LEFT JOIN merchants m ON m.merchant_id = t.merchant_id
             WHERE t.merchant_id = $1 AND t.token_hash = $2",
            params![merchant, hash],
            read_owner,
        )
        .await
    }
}

fn read_owner(row: &Row) -> Result<TokenOwner, EngineError> {
    let (scopes, id, merchant) = (row.text(0)?, row.text(2)?, row.optional_text(4)?);
    Ok(TokenOwner {
        client: parse_body("clients", id, row.text(3)?)?,
        merchant: merchant.map(|body| parse_body("merchants", id, body)).transpose()?,
        scopes: Scopes::parse(scopes).map_err(|unknown| corrupt("tokens", id, &unknown))?,
        expires_us: row.int(1)?,
    })
}
