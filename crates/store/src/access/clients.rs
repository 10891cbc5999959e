//! Clients: who may ask for tokens.

use domain::{
    access::client::Client,
    identifier::{ClientId, MerchantId},
};

use crate::{
    Store, StoreError, Transaction, Versioned,
    core::{
        body::{parse_body, to_json},
        error::During,
        value::{Row, params},
    },
};

impl Transaction {
    pub fn insert_client(&mut self, client: &Client) {
        self.one_row(
            "INSERT INTO clients (merchant_id, client_id, version, body) VALUES ($1, $2, 1, $3)
             ON CONFLICT DO NOTHING",
            params![client.id.merchant().as_str(), client.id.as_str(), to_json(client)],
        );
    }

    /// Replaces a client read at `version`.
    pub fn update_client(&mut self, client: &Client, version: i64) {
        self.one_row(
            "UPDATE clients SET version = version + 1, body = $4
             WHERE merchant_id = $1 AND client_id = $2 AND version = $3",
            params![client.id.merchant().as_str(), client.id.as_str(), version, to_json(client)],
        );
    }
}

impl Store {
    pub async fn client(&self, id: &ClientId) -> Result<Option<Versioned<Client>>, StoreError> {
        let rows = self
            .query(
                "reading a client",
                "SELECT client_id, version, body FROM clients
                 WHERE merchant_id = $1 AND client_id = $2",
                params![id.merchant().as_str(), id.as_str()],
            )
            .await?;
        rows.first().map(client).transpose()
    }

    /// All clients of a merchant, or of the platform.
    pub async fn clients(&self, merchant: &MerchantId) -> Result<Vec<Client>, StoreError> {
        let rows = self
            .query(
                "listing clients",
                "SELECT client_id, version, body FROM clients
                 WHERE merchant_id = $1 ORDER BY client_id",
                params![merchant],
            )
            .await?;
        rows.iter().map(|row| Ok(client(row)?.value)).collect()
    }
}

fn client(row: &Row) -> Result<Versioned<Client>, StoreError> {
    let read = || Ok((row.text(0)?, row.int(1)?, row.text(2)?));
    let (id, version, body) = read().during("reading a client")?;
    Ok(Versioned { value: parse_body("clients", id, body)?, version })
}
