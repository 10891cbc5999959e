//! Keeps a merchant's people to what belongs to their merchant.
//!
//! For them, the address of a page must name their own merchant, or something of it. An address
//! that names anything else does not exist. Pages whose address names nothing list only what
//! [`Visitor::narrow`](super::visitor::Visitor::narrow) allows.

use app::{
    AppError, messages::bulk_retry::find_bulk_job, returns::operator_returns::find_return_owner,
};
use axum::{
    extract::{FromRequestParts, RawPathParams},
    http::request::Parts,
    response::{IntoResponse, Response},
};
use domain::identifier::{ClientId, MerchantId, MessageId};

use crate::core::problem;
use server::{Web, error::ApiError};

/// Accepts an address that names nothing, or only what belongs to `own`.
pub(super) async fn check_address(
    parts: &mut Parts,
    web: &Web,
    own: &MerchantId,
) -> Result<(), Response> {
    let Ok(parameters) = RawPathParams::from_request_parts(parts, web).await else {
        return Err(problem::no_such_page().await);
    };
    let (mut named, mut is_own) = (false, false);
    for (name, value) in &parameters {
        named = true;
        let owner = find_owner(web, name, value).await;
        match owner.map_err(|error| ApiError::from(error).into_response())? {
            Some(owner) if owner == *own => is_own = true,
            Some(_) => return Err(problem::no_such_page().await),
            // Part of what the others name, such as a kind of message.
            None => {}
        }
    }
    if !named || is_own { Ok(()) } else { Err(problem::no_such_page().await) }
}

/// Whose it is, if this part of an address names something that belongs to a merchant.
async fn find_owner(web: &Web, name: &str, value: &str) -> Result<Option<MerchantId>, AppError> {
    Ok(match name {
        "merchant" => MerchantId::parse_stored(value).ok(),
        "client" => ClientId::parse(value).map(|client| client.merchant()),
        "rma" => find_return_owner(&web.app, value).await?,
        "message" => MessageId::parse(value).map(|message| message.merchant),
        "job" => find_bulk_job(&web.app, value).ok().and_then(|job| job.merchant),
        _ => None,
    })
}
