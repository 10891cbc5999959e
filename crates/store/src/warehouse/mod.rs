//! The warehouse: its settings, ASNs, units, shipments and drop-ship orders.

pub(crate) mod asns;
pub(crate) mod outbound;
pub(crate) mod settings;
pub(crate) mod units;
