//! What tests of readers share: faults as pairs of field and code, so that an expectation is the
//! complete list of them.

use crate::faults::{FaultCode, Faults};

/// The fields with faults and their codes, in order. Empty if there are none.
pub(crate) fn list_faults<T>(result: Result<T, Faults>) -> Vec<(String, FaultCode)> {
    let Err(faults) = result else {
        return Vec::new();
    };
    assert_eq!(faults.total, faults.errors.len());
    assert!(faults.errors.iter().all(|error| !error.reason.is_empty()));
    faults.errors.into_iter().map(|error| (error.field, error.code)).collect()
}

/// The same with the path of the value under test shortened to `@`.
pub(crate) fn list_faults_below<T>(
    path: &str,
    result: Result<T, Faults>,
) -> Vec<(String, FaultCode)> {
    let faults = list_faults(result).into_iter();
    faults.map(|(field, code)| (field.replace(path, "@"), code)).collect()
}

pub(crate) fn invalid(field: &str) -> (String, FaultCode) {
    (field.to_owned(), FaultCode::Invalid)
}

pub(crate) fn missing(field: &str) -> (String, FaultCode) {
    (field.to_owned(), FaultCode::MissingField)
}

pub(crate) fn wrong_type(field: &str) -> (String, FaultCode) {
    (field.to_owned(), FaultCode::InvalidType)
}
