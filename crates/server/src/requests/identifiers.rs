//! Identifiers in addresses and queries. A text that cannot be an identifier names nothing, so the
//! response is the same 404 as for something that does not exist.

use app::AppError;
use domain::{
    access::operator::OperatorName,
    faults::FaultCode,
    identifier::{ClientId, MerchantId, MessageId},
    messages::kind::MessageKind,
    reader::{Reader, TEXT_MAX},
};

use crate::error::ApiError;

pub fn parse_merchant(text: &str) -> Result<MerchantId, ApiError> {
    MerchantId::parse(text).map_err(|_| AppError::NotFound("merchant").into())
}

/// A merchant in the body of a request.
pub fn read_merchant(at: &Reader<'_>) -> Option<MerchantId> {
    let parsed = MerchantId::parse(at.text(1..=TEXT_MAX)?);
    parsed.map_err(|why| at.note(FaultCode::Invalid, &why)).ok()
}

pub fn parse_client(text: &str) -> Result<ClientId, ApiError> {
    ClientId::parse(text).ok_or_else(|| AppError::NotFound("client").into())
}

pub fn parse_operator(text: &str) -> Result<OperatorName, ApiError> {
    OperatorName::parse(text).map_err(|_| AppError::NotFound("operator").into())
}

pub fn parse_message(text: &str) -> Result<MessageId, ApiError> {
    MessageId::parse(text).ok_or_else(|| AppError::NotFound("message").into())
}

pub fn parse_kind(text: &str) -> Result<MessageKind, ApiError> {
    MessageKind::parse(text).ok_or_else(|| AppError::NotFound("kind of message").into())
}

/// The kind of an endpoint in the path.
pub fn parse_endpoint_kind(text: &str) -> Result<MessageKind, ApiError> {
    let kind = MessageKind::parse(text).filter(|kind| kind.goes_to_merchant());
    kind.ok_or_else(|| AppError::NotFound("kind of message to a merchant").into())
}
