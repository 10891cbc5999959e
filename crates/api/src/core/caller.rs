//! The caller and its scopes. A handler with one of these types in its signature cannot be reached
//! without the required scope.

use std::marker::PhantomData;

use app::access::authenticate::{Caller, authenticate};
use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, header::AUTHORIZATION, request::Parts},
};
use domain::{access::scope::Scope, identifier::MerchantId};
use futures_util::future::BoxFuture;

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

/// The caller, if it has one of the scopes. Boxed, so that this is compiled once and not into every
/// handler.
fn authorize<'a>(
    parts: &'a mut Parts,
    web: &'a Web,
    scopes: &'static [Scope],
) -> BoxFuture<'a, Result<Caller, ApiError>> {
    Box::pin(async move {
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
    })
}

/// The token of `Authorization: bearer <token>`. The scheme is compared without case.
fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}
