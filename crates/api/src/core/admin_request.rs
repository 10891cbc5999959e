//! Requests of operators' tools that change something: the caller, the address, and the body.

use app::{
    App,
    access::authenticate::Caller,
    core::scope::{IdempotencyKey, RequestScope},
};
use axum::extract::{FromRequest, FromRequestParts, Request};
use serde::de::DeserializeOwned;

use super::{
    body::JsonRequest,
    caller::{Admin, Allowed},
};
use server::{Web, error::ApiError, json_body::JsonBody, path::Path};

/// A request with the scope `admin` and a JSON body. `P` is the variable part of its address.
pub(crate) struct AdminRequest<P> {
    caller: Caller,
    pub(crate) path: P,
    pub(crate) body: JsonBody,
    key: Option<IdempotencyKey>,
}

impl<P> AdminRequest<P> {
    pub(crate) fn scope<'a>(&'a self, app: &'a App) -> RequestScope<'a> {
        self.caller.scope(app, self.key.as_ref())
    }
}

impl<P: DeserializeOwned + Send> FromRequest<Web> for AdminRequest<P> {
    type Rejection = ApiError;

    /// A request without the scope learns nothing from the address or the body.
    async fn from_request(request: Request, web: &Web) -> Result<Self, ApiError> {
        let (mut parts, body) = request.into_parts();
        let Allowed { caller, .. } = Allowed::<Admin>::from_request_parts(&mut parts, web).await?;
        let Path(path) = Path::<P>::from_request_parts(&mut parts, web).await?;
        let request = Request::from_parts(parts, body);
        let JsonRequest { body, key } = JsonRequest::from_request(request, web).await?;
        Ok(Self { caller, path, body, key })
    }
}
