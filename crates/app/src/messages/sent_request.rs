//! The request that a message is sent with: its address and headers.

use boxed::boxed;
use delivery::Endpoint;
use domain::identifier::MessageId;

use crate::{
    App, AppError,
    messages::{endpoint_target::resolve_target, message_log::MessageView},
};

/// The request that sends a message, without its body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SentRequest {
    /// None if no address is set.
    pub url: Option<String>,
    /// Whether an operator has paused the endpoint.
    pub paused: bool,
    /// Names and values, without secrets and without values that differ between attempts.
    pub headers: Vec<(String, String)>,
    /// Why nothing may be sent to this address, if so.
    pub refused: Option<String>,
}

/// The request with which the message would be sent now.
#[boxed]
pub async fn describe_request(app: &App, message: &MessageView) -> Result<SentRequest, AppError> {
    let id = MessageId::parse(&message.id).ok_or(AppError::NotFound("message"))?;
    let (merchant, kind) = (id.merchant, message.kind);
    let endpoints = app.store.endpoints(&merchant).await?.value;
    let paused = endpoints.paused.contains(&kind);
    let Some(target) = resolve_target(app, &merchant, &endpoints, kind).await? else {
        return Ok(SentRequest { paused, ..SentRequest::default() });
    };
    let sent = SentRequest { url: Some(target.url.clone()), paused, ..SentRequest::default() };
    Ok(match Endpoint::new(&target, &app.http) {
        Ok(endpoint) => {
            let created_s = message.created_at.as_second();
            let headers = endpoint.shown_headers(&message.id, message.sequence, created_s);
            SentRequest { headers, ..sent }
        }
        Err(refused) => SentRequest { refused: Some(refused.to_string()), ..sent },
    })
}
