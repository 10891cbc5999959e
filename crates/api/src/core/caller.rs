//! The caller and its scopes. A handler with one of these types in its signature cannot be reached
//! without the required scope.

use std::marker::PhantomData;

use app::{
    AppError,
    access::authenticate::{Caller, authenticate},
};
use axum::{
    extract::{FromRequestParts, RawPathParams},
    http::{HeaderMap, header::AUTHORIZATION, request::Parts},
};
use boxed::boxed;
use domain::{
    access::scope::Scope,
    identifier::{ClientId, MerchantId},
};

use super::large_body_turn::TurnOf;
use server::error::ApiError;
use server::{
    Web, address_of,
    observe::{note_merchant, request_id},
};

/// A scope, as a type.
pub(crate) trait Needs: Send + Sync {
    const SCOPE: Scope;
    const ALONE: &'static [Scope] = &[Self::SCOPE];
}

pub(crate) struct OrdersWrite;
impl Needs for OrdersWrite {
    const SCOPE: Scope = Scope::OrdersWrite;
}

pub(crate) struct ReturnsWrite;
impl Needs for ReturnsWrite {
    const SCOPE: Scope = Scope::ReturnsWrite;
}

pub(crate) struct AsnsWrite;
impl Needs for AsnsWrite {
    const SCOPE: Scope = Scope::AsnsWrite;
}

pub(crate) struct DropShipWrite;
impl Needs for DropShipWrite {
    const SCOPE: Scope = Scope::DropShipWrite;
}

pub(crate) struct CarrierWrite;
impl Needs for CarrierWrite {
    const SCOPE: Scope = Scope::CarrierWrite;
}

pub(crate) struct WarehouseWrite;
impl Needs for WarehouseWrite {
    const SCOPE: Scope = Scope::WarehouseWrite;
}

pub(crate) struct Read;
impl Needs for Read {
    const SCOPE: Scope = Scope::Read;
}

pub(crate) struct Admin;
impl Needs for Admin {
    const SCOPE: Scope = Scope::Admin;
}

pub(crate) struct Metrics;
impl Needs for Metrics {
    const SCOPE: Scope = Scope::Metrics;
}

/// Scopes of which one is enough, as a type. The first one is that of the merchants themselves.
pub(crate) trait NeedsOne: Send + Sync {
    const SCOPES: &'static [Scope];
}

/// Who reads lists of returns.
pub(crate) struct ReturnReaders;
impl NeedsOne for ReturnReaders {
    const SCOPES: &'static [Scope] = &[Scope::Read, Scope::WarehouseWrite];
}

/// Who reads lists of what the warehouse gets and sends.
pub(crate) struct WarehouseReaders;
impl NeedsOne for WarehouseReaders {
    const SCOPES: &'static [Scope] = &[Scope::Read, Scope::WarehouseWrite, Scope::CarrierWrite];
}

/// A caller with one of the scopes of `S`.
pub(crate) struct AllowedOne<S: NeedsOne> {
    pub(crate) caller: Caller,
    scopes: PhantomData<S>,
}

impl<S: NeedsOne> FromRequestParts<Web> for AllowedOne<S> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, ApiError> {
        let caller = authorize(parts, web, S::SCOPES).await?;
        Ok(Self { caller, scopes: PhantomData })
    }
}

/// A caller with the scope `S`.
pub(crate) struct Allowed<S: Needs> {
    pub(crate) caller: Caller,
    scope: PhantomData<S>,
}

/// A merchant's own system with the scope `S`.
pub(crate) struct Merchant<S: Needs> {
    pub(crate) id: MerchantId,
    pub(crate) caller: Caller,
    scope: PhantomData<S>,
}

impl<S: Needs> FromRequestParts<Web> for Allowed<S> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, ApiError> {
        let caller = authorize(parts, web, S::ALONE).await?;
        Ok(Self { caller, scope: PhantomData })
    }
}

impl<S: Needs> FromRequestParts<Web> for Merchant<S> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, ApiError> {
        let Allowed { caller, .. } = Allowed::<S>::from_request_parts(parts, web).await?;
        let id = caller.merchant.clone().ok_or(ApiError::Forbidden(S::SCOPE))?;
        Ok(Self { id, caller, scope: PhantomData })
    }
}

/// Who may change the settings of a merchant.
const MERCHANT_ADMINS: &[Scope] = &[Scope::Admin, Scope::MerchantAdmin];

/// An operator's tool, or a system of the merchant that the address names. For a merchant's system,
/// other merchants do not exist.
pub(crate) struct MerchantAdmin {
    pub(crate) caller: Caller,
}

impl MerchantAdmin {
    /// Refuses a merchant that the caller does not reach, as if it did not exist.
    pub(crate) fn check_merchant(&self, merchant: &MerchantId) -> Result<(), ApiError> {
        if self.reaches(merchant) { Ok(()) } else { Err(AppError::NotFound("merchant").into()) }
    }

    fn reaches(&self, merchant: &MerchantId) -> bool {
        let caller = &self.caller;
        caller.scopes.contains(Scope::Admin) || caller.merchant.as_ref() == Some(merchant)
    }

    /// Checks what the address names.
    async fn check_address(&self, parts: &mut Parts, web: &Web) -> Result<(), ApiError> {
        let Ok(parameters) = RawPathParams::from_request_parts(parts, web).await else {
            return Err(AppError::NotFound("merchant").into());
        };
        for (name, value) in &parameters {
            let (owner, what) = match name {
                "merchant" => (MerchantId::parse(value).ok(), "merchant"),
                "client_id" => (ClientId::parse(value).map(|it| it.merchant()), "client"),
                _ => continue,
            };
            if !owner.is_some_and(|owner| self.reaches(&owner)) {
                return Err(AppError::NotFound(what).into());
            }
        }
        Ok(())
    }
}

impl FromRequestParts<Web> for MerchantAdmin {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, ApiError> {
        let admin = Self { caller: authorize(parts, web, MERCHANT_ADMINS).await? };
        admin.check_address(parts, web).await?;
        Ok(admin)
    }
}

/// How a request proves that it may change something, as a type.
pub(crate) trait Admission: FromRequestParts<Web, Rejection = ApiError> {
    fn into_caller(self) -> Caller;
}

impl<S: Needs> Admission for Allowed<S> {
    fn into_caller(self) -> Caller {
        self.caller
    }
}

impl Admission for MerchantAdmin {
    fn into_caller(self) -> Caller {
        self.caller
    }
}

/// The caller, if it has one of the scopes. Boxed, so that this is compiled once and not into every
/// handler.
#[boxed]
async fn authorize(
    parts: &mut Parts,
    web: &Web,
    scopes: &'static [Scope],
) -> Result<Caller, ApiError> {
    let token = bearer_token(&parts.headers)
        .ok_or(ApiError::Unauthorized("send a token: Authorization: bearer <ACCESS_TOKEN>"))?;
    let mut caller = authenticate(&web.app, token)
        .await?
        .ok_or(ApiError::Unauthorized("the token is unknown, expired or revoked"))?;
    caller.address = address_of(&parts.extensions);
    caller.request = request_id(&parts.extensions);
    caller.merchant.iter().for_each(note_merchant);
    let merchant = caller.merchant.clone().unwrap_or_else(MerchantId::platform);
    parts.extensions.insert(TurnOf(merchant));
    match scopes {
        _ if scopes.iter().any(|scope| caller.scopes.contains(*scope)) => Ok(caller),
        [scope, ..] => Err(ApiError::Forbidden(*scope)),
        [] => Err(ApiError::Unauthorized("no scope is enough")),
    }
}

/// The token of `Authorization: bearer <token>`. The scheme is compared without case.
fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}
