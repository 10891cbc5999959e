//! An operator adds a merchant. The merchant gets a client for its systems, and a secret that signs
//! the messages to it.

use boxed::boxed;
use domain::{
    access::scope::Scopes,
    identifier::MerchantId,
    merchants::merchant::{Merchant, MerchantSettings},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::Transaction;

use crate::core::idempotency::replayable;
use crate::{
    AppError,
    access::{add_client::new_client, secrets},
    core::{audit_trail::record_change, commit_once::commit_once, scope::RequestScope},
};

/// A merchant to add.
#[derive(Clone, Debug)]
pub struct NewMerchant {
    pub id: MerchantId,
    pub name: String,
    pub settings: MerchantSettings,
}

/// The credentials of a new merchant. They are shown only once.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct AddedMerchant {
    #[schema(example = "acme")]
    pub merchant: String,
    #[schema(example = "acme.k7w2mq9d4x")]
    pub client_id: String,
    #[schema(example = "hws_Xk3…")]
    pub client_secret: String,
    /// Verifies the signatures of messages sent to the merchant (Standard Webhooks).
    #[schema(example = "whsec_MfKQ…")]
    pub signing_secret: String,
}

replayable!(AddedMerchant);

#[boxed]
pub async fn add_merchant(
    scope: RequestScope<'_>,
    new: &NewMerchant,
) -> Result<AddedMerchant, AppError> {
    let app = scope.app;
    commit_once(scope, || async {
        if app.store.merchant(&new.id).await?.is_some() {
            return Err(AppError::Conflict(format!("merchant {} already exists", new.id)));
        }
        let (signing_secret, sealed) = secrets::new_signing_secret(app, &new.id);
        let merchant = Merchant {
            id: new.id.clone(),
            name: new.name.clone(),
            settings: new.settings,
            return_address: None,
            signing_secrets: vec![sealed],
            created_at: app.world.now(),
            disabled_at: None,
        };
        let (client, client_secret) = new_client(app, &new.id, &new.name, Scopes::merchant());
        let mut transaction = Transaction::new("adding a merchant");
        transaction.insert_merchant(&merchant);
        transaction.insert_client(&client);
        let detail = json!({ "name": new.name, "settings": new.settings, "client": client.id });
        record_change(scope.for_merchant(&new.id), &mut transaction, "merchant.add", &detail);
        let added = AddedMerchant {
            merchant: new.id.to_string(),
            client_id: client.id.to_string(),
            client_secret: client_secret.reveal().to_owned(),
            signing_secret: signing_secret.reveal().to_owned(),
        };
        Ok((added, transaction))
    })
    .await
}
