//! The warehouses of the platform.

use boxed::boxed;
use domain::{
    bodies::WriteJson,
    warehouse::{return_routes::ReturnRoutes, settings::Warehouse},
};

use crate::{
    Store, StoreError, Transaction, Versioned,
    core::{
        body::{parse_body, read_versioned},
        value::params,
    },
};

impl Transaction {
    /// Replaces a warehouse that was read at `version`; 0 when there was none.
    pub fn put_warehouse(&mut self, warehouse: &Warehouse, version: i64) {
        self.one_row(
            "INSERT INTO warehouses (warehouse_id, version, body)
             VALUES ($1, 1, $3)
             ON CONFLICT (warehouse_id) DO UPDATE
             SET version = warehouses.version + 1, body = excluded.body
             WHERE warehouses.version = $2",
            params![warehouse.identifier.as_str(), version, warehouse.to_json()],
        );
    }

    /// Replaces the table of routes that was read at `version`; 0 when there was none.
    pub fn put_return_routes(&mut self, routes: &ReturnRoutes, version: i64) {
        self.one_row(
            "INSERT INTO return_routes (id, version, body) VALUES (1, 1, $2)
             ON CONFLICT (id) DO UPDATE
             SET version = return_routes.version + 1, body = excluded.body
             WHERE return_routes.version = $1",
            params![version, routes.to_json()],
        );
    }

    /// Removes a warehouse that was read at `version`.
    pub fn delete_warehouse(&mut self, identifier: &str, version: i64) {
        self.one_row(
            "DELETE FROM warehouses WHERE warehouse_id = $1 AND version = $2",
            params![identifier, version],
        );
    }
}

impl Store {
    /// Which warehouse returns go to.
    #[boxed]
    pub async fn return_routes(&self) -> Result<Versioned<ReturnRoutes>, StoreError> {
        let found = self.read_first(
            "reading the routes of returns",
            "SELECT version, body FROM return_routes WHERE id = $1",
            params![1_i64],
            |row| read_versioned("return_routes", "1", row),
        );
        let empty = Versioned { value: ReturnRoutes::default(), version: 0 };
        Ok(found.await?.unwrap_or(empty))
    }

    /// A warehouse, if it is configured.
    #[boxed]
    pub async fn warehouse(&self, identifier: &str) -> Result<Option<Warehouse>, StoreError> {
        self.read_first(
            "reading a warehouse",
            "SELECT body FROM warehouses WHERE warehouse_id = $1",
            params![identifier],
            |row| parse_body("warehouses", identifier, row.text(0)?),
        )
        .await
    }

    /// Warehouses in the order of their identifiers.
    #[boxed]
    pub async fn warehouses(&self, limit: usize) -> Result<Vec<Versioned<Warehouse>>, StoreError> {
        self.read_all(
            "listing warehouses",
            "SELECT warehouse_id, version, body FROM warehouses ORDER BY warehouse_id LIMIT $1",
            params![limit],
            |row| {
                let value = parse_body("warehouses", row.text(0)?, row.text(2)?)?;
                Ok(Versioned { value, version: row.int(1)? })
            },
        )
        .await
    }
}
