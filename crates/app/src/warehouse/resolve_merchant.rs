//! Whose thing a system of the platform talks about. The warehouse serves many merchants and often knows only
//! a number; where the number does not tell, it names the merchant.

use domain::{
    faults::{FaultCode, Faults, FieldError},
    identifier::MerchantId,
};

use crate::{AppError, access::authenticate::Caller};

/// The merchant that a caller acts for: its own; or the one that it names; or the only one of `owners`. None when
/// nobody has such a thing.
pub(crate) fn resolve_merchant(
    caller: &Caller,
    named: Option<&MerchantId>,
    owners: &[MerchantId],
) -> Result<Option<MerchantId>, AppError> {
    match (&caller.merchant, named, owners) {
        (Some(own), _, _) => Ok(Some(own.clone())),
        (None, Some(named), _) => Ok(Some(named.clone())),
        (None, None, []) => Ok(None),
        (None, None, [only]) => Ok(Some(only.clone())),
        (None, None, several) => {
            let all: Vec<&str> = several.iter().map(MerchantId::as_str).collect();
            let why = format!("is of several merchants ({}): name one", all.join(", "));
            Err(merchant_required(&why))
        }
    }
}

/// The refusal of a request that does not say for which merchant it is.
pub(crate) fn merchant_required(why: &str) -> AppError {
    let fault = FieldError {
        field: "merchant".to_owned(),
        code: FaultCode::MissingField,
        reason: why.to_owned(),
    };
    AppError::Invalid(Faults { errors: vec![fault], total: 1 })
}
