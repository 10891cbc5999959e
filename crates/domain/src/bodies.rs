//! The types that are stored or sent as JSON, and the code that writes them.
//!
//! Much of a server's time is spent in that code. Here it is compiled once, for speed. A generic
//! function would compile it again in each crate that stores or sends something, and those are
//! compiled for size.

use serde_json::Value;

use crate::{
    access::{client::Client, operator::Operator, proof::ProofState},
    carriers::{account::CarrierAccount, job::CarrierJob},
    exchanges::{order::ExchangeOrder, record::ExchangeRecord},
    merchants::{merchant::Merchant, portal::Portal, retention::RetentionPeriods},
    messages::{
        endpoint::Endpoints,
        mail::{Mail, settings::MailSettings},
    },
    returns::{
        journal::ReturnChange,
        ledger::Ledger,
        message::RmaMessage,
        policy::Policy,
        rma::{Rma, RmaEvent},
    },
    warehouse::{
        asn::{AsnCarton, AsnDetail, InboundAsn},
        disposition::DispositionTable,
        drop_ship::{DropShipMessage, DropShipOrder},
        outbound_message::OutboundAsn,
        receipt_message::InventoryReceipt,
        return_routes::ReturnRoutes,
        settings::Warehouse,
        shipment::{Shipment, ShipmentHead},
        unit::{StoryStep, UnitRecord},
    },
    withdrawal::record::WithdrawalRecord,
};

/// A type that is written as JSON.
pub trait WriteJson {
    fn to_json(&self) -> String;

    /// The same as a tree, for what is seldom: it is read from the text.
    fn to_value(&self) -> Value {
        serde_json::from_str(&self.to_json()).expect("the text is JSON")
    }
}

macro_rules! json_bodies {
    ($($written:ty),+ $(,)?) => {
        $(impl WriteJson for $written {
            fn to_json(&self) -> String {
                serde_json::to_string(self).expect("the keys are text and the numbers are finite")
            }
        })+
    };
}

json_bodies!(
    AsnCarton,
    AsnDetail,
    CarrierAccount<String>,
    CarrierJob,
    Client,
    DispositionTable,
    DropShipMessage<'_>,
    DropShipOrder,
    Endpoints<String>,
    ExchangeOrder,
    ExchangeRecord,
    InboundAsn,
    InventoryReceipt<'_>,
    Ledger,
    Mail,
    MailSettings<String>,
    Merchant,
    Operator,
    OutboundAsn<'_>,
    Policy,
    Portal,
    ProofState,
    RetentionPeriods,
    ReturnChange,
    ReturnRoutes,
    Rma,
    RmaEvent,
    RmaMessage<'_>,
    Shipment,
    ShipmentHead,
    [StoryStep],
    UnitRecord,
    Vec<StoryStep>,
    Warehouse,
    WithdrawalRecord,
);
