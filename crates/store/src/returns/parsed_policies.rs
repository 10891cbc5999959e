//! The policies that were read last, so that they are not parsed again for each return.
//!
//! A policy is found by its merchant and compared as text, so a changed one is just another.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

use domain::{identifier::MerchantId, returns::policy::Policy};

use crate::core::{body::parse_body, error::EngineError};

const REMEMBERED_MAX: usize = 500;

/// Larger policies are parsed each time.
const REMEMBERED_BYTES_MAX: usize = 16 * 1024;

#[derive(Default)]
pub(crate) struct ParsedPolicies(RwLock<HashMap<MerchantId, Arc<ParsedPolicy>>>);

struct ParsedPolicy {
    body: String,
    policy: Policy,
}

impl ParsedPolicies {
    pub(crate) fn parse(&self, merchant: &MerchantId, body: &str) -> Result<Policy, EngineError> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner).get(merchant).cloned();
        if let Some(known) = known.filter(|known| known.body == body) {
            return Ok(known.policy.clone());
        }
        let policy: Policy = parse_body("policies", merchant.as_str(), body)?;
        if body.len() <= REMEMBERED_BYTES_MAX {
            let parsed = ParsedPolicy { body: body.to_owned(), policy: policy.clone() };
            let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
            if known.len() >= REMEMBERED_MAX {
                known.clear();
            }
            known.insert(merchant.clone(), Arc::new(parsed));
        }
        Ok(policy)
    }
}
