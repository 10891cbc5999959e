//! Pages and forms about the merchant that the address names, for its own people and for operators.

use axum::{
    extract::{FromRequest, FromRequestParts, Request},
    http::request::Parts,
    response::{IntoResponse, Response},
};
use domain::identifier::MerchantId;
use server::{Web, path::Path, requests::identifiers::parse_merchant};

use super::{
    visit::{Member, MemberForm},
    visitor::Visitor,
};

pub(crate) struct MerchantVisit {
    pub(crate) web: Web,
    pub(crate) visitor: Visitor,
    pub(crate) merchant: MerchantId,
}

pub(crate) struct MerchantForm {
    pub(crate) web: Web,
    pub(crate) merchant: MerchantId,
    pub(crate) sent: MemberForm,
}

impl FromRequestParts<Web> for MerchantVisit {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, Response> {
        let Member { visitor, .. } = Member::from_request_parts(parts, web).await?;
        Ok(Self { web: web.clone(), visitor, merchant: read_merchant(parts, web).await? })
    }
}

impl FromRequest<Web> for MerchantForm {
    type Rejection = Response;

    async fn from_request(request: Request, web: &Web) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let merchant = read_merchant(&mut parts, web).await?;
        let sent = MemberForm::from_request(Request::from_parts(parts, body), web).await?;
        Ok(Self { web: web.clone(), merchant, sent })
    }
}

async fn read_merchant(parts: &mut Parts, web: &Web) -> Result<MerchantId, Response> {
    let path = Path::<String>::from_request_parts(parts, web).await;
    let Path(merchant) = path.map_err(IntoResponse::into_response)?;
    parse_merchant(&merchant).map_err(IntoResponse::into_response)
}
