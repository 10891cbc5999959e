//! Returns and refunds.

mod lists;
mod refunds;
mod rmas;
