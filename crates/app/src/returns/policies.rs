//! A merchant's return policy: the current version, and all versions before it.

use boxed::boxed;
use domain::{identifier::MerchantId, returns::policy::Policy, time::from_micros};
use jiff::Timestamp;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{PolicyVersion, Transaction};

use crate::core::idempotency::replayable;
use crate::{
    App, AppError,
    core::{audit_trail::record_change, commit_once::commit_once, scope::RequestScope},
};

/// A version of a policy.
#[omit_none]
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PolicyView {
    /// Counted from 1. Version 0 is the default policy of merchants that never set one. A return
    /// names the version that decided it.
    #[schema(example = 3, minimum = 0)]
    pub version: i64,
    /// When it was set. Absent for version 0.
    pub created_at: Option<Timestamp>,
    /// The client that set it. Absent for version 0.
    #[schema(example = "platform.k7w2mq9d")]
    pub set_by: Option<String>,
    pub policy: Policy,
}

replayable!(PolicyView);

impl From<PolicyVersion> for PolicyView {
    fn from(stored: PolicyVersion) -> Self {
        Self {
            version: stored.version,
            created_at: from_micros(stored.created_us),
            set_by: Some(stored.actor),
            policy: stored.policy,
        }
    }
}

/// The current policy.
#[boxed]
pub async fn load_policy(app: &App, merchant: &MerchantId) -> Result<PolicyView, AppError> {
    let newest = app.store.policies(merchant, i64::MAX, 1).await?.pop();
    let default =
        || PolicyView { version: 0, created_at: None, set_by: None, policy: Policy::default() };
    Ok(newest.map_or_else(default, PolicyView::from))
}

/// The current policy of a merchant that must exist.
#[boxed]
pub async fn load_merchant_policy(
    app: &App,
    merchant: &MerchantId,
) -> Result<PolicyView, AppError> {
    app.store.merchant(merchant).await?.ok_or(AppError::NotFound("merchant"))?;
    load_policy(app, merchant).await
}

/// Versions below `before`, newest first.
#[boxed]
pub async fn list_policies(
    app: &App,
    merchant: &MerchantId,
    before: i64,
    limit: usize,
) -> Result<Vec<PolicyView>, AppError> {
    app.store.merchant(merchant).await?.ok_or(AppError::NotFound("merchant"))?;
    let policies = app.store.policies(merchant, before, limit).await?;
    Ok(policies.into_iter().map(PolicyView::from).collect())
}

/// Sets a new version. Returns that were started before keep their version.
#[boxed]
pub async fn set_policy(scope: RequestScope<'_>, policy: &Policy) -> Result<PolicyView, AppError> {
    let (app, merchant) = (scope.app, scope.merchant()?);
    commit_once(scope, || async {
        let before = load_merchant_policy(app, merchant).await?;
        let next = PolicyVersion {
            version: before.version + 1,
            created_us: app.world.now_us(),
            actor: scope.client.to_string(),
            policy: policy.clone(),
        };
        let mut transaction = Transaction::new("setting a policy");
        transaction.insert_policy(merchant, &next);
        let detail = json!({ "version": next.version });
        record_change(scope, &mut transaction, "policy.set", &detail);
        Ok((next.into(), transaction))
    })
    .await
}
