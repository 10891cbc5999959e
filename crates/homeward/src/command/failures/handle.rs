//! Messages that are named one by one are retried or discarded, each on its own: one that is refused
//! does not keep the others back.

use std::process::ExitCode;

use app::messages::failure_queue::Handled;
use domain::identifier::MessageId;
use serde::Serialize;
use serde_json::{Value, json};

use super::super::argument::Address;
use crate::{
    http::Answer,
    output::{Output, table},
    session::Session,
};

/// What became of a message.
#[derive(Serialize)]
struct Outcome {
    id: String,
    /// retried, discarded or refused.
    result: String,
    /// Why it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

pub(super) async fn retry(
    session: &mut Session,
    output: Output,
    ids: &[MessageId],
    force: bool,
) -> anyhow::Result<ExitCode> {
    let force = force.then_some(true);
    each(session, output, ids, ("retry", force, &json!({}))).await
}

pub(super) async fn discard(
    session: &mut Session,
    output: Output,
    ids: &[MessageId],
    reason: &str,
) -> anyhow::Result<ExitCode> {
    each(session, output, ids, ("discard", None, &json!({ "reason": reason }))).await
}

/// The exit code tells whether all were handled.
async fn each(
    session: &mut Session,
    output: Output,
    ids: &[MessageId],
    (deed, force, body): (&str, Option<bool>, &Value),
) -> anyhow::Result<ExitCode> {
    let mut outcomes = Vec::new();
    for id in ids {
        let address = Address::new(&format!("/admin/messages/{id}/{deed}")).with("force", force);
        let answer = session.send(hyper::Method::POST, address.as_str(), body).await?;
        outcomes.push(outcome(id, &answer)?);
    }
    output.data(&outcomes, || {
        let row = |outcome: &Outcome| {
            let why = outcome.message.clone().unwrap_or_default();
            vec![outcome.id.clone(), outcome.result.clone(), why]
        };
        table(&["MESSAGE", "RESULT", "WHY"], &outcomes.iter().map(row).collect::<Vec<_>>())
    });
    let all = outcomes.iter().all(|outcome| outcome.message.is_none());
    Ok(if all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn outcome(id: &MessageId, answer: &Answer) -> anyhow::Result<Outcome> {
    // Refused for what it is; anything else, such as a token that ended, is no word about the message.
    if matches!(answer.status.as_u16(), 404 | 409 | 422) {
        let message = Some(answer.message());
        return Ok(Outcome { id: id.to_string(), result: "refused".to_owned(), message });
    }
    let Handled { id, result } = answer.json()?;
    Ok(Outcome { id, result, message: None })
}
