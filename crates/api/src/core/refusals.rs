//! Responses that several operations describe in the same words.

use utoipa::IntoResponses;

use super::sample;
use server::error::Message;

#[derive(IntoResponses)]
#[expect(dead_code, reason = "describes a response; the handlers build it")]
pub(crate) enum UnknownMerchant {
    /// There is no such merchant.
    #[response(status = 404, example = json!(sample::not_found("merchant")))]
    NotFound(Message),
}

#[derive(IntoResponses)]
#[expect(dead_code, reason = "describes a response; the handlers build it")]
pub(crate) enum InvalidMerchant {
    /// The merchant in the query is not a valid identifier.
    #[response(status = 404, example = json!(sample::not_found("merchant")))]
    NotFound(Message),
}
