//! What a caller reads about a message: the fields that are not acceptable, and those that are
//! accepted with a warning.

use std::collections::HashSet;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// At most this many errors are listed; the others are only counted.
pub const FAULTS_MAX: usize = 1_000;

/// At most this many warnings are listed.
pub const WARNINGS_MAX: usize = 1_000;

/// The summary spells out this many errors.
const SUMMARY_MAX: usize = 5;

/// One field that is not acceptable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldError {
    /// JSONPath of the field, from the root of the document. Where one of two fields is required,
    /// both paths, joined by ` | `.
    #[schema(example = "$.returns_portal_order.orders[0].items[2].sku")]
    pub field: String,
    pub code: FaultCode,
    /// What is wrong, as the end of a sentence that begins with the field. Only the summary has
    /// it; the list has nothing but `field` and `code`.
    #[serde(skip)]
    pub reason: String,
}

/// What kind of fault a field has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Code)]
pub enum FaultCode {
    /// A required field is absent or null.
    MissingField,
    /// The field has the wrong JSON type.
    InvalidType,
    /// The field has the right type but an invalid value.
    Invalid,
}

/// A field that was accepted but may be wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Warning {
    /// JSONPath of the field, from the root of the document.
    #[schema(example = "$.returns_portal_order.orders[0].loyalty_tier")]
    pub field: String,
    /// What may be wrong.
    #[schema(example = "unknown field, kept as sent")]
    pub message: String,
}

/// Everything wrong with a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults {
    /// The first [`FAULTS_MAX`], in the order of reading.
    pub errors: Vec<FieldError>,
    /// How many there are in total, listed or not.
    pub total: usize,
}

impl Faults {
    /// Those of other fields.
    #[must_use]
    pub fn without(mut self, fields: &HashSet<String>) -> Self {
        let before = self.errors.len();
        self.errors.retain(|error| !fields.contains(&error.field));
        self.total -= before - self.errors.len();
        self
    }

    /// These and others. A field that is listed twice has one fault.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        let listed: HashSet<String> = self.errors.iter().map(|error| error.field.clone()).collect();
        let unlisted = others.total - others.errors.len().min(others.total);
        let new: Vec<FieldError> =
            others.errors.into_iter().filter(|error| !listed.contains(&error.field)).collect();
        self.total += new.len() + unlisted;
        self.errors.extend(new);
        self.errors.truncate(FAULTS_MAX);
        self
    }

    /// One sentence for people: how many fields, and what is wrong with the first few.
    pub fn summary(&self) -> String {
        let mut summary = match self.total {
            1 => "1 field is invalid".to_owned(),
            total => format!("{total} fields are invalid"),
        };
        if self.total > self.errors.len() {
            write_to(&mut summary, format_args!(" (the first {} are listed)", self.errors.len()));
        }
        for (position, error) in self.errors.iter().take(SUMMARY_MAX).enumerate() {
            let separator = if position == 0 { ":" } else { ";" };
            write_to(&mut summary, format_args!("{separator} {} {}", error.field, error.reason));
        }
        if self.total > SUMMARY_MAX {
            write_to(&mut summary, format_args!("; and {} more", self.total - SUMMARY_MAX));
        }
        summary
    }
}

fn write_to(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("writing to a string does not fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(listed: usize, total: usize) -> Faults {
        let error = |position| FieldError {
            field: format!("$.a[{position}]"),
            code: FaultCode::Invalid,
            reason: "must be a string".to_owned(),
        };
        Faults { errors: (0..listed).map(error).collect(), total }
    }

    #[test]
    fn faults_are_joined_without_those_that_both_have() {
        let joined = faults(2, 2).and(faults(3, 4));

        let fields: Vec<&str> = joined.errors.iter().map(|error| error.field.as_str()).collect();
        assert_eq!(fields, ["$.a[0]", "$.a[1]", "$.a[2]"]);
        assert_eq!(joined.total, 4, "one of them is not listed");
        let left = joined.without(&HashSet::from(["$.a[1]".to_owned()]));
        assert_eq!((left.errors.len(), left.total), (2, 3));
    }

    #[test]
    fn an_error_is_written_as_field_and_code_only() {
        let written = serde_json::to_string(&faults(1, 1).errors).unwrap();

        assert_eq!(written, r#"[{"field":"$.a[0]","code":"invalid"}]"#);
    }

    #[test]
    fn the_reference_shows_an_error_as_it_is_written() {
        let schema = <FieldError as utoipa::PartialSchema>::schema();
        let schema = serde_json::to_value(schema).unwrap();

        let fields: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        assert_eq!(fields, ["field", "code"]);
        assert_eq!(schema["required"], serde_json::json!(["field", "code"]));
    }

    #[test]
    fn the_codes_are_spelled_in_snake_case() {
        let codes = [FaultCode::MissingField, FaultCode::InvalidType, FaultCode::Invalid];

        let written = serde_json::to_string(&codes).unwrap();

        assert_eq!(written, r#"["missing_field","invalid_type","invalid"]"#);
    }

    #[test]
    fn a_summary_names_the_fields_and_what_is_wrong() {
        assert_eq!(faults(1, 1).summary(), "1 field is invalid: $.a[0] must be a string");
        assert_eq!(
            faults(2, 2).summary(),
            "2 fields are invalid: $.a[0] must be a string; $.a[1] must be a string"
        );
    }

    #[test]
    fn a_long_summary_stops_after_five_and_says_how_many_are_listed() {
        let summary = faults(FAULTS_MAX, 100_000).summary();

        assert!(summary.starts_with(
            "100000 fields are invalid (the first 1000 are listed): $.a[0] must be a string; "
        ));
        assert!(summary.ends_with("$.a[4] must be a string; and 99995 more"), "{summary}");
    }
}
