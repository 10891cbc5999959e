//! Requests of the warehouse: who asks, for which merchant, and with which body.

use app::{
    access::authenticate::Caller,
    core::commit_once::{Repeatable, Request as Asks},
};
use axum::extract::{FromRequest, FromRequestParts, Request};
use domain::identifier::MerchantId;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::core::{
    body::{JsonRequest, LargeRequest},
    caller::{Allowed, WarehouseWrite},
};
use server::Web;
use server::{error::ApiError, query::Query};

/// For whom a system of the platform acts.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ForMerchant {
    /// The merchant that is meant. Systems of the platform name it where the rest does not tell; a merchant's own
    /// are always meant themselves.
    merchant: Option<String>,
}

impl ForMerchant {
    pub(crate) fn named(&self) -> Result<Option<MerchantId>, ApiError> {
        let named = self.merchant.as_deref().map(MerchantId::parse).transpose();
        named.map_err(|_| app::AppError::NotFound("merchant").into())
    }
}

/// What a system of the warehouse asks for, with the scope `warehouse:write`.
pub(crate) struct Dock<B> {
    pub(crate) caller: Caller,
    /// The merchant that it names, if it does.
    pub(crate) named: Option<MerchantId>,
    pub(crate) body: B,
}

/// A body that says under which key the request may come again.
pub(crate) trait Body {
    fn repeatable(&self) -> Option<&Repeatable>;
}

impl Body for JsonRequest {
    fn repeatable(&self) -> Option<&Repeatable> {
        self.repeatable.as_ref()
    }
}

impl Body for LargeRequest {
    fn repeatable(&self) -> Option<&Repeatable> {
        self.repeatable.as_ref()
    }
}

impl<B: Body> Dock<B> {
    pub(crate) fn asks(&self) -> Asks<'_> {
        Asks { client: &self.caller.client, repeatable: self.body.repeatable() }
    }
}

impl<B: FromRequest<Web, Rejection = ApiError>> FromRequest<Web> for Dock<B> {
    type Rejection = ApiError;

    async fn from_request(request: Request, web: &Web) -> Result<Self, ApiError> {
        let (mut parts, body) = request.into_parts();
        let Allowed { caller, .. } =
            Allowed::<WarehouseWrite>::from_request_parts(&mut parts, web).await?;
        let Query(merchant) = Query::<ForMerchant>::from_request_parts(&mut parts, web).await?;
        let body = B::from_request(Request::from_parts(parts, body), web).await?;
        Ok(Self { caller, named: merchant.named()?, body })
    }
}
