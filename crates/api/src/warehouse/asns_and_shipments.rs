//! Goods that merchants announce to the warehouse, and goods that leave it.

use app::warehouse::{
    asns::{AnnouncedAsn, announce_asn, replace_asn},
    settings::list_warehouses,
    shipments::{change_shipment, create_shipment, load_shipment, read_shipment},
};
use axum::{Json, extract::State, http::StatusCode, response::Response};
use bytes::Bytes;
use domain::faults::FaultCode;
use domain::warehouse::{
    asn::{InboundAsn, read_asn},
    shipment::{Shipment, ShipmentChange, read_change},
};
use serde_json::Value;

use super::warehouse_request::{ForMerchant, WarehouseRequest};
use crate::core::{
    body::{LargeBody, LargeRequest},
    caller::{Allowed, AsnsWrite, Merchant, WarehouseWrite},
    idempotency::IdempotencyHeader,
    json_text::json_response,
    sample,
};
use server::error::{ApiError, Invalid, Message};
use server::{Web, json_body::JsonBody, path::Path, query::Query};

/// Announce an ASN
///
/// Announces goods that are on their way to the warehouse, by unit or by SKU: up to 100,000 lines
/// in 32 MiB. Repeating the same announcement changes nothing.
#[utoipa::path(
    post, path = "/asns", operation_id = "announce_asn", tag = "Warehouse",
    params(IdempotencyHeader),
    request_body(content = InboundAsn, example = json!(sample_asn())),
    responses(
        (status = 202, body = AnnouncedAsn, description = "Accepted.",
            example = json!({ "asn_number": "ASN-20260301-7", "result": "created" })),
        (status = 409, body = Message, description = "Another ASN of the program has this number.",
            example = json!({ "message":
                "an ASN with this number already exists in the program; change it with PUT" })),
    ),
    security(("token" = ["asns:write"]))
)]
pub(crate) async fn announce(
    State(web): State<Web>,
    merchant: Merchant<AsnsWrite>,
    LargeRequest { mut body, key }: LargeRequest,
) -> Result<(StatusCode, Json<AnnouncedAsn>), ApiError> {
    let asn = body.read(read_asn)?;
    let scope = merchant.caller.scope(&web.app, key.as_ref());
    let announced = announce_asn(scope, asn).await?;
    Ok((StatusCode::ACCEPTED, Json(announced)))
}

/// Change an ASN
///
/// Replaces the whole ASN. Possible until the first of its units is received.
#[utoipa::path(
    put, path = "/asns/{asn_number}", operation_id = "change_asn", tag = "Warehouse",
    params(
        ("asn_number" = String, Path, description = "The number of the ASN.",
            example = "ASN-20260301-7"),
        IdempotencyHeader,
    ),
    request_body(content = InboundAsn, example = json!(sample_asn())),
    responses(
        (status = 202, body = AnnouncedAsn, description = "Accepted.",
            example = json!({ "asn_number": "ASN-20260301-7", "result": "updated" })),
        (status = 409, body = Message, description = "Units of the ASN were received, or the \
            address and the body have different numbers.", example = json!({
                "message": "units of the ASN were received already"
            })),
    ),
    security(("token" = ["asns:write"]))
)]
pub(crate) async fn replace(
    State(web): State<Web>,
    merchant: Merchant<AsnsWrite>,
    Path(asn_number): Path<String>,
    LargeRequest { mut body, key }: LargeRequest,
) -> Result<(StatusCode, Json<AnnouncedAsn>), ApiError> {
    let asn = body.read(read_asn)?;
    let scope = merchant.caller.scope(&web.app, key.as_ref());
    let replaced = replace_asn(scope, &asn_number, asn).await?;
    Ok((StatusCode::ACCEPTED, Json(replaced)))
}

/// Create a shipment
///
/// The units are reserved, or shipped if the status says so, and the merchant gets Outbound ASN
/// messages. A unit can leave only once. Up to 100,000 units in 32 MiB. Of a warehouse that is
/// configured, the identifier is enough.
#[utoipa::path(
    post, path = "/shipments", operation_id = "create_shipment", tag = "Warehouse",
    params(ForMerchant, IdempotencyHeader),
    request_body(content = Shipment, example = json!(sample_shipment_request())),
    responses(
        (status = 201, body = Shipment, description = "The current state.",
            example = json!(sample_shipment())),
        (status = 409, body = Message, description = "The number is taken, or a unit cannot leave.",
            example = json!({ "message":
                "units cannot be shipped: LP-0093321: it left with the shipment OUT-1" })),
    ),
    security(("token" = ["warehouse:write"]))
)]
pub(crate) async fn ship(
    State(web): State<Web>,
    mut request: WarehouseRequest<LargeBody>,
) -> Result<(StatusCode, Response), ApiError> {
    let warehouses = list_warehouses(&web.app).await?;
    let asked = request.body.read(|document| read_shipment(&web.app, warehouses, document))?;
    let shipment = create_shipment(request.scope(&web.app), asked).await?;
    Ok((StatusCode::CREATED, json_response(Bytes::from_owner(shipment))))
}

/// Change a shipment
///
/// Changes its `ship_date` or its `status`: pending, shipped, delivered, or canceled before it is
/// shipped. The merchant gets new messages.
#[utoipa::path(
    patch, path = "/shipments/{asn_number}", operation_id = "change_shipment", tag = "Warehouse",
    params(
        ("asn_number" = String, Path, description = "The number of the shipment.",
            example = "OUT-20260310-1"),
        ForMerchant,
        IdempotencyHeader,
    ),
    request_body(content = ShipmentChange, example = json!({ "status": "shipped" })),
    responses(
        (status = 200, body = Shipment, description = "The new state.",
            example = json!(sample_shipment())),
        (status = 409, body = Message, description = "The shipment cannot change in this way.",
            example = json!({ "message": "a shipped shipment cannot become canceled" })),
        (status = 422, body = Invalid, description = "Every invalid field. Nothing was stored.",
            example = json!(sample::invalid_field(
                "$.status",
                FaultCode::Invalid,
                "must be one of pending, shipped, delivered, canceled",
            ))),
    ),
    security(("token" = ["warehouse:write"]))
)]
pub(crate) async fn change(
    State(web): State<Web>,
    Path(asn_number): Path<String>,
    request: WarehouseRequest<JsonBody>,
) -> Result<Json<Shipment>, ApiError> {
    let change = request.body.read(read_change)?;
    Ok(Json(change_shipment(request.scope(&web.app), &asn_number, &change).await?))
}

/// Read a shipment
#[utoipa::path(
    get, path = "/shipments/{asn_number}", operation_id = "read_shipment", tag = "Warehouse",
    params(
        ("asn_number" = String, Path, description = "The number of the shipment.",
            example = "OUT-20260310-1"),
        ForMerchant,
    ),
    responses(
        (status = 200, body = Shipment, description = "The current state.",
            example = json!(sample_shipment())),
    ),
    security(("token" = ["warehouse:write"]))
)]
pub(crate) async fn shipment(
    State(web): State<Web>,
    Allowed { caller, .. }: Allowed<WarehouseWrite>,
    Path(asn_number): Path<String>,
    Query(merchant): Query<ForMerchant>,
) -> Result<Json<Shipment>, ApiError> {
    let merchant = merchant.resolve(&caller)?;
    Ok(Json(load_shipment(&web.app, merchant.as_ref(), &asn_number).await?))
}

fn sample_asn() -> Value {
    serde_json::from_str(domain::samples::inbound_asn_request()).expect("the sample is JSON")
}

fn sample_shipment() -> Value {
    let shipment = domain::samples::outbound_shipment();
    serde_json::to_value(shipment).expect("a shipment has string keys")
}

fn sample_shipment_request() -> Value {
    serde_json::from_str(domain::samples::shipment_request()).expect("the sample is JSON")
}
