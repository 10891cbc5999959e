//! What somebody ticked and typed to retry or discard messages.

use app::messages::failure_queue::FailureAction;
use domain::identifier::MessageId;

use crate::core::{form::Form, format::reason};

#[derive(Debug, Default)]
pub(crate) struct Chosen {
    /// All that match, instead of those that are ticked.
    pub(crate) all: bool,
    pub(crate) ids: Vec<String>,
    /// Whether superseded ones are sent too.
    pub(crate) force: bool,
    pub(crate) reason: String,
}

/// Why the form cannot be done as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nothing is chosen.
    Messages(&'static str),
    Reason(String),
}

impl Chosen {
    pub(crate) fn of(form: &Form) -> Self {
        Self {
            all: form.raw("which") == "all",
            ids: form.all("id").map(str::to_owned).collect(),
            force: form.raw("force") == "yes",
            reason: form.text("reason").to_owned(),
        }
    }

    /// What the button that was pressed stands for.
    pub(crate) fn action(&self, button: &str) -> Result<FailureAction, Fault> {
        if !self.all && self.ids.is_empty() {
            let words = "Tick the messages that you mean, or choose all that match.";
            return Err(Fault::Messages(words));
        }
        match button {
            "retry" => Ok(FailureAction::Retry { force: self.force }),
            "discard" => {
                let reason = reason(&self.reason).map_err(Fault::Reason)?;
                Ok(FailureAction::Discard { reason })
            }
            _ => Err(Fault::Messages("Press one of the two buttons: retry, or discard.")),
        }
    }

    /// What cannot be a message is none.
    pub(crate) fn messages(&self) -> Vec<MessageId> {
        self.ids.iter().filter_map(|id| MessageId::parse(id)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_done_without_a_choice_and_nothing_discarded_without_a_reason() {
        let nothing = Chosen::default();
        assert!(matches!(nothing.action("retry"), Err(Fault::Messages(_))));

        let mut some = Chosen { ids: vec!["msg_acme_1".to_owned()], ..Chosen::default() };
        assert_eq!(some.action("retry"), Ok(FailureAction::Retry { force: false }));
        assert!(matches!(some.action("discard"), Err(Fault::Reason(_))));
        assert!(matches!(some.action(""), Err(Fault::Messages(_))));

        some.reason = "told by telephone".to_owned();
        let discard = FailureAction::Discard { reason: some.reason.clone() };
        assert_eq!(some.action("discard"), Ok(discard));
    }
}
