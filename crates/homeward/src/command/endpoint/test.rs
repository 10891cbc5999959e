//! `homeward endpoint test`: a test message goes out, and its first attempt is waited for.

use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

use app::messages::{
    message_log::{AttemptView, MessageDetail, MessageState},
    set_endpoints::EndpointsView,
    test_endpoint::TestMessage,
};
use serde_json::json;

use super::{One, path, state};
use crate::{output::Output, session::Session};

const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The exit code tells whether the message was delivered.
pub(super) async fn test(
    session: &mut Session,
    output: Output,
    endpoint: &One,
    wait_s: u64,
) -> anyhow::Result<ExitCode> {
    let sent: TestMessage = session.post(&format!("{}/test", endpoint.path()), &json!({})).await?;
    let begun = Instant::now();
    let message = loop {
        let message: MessageDetail = session.get(&format!("/admin/messages/{}", sent.id)).await?;
        let was_tried = message.message.state != MessageState::Waiting || was_refused(&message);
        if was_tried || begun.elapsed() >= Duration::from_secs(wait_s) {
            break message;
        }
        tokio::time::sleep(LOOK_EVERY).await;
    };
    let is_delivered = message.message.state == MessageState::Delivered;
    let words = match message.attempts.last() {
        Some(attempt) => tried_words(&message, attempt),
        None => waiting_words(session, endpoint, &sent.id, wait_s).await?,
    };
    output.data(&message, || words);
    Ok(if is_delivered { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// An attempt that succeeded may be seen a moment before the message counts as delivered.
fn was_refused(message: &MessageDetail) -> bool {
    let is_success = |attempt: &AttemptView| matches!(attempt.status, Some(200..=299));
    message.attempts.last().is_some_and(|attempt| !is_success(attempt))
}

fn tried_words(detail: &MessageDetail, attempt: &AttemptView) -> String {
    let message = &detail.message;
    let status = attempt.status.map(|status| format!("answered {status}"));
    let parts = [status, attempt.error.clone()].into_iter().flatten().collect::<Vec<_>>();
    let outcome = format!("{} in {:.1} ms", parts.join(", "), attempt.latency_ms);
    if message.state == MessageState::Delivered {
        return format!("{} was delivered: {outcome}.", message.id);
    }
    let answer = attempt.answer.as_deref().map(|it| format!("\nIt said: {}", it.trim()));
    format!(
        "{} was not delivered: {outcome}.{}\nWhat becomes of it: homeward message show {}",
        message.id,
        answer.unwrap_or_default(),
        message.id
    )
}

/// Why there was no attempt, as far as the endpoint tells.
async fn waiting_words(
    session: &mut Session,
    endpoint: &One,
    id: &str,
    wait_s: u64,
) -> anyhow::Result<String> {
    let view: EndpointsView = session.get(&path(&endpoint.merchant)).await?;
    let found = view.endpoints.iter().find(|it| it.kind == endpoint.kind);
    let state = found.map(state).unwrap_or_default();
    Ok(format!(
        "{id} was not tried within {wait_s} s; the endpoint is: {state}.\n\
         What becomes of it: homeward message show {id}"
    ))
}
