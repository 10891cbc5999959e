//! Examples of refusals for the API reference, made by the code that writes the real ones.

use app::AppError;
use domain::faults::{FaultCode, Faults, FieldError};
use serde_json::{Value, json};

/// The body of a 404.
pub(crate) fn not_found(what: &'static str) -> Value {
    json!({ "message": AppError::NotFound(what).to_string() })
}

/// The body of a 400 for a request that ends too early.
pub(crate) fn not_json() -> Value {
    let error = domain::json::parse(b"{\"merchant\":").map_err(AppError::Malformed);
    let message = error.err().map(|error| error.to_string()).unwrap_or_default();
    json!({ "message": message })
}

/// The body of a 422 about one field.
pub(crate) fn invalid_field(field: &str, code: FaultCode, reason: &str) -> Value {
    let error = FieldError { field: field.to_owned(), code, reason: reason.to_owned() };
    let faults = Faults { errors: vec![error], total: 1 };
    json!({ "message": faults.summary(), "errors": faults.errors })
}

/// The body of a 422 about a required field that is absent.
pub(crate) fn missing_field(field: &str) -> Value {
    invalid_field(field, FaultCode::MissingField, "is missing")
}
