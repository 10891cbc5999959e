//! The messages that were selected in the queue, to be retried or discarded.

use app::messages::failure_queue::FailureAction;
use domain::identifier::MessageId;

use crate::{
    access::visitor::Visitor,
    core::form::{Form, check_reason},
};

#[derive(Debug, Default)]
pub(crate) struct Selection {
    /// All messages that match the filter, instead of those in `ids`.
    pub(crate) all: bool,
    pub(crate) ids: Vec<String>,
    /// Whether superseded messages are retried too.
    pub(crate) force: bool,
    pub(crate) reason: String,
}

/// What is wrong with the form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SelectionFault {
    /// No messages are selected.
    Messages(&'static str),
    Reason(String),
}

impl Selection {
    /// The selection of this form, without messages that the visitor does not reach.
    pub(crate) fn of(form: &Form, visitor: &Visitor) -> Self {
        let message = |id: &str| MessageId::parse(id).filter(|it| visitor.reaches(&it.merchant));
        Self {
            all: form.raw("which") == "all",
            ids: form.all("id").filter_map(message).map(|id| id.to_string()).collect(),
            force: form.raw("force") == "yes",
            reason: form.text("reason").to_owned(),
        }
    }

    /// The action of the button that was pressed.
    pub(crate) fn action(&self, button: &str) -> Result<FailureAction, SelectionFault> {
        if !self.all && self.ids.is_empty() {
            let text = "Select messages, or choose all that match.";
            return Err(SelectionFault::Messages(text));
        }
        match button {
            "retry" => Ok(FailureAction::Retry { force: self.force }),
            "discard" => {
                let reason = check_reason(&self.reason).map_err(SelectionFault::Reason)?;
                Ok(FailureAction::Discard { reason })
            }
            _ => Err(SelectionFault::Messages("Press Retry or Discard.")),
        }
    }

    /// The selected messages, without impossible identifiers.
    pub(crate) fn messages(&self) -> Vec<MessageId> {
        self.ids.iter().filter_map(|id| MessageId::parse(id)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_needs_messages_and_discarding_needs_a_reason() {
        let nothing = Selection::default();
        assert!(matches!(nothing.action("retry"), Err(SelectionFault::Messages(_))));

        let mut some = Selection { ids: vec!["msg_acme_1".to_owned()], ..Selection::default() };
        assert_eq!(some.action("retry"), Ok(FailureAction::Retry { force: false }));
        assert!(matches!(some.action("discard"), Err(SelectionFault::Reason(_))));
        assert!(matches!(some.action(""), Err(SelectionFault::Messages(_))));

        some.reason = "agreed by phone".to_owned();
        let discard = FailureAction::Discard { reason: some.reason.clone() };
        assert_eq!(some.action("discard"), Ok(discard));
    }
}
