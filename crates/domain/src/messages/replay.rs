//! Which messages a merchant wants to get again.
//!
//! A message about a thing is never sent again alone if there is a newer one about it: the newest
//! one follows, so that a receiver that overwrites what it holds ends with the newest state.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::{kind::MessageKind, state::MessageState};
use crate::{
    faults::Faults,
    identifier::{MerchantId, MessageId},
    json::Json,
    reader::{self, IDENTIFIER_MAX, Reader, fields::Fields},
};

/// The most messages, and the most things, that a selection names.
pub const NAMED_MAX: usize = 10_000;

/// Selects messages. All conditions that are set must match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplaySelection {
    /// Numbers of messages.
    pub ids: BTreeSet<i64>,
    pub references: BTreeSet<String>,
    pub kinds: BTreeSet<MessageKind>,
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
}

/// A message in the log, as far as it matters for a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedMessage {
    pub number: i64,
    pub kind: MessageKind,
    pub created_us: i64,
    pub state: MessageState,
}

/// Reads a selection of messages to `merchant`, and reports everything that is wrong with it.
pub fn read_selection(
    document: &Json<'_>,
    merchant: &MerchantId,
) -> Result<ReplaySelection, Faults> {
    let (selection, _) = reader::read(document, false, |root| {
        let selection = root.object(|at| read_fields(at, merchant))?;
        if selection == ReplaySelection::default() && root.is_faultless() {
            return root.invalid("must have at least one of ids, references, kinds, from and to");
        }
        Some(selection)
    })?;
    Ok(selection)
}

fn read_fields(at: &Fields<'_>, merchant: &MerchantId) -> ReplaySelection {
    at.refuse_unknown();
    let own_number =
        |id: &str| MessageId::parse(id).filter(|id| id.merchant == *merchant).map(|id| id.number);
    let id = |at: &Reader<'_>| at.named(own_number, "must be the identifier of a message");
    let reference = |at: &Reader<'_>| at.text(1..=IDENTIFIER_MAX).map(str::to_owned);
    let own_kind = |name: &str| MessageKind::parse(name).filter(|kind| kind.is_replayable());
    let kind = |at: &Reader<'_>| at.named(own_kind, "must be a kind of message");
    let (from, to) = (at.optional_time("from"), at.optional_time("to"));
    if from.zip(to).is_some_and(|(from, to)| to < from) {
        at.note("to", "must not be before from");
    }
    ReplaySelection {
        ids: named(at, "ids", id),
        references: named(at, "references", reference),
        kinds: named(at, "kinds", kind),
        from,
        to,
    }
}

fn named<T: Ord>(
    at: &Fields<'_>,
    key: &'static str,
    each: impl Fn(&Reader<'_>) -> Option<T>,
) -> BTreeSet<T> {
    let list = at.optional(key, |at| at.list(NAMED_MAX, each));
    list.unwrap_or_default().into_iter().collect()
}

impl ReplaySelection {
    /// Whether a message is selected, as far as its kind and its time decide.
    pub fn includes(&self, kind: MessageKind, created_us: i64) -> bool {
        kind.is_replayable()
            && (self.kinds.is_empty() || self.kinds.contains(&kind))
            && self.from.is_none_or(|from| created_us >= from.as_microsecond())
            && self.to.is_none_or(|to| created_us <= to.as_microsecond())
    }

    /// Whether a message is selected, whose reference is.
    pub fn includes_message(&self, message: &LoggedMessage) -> bool {
        self.includes(message.kind, message.created_us)
            && (self.ids.is_empty() || self.ids.contains(&message.number))
    }
}

/// The messages to send again of those about one thing, in order: the selected ones, and after
/// those of a kind the newest of that kind. What waits is sent anyway, and what an operator
/// discarded stays discarded.
pub fn choose_messages(about: &[LoggedMessage], selection: &ReplaySelection) -> Vec<LoggedMessage> {
    let newest = |kind| about.iter().filter(|it| it.kind == kind).map(|it| it.number).max();
    let selected_kinds: BTreeSet<MessageKind> =
        about.iter().filter(|it| selection.includes_message(it)).map(|it| it.kind).collect();
    let is_wanted = |it: &&LoggedMessage| {
        let is_finished = matches!(it.state, MessageState::Delivered | MessageState::Failed);
        let follows = selected_kinds.contains(&it.kind) && newest(it.kind) == Some(it.number);
        is_finished && (selection.includes_message(it) || follows)
    };
    let mut chosen: Vec<LoggedMessage> = about.iter().filter(is_wanted).copied().collect();
    chosen.sort_by_key(|it| it.number);
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    fn read(text: &str) -> Result<ReplaySelection, String> {
        let merchant = MerchantId::parse("acme").unwrap();
        let document = json::parse(text.as_bytes()).unwrap();
        read_selection(&document, &merchant).map_err(|faults| faults.summary())
    }

    fn logged(number: i64, kind: MessageKind, state: MessageState) -> LoggedMessage {
        LoggedMessage { number, kind, created_us: number * 1_000_000, state }
    }

    fn numbers(chosen: &[LoggedMessage]) -> Vec<i64> {
        chosen.iter().map(|it| it.number).collect()
    }

    #[test]
    fn a_selection_names_messages_things_kinds_or_a_time() {
        let selection = read(
            r#"{"ids": ["msg_acme_42"], "references": ["RMA-1"], "kinds": ["rma"],
                "from": "1970-01-01T00:00:02Z", "to": "1970-01-01T00:00:03Z"}"#,
        )
        .unwrap();
        assert!(selection.includes(MessageKind::Rma, 2_000_000));
        assert!(!selection.includes(MessageKind::Rma, 3_000_001));
        assert!(!selection.includes(MessageKind::OutboundAsn, 2_000_000));
        assert!(selection.ids.contains(&42));
    }

    #[test]
    fn a_selection_without_a_condition_or_with_an_unknown_one_is_refused() {
        assert!(read("{}").unwrap_err().contains("at least one of"));
        assert!(read(r#"{"ids": []}"#).unwrap_err().contains("at least one of"));
        for wrong in [
            r#"{"id": "msg_acme_42"}"#,
            r#"{"ids": ["42"]}"#,
            r#"{"ids": ["msg_other_42"]}"#,
            r#"{"kinds": ["carrier_request"]}"#,
            r#"{"references": [""]}"#,
            r#"{"from": "2026-02-02T00:00:00Z", "to": "2026-02-01T00:00:00Z"}"#,
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_older_message_is_followed_by_the_newest_of_its_kind() {
        let about = [
            logged(1, MessageKind::Rma, MessageState::Delivered),
            logged(2, MessageKind::Rma, MessageState::Delivered),
            logged(3, MessageKind::OutboundAsn, MessageState::Delivered),
            logged(4, MessageKind::Rma, MessageState::Delivered),
        ];
        let first = read(r#"{"ids": ["msg_acme_1"]}"#).unwrap();
        assert_eq!(numbers(&choose_messages(&about, &first)), [1, 4]);
        let all = read(r#"{"references": ["A"]}"#).unwrap();
        assert_eq!(numbers(&choose_messages(&about, &all)), [1, 2, 3, 4]);
        let late = read(r#"{"from": "1970-01-01T00:00:05Z"}"#).unwrap();
        assert_eq!(numbers(&choose_messages(&about, &late)), Vec::<i64>::new());
    }

    #[test]
    fn what_waits_or_was_discarded_is_not_sent_again() {
        let about = [
            logged(1, MessageKind::Rma, MessageState::Failed),
            logged(2, MessageKind::Rma, MessageState::Discarded),
            logged(3, MessageKind::Rma, MessageState::Waiting),
        ];
        let all = read(r#"{"references": ["A"]}"#).unwrap();
        assert_eq!(numbers(&choose_messages(&about, &all)), [1]);
    }
}
