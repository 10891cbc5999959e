//! Messages to merchants: the outbox, the log, the failure queue, and the endpoints.

mod address_book;
pub mod alerts;
pub mod bulk_retry;
pub mod certify_check;
pub mod certify_endpoints;
pub mod current_state;
pub mod delivery_report;
pub(crate) mod endpoint_target;
pub mod explain_message;
pub mod failure_queue;
pub(crate) mod jobs;
pub mod mail;
pub mod message_log;
pub(crate) mod outbox;
pub mod reconciliation;
pub(crate) mod reload_endpoints;
pub mod replay;
pub mod sent_request;
pub mod set_endpoints;
pub mod test_endpoint;
