//! Clients: who may ask for tokens.

use boxed::boxed;
use domain::{
    access::client::Client,
    bodies::WriteJson,
    identifier::{ClientId, MerchantId},
};

use crate::{
    EngineError, Store, StoreError, Transaction, Versioned,
    core::{
        body::parse_body,
        value::{Row, params},
    },
};

impl Transaction {
    pub fn insert_client(&mut self, client: &Client) {
        self.one_row(
            "INSERT INTO clients (merchant_id, client_id, version, body) VALUES ($1, $2, 1, $3)
             ON CONFLICT DO NOTHING",
            params![client.id.merchant().as_str(), client.id.as_str(), client.to_json()],
        );
    }

    /// Replaces a client read at `version`.
    pub fn update_client(&mut self, client: &Client, version: i64) {
        self.one_row(
            "UPDATE clients SET version = version + 1, body = $4
             WHERE merchant_id = $1 AND client_id = $2 AND version = $3",
            params![client.id.merchant().as_str(), client.id.as_str(), version, client.to_json()],
        );
    }

    /// Makes the transaction a conflict unless the client still has the version it was read at.
    pub fn guard_client(&mut self, id: &ClientId, version: i64) {
        self.one_row(
            "UPDATE clients SET version = version
             WHERE merchant_id = $1 AND client_id = $2 AND version = $3",
            params![id.merchant().as_str(), id.as_str(), version],
        );
    }
}

impl Store {
    #[boxed]
    pub async fn client(&self, id: &ClientId) -> Result<Option<Versioned<Client>>, StoreError> {
        self.read_first(
            "reading a client",
            "SELECT client_id, version, body FROM clients
             WHERE merchant_id = $1 AND client_id = $2",
            params![id.merchant().as_str(), id.as_str()],
            read_client,
        )
        .await
    }

    /// All clients of a merchant, or of the platform.
    #[boxed]
    pub async fn clients(&self, merchant: &MerchantId) -> Result<Vec<Client>, StoreError> {
        self.read_all(
            "listing clients",
            "SELECT client_id, version, body FROM clients
             WHERE merchant_id = $1 ORDER BY client_id",
            params![merchant],
            |row| Ok(read_client(row)?.value),
        )
        .await
    }
}

fn read_client(row: &Row) -> Result<Versioned<Client>, EngineError> {
    let value = parse_body("clients", row.text(0)?, row.text(2)?)?;
    Ok(Versioned { value, version: row.int(1)? })
}
