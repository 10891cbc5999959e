//! Withdrawals: the list for merchants, and the check of acknowledgements.

pub(crate) mod documents;
pub(crate) mod list;
