//! How a message is sent: to which address, with which headers.

use delivery::Endpoint;
use domain::identifier::MessageId;

use crate::{
    App, AppError,
    messages::{message_log::MessageView, set_endpoints::resolve_target},
};

/// The request that carries a message, but for its body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SentRequest {
    /// None while no address is set.
    pub url: Option<String>,
    /// Whether an operator stopped the endpoint for the time being.
    pub paused: bool,
    /// Names and values. Secrets are not among them, nor what is another with each attempt.
    pub headers: Vec<(String, String)>,
    /// Why nothing can be sent to this address, if it cannot.
    pub refused: Option<String>,
}

/// How the message would be sent now.
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
            let headers = endpoint.shown_headers(&message.id, message.sequence);
            SentRequest { headers, ..sent }
        }
        Err(refused) => SentRequest { refused: Some(refused.to_string()), ..sent },
    })
}
