//! The fields of a form that was sent.

use axum::body::Body;
use boxed::boxed;

use server::{
    error::ApiError,
    form::parse_form,
    guard::limits::{BODY_TIME_MAX, read_body},
};

/// Enough for a policy, the longest text that a form contains.
const FORM_MAX_BYTES: usize = 512 << 10;
/// The longest reason or note, in characters. The fields of the pages have the same limit.
pub(crate) const NOTE_MAX: usize = 1_000;

#[derive(Debug)]
pub(crate) struct Form(Vec<(String, String)>);

impl Form {
    /// Boxed, so that this is compiled once and not into every handler.
    #[boxed]
    pub(crate) async fn read(body: Body) -> Result<Self, ApiError> {
        let body = read_body(body, FORM_MAX_BYTES, BODY_TIME_MAX).await;
        let body = body.map_err(|error| ApiError::of_body(&error, FORM_MAX_BYTES))?;
        parse_form(&body).map(Self).map_err(ApiError::BadRequest)
    }

    /// Every field with its value, in the order in which they were sent.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The field as it was sent, or an empty text.
    pub(crate) fn raw(&self, name: &str) -> &str {
        self.all(name).next().unwrap_or_default()
    }

    /// The field without white space around it.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.raw(name).trim()
    }

    /// Whether a checkbox is checked, or a button was pressed.
    pub(crate) fn is_set(&self, name: &str) -> bool {
        !self.raw(name).is_empty()
    }

    /// All values of this name: checkboxes with the same name each send one.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(field, _)| field == name).map(|(_, value)| value.as_str())
    }

    #[cfg(test)]
    pub(crate) fn of(fields: &[(&str, &str)]) -> Self {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Self(fields.iter().map(owned).collect())
    }
}

/// A value of a filter or a form, where empty means absent.
pub(crate) fn non_empty(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

/// A reason that must be given, or what is wrong with it.
pub(crate) fn check_reason(text: &str) -> Result<String, String> {
    let reason = check_note(text)?;
    reason.ok_or_else(|| "Enter a reason. It is kept with the record.".to_owned())
}

/// A note that can be left out, or what is wrong with it.
pub(crate) fn check_note(text: &str) -> Result<Option<String>, String> {
    if text.chars().count() > NOTE_MAX {
        return Err(format!("Use at most {NOTE_MAX} characters."));
    }
    Ok(non_empty(text).map(str::to_owned))
}
