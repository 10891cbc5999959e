//! The form on the page that changes the behaviour, and what was typed into it.

use std::str::FromStr;

use domain::messages::kind::MessageKind;
use serde::Deserialize;

use crate::behavior::Behaviour;

/// What was typed. It is kept as it is, so that a mistake can be shown and corrected.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct BehaviourForm {
    pub(crate) kind: String,
    pub(crate) count: String,
    pub(crate) status: String,
    pub(crate) delay_ms: String,
    pub(crate) retry_after_s: String,
    pub(crate) huge_body_bytes: String,
    pub(crate) fail_percent: String,
    /// `hang`, `close` or nothing.
    pub(crate) instead: String,
    /// Filled when the box is ticked.
    pub(crate) revoke: String,
}

impl BehaviourForm {
    /// The behaviour that was typed, or what is wrong with it.
    pub(crate) fn read(&self) -> Result<Behaviour, String> {
        let kind = match self.kind.as_str() {
            "" => None,
            name => Some(MessageKind::parse(name).ok_or("There is no such kind.")?),
        };
        Ok(Behaviour {
            kind,
            count: number("For the next calls", &self.count)?,
            status: number("Status", &self.status)?,
            delay_ms: number("Wait", &self.delay_ms)?.unwrap_or(0),
            retry_after_s: number("Retry-After", &self.retry_after_s)?,
            hang: self.instead == "hang",
            close: self.instead == "close",
            huge_body_bytes: number("Length of the body", &self.huge_body_bytes)?,
            fail_percent: number("Of a hundred calls", &self.fail_percent)?,
            unauthorized_until_new_token: !self.revoke.is_empty(),
        })
    }
}

fn number<T: FromStr>(label: &str, typed: &str) -> Result<Option<T>, String> {
    match typed.trim() {
        "" => Ok(None),
        typed => typed.parse().map(Some).map_err(|_| format!("{label}: this is not a number.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_fields_say_nothing() {
        assert_eq!(BehaviourForm::default().read(), Ok(Behaviour::NORMAL));
    }

    #[test]
    fn a_filled_form_is_a_behaviour() {
        let form = BehaviourForm {
            kind: "rma".to_owned(),
            count: " 3".to_owned(),
            status: "503".to_owned(),
            ..BehaviourForm::default()
        };
        assert_eq!(form.read(), Ok(Behaviour::status(503).of(MessageKind::Rma).times(3)));
        let form = BehaviourForm { status: "x".to_owned(), ..form };
        assert_eq!(form.read(), Err("Status: this is not a number.".to_owned()));
    }
}
