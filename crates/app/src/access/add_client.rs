//! An operator adds a client: credentials for one more system of a merchant, or for
//! a system of the platform.

use boxed::boxed;
use domain::{
    access::{client::Client, scope::Scopes},
    identifier::{ClientId, MerchantId},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::Transaction;
use world::Secret;

use crate::core::idempotency::replayable;
use crate::{
    App, AppError,
    access::secrets,
    core::{audit_trail::record_change, commit_once::commit_once, scope::RequestScope},
};

/// A new client, as the operator describes it.
#[derive(Clone, Debug)]
pub struct NewClient {
    /// A merchant, or the platform for systems that serve all merchants.
    pub merchant: MerchantId,
    pub name: String,
    pub scopes: Scopes,
}

/// A client's credentials. The secret is shown only once.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Credentials)]
pub struct ClientCredentials {
    #[schema(example = "acme.k7w2mq9d4x")]
    pub client_id: String,
    #[schema(example = "hws_Xk3…")]
    pub client_secret: String,
    #[schema(example = "orders:write read")]
    pub scope: String,
}

replayable!(ClientCredentials);

impl ClientCredentials {
    pub(crate) fn of(client: &Client, secret: &Secret) -> Self {
        Self {
            client_id: client.id.to_string(),
            client_secret: secret.reveal().to_owned(),
            scope: client.scopes.to_string(),
        }
    }
}

#[boxed]
pub async fn add_client(
    scope: RequestScope<'_>,
    new: &NewClient,
) -> Result<ClientCredentials, AppError> {
    let app = scope.app;
    commit_once(scope, || async {
        if new.merchant != MerchantId::platform() {
            app.store.merchant(&new.merchant).await?.ok_or(AppError::NotFound("merchant"))?;
        }
        let (client, secret) = new_client(app, &new.merchant, &new.name, new.scopes);
        let mut transaction = Transaction::new("adding a client");
        transaction.insert_client(&client);
        let detail = json!({ "client": client.id, "name": new.name, "scope": new.scopes });
        let scope = scope.for_merchant(&new.merchant);
        record_change(scope, &mut transaction, "client.add", &detail);
        Ok((ClientCredentials::of(&client, &secret), transaction))
    })
    .await
}

/// The first client of an installation, for the tools of operators.
#[boxed]
pub async fn add_first_admin(app: &App, name: &str) -> Result<ClientCredentials, AppError> {
    let platform = MerchantId::platform();
    let (client, secret) = new_client(app, &platform, name, Scopes::platform());
    let mut transaction = Transaction::new("adding the admin client");
    transaction.insert_client(&client);
    let detail = json!({ "client": client.id, "name": name, "scope": client.scopes });
    let client_id = &client.id;
    let scope = RequestScope {
        app,
        client: client_id,
        address: None,
        merchant: None,
        idempotency: None,
        request: None,
    };
    record_change(scope, &mut transaction, "client.add", &detail);
    app.store.commit(transaction).await?;
    Ok(ClientCredentials::of(&client, &secret))
}

pub(crate) fn new_client(
    app: &App,
    merchant: &MerchantId,
    name: &str,
    scopes: Scopes,
) -> (Client, Secret) {
    let (secret, kept) = secrets::new_client_secret(&app.world);
    let client = Client {
        id: ClientId::new(merchant, &app.world.readable::<10>()),
        name: name.to_owned(),
        scopes,
        secrets: vec![kept],
        created_at: app.world.now(),
        disabled_at: None,
    };
    (client, secret)
}
