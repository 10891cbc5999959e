//! ASNs, receipts, shipments, units, exceptions and drop ship.

pub(crate) mod asns_and_shipments;
pub(crate) mod drop_ship;
pub(crate) mod exceptions;
pub(crate) mod receipts;
pub(crate) mod units;
pub(crate) mod warehouse_request;
