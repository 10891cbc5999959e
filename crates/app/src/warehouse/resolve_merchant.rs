//! Finds out which merchant a request of the warehouse is about. The warehouse serves many
//! merchants and often knows only a number. If the number is ambiguous, the request must name the
//! merchant.

use domain::{
    faults::{FaultCode, Faults, FieldError},
    identifier::MerchantId,
};

use crate::AppError;

/// The merchant that a request is about: the one that it says, or the only one of `owners`. None if
/// there are no owners.
pub(crate) fn resolve_merchant(
    merchant: Option<&MerchantId>,
    owners: &[MerchantId],
) -> Result<Option<MerchantId>, AppError> {
    match (merchant, owners) {
        (Some(merchant), _) => Ok(Some(merchant.clone())),
        (None, []) => Ok(None),
        (None, [only]) => Ok(Some(only.clone())),
        (None, several) => {
            let all: Vec<&str> = several.iter().map(MerchantId::as_str).collect();
            let reason =
                format!("must be named, because several merchants match: {}", all.join(", "));
            Err(merchant_required(&reason))
        }
    }
}

/// The error for a request that must name a merchant.
pub(crate) fn merchant_required(reason: &str) -> AppError {
    missing_parameter("merchant", reason)
}

/// The error for a request that must have the parameter `name`.
pub(crate) fn missing_parameter(name: &str, reason: &str) -> AppError {
    let fault = FieldError {
        field: name.to_owned(),
        code: FaultCode::MissingField,
        reason: reason.to_owned(),
    };
    AppError::Invalid(Faults { errors: vec![fault], total: 1 })
}
