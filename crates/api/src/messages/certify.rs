//! A merchant's endpoints are checked before they go live.

use app::messages::certify_endpoints::{CertifyRequest, certify_endpoints};
use axum::{Json, extract::State};
use domain::{
    faults::{FaultCode, Faults},
    json::Json as Document,
    messages::{certificate::Certificate, kind::MessageKind},
    reader::{Reader, TEXT_MAX},
};
use serde_json::Value;
use utoipa::ToSchema;

use crate::core::{admin_request::MerchantAdminRequest, idempotency::IdempotencyHeader, sample};
use server::{
    Web,
    error::{ApiError, Invalid, Message},
    json_body::read_object,
    requests::identifiers::parse_merchant,
};

/// Which endpoints to check.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read field by field")]
pub(crate) struct CertifyBody {
    /// Kinds of messages. If absent, all that have an address.
    #[schema(example = json!(["rma"]))]
    kinds: Option<Vec<MessageKind>>,
    /// Where the merchant lists what it holds, as for a reconciliation.
    #[schema(example = "https://hooks.acme.example/held")]
    held_url: Option<String>,
}

fn sample_certificate() -> Value {
    serde_json::json!({
        "url": "https://hooks.acme.example", "passed": false,
        "verdicts": [{
            "rule": "requires_signature", "demand": "Refuse a message without a signature.",
            "result": "failed", "detail": "the response was 200",
            "exchanges": [{
                "request": "POST https://hooks.acme.example/rmas\nx-service-event: rma\n",
                "response": "200 after 12 ms\n\n"
            }]
        }]
    })
}

/// Check a merchant's endpoints
///
/// Calls the endpoints with the documented samples and with what breaks receivers in practice, and
/// says for each rule whether they follow it. It takes up to two minutes. Everything that is sent
/// is about things named `CERT-...`; exchange orders are among it. The addresses of endpoints that
/// passed are remembered. If the setting `require_certificate` is on, only those can be resumed.
#[utoipa::path(
    post, operation_id = "certify_endpoints", path = "/merchants/{merchant}/certify",
    tag = "Operation",
    params(
        ("merchant" = String, Path, description = "The merchant's identifier.", example = "acme"),
        IdempotencyHeader,
    ),
    request_body(content = CertifyBody, example = json!({ "kinds": ["rma"] })),
    responses(
        (status = 200, body = Certificate, description = "The verdict about each rule. The example \
            shows one of them.", example = json!(sample_certificate())),
        (status = 409, body = Message, description = "No address is set, the endpoints cannot be \
            called, the check took too long, or the key was used for another request.",
            example = json!({ "message": "no address is set for these kinds" })),
        (status = 422, body = Invalid, description = "Every invalid field. Nothing was sent.",
            example = json!(sample::invalid_field(
                "$.kinds[0]", FaultCode::Invalid, "must be a kind of message to merchants"))),
    ),
    security(("token" = ["admin"]), ("token" = ["merchant:admin"]))
)]
pub(crate) async fn certify(
    State(web): State<Web>,
    request: MerchantAdminRequest<String>,
) -> Result<Json<Certificate>, ApiError> {
    let merchant = parse_merchant(&request.path)?;
    let wanted = request.body.read(read_request)?;
    let scope = request.scope(&web.app);
    Ok(Json(certify_endpoints(scope.for_merchant(&merchant), &wanted).await?))
}

fn read_request(document: &Document<'_>) -> Result<CertifyRequest, Faults> {
    let own_kind = |name: &str| MessageKind::parse(name).filter(|kind| kind.goes_to_merchant());
    let kind = |at: &Reader<'_>| at.named(own_kind, "must be a kind of message to merchants");
    read_object(document, |at| {
        let kinds = at.optional("kinds", |at| at.list(MessageKind::ALL.len(), kind));
        let held_url = at.optional("held_url", |at| at.text(1..=TEXT_MAX).map(str::to_owned));
        Some(CertifyRequest { kinds: kinds.unwrap_or_default().into_iter().collect(), held_url })
    })
}
