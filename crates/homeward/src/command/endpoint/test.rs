//! `homeward endpoint test`: sends a test message and waits for its first attempt.

use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

use app::messages::{
    message_log::{AttemptView, MessageState, MessageWithAttempts},
    set_endpoints::EndpointsView,
    test_endpoint::TestMessage,
};
use serde_json::json;

use super::{EndpointArgs, describe_state, endpoints_path};
use crate::{output::Output, session::Session};

const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The exit code says whether the message was delivered.
pub(super) async fn test(
    session: &mut Session,
    output: Output,
    endpoint: &EndpointArgs,
    wait_s: u64,
) -> anyhow::Result<ExitCode> {
    let sent: TestMessage = session.post(&format!("{}/test", endpoint.path()), &json!({})).await?;
    let started = Instant::now();
    let message = loop {
        let message: MessageWithAttempts =
            session.get(&format!("/admin/messages/{}", sent.id)).await?;
        let is_done = message.message.state != MessageState::Waiting || has_failed(&message);
        if is_done || started.elapsed() >= Duration::from_secs(wait_s) {
            break message;
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    };
    let is_delivered = message.message.state == MessageState::Delivered;
    let text = match message.attempts.last() {
        Some(attempt) => describe_attempt(&message, attempt),
        None => describe_waiting(session, endpoint, &sent.id, wait_s).await?,
    };
    output.print(&message, || text);
    Ok(if is_delivered { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Whether the last attempt failed. A successful attempt may be visible a moment before the message
/// is delivered.
fn has_failed(message: &MessageWithAttempts) -> bool {
    let is_success = |attempt: &AttemptView| matches!(attempt.status, Some(200..=299));
    message.attempts.last().is_some_and(|attempt| !is_success(attempt))
}

fn describe_attempt(detail: &MessageWithAttempts, attempt: &AttemptView) -> String {
    let message = &detail.message;
    let status = attempt.status.map(|status| format!("status {status}"));
    let parts = [status, attempt.error.clone()].into_iter().flatten().collect::<Vec<_>>();
    let outcome = format!("{} in {:.1} ms", parts.join(", "), attempt.latency_ms);
    if message.state == MessageState::Delivered {
        return format!("{} was delivered: {outcome}.", message.id);
    }
    let answer = attempt.answer.as_deref().map(|it| format!("\nResponse: {}", it.trim()));
    format!(
        "{} was not delivered: {outcome}.{}\nFollow it with: homeward message show {}",
        message.id,
        answer.unwrap_or_default(),
        message.id
    )
}

/// Why there was no attempt, as far as the endpoint's state says.
async fn describe_waiting(
    session: &mut Session,
    endpoint: &EndpointArgs,
    id: &str,
    wait_s: u64,
) -> anyhow::Result<String> {
    let view: EndpointsView = session.get(&endpoints_path(&endpoint.merchant)).await?;
    let endpoint = view.endpoints.iter().find(|it| it.kind == endpoint.kind);
    let state = endpoint.map(describe_state).unwrap_or_default();
    Ok(format!(
        "{id} was not attempted within {wait_s} s. State of the endpoint: {state}.\n\
         Follow it with: homeward message show {id}"
    ))
}
