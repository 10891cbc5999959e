//! Requests of the warehouse: the caller, the merchant it acts for, and the body.

use app::{
    App,
    access::authenticate::Caller,
    core::scope::{IdempotencyKey, RequestScope},
};
use axum::extract::{FromRequest, FromRequestParts, Request};
use domain::identifier::MerchantId;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::core::{
    body::{JsonRequest, LargeBody, LargeRequest},
    caller::{Allowed, WarehouseWrite},
    large_body_turn::TurnOf,
};
use server::{Web, error::ApiError, json_body::JsonBody, query::Query};

/// The merchant that a system of the platform acts for.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ForMerchant {
    /// The merchant that the request is about. Systems of the platform must name it unless the rest
    /// of the request identifies the merchant. A merchant's own systems always act for that
    /// merchant.
    merchant: Option<String>,
}

impl ForMerchant {
    /// The merchant that a request of `caller` is about, as far as it says.
    pub(crate) fn resolve(&self, caller: &Caller) -> Result<Option<MerchantId>, ApiError> {
        let named = self.merchant.as_deref().map(MerchantId::parse).transpose();
        let named = named.map_err(|_| app::AppError::NotFound("merchant"))?;
        Ok(caller.merchant.clone().or(named))
    }
}

/// A request with the scope `warehouse:write`.
pub(crate) struct WarehouseRequest<B> {
    caller: Caller,
    merchant: Option<MerchantId>,
    pub(crate) body: B,
    key: Option<IdempotencyKey>,
}

impl<B> WarehouseRequest<B> {
    pub(crate) fn scope<'a>(&'a self, app: &'a App) -> RequestScope<'a> {
        let merchant = self.merchant.as_ref();
        RequestScope { merchant, ..self.caller.scope(app, self.key.as_ref()) }
    }
}

/// A body that comes with the key of its request.
pub(crate) trait KeyedBody: Sized {
    type Request: FromRequest<Web, Rejection = ApiError> + Send;

    fn split(request: Self::Request) -> (Self, Option<IdempotencyKey>);
}

impl KeyedBody for JsonBody {
    type Request = JsonRequest;

    fn split(JsonRequest { body, key }: JsonRequest) -> (Self, Option<IdempotencyKey>) {
        (body, key)
    }
}

impl KeyedBody for LargeBody {
    type Request = LargeRequest;

    fn split(LargeRequest { body, key }: LargeRequest) -> (Self, Option<IdempotencyKey>) {
        (body, key)
    }
}

impl<B: KeyedBody + Send> FromRequest<Web> for WarehouseRequest<B> {
    type Rejection = ApiError;

    async fn from_request(request: Request, web: &Web) -> Result<Self, ApiError> {
        let (mut parts, body) = request.into_parts();
        let Allowed { caller, .. } =
            Allowed::<WarehouseWrite>::from_request_parts(&mut parts, web).await?;
        let Query(named) = Query::<ForMerchant>::from_request_parts(&mut parts, web).await?;
        let merchant = named.resolve(&caller)?;
        if let Some(merchant) = &merchant {
            parts.extensions.insert(TurnOf(merchant.clone()));
        }
        let request = B::Request::from_request(Request::from_parts(parts, body), web).await?;
        let (body, key) = B::split(request);
        Ok(Self { caller, merchant, body, key })
    }
}
