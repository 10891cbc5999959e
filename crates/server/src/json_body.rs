//! JSON bodies: the one way in which handlers read them.
//!
//! A body is parsed and then read field by field, so that the caller gets every fault at once. The
//! API reads what clients send, and the console reads its forms in the same shape.

use app::AppError;
use bytes::Bytes;
use domain::{
    faults::Faults,
    json::{self, Json},
    reader::{self, fields::Fields},
};

use crate::error::ApiError;

/// The bytes of a body that should be JSON.
pub struct JsonBody(Bytes);

impl JsonBody {
    /// Parses the body, then reads it with `reader`.
    pub fn read<T>(
        &self,
        reader: impl FnOnce(&Json<'_>) -> Result<T, Faults>,
    ) -> Result<T, ApiError> {
        let document = json::parse(&self.0).map_err(AppError::Malformed)?;
        Ok(reader(&document)?)
    }

    /// The bytes, for a use case that stores what was sent.
    pub fn into_bytes(self) -> Bytes {
        self.0
    }
}

impl From<Bytes> for JsonBody {
    fn from(bytes: Bytes) -> Self {
        Self(bytes)
    }
}

impl From<String> for JsonBody {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

/// Reads a document that is an object. Unknown fields are refused: a misspelled one would be a
/// condition that is not applied, such as the merchant whose data is erased.
pub fn read_object<T>(
    document: &Json<'_>,
    build: impl FnOnce(&Fields<'_>) -> Option<T>,
) -> Result<T, Faults> {
    let (value, _warnings) = reader::read(document, false, |root| {
        root.object(|at| {
            at.refuse_unknown();
            build(at)
        })?
    })?;
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelled_field_is_refused() {
        let read = |body: &str| {
            let document = json::parse(body.as_bytes()).unwrap();
            read_object(&document, |at| Some(at.optional_text("merchant")))
                .map_err(|faults| faults.summary())
        };
        assert_eq!(read(r#"{"merchant":"acme"}"#), Ok(Some("acme".to_owned())));
        let refused = read(r#"{"merchants":"acme"}"#).unwrap_err();
        assert!(refused.contains("$.merchants is not a known field"), "{refused}");
    }
}
