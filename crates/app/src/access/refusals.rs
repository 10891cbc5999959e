//! Attempts to get access that failed, for the audit trail. Callers limit how many are recorded.

use std::net::IpAddr;

use boxed::boxed;
use domain::{
    access::operator::OperatorName,
    identifier::{ClientId, MerchantId},
};
use serde_json::json;
use store::Transaction;

use crate::{
    App, AppError,
    core::audit_trail::{AuditEvent, record_event},
};

/// In place of a name that does not exist. The typed text is not recorded: people sometimes type
/// their password there.
const UNKNOWN: &str = "unknown";

/// Records a wrong password, or a login as an operator who is unknown or disabled.
#[boxed]
pub async fn record_failed_login(
    app: &App,
    name: Option<&OperatorName>,
    address: IpAddr,
) -> Result<(), AppError> {
    let known = match name {
        Some(name) => app.store.operator(name).await?.map(|found| found.value.name),
        None => None,
    };
    let event = AuditEvent {
        merchant: &MerchantId::platform(),
        actor: known.as_ref().map_or(UNKNOWN, OperatorName::as_str),
        address: Some(address),
        action: "operator.login_failed",
        detail: &json!({}),
    };
    commit_event(app, &event).await
}

/// Records that a client got no token because its secret was wrong, or because it is unknown or
/// disabled.
#[boxed]
pub async fn record_refused_client(
    app: &App,
    id: Option<&str>,
    address: IpAddr,
) -> Result<(), AppError> {
    let known = match id.and_then(ClientId::parse) {
        Some(id) => app.store.client(&id).await?.map(|found| found.value.id),
        None => None,
    };
    let event = AuditEvent {
        merchant: &known.as_ref().map_or_else(MerchantId::platform, ClientId::merchant),
        actor: known.as_ref().map_or(UNKNOWN, ClientId::as_str),
        address: Some(address),
        action: "client.refused",
        detail: &json!({}),
    };
    commit_event(app, &event).await
}

async fn commit_event(app: &App, event: &AuditEvent<'_>) -> Result<(), AppError> {
    let mut transaction = Transaction::new("recording a refused attempt");
    record_event(&app.world, &mut transaction, event);
    app.store.commit(transaction).await?;
    Ok(())
}
