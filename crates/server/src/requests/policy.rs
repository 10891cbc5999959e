//! A return policy, as the API and the console are asked to set it.

use domain::{json, returns::policy::Policy};

use crate::error::ApiError;

pub fn read_policy(body: &[u8]) -> Result<Policy, ApiError> {
    let document = json::parse(body).map_err(app::AppError::Malformed)?;
    Ok(Policy::read(&document)?)
}
