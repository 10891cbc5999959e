//! Stored JSON bodies: writing them, reading them back, and what to say when that fails.

use std::fmt::Display;

use serde::{Serialize, de::DeserializeOwned};

use crate::core::error::StoreError;

pub(crate) fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("domain types have string keys and finite numbers")
}

/// A stored JSON body as the type it was written from.
pub(crate) fn parse_body<T: DeserializeOwned>(
    table: &'static str,
    id: &str,
    body: &str,
) -> Result<T, StoreError> {
    serde_json::from_str(body).map_err(|error| corrupt(table, id, &error))
}

pub(crate) fn corrupt(table: &'static str, id: &str, why: &dyn Display) -> StoreError {
    StoreError::Corrupt { table, id: id.to_owned(), why: why.to_string() }
}
