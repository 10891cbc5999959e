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
use server::{Web, address_of, observe::request_id};

/// A scope, as a type.
pub(crate) trait Needs: Send + Sync {
    const SCOPE: Scope;
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
        let caller = authorize(parts, web, S::SCOPE).await?;
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

/// The caller, if it has the scope. Boxed, so that this is compiled once and not into every
/// handler.
fn authorize<'a>(
    parts: &'a mut Parts,
    web: &'a Web,
    scope: Scope,
) -> BoxFuture<'a, Result<Caller, ApiError>> {
    Box::pin(async move {
        let token = bearer_token(&parts.headers)
            .ok_or(ApiError::Unauthorized("send a token: Authorization: bearer <ACCESS_TOKEN>"))?;
        let mut caller = authenticate(&web.app, token)
            .await?
            .ok_or(ApiError::Unauthorized("the token is unknown, expired or revoked"))?;
        caller.address = address_of(&parts.extensions);
        caller.request = request_id(&parts.extensions);
        let merchant = caller.merchant.clone().unwrap_or_else(MerchantId::platform);
        parts.extensions.insert(TurnOf(merchant));
        if caller.scopes.contains(scope) { Ok(caller) } else { Err(ApiError::Forbidden(scope)) }
    })
}

/// The token of `Authorization: bearer <token>`. The scheme is compared without case.
fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}
