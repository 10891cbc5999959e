//! Returns and refunds.

mod checks;
mod lists;
mod refunds;
mod rmas;
