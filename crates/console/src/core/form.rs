//! The fields of a form that was sent.

use axum::body::Body;

use server::{
    error::ApiError,
    form::from_form,
    guard::limits::{BODY_TIME_MAX, read_body},
};

/// A policy is the longest thing that is sent.
const FORM_MAX_BYTES: usize = 512 << 10;

#[derive(Debug)]
pub(crate) struct Form(Vec<(String, String)>);

impl Form {
    pub(crate) async fn read(body: Body) -> Result<Self, ApiError> {
        let body = read_body(body, FORM_MAX_BYTES, BODY_TIME_MAX).await;
        let body = body.map_err(|error| ApiError::of_body(&error, FORM_MAX_BYTES))?;
        from_form(&body).map(Self).map_err(ApiError::BadRequest)
    }

    /// The field as it was sent; empty when it was not.
    pub(crate) fn raw(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str()).unwrap_or_default()
    }

    /// The same without the white space around it.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.raw(name).trim()
    }

    /// Every value that was sent under this name: of boxes that are ticked, each has one.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    #[cfg(test)]
    pub(crate) fn of(fields: &[(&str, &str)]) -> Self {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Self(fields.iter().map(owned).collect())
    }
}
