//! Messages and attempts as lines of other pages: orders, returns and units.

use app::messages::message_log::{AttemptView, MessageView};
use domain::messages::state::MessageState;

use crate::core::{
    badge::{Badge, message_badge},
    format::TimeElement,
    urls::message_url,
};

pub(crate) struct MessageLine {
    pub(crate) id: String,
    pub(crate) url: String,
    pub(crate) kind: String,
    pub(crate) created: TimeElement,
    pub(crate) due: Option<TimeElement>,
    pub(crate) state: Badge,
    pub(crate) is_failed: bool,
    pub(crate) discard_reason: String,
}

impl MessageLine {
    pub(crate) fn new(message: &MessageView) -> Self {
        Self {
            id: message.id.clone(),
            url: message_url(&message.id),
            kind: message.kind.name().replace('_', " "),
            created: TimeElement(message.created_at),
            due: message.due_at.map(TimeElement),
            state: message_badge(message.state),
            is_failed: message.state == MessageState::Failed,
            discard_reason: message.discard_reason.clone().unwrap_or_default(),
        }
    }
}

pub(crate) struct AttemptLine {
    pub(crate) at: TimeElement,
    pub(crate) number: String,
    pub(crate) result: String,
    pub(crate) class: &'static str,
    pub(crate) latency: String,
    pub(crate) response: String,
}

impl AttemptLine {
    pub(crate) fn new(attempt: &AttemptView) -> Self {
        let status = attempt.status.map(|it| it.to_string());
        let result: Vec<String> = status.into_iter().chain(attempt.error.clone()).collect();
        let number = match attempt.cycle {
            1 => attempt.attempt.to_string(),
            cycle => format!("{cycle}.{}", attempt.attempt),
        };
        Self {
            at: TimeElement(attempt.at),
            number,
            result: if result.is_empty() { "no response".to_owned() } else { result.join(": ") },
            class: if is_accepted(attempt) { "good" } else { "bad" },
            latency: format!("{:.1} ms", attempt.latency_ms),
            response: attempt.answer.clone().unwrap_or_default(),
        }
    }
}

pub(super) fn is_accepted(attempt: &AttemptView) -> bool {
    let status_is_good = attempt.status.is_some_and(|status| (200..300).contains(&status));
    status_is_good && attempt.error.is_none()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    #[test]
    fn an_attempt_shows_its_status_and_its_error() {
        let attempt = |status, error: Option<&str>, cycle| {
            AttemptLine::new(&AttemptView {
                at: Timestamp::UNIX_EPOCH,
                cycle,
                attempt: 2,
                status,
                error: error.map(str::to_owned),
                latency_ms: 12.34,
                answer: None,
            })
        };
        let good = attempt(Some(202), None, 1);
        assert_eq!((good.result.as_str(), good.class, good.number.as_str()), ("202", "good", "2"));
        assert_eq!(good.latency, "12.3 ms");
        let bad = attempt(None, Some("connection refused"), 3);
        assert_eq!((bad.result.as_str(), bad.class), ("connection refused", "bad"));
        assert_eq!(bad.number, "3.2");
    }
}
