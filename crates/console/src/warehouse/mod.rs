//! The receiving bench, license plates, units and exceptions, and the lists of the warehouse.

pub(crate) mod asns;
pub(crate) mod disposition;
pub(crate) mod drop_ship;
pub(crate) mod exceptions;
pub(crate) mod plates;
pub(crate) mod receive;
pub(crate) mod shipments;
pub(crate) mod units;
pub(crate) mod warehouses;
mod work_list;
