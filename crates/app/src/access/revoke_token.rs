//! A client ends one of its tokens before it expires (RFC 7009).

use boxed::boxed;
use store::Transaction;
use world::Secret;

use crate::{
    App,
    access::{
        issue_token::{TokenRefusal, proven_client, required},
        secrets,
    },
};

/// What a client asks for, as it arrived.
#[derive(Clone, Debug, Default)]
pub struct RevocationRequest {
    pub client_id: Option<String>,
    pub client_secret: Option<Secret>,
    pub token: Option<Secret>,
}

/// Ends the token, if it is one of the client's. Otherwise nothing happens, so that a client learns
/// nothing about tokens of others.
#[boxed]
pub async fn revoke_token(app: &App, request: RevocationRequest) -> Result<(), TokenRefusal> {
    let token = required(request.token, "token")?;
    let client =
        proven_client(app, request.client_id.as_deref(), request.client_secret.as_ref()).await?;
    let mut transaction = Transaction::new("revoking a token");
    transaction.delete_token(&client.value, secrets::hash(token.reveal().as_bytes()));
    app.store.commit(transaction).await?;
    app.callers.forget_all();
    Ok(())
}
