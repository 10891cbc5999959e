//! Stored JSON bodies, their versions, and identifiers: writing them, and reading them back.

use std::fmt::Display;

use domain::{
    access::{client::Client, operator::Operator, proof::ProofState},
    carriers::account::CarrierAccount,
    exchanges::record::ExchangeRecord,
    identifier::MerchantId,
    merchants::{merchant::Merchant, portal::Portal, retention::RetentionPeriods},
    messages::{endpoint::Endpoints, mail::settings::MailSettings},
    returns::{journal::ReturnChange, ledger::Ledger, policy::Policy, rma::Rma},
    warehouse::{
        asn::{AsnCarton, AsnDetail, InboundAsn},
        disposition::DispositionTable,
        drop_ship::DropShipOrder,
        return_routes::ReturnRoutes,
        settings::Warehouse,
        shipment::{Shipment, ShipmentHead},
        unit::{StoryStep, UnitRecord},
    },
};
use serde::Serialize;

use crate::core::{error::EngineError, value::Row};

/// A stored value with the version that guards its next change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Versioned<T> {
    pub value: T,
    pub version: i64,
}

pub(crate) fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("domain types have string keys and finite numbers")
}

/// A type that is stored as a JSON body.
///
/// The code that reads and writes a type as JSON is large. Each implementation compiles it in this
/// crate once; a generic function would compile it again in every crate that waits for a query.
pub trait StoredBody: Sized {
    fn parse(body: &str) -> Result<Self, serde_json::Error>;

    fn to_json(&self) -> String;
}

macro_rules! stored_bodies {
    ($($stored:ty),+ $(,)?) => {
        $(impl StoredBody for $stored {
            fn parse(body: &str) -> Result<Self, serde_json::Error> {
                serde_json::from_str(body)
            }

            fn to_json(&self) -> String {
                to_json(self)
            }
        })+
    };
}

stored_bodies!(
    AsnCarton,
    AsnDetail,
    CarrierAccount<String>,
    Client,
    DispositionTable,
    DropShipOrder,
    Endpoints<String>,
    ExchangeRecord,
    InboundAsn,
    Ledger,
    MailSettings<String>,
    Merchant,
    Operator,
    Policy,
    Portal,
    ProofState,
    RetentionPeriods,
    ReturnChange,
    ReturnRoutes,
    Rma,
    Shipment,
    ShipmentHead,
    UnitRecord,
    Vec<StoryStep>,
    Warehouse,
);

/// A stored JSON body as the type it was written from.
pub(crate) fn parse_body<T: StoredBody>(
    table: &'static str,
    id: &str,
    body: &str,
) -> Result<T, EngineError> {
    T::parse(body).map_err(|error| corrupt(table, id, &error))
}

/// A row of a version and a JSON body.
pub(crate) fn read_versioned<T: StoredBody>(
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
