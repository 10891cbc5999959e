//! Accounts at carriers, and the shipments there.

pub(crate) mod accounts;
pub(crate) mod shipments;
