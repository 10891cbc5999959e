//! The warehouse: its settings, ASNs, receipts, units, shipments and drop-ship orders.

pub(crate) mod asn_receipts;
pub mod asns;
pub mod bench_goods;
pub mod corrections;
pub mod disposition;
pub mod disposition_report;
pub mod drop_ship;
pub mod parcel_search;
pub mod receipts;
pub mod recent_receipts;
pub(crate) mod resolve_merchant;
pub(crate) mod return_receipts;
pub mod settings;
pub mod shipments;
pub mod stray_search;
pub mod unit_changes;
pub mod unit_questions;
pub mod unit_story;
pub mod work_lists;
pub mod workbench;
