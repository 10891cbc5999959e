//! The route for EasyPost's webhooks. There is no token: the signature proves who sent them.

use app::{
    carriers::webhooks::{SIGNATURE_HEADER, apply_easypost_webhook},
    core::scope::RequestScope,
    returns::carrier_events::CarrierResults,
};
use axum::{
    Json,
    extract::{Request, State},
};
use domain::identifier::{ClientId, MerchantId};
use server::{
    Web, address_of,
    error::{ApiError, Message},
    guard::limits::{BODY_TIME_MAX, read_body},
    observe::request_id,
    path::Path,
};

/// A tracker with all its details is a tenth of this.
const WEBHOOK_MAX_BYTES: usize = 1024 * 1024;

const UNSIGNED: ApiError = ApiError::Unauthorized("the signature is not valid");

/// Receive a webhook of EasyPost
///
/// Set this address as the webhook of the merchant's EasyPost account, with the secret that was set
/// here. Events of trackers move returns; all others are accepted and change nothing. An unknown
/// merchant and a wrong signature get the same response.
#[utoipa::path(
    post, operation_id = "receive_easypost_webhook", path = "/carriers/easypost/{merchant}/webhooks",
    tag = "Carrier",
    params(
        ("merchant" = String, Path, description = "The merchant's identifier.", example = "acme"),
        ("x-hmac-signature" = String, Header, description = "`hmac-sha256-hex=` and the HMAC-SHA256 \
            of the body with the webhook secret, in hexadecimal digits.",
            example = "hmac-sha256-hex=f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8"),
    ),
    request_body(content = serde_json::Value, description = "An event, as EasyPost sends it.",
        example = json!({
            "object": "Event", "description": "tracker.updated",
            "result": { "object": "Tracker", "tracking_code": "9400111899223197428490",
                "status": "in_transit" }
        })),
    responses(
        (status = 200, body = CarrierResults, description = "The result of the event.",
            example = json!({ "results": [
                { "result": "applied", "rma_identifier": "RMA-7K3Q-9XWD-2M4T" }
            ] })),
        (status = 401, body = Message, description = "The signature is not valid, or the merchant \
            is unknown.", example = json!({ "message": "the signature is not valid" })),
        (status = 409, body = Message, description = "The label is not stored yet: send it again.",
            example = json!({ "message": "the label of this parcel is not stored yet" })),
    ),
)]
pub(crate) async fn receive(
    State(web): State<Web>,
    Path(merchant): Path<String>,
    request: Request,
) -> Result<Json<CarrierResults>, ApiError> {
    let (parts, body) = request.into_parts();
    let body = read_body(body, WEBHOOK_MAX_BYTES, BODY_TIME_MAX).await;
    let body = body.map_err(|error| ApiError::of_body(&error, WEBHOOK_MAX_BYTES))?;
    let Ok(merchant) = MerchantId::parse(&merchant) else { return Err(UNSIGNED) };
    let signature = parts.headers.get(SIGNATURE_HEADER).and_then(|value| value.to_str().ok());
    let client = ClientId::new(&merchant, "easypost");
    let scope = RequestScope {
        app: &web.app,
        client: &client,
        address: address_of(&parts.extensions),
        merchant: Some(&merchant),
        idempotency: None,
        request: request_id(&parts.extensions),
    };
    let applied =
        apply_easypost_webhook(scope, &merchant, signature.unwrap_or_default(), &body).await?;
    applied.map(Json).ok_or(UNSIGNED)
}
