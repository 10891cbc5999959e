//! The form for the behavior, and its content.

use std::str::FromStr;

use domain::messages::kind::MessageKind;
use serde::Deserialize;

use crate::behavior::Behavior;

/// The fields as typed, so that a mistake can be shown and corrected.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct BehaviorForm {
    pub(crate) kind: String,
    pub(crate) count: String,
    pub(crate) status: String,
    pub(crate) delay_ms: String,
    pub(crate) retry_after_s: String,
    pub(crate) huge_body_bytes: String,
    pub(crate) fail_percent: String,
    /// `hang`, `close` or nothing.
    pub(crate) instead: String,
    /// Not empty if the box is checked.
    pub(crate) revoke: String,
}

impl BehaviorForm {
    /// The behavior, or what is wrong with the fields.
    pub(crate) fn read(&self) -> Result<Behavior, String> {
        let kind = match self.kind.as_str() {
            "" => None,
            name => Some(MessageKind::parse(name).ok_or("Unknown kind.")?),
        };
        Ok(Behavior {
            kind,
            count: parse_number("Number of calls", &self.count)?,
            status: parse_number("Status", &self.status)?,
            delay_ms: parse_number("Delay", &self.delay_ms)?.unwrap_or(0),
            retry_after_s: parse_number("Retry-After", &self.retry_after_s)?,
            hang: self.instead == "hang",
            close: self.instead == "close",
            huge_body_bytes: parse_number("Body length", &self.huge_body_bytes)?,
            fail_percent: parse_number("Percentage of calls", &self.fail_percent)?,
            unauthorized_until_new_token: !self.revoke.is_empty(),
        })
    }
}

fn parse_number<T: FromStr>(label: &str, typed: &str) -> Result<Option<T>, String> {
    match typed.trim() {
        "" => Ok(None),
        typed => typed.parse().map(Some).map_err(|_| format!("{label}: not a number.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_form_is_normal_behavior() {
        assert_eq!(BehaviorForm::default().read(), Ok(Behavior::NORMAL));
    }

    #[test]
    fn a_filled_form_is_a_behavior() {
        let form = BehaviorForm {
            kind: "rma".to_owned(),
            count: " 3".to_owned(),
            status: "503".to_owned(),
            ..BehaviorForm::default()
        };
        assert_eq!(form.read(), Ok(Behavior::status(503).of(MessageKind::Rma).times(3)));
        let form = BehaviorForm { status: "x".to_owned(), ..form };
        assert_eq!(form.read(), Err("Status: not a number.".to_owned()));
    }
}
