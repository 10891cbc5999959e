//! Operators list, disable and enable clients.

use boxed::boxed;
use domain::{
    access::client::Client,
    identifier::{ClientId, MerchantId},
};
use jiff::Timestamp;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::Transaction;

use crate::core::idempotency::replayable;
use crate::{
    App, AppError,
    core::{audit_trail::record_change, commit_once::commit_once, scope::RequestScope},
};

/// A client as operators see it, with only the age of its secrets.
#[omit_none]
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ClientView {
    #[schema(example = "acme.k7w2mq9d4x")]
    pub client_id: String,
    pub name: String,
    #[schema(example = "orders:write read")]
    pub scope: String,
    /// When each valid secret was created, newest first.
    #[schema(value_type = Vec<String>)]
    pub secrets_created_at: Vec<Timestamp>,
    pub created_at: Timestamp,
    /// Absent while the client is enabled.
    pub disabled_at: Option<Timestamp>,
}

replayable!(ClientView);

impl From<Client> for ClientView {
    fn from(client: Client) -> Self {
        Self {
            client_id: client.id.to_string(),
            name: client.name,
            scope: client.scopes.to_string(),
            secrets_created_at: client.secrets.iter().map(|secret| secret.created_at).collect(),
            created_at: client.created_at,
            disabled_at: client.disabled_at,
        }
    }
}

/// All clients of a merchant, or of the platform.
#[boxed]
pub async fn list_clients(app: &App, merchant: &MerchantId) -> Result<Vec<ClientView>, AppError> {
    if *merchant != MerchantId::platform() {
        app.store.merchant(merchant).await?.ok_or(AppError::NotFound("merchant"))?;
    }
    let found = app.store.clients(merchant).await?;
    Ok(found.into_iter().map(ClientView::from).collect())
}

/// Disables a client and revokes its tokens at once, or enables it again.
#[boxed]
pub async fn set_client_disabled(
    scope: RequestScope<'_>,
    id: &ClientId,
    disabled: bool,
) -> Result<ClientView, AppError> {
    let app = scope.app;
    let changed = commit_once(scope, || async {
        let found = app.store.client(id).await?.ok_or(AppError::NotFound("client"))?;
        let mut client = found.value;
        client.disabled_at = disabled.then(|| client.disabled_at.unwrap_or(app.world.now()));
        let mut transaction = Transaction::new("changing a client");
        transaction.update_client(&client, found.version);
        if disabled {
            transaction.delete_tokens(&client);
        }
        let (merchant, detail) = (id.merchant(), json!({ "client": id, "disabled": disabled }));
        record_change(scope.for_merchant(&merchant), &mut transaction, "client.change", &detail);
        Ok((client.into(), transaction))
    })
    .await;
    app.callers.forget_all();
    changed
}
