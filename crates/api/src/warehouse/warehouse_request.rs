//! Requests of the warehouse: the caller, the merchant it acts for, and the body.

use app::{
    access::authenticate::Caller,
    core::commit_once::{IdempotencyKey, Request as Asks},
};
use axum::extract::{FromRequest, FromRequestParts, Request};
use domain::identifier::MerchantId;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::core::{
    body::{JsonRequest, LargeBody, LargeRequest},
    caller::{Allowed, WarehouseWrite},
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
    pub(crate) fn parse(&self) -> Result<Option<MerchantId>, ApiError> {
        let merchant = self.merchant.as_deref().map(MerchantId::parse).transpose();
        merchant.map_err(|_| app::AppError::NotFound("merchant").into())
    }
}

/// A request with the scope `warehouse:write`.
pub(crate) struct WarehouseRequest<B> {
    pub(crate) caller: Caller,
    /// The merchant that the request names, if any.
    pub(crate) merchant: Option<MerchantId>,
    pub(crate) body: B,
    repeatable: Option<IdempotencyKey>,
}

impl<B> WarehouseRequest<B> {
    pub(crate) fn asks(&self) -> Asks<'_> {
        Asks { client: &self.caller.client, repeatable: self.repeatable.as_ref() }
    }
}

/// A body that comes with the key of its request.
pub(crate) trait KeyedBody: Sized {
    type Request: FromRequest<Web, Rejection = ApiError> + Send;

    fn split(request: Self::Request) -> (Self, Option<IdempotencyKey>);
}

impl KeyedBody for JsonBody {
    type Request = JsonRequest;

    fn split(JsonRequest { body, repeatable }: JsonRequest) -> (Self, Option<IdempotencyKey>) {
        (body, repeatable)
    }
}

impl KeyedBody for LargeBody {
    type Request = LargeRequest;

    fn split(LargeRequest { body, repeatable }: LargeRequest) -> (Self, Option<IdempotencyKey>) {
        (body, repeatable)
    }
}

impl<B: KeyedBody + Send> FromRequest<Web> for WarehouseRequest<B> {
    type Rejection = ApiError;

    async fn from_request(request: Request, web: &Web) -> Result<Self, ApiError> {
        let (mut parts, body) = request.into_parts();
        let Allowed { caller, .. } =
            Allowed::<WarehouseWrite>::from_request_parts(&mut parts, web).await?;
        let Query(merchant) = Query::<ForMerchant>::from_request_parts(&mut parts, web).await?;
        let request = B::Request::from_request(Request::from_parts(parts, body), web).await?;
        let (body, repeatable) = B::split(request);
        Ok(Self { caller, merchant: merchant.parse()?, body, repeatable })
    }
}
