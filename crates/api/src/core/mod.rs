//! What all routes of the API share.

pub(crate) mod admin_request;
pub(crate) mod audit;
pub(crate) mod body;
pub(crate) mod caller;
pub(crate) mod idempotency;
pub(crate) mod json_text;
pub(crate) mod large_body_turn;
pub(crate) mod paging;
pub(crate) mod probes;
pub(crate) mod refusals;
pub(crate) mod sample;
pub(crate) mod status;
pub(crate) mod version;
pub(crate) mod work_list;
