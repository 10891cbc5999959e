//! Stored JSON bodies, their versions, and identifiers, as they are read.

use std::fmt::Display;

use domain::identifier::MerchantId;
use serde::de::DeserializeOwned;

use crate::core::{error::EngineError, value::Row};

/// A stored value with the version that guards its next change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Versioned<T> {
    pub value: T,
    pub version: i64,
}

/// A stored JSON body as the type it was written from.
pub(crate) fn parse_body<T: DeserializeOwned>(
    table: &'static str,
    id: &str,
    body: &str,
) -> Result<T, EngineError> {
    serde_json::from_str(body).map_err(|error| corrupt(table, id, &error))
}

/// A row of a version and a JSON body.
pub(crate) fn read_versioned<T: DeserializeOwned>(
    table: &'static str,
    id: &str,
    row: &Row,
) -> Result<Versioned<T>, EngineError> {
    Ok(Versioned { value: parse_body(table, id, row.text(1)?)?, version: row.int(0)? })
}

pub(crate) fn parse_merchant(table: &'static str, text: &str) -> Result<MerchantId, EngineError> {
    MerchantId::parse_stored(text).map_err(|why| corrupt(table, text, &why))
}

pub(crate) fn corrupt(table: &'static str, id: &str, why: &dyn Display) -> EngineError {
    EngineError::Corrupt { table, id: id.to_owned(), why: why.to_string() }
}
