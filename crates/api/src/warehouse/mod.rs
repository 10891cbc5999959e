//! ASNs, receipts, shipments, units, exceptions, drop ship, and the
//! warehouses themselves.

pub(crate) mod asns_and_shipments;
pub(crate) mod disposition;
pub(crate) mod drop_ship;
pub(crate) mod exceptions;
pub(crate) mod lists;
pub(crate) mod receipts;
pub(crate) mod settings;
pub(crate) mod units;
pub(crate) mod warehouse_request;
