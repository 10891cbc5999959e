//! The audit trail: every change that an operator makes, recorded in the same transaction, every
//! login, and attempts to get access that failed.

use std::net::IpAddr;

use boxed::boxed;
use domain::identifier::MerchantId;
use jiff::Timestamp;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::{AuditFilter, AuditRecord, Cursor, Transaction, next_page};
use world::World;

use crate::{
    App, AppError,
    core::{list_query::read_position, scope::RequestScope, time::time_from_us},
};

/// One change, as operators read it.
#[omit_none]
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Change)]
pub struct AuditEntry {
    pub id: String,
    pub at: Timestamp,
    /// The merchant that the change is about, or `platform`.
    pub merchant: String,
    /// The client or the operator that made the change, or `server` for what the server does by
    /// itself.
    pub actor: String,
    /// The address that the request came from, seen through the trusted proxies. Absent for a
    /// change that no request asked for.
    pub address: Option<String>,
    /// The action, such as `merchant.add`.
    pub action: String,
    /// What was changed. Never contains a secret.
    #[schema(value_type = Object)]
    pub detail: Value,
}

/// A page of changes, newest first.
#[omit_none]
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Changes)]
pub struct AuditPage {
    pub changes: Vec<AuditEntry>,
    /// Pass as `before` to get the next page. Absent on the last page.
    pub next: Option<String>,
}

/// Adds the record of a change to the transaction that makes it. A change that is about no merchant
/// is recorded under `platform`.
pub(crate) fn record_change(
    scope: RequestScope<'_>,
    transaction: &mut Transaction,
    action: &str,
    detail: &Value,
) {
    let merchant = scope.merchant.map_or_else(MerchantId::platform, Clone::clone);
    let (actor, address) = (scope.client.as_str(), scope.address);
    let event = AuditEvent { merchant: &merchant, actor, address, action, detail };
    record_event(&scope.app.world, transaction, &event);
}

/// Something that no caller did, such as an attempt to become one.
pub(crate) struct AuditEvent<'a> {
    pub(crate) merchant: &'a MerchantId,
    pub(crate) actor: &'a str,
    pub(crate) address: Option<IpAddr>,
    pub(crate) action: &'a str,
    pub(crate) detail: &'a Value,
}

pub(crate) fn record_event(world: &World, transaction: &mut Transaction, event: &AuditEvent<'_>) {
    let record = AuditRecord {
        merchant: event.merchant.to_string(),
        at_us: world.now_us(),
        id: world.readable::<12>(),
        actor: event.actor.to_owned(),
        address: event.address.map(|it| it.to_string()).unwrap_or_default(),
        action: event.action.to_owned(),
        detail: event.detail.to_string(),
    };
    let references = REFERENCES.into_iter().filter_map(|key| event.detail.get(key)?.as_str());
    transaction.insert_audit(&record, references);
}

/// The keys under which a detail says what it is about, so that it is found with that.
const REFERENCES: [&str; 6] = ["id", "order", "refund", "return", "rma_identifier", "unit"];

/// Which changes to list: of one merchant or all, by one actor or all, before a cursor.
#[derive(Clone, Debug, Default)]
pub struct AuditTrailQuery<'a> {
    pub merchant: Option<&'a MerchantId>,
    pub actor: Option<&'a str>,
    pub before: Option<&'a str>,
    pub limit: usize,
}

/// Lists changes, newest first.
#[boxed]
pub async fn list_changes(app: &App, query: &AuditTrailQuery<'_>) -> Result<AuditPage, AppError> {
    let AuditTrailQuery { merchant, actor, before, limit } = *query;
    let before = read_position("before", before, Cursor::parse)?.unwrap_or_else(Cursor::newest);
    let filter = AuditFilter { merchant, actor, before: &before, limit };
    let records = app.store.audit(&filter).await?;
    let next = next_page(&records, limit, AuditRecord::cursor);
    Ok(AuditPage { changes: records.into_iter().map(view_change).collect(), next })
}

fn view_change(record: AuditRecord) -> AuditEntry {
    AuditEntry {
        id: record.id,
        at: time_from_us(record.at_us),
        merchant: record.merchant,
        actor: record.actor,
        address: Some(record.address).filter(|it| !it.is_empty()),
        action: record.action,
        detail: serde_json::from_str(&record.detail).unwrap_or(Value::Null),
    }
}
