//! The product identifier of a marketplace: ten letters and digits.

use crate::reader::fields::Fields;

const ASIN_LENGTH: usize = 10;

/// Reads the `asin` of a unit, which may be absent.
pub(crate) fn read_asin(at: &Fields<'_>) -> Option<String> {
    let asin = at.optional_identifier("asin")?;
    if asin.len() != ASIN_LENGTH || !asin.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        at.note("asin", &format!("must be {ASIN_LENGTH} letters and digits"));
    }
    Some(asin)
}
