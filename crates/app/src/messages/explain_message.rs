//! Help for a merchant's engineer: a message as a command, and why its signature does not fit.

use std::fmt::Write as _;

use boxed::boxed;
use delivery::{Endpoint, SentCall, SignedMessage, explain_signature};
use domain::{
    identifier::MessageId,
    messages::signature::{ReceivedCall, SignatureExplanation},
};

use crate::{
    App, AppError,
    access::secrets,
    messages::{
        endpoint_target::resolve_target,
        message_log::{MessageWithAttempts, load_message},
    },
};

/// A longer body is in a file, because a command takes no longer words.
const INLINE_BYTES_MAX: usize = 100_000;

/// Compares a message that a merchant received with what was sent.
#[boxed]
pub async fn explain_message(
    app: &App,
    id: &MessageId,
    received: &ReceivedCall,
) -> Result<SignatureExplanation, AppError> {
    let detail = load_message(app, id).await?;
    let owner = app.store.merchant(&id.merchant).await?.ok_or(AppError::NotFound("merchant"))?;
    let secrets = secrets::signing_secrets(app, &owner.value)?;
    let sent = SentCall { id: &detail.message.id, body: detail.body.as_bytes(), secrets: &secrets };
    Ok(explain_signature(&sent, received, app.world.now().as_second()))
}

/// A command that sends the message as it would be sent now, signed for the next five minutes.
/// Credentials are left out. A conflict if nothing can be sent.
#[boxed]
pub async fn format_message(app: &App, id: &MessageId) -> Result<String, AppError> {
    let detail = load_message(app, id).await?;
    let command = format_curl(app, id, &detail).await?;
    let why = "no address is set for this kind, or nothing may be sent to it";
    command.ok_or_else(|| AppError::Conflict(why.to_owned()))
}

/// The same for a message that was loaded. None if nothing can be sent.
#[boxed]
pub async fn format_curl(
    app: &App,
    id: &MessageId,
    detail: &MessageWithAttempts,
) -> Result<Option<String>, AppError> {
    let message = &detail.message;
    let endpoints = app.store.endpoints(&id.merchant).await?.value;
    let target = resolve_target(app, &id.merchant, &endpoints, message.kind).await?;
    let Some(target) = target else { return Ok(None) };
    let Ok(endpoint) = Endpoint::new(&target, &app.http) else { return Ok(None) };
    let headers = endpoint.signed_headers(&SignedMessage {
        id: &message.id,
        sequence: message.sequence,
        created_s: message.created_at.as_second(),
        body: detail.body.as_bytes(),
    });
    let mut command = format!("curl {}", quote(&target.url));
    // curl sets the host itself.
    for (name, value) in headers.iter().filter(|(name, _)| name != "host") {
        let _ = write!(command, " \\\n  -H {}", quote(&format!("{name}: {value}")));
    }
    let body = if detail.body.len() <= INLINE_BYTES_MAX {
        quote(&detail.body)
    } else {
        format!("@{}.json", message.id)
    };
    let _ = write!(command, " \\\n  --data-binary {body}");
    Ok(Some(command))
}

/// A text as one word of a shell.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_takes_any_text_for_one_word() {
        assert_eq!(quote("a $b"), "'a $b'");
        assert_eq!(quote("it's"), r"'it'\''s'");
    }
}
