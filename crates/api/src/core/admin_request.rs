//! Requests that change settings: the caller, the address, and the body.

use std::marker::PhantomData;

use app::{
    App,
    access::authenticate::Caller,
    core::scope::{IdempotencyKey, RequestScope},
};
use axum::extract::{FromRequest, FromRequestParts, Request};
use serde::de::DeserializeOwned;

use super::{
    body::JsonRequest,
    caller::{Admin, Admission, Allowed, MerchantAdmin},
};
use server::{Web, error::ApiError, json_body::JsonBody, path::Path};

/// A request with a JSON body and the scope `admin`, or another admission `A`. `P` is the variable
/// part of its address.
pub(crate) struct AdminRequest<P, A = Allowed<Admin>> {
    caller: Caller,
    pub(crate) path: P,
    pub(crate) body: JsonBody,
    key: Option<IdempotencyKey>,
    admission: PhantomData<A>,
}

/// A request to change a merchant's settings: by operators' tools, or by the merchant itself.
pub(crate) type MerchantAdminRequest<P> = AdminRequest<P, MerchantAdmin>;

impl<P, A> AdminRequest<P, A> {
    pub(crate) fn scope<'a>(&'a self, app: &'a App) -> RequestScope<'a> {
        self.caller.scope(app, self.key.as_ref())
    }
}

impl<P: DeserializeOwned + Send, A: Admission + Send> FromRequest<Web> for AdminRequest<P, A> {
    type Rejection = ApiError;

    /// A request without the scope learns nothing from the address or the body.
    async fn from_request(request: Request, web: &Web) -> Result<Self, ApiError> {
        let (mut parts, body) = request.into_parts();
        let caller = A::from_request_parts(&mut parts, web).await?.into_caller();
        let Path(path) = Path::<P>::from_request_parts(&mut parts, web).await?;
        let request = Request::from_parts(parts, body);
        let JsonRequest { body, key } = JsonRequest::from_request(request, web).await?;
        Ok(Self { caller, path, body, key, admission: PhantomData })
    }
}
