//! An operator replaces a secret. The old one stays valid together with the new one, so that
//! systems can be changed without downtime, unless it is revoked.

use boxed::boxed;
use domain::identifier::ClientId;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::Transaction;

use crate::core::idempotency::replayable;
use crate::{
    AppError,
    access::{add_client::ClientCredentials, secrets},
    core::{audit_trail::record_change, commit_once::commit_once, scope::RequestScope},
    messages::reload_endpoints::reload_endpoints,
};

/// A merchant's new signing secret. It is shown only once.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SigningSecret {
    #[schema(example = "whsec_MfKQ…")]
    pub signing_secret: String,
}

replayable!(SigningSecret);

/// A new secret for a client. `revoke_old` revokes the old secrets and all tokens now.
#[boxed]
pub async fn rotate_client_secret(
    scope: RequestScope<'_>,
    id: &ClientId,
    revoke_old: bool,
) -> Result<ClientCredentials, AppError> {
    let app = scope.app;
    let rotated = commit_once(scope, || async {
        let found = app.store.client(id).await?.ok_or(AppError::NotFound("client"))?;
        let (secret, kept) = secrets::new_client_secret(&app.world);
        let client = found.value.with_new_secret(kept, revoke_old);
        let mut transaction = Transaction::new("rotating a secret");
        transaction.update_client(&client, found.version);
        if revoke_old {
            transaction.delete_tokens(&client);
        }
        let (merchant, action) = (id.merchant(), "client.rotate_secret");
        let detail = json!({ "client": id, "revoked_old": revoke_old });
        record_change(scope.for_merchant(&merchant), &mut transaction, action, &detail);
        Ok((ClientCredentials::of(&client, &secret), transaction))
    })
    .await;
    app.callers.forget_all();
    rotated
}

/// A new secret to sign a merchant's messages with. `revoke_old` ends the old one now: messages are
/// signed with the new one only, and links that were signed with the old one are refused.
#[boxed]
pub async fn rotate_signing_secret(
    scope: RequestScope<'_>,
    revoke_old: bool,
) -> Result<SigningSecret, AppError> {
    let (app, id) = (scope.app, scope.merchant()?);
    let rotated = commit_once(scope, || async {
        let found = app.store.merchant(id).await?.ok_or(AppError::NotFound("merchant"))?;
        let (secret, sealed) = secrets::new_signing_secret(app, id);
        let merchant = secrets::with_signing_secret(found.value, sealed, revoke_old);
        let mut transaction = Transaction::new("rotating a signing secret");
        transaction.update_merchant(&merchant, found.version);
        let action = "merchant.rotate_signing_secret";
        record_change(scope, &mut transaction, action, &json!({ "revoked_old": revoke_old }));
        Ok((SigningSecret { signing_secret: secret.reveal().to_owned() }, transaction))
    })
    .await;
    reload_endpoints(app, id, &rotated);
    rotated
}
