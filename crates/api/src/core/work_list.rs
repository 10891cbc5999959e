//! The query of lists that other systems poll, and who may read what of them.

use app::{access::authenticate::Caller, core::work_lists::WorkListQuery};
use domain::{access::scope::Scope, identifier::MerchantId};
use jiff::Timestamp;
use serde::Deserialize;
use utoipa::IntoParams;

use super::paging::{PAGE, PAGE_MAX};
use server::{error::ApiError, requests::identifiers::parse_merchant};

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct WorkListParameters {
    /// Only of this merchant, for systems of the platform. A merchant's own systems always read
    /// what belongs to it.
    merchant: Option<String>,
    /// Only what has this status now. If absent, all.
    status: Option<String>,
    /// Only what has this number.
    reference: Option<String>,
    /// Only what changed since then, and up to a minute before: a change gets its time shortly
    /// before it can be read. To read everything that follows, use `after`.
    #[param(example = "2026-02-23T07:41:12Z")]
    updated_since: Option<Timestamp>,
    /// Continue here: `next` of the page before.
    after: Option<String>,
    /// The length of a page: at most 500, by default 100. A page may be shorter although more
    /// follows.
    limit: Option<usize>,
}

impl WorkListParameters {
    /// The query of a caller, with a status that the list knows by the name `all` has.
    pub(crate) fn query(
        self,
        caller: &Caller,
        all: &[&'static str],
    ) -> Result<WorkListQuery, ApiError> {
        let named = self.merchant.as_deref().map(parse_merchant).transpose()?;
        let known = |status: String| {
            let found = all.iter().copied().find(|name| *name == status);
            let why = || ApiError::BadRequest(format!("status must be one of {}", all.join(", ")));
            found.ok_or_else(why)
        };
        Ok(WorkListQuery {
            merchant: caller.merchant.clone().or(named),
            status: self.status.map(known).transpose()?,
            reference: self.reference,
            updated_since: self.updated_since,
            after: self.after,
            limit: self.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX),
            newest_first: false,
        })
    }
}

/// The merchant whose data a caller may read completely. Others get what their work needs.
pub(crate) fn reads_everything(caller: &Caller) -> Option<&MerchantId> {
    caller.merchant.as_ref().filter(|_| caller.scopes.contains(Scope::Read))
}
