//! Returns: RMAs, their journal, ledgers, policies and refunds.

pub(crate) mod journal;
pub(crate) mod label_documents;
pub(crate) mod ledgers;
pub(crate) mod parsed_policies;
pub(crate) mod policies;
pub(crate) mod refund_problems;
pub(crate) mod refunds;
pub(crate) mod return_lists;
pub(crate) mod rmas;
