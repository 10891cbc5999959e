//! The warehouse: its settings, ASNs, units, shipments and drop-ship orders.

pub(crate) mod asn_codes;
pub(crate) mod asn_lines;
pub(crate) mod asn_scans;
pub(crate) mod asns;
pub(crate) mod dispositions;
pub(crate) mod outbound;
pub(crate) mod receiving_keys;
pub(crate) mod settings;
pub(crate) mod units;
