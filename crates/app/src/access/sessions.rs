//! Sessions in the console: log in, find the session of a request, log out.
//!
//! A session is identified by a token of 256 random bits. Only the browser has the token; the store
//! has its hash. Every login creates a new token, so a token that an attacker planted before has no
//! effect. A session ends when it is idle for too long, after half a day in any case, and at once
//! when the operator logs out, is disabled or gets another password.

use std::net::IpAddr;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use boxed::boxed;
use domain::{
    access::operator::{Operator, OperatorName, Role, SESSION_US, check_password},
    identifier::{ClientId, MerchantId},
};
use serde_json::json;
use store::{StoreError, Transaction, Versioned};
use world::Secret;

use crate::{
    App, AppError,
    access::{passwords, secrets},
    core::{
        audit_trail::{AuditEvent, record_event},
        scope::{RequestId, RequestScope},
    },
};

/// A session is stored at most this often, so that reading pages needs no writes.
const TOUCHED_EVERY_US: i64 = 60 * 1_000_000;
/// Longer than any of our tokens.
const TOKEN_BYTES_MAX: usize = 64;
const FORMS: &str = "forms of ";

/// Who is logged in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    pub operator: OperatorName,
    pub role: Role,
    /// The only merchant that the person reaches; None if the role does not restrict it.
    pub merchant: Option<MerchantId>,
    /// The token in every form of this session, so that other sites cannot send the form.
    pub form_token: String,
    /// The address of this request, which the handler knows.
    pub address: Option<IpAddr>,
    /// The identifier of this request, which the handler knows.
    pub request: Option<RequestId>,
    /// The operator, as the client of a request.
    actor: ClientId,
}

impl Session {
    pub fn new(operator: &Operator, form_token: impl Into<String>) -> Self {
        Self {
            operator: operator.name.clone(),
            role: operator.role,
            merchant: operator.merchant.clone(),
            form_token: form_token.into(),
            address: None,
            request: None,
            actor: ClientId::of_operator(&operator.name),
        }
    }

    /// A request of the operator. The audit trail names the operator as its client.
    pub fn scope<'a>(&'a self, app: &'a App) -> RequestScope<'a> {
        let (client, address, request) = (&self.actor, self.address, self.request);
        RequestScope { app, client, address, merchant: None, idempotency: None, request }
    }
}

/// What a person sends to log in.
#[derive(Clone, Copy, Debug)]
pub struct LoginRequest<'a> {
    pub name: &'a str,
    pub password: &'a Secret,
    /// Where the person is, for the audit trail.
    pub address: IpAddr,
}

/// Starts a session and returns its token. None if the name or the password is wrong, or if the
/// operator is disabled; the caller cannot distinguish these cases.
#[boxed]
pub async fn log_in(
    app: &App,
    request: &LoginRequest<'_>,
) -> Result<Option<(Secret, Role)>, AppError> {
    let name = parse_typed_name(request.name);
    let Some(found) = find_operator_with(app, name.as_ref(), request.password).await? else {
        return Ok(None);
    };
    let operator = found.value;
    let token = Secret::new(URL_SAFE_NO_PAD.encode(app.world.random::<32>()));
    let now_us = app.world.wall_clock_us();
    let expires_us = compute_expiry_us(operator.role, now_us, now_us);
    let mut transaction = Transaction::new("logging in");
    transaction.guard_operator(&operator.name, found.version);
    transaction.insert_session(hash(&token), &operator.name, now_us, expires_us);
    let event = AuditEvent {
        merchant: &MerchantId::platform(),
        actor: operator.name.as_str(),
        address: Some(request.address),
        action: "operator.login",
        detail: &json!({}),
    };
    record_event(&app.world, &mut transaction, &event);
    match app.store.commit(transaction).await {
        Ok(_) => Ok(Some((token, operator.role))),
        // The password was changed, or the operator was disabled, during the check.
        Err(StoreError::Conflict) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The name that a person typed, if it can be one.
pub fn parse_typed_name(typed: &str) -> Option<OperatorName> {
    OperatorName::parse(&typed.trim().to_ascii_lowercase()).ok()
}

/// Whether it is the password of this operator, who is not disabled.
#[boxed]
pub async fn is_password_of(
    app: &App,
    name: &OperatorName,
    password: &Secret,
) -> Result<bool, AppError> {
    Ok(find_operator_with(app, Some(name), password).await?.is_some())
}

/// The operator with this name and password, unless disabled.
async fn find_operator_with(
    app: &App,
    name: Option<&OperatorName>,
    password: &Secret,
) -> Result<Option<Versioned<Operator>>, AppError> {
    if check_password(password.reveal()).is_err() {
        return Ok(None);
    }
    let found = match name {
        Some(name) => app.store.operator(name).await?,
        None => None,
    };
    let kept = found.as_ref().map(|found| found.value.password_hash.as_str());
    let right = passwords::verify_password(app, password, kept).await?;
    Ok(found.filter(|found| right && found.value.is_live()))
}

/// The session of `token`, if it has not expired. Using it extends it.
#[boxed]
pub async fn use_session(app: &App, token: &Secret) -> Result<Option<Session>, AppError> {
    found(app, token, true).await
}

/// The same for requests that a page sends by itself. They do not extend the session, so that an
/// open page does not keep it alive.
#[boxed]
pub async fn peek_session(app: &App, token: &Secret) -> Result<Option<Session>, AppError> {
    found(app, token, false).await
}

async fn found(app: &App, token: &Secret, used: bool) -> Result<Option<Session>, AppError> {
    if token.reveal().len() > TOKEN_BYTES_MAX {
        return Ok(None);
    }
    let now_us = app.world.wall_clock_us();
    let found = app.store.session(hash(token)).await?;
    let lasts = |expires_us: i64| expires_us > now_us;
    let Some(found) = found.filter(|it| lasts(it.expires_us) && it.operator.is_live()) else {
        return Ok(None);
    };
    if used && now_us - found.last_seen_us >= TOUCHED_EVERY_US {
        let expires_us = compute_expiry_us(found.operator.role, found.created_us, now_us);
        let mut transaction = Transaction::new("noting that a session is used");
        transaction.touch_session(hash(token), now_us, expires_us);
        app.store.commit(transaction).await?;
    }
    Ok(Some(Session::new(&found.operator, form_token(token))))
}

/// Ends the session at once.
#[boxed]
pub async fn log_out(app: &App, token: &Secret) -> Result<(), AppError> {
    let mut transaction = Transaction::new("logging out");
    transaction.delete_session(hash(token));
    app.store.commit(transaction).await?;
    Ok(())
}

fn compute_expiry_us(role: Role, created_us: i64, seen_us: i64) -> i64 {
    (seen_us + role.idle_us()).min(created_us + SESSION_US)
}

fn hash(token: &Secret) -> bytes::Bytes {
    secrets::hash(token.reveal().as_bytes())
}

/// Derived from the session's token, without revealing it.
fn form_token(token: &Secret) -> String {
    URL_SAFE_NO_PAD.encode(secrets::hash(format!("{FORMS}{}", token.reveal()).as_bytes()))
}
