//! What pages with lists and histories have in common: filters, paging, moments, states.

use std::fmt;

use app::{
    merchants::change_merchant::list_merchants,
    messages::message_log::{AttemptView, MessageState, MessageView},
};
use askama::filters::HtmlSafe;
use domain::{identifier::MerchantId, orders::order::OrderStatus, returns::rma::RmaStatus};
use jiff::Timestamp;

use super::words::{address, moment, path};
use server::{Web, error::ApiError};

/// How many rows a page of a list has.
pub(crate) const PAGE: usize = 50;
/// How many merchants can be chosen from.
const MERCHANTS_MAX: usize = 500;

/// A moment on a page: for people, for machines, and for the script that tells the local time.
#[derive(Clone, Copy)]
pub(crate) struct Moment(pub(crate) Timestamp);

/// Nothing but digits, letters and signs of our own stands in it.
impl HtmlSafe for Moment {}

impl fmt::Display for Moment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "<time datetime=\"{}\">{}</time>", self.0, moment(&self.0))
    }
}

/// Something to choose in a filter.
pub(crate) struct Choice {
    pub(crate) value: String,
    pub(crate) words: String,
    pub(crate) chosen: bool,
}

/// The merchants to choose from.
pub(crate) async fn merchant_choices(web: &Web, chosen: &str) -> Result<Vec<Choice>, ApiError> {
    let all = list_merchants(&web.app, "", MERCHANTS_MAX).await?;
    let mut choices: Vec<Choice> = all
        .into_iter()
        .map(|it| choice(&it.merchant, &format!("{} ({})", it.name, it.merchant), chosen))
        .collect();
    if !chosen.is_empty() && choices.iter().all(|it| !it.chosen) {
        choices.push(choice(chosen, chosen, chosen));
    }
    Ok(choices)
}

pub(crate) fn choice(value: &str, words: &str, chosen: &str) -> Choice {
    Choice { value: value.to_owned(), words: words.to_owned(), chosen: value == chosen }
}

/// The merchant that a filter names; one that cannot be is nobody's name.
pub(crate) fn merchant_named(text: &str) -> Result<Option<MerchantId>, ApiError> {
    if text.is_empty() {
        return Ok(None);
    }
    let missing = |_| ApiError::App(app::AppError::NotFound("merchant"));
    MerchantId::parse_stored(text).map(Some).map_err(missing)
}

/// Where a list goes on, and how to get back to its beginning.
pub(crate) struct Paging {
    /// There unless this is the first page.
    pub(crate) newest: Option<String>,
    pub(crate) older: Option<String>,
}

impl Paging {
    /// The links of a list at `path` with this filter, which was read behind `before`.
    pub(crate) fn new(
        path: &str,
        filter: &[(&str, &str)],
        before: &str,
        next: Option<&str>,
    ) -> Self {
        let older = next.map(|next| address(path, &[filter, &[("before", next)]].concat()));
        Self { newest: (!before.is_empty()).then(|| address(path, filter)), older }
    }
}

/// A state in words, and the colour that it has.
#[derive(Clone, Copy)]
pub(crate) struct Badge {
    pub(crate) class: &'static str,
    pub(crate) words: &'static str,
}

pub(crate) fn order_badge(status: &str) -> Badge {
    let (class, words) = match OrderStatus::parse(status) {
        Some(OrderStatus::Created) => ("cool", "Created"),
        Some(OrderStatus::Shipped) => ("good", "Shipped"),
        Some(OrderStatus::Cancelled) => ("", "Cancelled"),
        None => ("warn", "Unknown"),
    };
    Badge { class, words }
}

pub(crate) fn return_badge(status: RmaStatus) -> Badge {
    let (class, words) = match status {
        RmaStatus::Created => ("cool", "Under way"),
        RmaStatus::PendingExchange => ("warn", "Exchange pending"),
        RmaStatus::PartialRefund => ("warn", "Partly settled"),
        RmaStatus::Refunded => ("good", "Settled"),
        RmaStatus::Canceled => ("", "Canceled"),
    };
    Badge { class, words }
}

pub(crate) fn message_badge(state: MessageState) -> Badge {
    let (class, words) = match state {
        MessageState::Waiting => ("cool", "Waiting"),
        MessageState::Delivered => ("good", "Delivered"),
        MessageState::Failed => ("bad", "Failed"),
        MessageState::Discarded => ("", "Discarded"),
    };
    Badge { class, words }
}

/// A message as a line.
pub(crate) struct MessageLine {
    pub(crate) id: String,
    pub(crate) address: String,
    pub(crate) kind: String,
    pub(crate) created: Moment,
    pub(crate) due: Option<Moment>,
    pub(crate) state: Badge,
    pub(crate) is_failed: bool,
    pub(crate) discard_reason: String,
}

impl MessageLine {
    pub(crate) fn new(message: &MessageView) -> Self {
        Self {
            id: message.id.clone(),
            address: path(&["console", "messages", &message.id]),
            kind: message.kind.name().replace('_', " "),
            created: Moment(message.created_at),
            due: message.due_at.map(Moment),
            state: message_badge(message.state),
            is_failed: message.state == MessageState::Failed,
            discard_reason: message.discard_reason.clone().unwrap_or_default(),
        }
    }
}

/// A try as a line.
pub(crate) struct AttemptLine {
    pub(crate) at: Moment,
    pub(crate) number: String,
    pub(crate) result: String,
    pub(crate) class: &'static str,
    pub(crate) latency: String,
    pub(crate) answer: String,
}

impl AttemptLine {
    pub(crate) fn new(attempt: &AttemptView) -> Self {
        let status = attempt.status.map(|it| it.to_string());
        let said: Vec<String> = status.into_iter().chain(attempt.error.clone()).collect();
        let good = attempt.status.is_some_and(|it| (200..300).contains(&it));
        let number = match attempt.cycle {
            1 => attempt.attempt.to_string(),
            cycle => format!("{cycle}.{}", attempt.attempt),
        };
        Self {
            at: Moment(attempt.at),
            number,
            result: if said.is_empty() { "no answer".to_owned() } else { said.join(": ") },
            class: if good && attempt.error.is_none() { "good" } else { "bad" },
            latency: format!("{:.1} ms", attempt.latency_ms),
            answer: attempt.answer.clone().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_goes_on_with_the_same_filter() {
        let filter = [("merchant", "acme"), ("status", "")];
        let first = Paging::new("/console/orders", &filter, "", Some("7_acme_A/1"));
        assert!(first.newest.is_none());
        let older = "/console/orders?merchant=acme&before=7_acme_A%2F1";
        assert_eq!(first.older.as_deref(), Some(older));
        let last = Paging::new("/console/orders", &filter, "7_acme_A", None);
        assert_eq!(last.newest.as_deref(), Some("/console/orders?merchant=acme"));
        assert!(last.older.is_none());
    }

    #[test]
    fn a_try_tells_its_status_and_what_went_wrong() {
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
