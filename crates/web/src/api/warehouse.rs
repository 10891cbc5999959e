//! The warehouse: announced goods, goods that leave, and the stories of units.

use app::{
    asns::{AnnouncedAsn, announce_asn, replace_asn},
    commit_once::Request,
    shipments::{change_shipment, create_shipment, held_shipment},
    unit_story::{UnitStory, unit_story},
};
use axum::{Json, extract::State, http::StatusCode};
use domain::{
    identifier::MerchantId,
    json,
    warehouse::{
        asn::{InboundAsn, read_asn},
        shipment::{Shipment, ShipmentChange, read_change},
    },
};
use serde::Deserialize;
use serde_json::Value;
use utoipa::IntoParams;

use super::{
    body::JsonRequest,
    caller::{Allowed, AsnsWrite, Merchant, Read, WarehouseWrite},
    error::{ApiError, Invalid, Message},
    idempotency::IdempotencyKey,
    path::Path,
    query::Query,
};
use crate::Web;

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

/// Announce an ASN
///
/// Goods that are on their way to the warehouse, by unit or by SKU. The same announcement again changes nothing.
#[utoipa::path(
    post, path = "/asns", operation_id = "announce_asn", tag = "Warehouse",
    params(IdempotencyKey),
    request_body(content = InboundAsn, example = json!(sample_asn())),
    responses(
        (status = 202, body = AnnouncedAsn, description = "Taken in.",
            example = json!({ "asn_number": "ASN-20260301-7", "result": "created" })),
        (status = 409, body = Message, description = "Another ASN of the program has this number.",
            example = json!({ "message":
                "an ASN with this number exists in the program; change it with PUT" })),
        (status = 422, body = Invalid, description = "Every field that is not acceptable. Nothing \
            was stored.", example = json!(sample_fault())),
    ),
    security(("token" = ["asns:write"]))
)]
pub(crate) async fn announce(
    State(web): State<Web>,
    merchant: Merchant<AsnsWrite>,
    JsonRequest { body, repeatable }: JsonRequest,
) -> Result<(StatusCode, Json<AnnouncedAsn>), ApiError> {
    let asn = asn(&body)?;
    let request = Request { client: &merchant.caller.client, repeatable: repeatable.as_ref() };
    let announced = announce_asn(&web.app, &merchant.id, request, &asn).await?;
    Ok((StatusCode::ACCEPTED, Json(announced)))
}

/// Change an ASN
///
/// The whole ASN again. Possible until something of it was received.
#[utoipa::path(
    put, path = "/asns/{asn_number}", operation_id = "change_asn", tag = "Warehouse",
    params(
        ("asn_number" = String, Path, description = "The number of the ASN.",
            example = "ASN-20260301-7"),
        IdempotencyKey,
    ),
    request_body(content = InboundAsn, example = json!(sample_asn())),
    responses(
        (status = 202, body = AnnouncedAsn, description = "Taken in.",
            example = json!({ "asn_number": "ASN-20260301-7", "result": "updated" })),
        (status = 404, body = Message, description = "There is no such ASN.",
            example = json!({ "message": "there is no such ASN" })),
        (status = 409, body = Message, description = "Something of it was received, or the address \
            and the body name different ones.", example = json!({
                "message": "units of the ASN were received already"
            })),
        (status = 422, body = Invalid, description = "Every field that is not acceptable.",
            example = json!(sample_fault())),
    ),
    security(("token" = ["asns:write"]))
)]
pub(crate) async fn replace(
    State(web): State<Web>,
    merchant: Merchant<AsnsWrite>,
    Path(asn_number): Path<String>,
    JsonRequest { body, repeatable }: JsonRequest,
) -> Result<(StatusCode, Json<AnnouncedAsn>), ApiError> {
    let asn = asn(&body)?;
    if asn.asn_number.as_str() != asn_number {
        let why = "the address and the body name different ASNs";
        return Err(app::AppError::Conflict(why.to_owned()).into());
    }
    let request = Request { client: &merchant.caller.client, repeatable: repeatable.as_ref() };
    let replaced = replace_asn(&web.app, &merchant.id, request, &asn).await?;
    Ok((StatusCode::ACCEPTED, Json(replaced)))
}

fn asn(body: &[u8]) -> Result<InboundAsn, ApiError> {
    let document = json::parse(body).map_err(app::AppError::Malformed)?;
    Ok(read_asn(&document)?)
}

/// Send goods away
///
/// The units are set aside, or gone when the status says so, and the merchant is told by Outbound ASN messages. A unit
/// leaves once.
#[utoipa::path(
    post, path = "/shipments", operation_id = "create_shipment", tag = "Warehouse",
    params(ForMerchant, IdempotencyKey),
    request_body(content = Shipment, example = json!(sample_shipment_request())),
    responses(
        (status = 201, body = Shipment, description = "As it stands.",
            example = json!(sample_shipment())),
        (status = 409, body = Message, description = "The number is taken, or a unit cannot leave.",
            example = json!({ "message":
                "units cannot leave: LP-0093321: it left with the shipment OUT-1" })),
        (status = 422, body = Invalid, description = "Every field that is not acceptable.",
            example = json!(sample_fault())),
    ),
    security(("token" = ["warehouse:write"]))
)]
pub(crate) async fn ship(
    State(web): State<Web>,
    Allowed { caller, .. }: Allowed<WarehouseWrite>,
    Query(merchant): Query<ForMerchant>,
    JsonRequest { body, repeatable }: JsonRequest,
) -> Result<(StatusCode, Json<Shipment>), ApiError> {
    let document = json::parse(&body).map_err(app::AppError::Malformed)?;
    let named = merchant.named()?;
    let request = Request { client: &caller.client, repeatable: repeatable.as_ref() };
    let asked = (named.as_ref(), &document);
    let shipment = create_shipment(&web.app, &caller, request, asked).await?;
    Ok((StatusCode::CREATED, Json(shipment)))
}

/// Change a shipment
///
/// Its `ship_date` or its `status`: pending, shipped, delivered; canceled before it is shipped. The merchant is told again.
#[utoipa::path(
    patch, path = "/shipments/{asn_number}", operation_id = "change_shipment", tag = "Warehouse",
    params(
        ("asn_number" = String, Path, description = "The number of the shipment.",
            example = "OUT-20260310-1"),
        ForMerchant,
        IdempotencyKey,
    ),
    request_body(content = ShipmentChange, example = json!({ "status": "shipped" })),
    responses(
        (status = 200, body = Shipment, description = "As it is now.",
            example = json!(sample_shipment())),
        (status = 404, body = Message, description = "There is no such shipment.",
            example = json!({ "message": "there is no such shipment" })),
        (status = 409, body = Message, description = "No shipment changes in this way.",
            example = json!({ "message": "a shipped shipment cannot become canceled" })),
        (status = 422, body = Invalid, description = "Every field that is not acceptable.",
            example = json!(sample_fault())),
    ),
    security(("token" = ["warehouse:write"]))
)]
pub(crate) async fn change(
    State(web): State<Web>,
    Allowed { caller, .. }: Allowed<WarehouseWrite>,
    Path(asn_number): Path<String>,
    Query(merchant): Query<ForMerchant>,
    JsonRequest { body, repeatable }: JsonRequest,
) -> Result<Json<Shipment>, ApiError> {
    let document = json::parse(&body).map_err(app::AppError::Malformed)?;
    let change = read_change(&document)?;
    let named = merchant.named()?;
    let request = Request { client: &caller.client, repeatable: repeatable.as_ref() };
    let which = (named.as_ref(), asn_number.as_str());
    Ok(Json(change_shipment(&web.app, &caller, request, which, &change).await?))
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
        (status = 200, body = Shipment, description = "As it stands.",
            example = json!(sample_shipment())),
        (status = 404, body = Message, description = "There is no such shipment.",
            example = json!({ "message": "there is no such shipment" })),
    ),
    security(("token" = ["warehouse:write"]))
)]
pub(crate) async fn shipment(
    State(web): State<Web>,
    Allowed { caller, .. }: Allowed<WarehouseWrite>,
    Path(asn_number): Path<String>,
    Query(merchant): Query<ForMerchant>,
) -> Result<Json<Shipment>, ApiError> {
    let named = merchant.named()?;
    Ok(Json(held_shipment(&web.app, &caller, named.as_ref(), &asn_number).await?))
}

/// Read a unit's story
///
/// Announced, received, graded, moved, shipped, with the open questions about it and the messages in which its
/// merchant was told.
#[utoipa::path(
    get, path = "/units/{unit_identifier}", operation_id = "read_unit", tag = "Warehouse",
    params(("unit_identifier" = String, Path, description = "The license plate of the unit.",
        example = "LP-0093321")),
    responses(
        (status = 200, body = UnitStory, description = "What is known of it.",
            example = json!(sample_story())),
        (status = 404, body = Message, description = "This merchant has no such unit.",
            example = json!({ "message": "there is no such unit" })),
    ),
    security(("token" = ["read"]))
)]
pub(crate) async fn unit(
    State(web): State<Web>,
    merchant: Merchant<Read>,
    Path(unit_identifier): Path<String>,
) -> Result<Json<UnitStory>, ApiError> {
    Ok(Json(unit_story(&web.app, &merchant.caller, None, &unit_identifier).await?))
}

fn sample_fault() -> Value {
    serde_json::json!({
        "message": "1 field is not acceptable: $.channel is missing",
        "errors": [{ "field": "$.channel", "code": "missing_field" }]
    })
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

fn sample_story() -> Value {
    let story = UnitStory { unit: domain::samples::received_unit(), messages: Vec::new() };
    serde_json::to_value(story).expect("a story has string keys")
}
