//! The warehouse and drop ship, seen from all sides: merchants announce and order, the warehouse
//! receives and ships, operators decide about what does not fit, and a simulated merchant hears of
//! it.
//!
//! What is sent and what is told are the samples of the API's reference, compared whole. The
//! warehouse knows goods by their numbers only, so every [`scene`] has numbers of its own; what is
//! read back is written with the numbers of the samples again.

mod announcing;
mod asns_of_returns;
mod changes;
mod documents;
mod drop_ship;
mod exceptions;
mod receiving;
mod scene;
mod settings;
mod shipments;
mod splitting;
mod stories;
mod surprises;
