//! `client_credentials`: a client proves who it is and gets a token for 25 hours.

use boxed::boxed;
use domain::{
    access::{client::Client, scope::Scopes},
    identifier::ClientId,
};
use store::{StoreError, Transaction, Versioned};
use world::Secret;

use crate::{App, access::secrets};

/// How long a token is valid.
pub const TOKEN_LIFETIME_S: i64 = 25 * 60 * 60;

/// More than any client needs that keeps its token until it expires. Beyond it the oldest end.
const TOKENS_PER_CLIENT_MAX: usize = 1_000;

/// How often a client may be changed while its token is issued.
const ATTEMPTS_MAX: u32 = 8;

/// A request for a token, as it arrived.
#[derive(Clone, Debug, Default)]
pub struct TokenRequest {
    pub grant_type: Option<String>,
    pub client_id: Option<String>,
    pub client_secret: Option<Secret>,
    /// Some of the client's scopes. If absent, all of them.
    pub scope: Option<String>,
}

#[derive(Debug)]
pub struct IssuedToken {
    pub access_token: Secret,
    pub scopes: Scopes,
    pub created_at_s: i64,
}

/// The errors of RFC 6749, section 5.2.
#[derive(Debug, thiserror::Error)]
pub enum TokenRefusal {
    #[error("{0}")]
    InvalidRequest(String),
    #[error("the client is unknown or disabled, or its secret is wrong")]
    InvalidClient,
    #[error("grant_type must be client_credentials")]
    UnsupportedGrantType,
    #[error("{0}")]
    InvalidScope(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

#[boxed]
pub async fn issue_token(app: &App, request: TokenRequest) -> Result<IssuedToken, TokenRefusal> {
    if required(request.grant_type.as_deref(), "grant_type")? != "client_credentials" {
        return Err(TokenRefusal::UnsupportedGrantType);
    }
    for _ in 0..ATTEMPTS_MAX {
        let client =
            proven_client(app, request.client_id.as_deref(), request.client_secret.as_ref())
                .await?;
        let scopes = granted(&client.value, request.scope.as_deref())?;
        match commit_token(app, &client, scopes).await {
            // The client was changed, so its secret may be revoked now.
            Err(StoreError::Conflict) => {}
            issued => return Ok(issued?),
        }
    }
    Err(StoreError::Conflict.into())
}

/// Issues a token, unless the client was changed since it proved who it is.
pub(crate) async fn commit_token(
    app: &App,
    client: &Versioned<Client>,
    scopes: Scopes,
) -> Result<IssuedToken, StoreError> {
    let Versioned { value: client, version } = client;
    let access_token = secrets::new_token(&app.world, &client.id.merchant());
    let now_us = app.world.wall_clock_us();
    let mut transaction = Transaction::new("issuing a token");
    transaction.guard_client(&client.id, *version);
    transaction.insert_token(
        client,
        secrets::hash(access_token.reveal().as_bytes()),
        scopes,
        now_us + TOKEN_LIFETIME_S * 1_000_000,
    );
    transaction.delete_oldest_tokens(client, TOKENS_PER_CLIENT_MAX);
    app.store.commit(transaction).await?;
    app.metrics.count_token();
    Ok(IssuedToken { access_token, scopes, created_at_s: now_us / 1_000_000 })
}

/// A parameter that must be there.
pub(crate) fn required<T>(value: Option<T>, name: &str) -> Result<T, TokenRefusal> {
    value.ok_or_else(|| TokenRefusal::InvalidRequest(format!("{name} is missing")))
}

/// The client that these credentials belong to.
pub(crate) async fn proven_client(
    app: &App,
    id: Option<&str>,
    secret: Option<&Secret>,
) -> Result<Versioned<Client>, TokenRefusal> {
    let (id, secret) = (required(id, "client_id")?, required(secret, "client_secret")?);
    let id = ClientId::parse(id).ok_or(TokenRefusal::InvalidClient)?;
    let found = app.store.client(&id).await?.ok_or(TokenRefusal::InvalidClient)?;
    let client = &found.value;
    let merchant = app.store.merchant(&id.merchant()).await?;
    let merchant_lives = merchant.is_none_or(|merchant| merchant.value.is_live());
    let proven = client.secrets.iter().any(|kept| secrets::is_same(secret.reveal(), kept));
    if proven && client.is_live() && merchant_lives {
        Ok(found)
    } else {
        Err(TokenRefusal::InvalidClient)
    }
}

fn granted(client: &Client, asked: Option<&str>) -> Result<Scopes, TokenRefusal> {
    let Some(asked) = asked.filter(|scope| !scope.trim().is_empty()) else {
        return Ok(client.scopes);
    };
    let scopes = Scopes::parse(asked)
        .map_err(|unknown| TokenRefusal::InvalidScope(format!("unknown scope {unknown}")))?;
    if scopes.is_subset(client.scopes) {
        Ok(scopes)
    } else {
        Err(TokenRefusal::InvalidScope(format!("the client only has {}", client.scopes)))
    }
}
