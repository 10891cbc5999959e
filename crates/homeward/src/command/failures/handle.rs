//! Retries or discards messages one by one. One that is refused does not affect the others.

use std::process::ExitCode;

use app::messages::failure_queue::FailureResult;
use domain::identifier::MessageId;
use omit_none::omit_none;
use serde::Serialize;
use serde_json::{Value, json};

use super::super::argument::PathAndQuery;
use crate::{
    http::ServerResponse,
    output::{Output, format_table},
    session::Session,
};

/// What happened to a message.
#[omit_none]
#[derive(Serialize)]
struct MessageResult {
    id: String,
    /// retried, discarded or refused.
    result: String,
    /// Why it was refused.
    message: Option<String>,
}

pub(super) async fn retry(
    session: &mut Session,
    output: Output,
    ids: &[MessageId],
    force: bool,
) -> anyhow::Result<ExitCode> {
    let force = force.then_some(true);
    let operation = Operation { name: "retry", force, body: json!({}) };
    handle_each(session, output, ids, &operation).await
}

pub(super) async fn discard(
    session: &mut Session,
    output: Output,
    ids: &[MessageId],
    reason: &str,
) -> anyhow::Result<ExitCode> {
    let operation = Operation { name: "discard", force: None, body: json!({ "reason": reason }) };
    handle_each(session, output, ids, &operation).await
}

/// What the server is asked to do with each message.
struct Operation {
    name: &'static str,
    force: Option<bool>,
    body: Value,
}

/// The exit code says whether all messages were handled.
async fn handle_each(
    session: &mut Session,
    output: Output,
    ids: &[MessageId],
    operation: &Operation,
) -> anyhow::Result<ExitCode> {
    let mut results = Vec::new();
    for id in ids {
        let path = format!("/admin/messages/{id}/{}", operation.name);
        let path = PathAndQuery::new(&path).with("force", operation.force);
        let response = session.send(hyper::Method::POST, path.as_str(), &operation.body).await?;
        results.push(read_result(id, &response)?);
    }
    output.print(&results, || {
        let row = |result: &MessageResult| {
            let why = result.message.clone().unwrap_or_default();
            vec![result.id.clone(), result.result.clone(), why]
        };
        format_table(&["MESSAGE", "RESULT", "WHY"], &results.iter().map(row).collect::<Vec<_>>())
    });
    let all = results.iter().all(|result| result.message.is_none());
    Ok(if all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn read_result(id: &MessageId, response: &ServerResponse) -> anyhow::Result<MessageResult> {
    // These are about the message. Anything else, such as an expired token, is about the request.
    if matches!(response.status.as_u16(), 404 | 409 | 422) {
        let message = Some(response.message());
        return Ok(MessageResult { id: id.to_string(), result: "refused".to_owned(), message });
    }
    let FailureResult { id, result } = response.json()?;
    Ok(MessageResult { id, result, message: None })
}
