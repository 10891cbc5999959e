//! ASNs, shipments and drop-ship orders in the order of their changes.

use app::{
    core::work_lists::WorkEntry,
    warehouse::work_lists::{
        AsnLinesQuery, AsnSummary, list_asns, list_drop_ship_orders, list_shipments, load_asn,
    },
};
use axum::{Json, extract::State};
use domain::warehouse::{
    asn::{AsnDestination, AsnDetail, AsnOrigin, AsnStatus, DetailsType},
    drop_ship::{DropShipOrder, DropShipStatus, DropShipTask},
    shipment::{ShipmentHead, ShipmentStatus},
};
use jiff::Timestamp;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

use super::warehouse_request::ForMerchant;
use crate::core::{
    caller::{AllowedOne, WarehouseReaders},
    paging::{PAGE, PAGE_MAX},
    work_list::{WorkListParameters, reads_everything},
};
use server::{
    Web,
    error::{ApiError, Invalid},
    path::Path,
    query::Query,
};

/// A page of ASNs.
#[derive(Serialize, ToSchema)]
pub(crate) struct ChangedAsns {
    /// Those that changed first come first.
    asns: Vec<ListedAsn>,
    /// Send it as `after` to continue, now or later.
    #[schema(example = "1771578900000000_acme_ASN-20260301-7 returns-west")]
    next: String,
    /// Whether more can be read already.
    more: bool,
}

/// An ASN without its lines.
#[derive(Serialize, ToSchema)]
pub(crate) struct ListedAsn {
    /// The merchant that announced it.
    #[schema(example = "acme")]
    merchant: String,
    #[schema(example = "ASN-20260301-7")]
    asn_number: String,
    /// The program that the goods are received into.
    #[schema(example = "returns-west")]
    program_identifier: String,
    status: AsnStatus,
    details_type: DetailsType,
    from: AsnOrigin,
    to: AsnDestination,
    /// Joins the ASNs of one order or return.
    #[schema(required, example = "SHP-7781")]
    shipment_identifier: Option<String>,
    #[schema(required, example = "9400111899223197428490")]
    tracking_number: Option<String>,
    #[schema(required, example = "usps")]
    carrier: Option<String>,
    /// When the goods were sent, or will be.
    #[schema(required)]
    ship_date: Option<Timestamp>,
    /// How many units of it were received.
    #[schema(example = 0, minimum = 0)]
    received_units: i64,
    /// When it was announced.
    #[schema(example = "2026-03-01T08:00:05Z")]
    announced_at: Timestamp,
    /// When it was last changed, or a unit of it was received.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "2026-03-01T08:00:05Z")]
    updated_at: Option<Timestamp>,
}

fn view_asn(merchant: String, summary: AsnSummary, updated_at: Option<Timestamp>) -> ListedAsn {
    let AsnSummary { asn, announced_at, received } = summary;
    ListedAsn {
        merchant,
        asn_number: asn.asn_number.to_string(),
        program_identifier: asn.program_identifier,
        status: asn.status,
        details_type: asn.details_type,
        from: asn.from,
        to: asn.to,
        shipment_identifier: asn.shipment_identifier,
        tracking_number: asn.tracking_number,
        carrier: asn.carrier,
        ship_date: asn.ship_date,
        received_units: received,
        announced_at,
        updated_at,
    }
}

/// List ASNs
///
/// In the order of their changes: an ASN that changes, or of which a unit is received, moves to the
/// end. Continue from `next`, also when there was nothing more, and no change is missed.
/// `reference` is the number of the ASN.
#[utoipa::path(
    get, path = "/asns", operation_id = "list_asns", tag = "Warehouse",
    params(WorkListParameters),
    responses((status = 200, body = ChangedAsns, description = "A page of the list.",
        example = json!(sample_asns()))),
    security(("token" = ["read"]), ("token" = ["warehouse:write"]), ("token" = ["carrier:write"]))
)]
pub(crate) async fn asns(
    State(web): State<Web>,
    AllowedOne { caller, .. }: AllowedOne<WarehouseReaders>,
    Query(parameters): Query<WorkListParameters>,
) -> Result<Json<ChangedAsns>, ApiError> {
    let query = parameters.query(&caller, &AsnStatus::ALL.map(AsnStatus::name))?;
    let page = list_asns(&web.app, &query).await?;
    let view = |it: WorkEntry<AsnSummary>| view_asn(it.merchant, it.value, Some(it.updated_at));
    let asns = page.entries.into_iter().map(view).collect();
    Ok(Json(ChangedAsns { asns, next: page.next, more: page.more }))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AsnQuery {
    /// The program. Required if several programs of the merchant have the number.
    program: Option<String>,
    /// Continue after this line: `next` of the page before.
    after: Option<String>,
    /// The number of lines in a page: at most 500, by default 100.
    limit: Option<usize>,
}

/// An ASN with some of its lines.
#[omit_none]
#[derive(Serialize, ToSchema)]
pub(crate) struct AsnAnswer {
    #[serde(flatten)]
    #[schema(inline)]
    asn: ListedAsn,
    /// Sorted by their identifiers.
    lines: Vec<ListedAsnLine>,
    /// Send it as `after` to read more lines. Absent on the last page.
    #[schema(nullable = false)]
    next: Option<String>,
}

/// A line of an ASN, with what was received of it.
#[derive(Serialize, ToSchema)]
pub(crate) struct ListedAsnLine {
    /// The carton that it is in.
    #[schema(required, example = "CTN-1")]
    carton_identifier: Option<String>,
    /// How many units of it were received.
    #[schema(example = 0, minimum = 0)]
    received_units: i64,
    #[serde(flatten)]
    #[schema(inline)]
    detail: AsnDetail,
}

/// Read an ASN
///
/// With a page of its lines and what was received of each.
#[utoipa::path(
    get, path = "/asns/{asn_number}", operation_id = "read_asn", tag = "Warehouse",
    params(
        ("asn_number" = String, Path, description = "The number of the ASN.",
            example = "ASN-20260301-7"),
        ForMerchant,
        AsnQuery,
    ),
    responses(
        (status = 200, body = AsnAnswer, description = "The current state.",
            example = json!(sample_asn_with_lines())),
        (status = 422, body = Invalid, description = "Several merchants or programs have the \
            number, and the request does not say which.", example = json!(sample_ambiguous_asn())),
    ),
    security(("token" = ["read"]), ("token" = ["warehouse:write"]), ("token" = ["carrier:write"]))
)]
pub(crate) async fn asn(
    State(web): State<Web>,
    AllowedOne { caller, .. }: AllowedOne<WarehouseReaders>,
    Path(asn_number): Path<String>,
    Query(merchant): Query<ForMerchant>,
    Query(query): Query<AsnQuery>,
) -> Result<Json<AsnAnswer>, ApiError> {
    let limit = query.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX);
    let lines = AsnLinesQuery { after: query.after.as_deref(), limit };
    let (merchant, program) = (merchant.resolve(&caller)?, query.program.as_deref());
    let found = load_asn(&web.app, merchant.as_ref(), &asn_number, program, lines).await?;
    let asn = view_asn(found.merchant, found.summary, None);
    let lines = found.lines.into_iter().map(|line| ListedAsnLine {
        carton_identifier: line.carton.identifier,
        received_units: line.received,
        detail: line.detail,
    });
    Ok(Json(AsnAnswer { asn, lines: lines.collect(), next: found.next }))
}

/// A page of shipments.
#[derive(Serialize, ToSchema)]
pub(crate) struct ChangedShipments {
    /// Those that changed first come first.
    shipments: Vec<ListedShipment>,
    /// Send it as `after` to continue, now or later.
    #[schema(example = "1771578900000000_acme_OUT-20260310-1")]
    next: String,
    /// Whether more can be read already.
    more: bool,
}

/// A shipment without its units.
#[derive(Serialize, ToSchema)]
pub(crate) struct ListedShipment {
    /// The merchant of the goods.
    #[schema(example = "acme")]
    merchant: String,
    #[serde(flatten)]
    #[schema(inline)]
    head: ShipmentHead,
}

/// List shipments
///
/// In the order of their changes: a shipment that changes moves to the end. Continue from `next`,
/// also when there was nothing more, and no change is missed. `reference` is the number of the
/// shipment.
#[utoipa::path(
    get, path = "/shipments", operation_id = "list_shipments", tag = "Warehouse",
    params(WorkListParameters),
    responses((status = 200, body = ChangedShipments, description = "A page of the list.",
        example = json!(sample_shipments()))),
    security(("token" = ["read"]), ("token" = ["warehouse:write"]), ("token" = ["carrier:write"]))
)]
pub(crate) async fn shipments(
    State(web): State<Web>,
    AllowedOne { caller, .. }: AllowedOne<WarehouseReaders>,
    Query(parameters): Query<WorkListParameters>,
) -> Result<Json<ChangedShipments>, ApiError> {
    let query = parameters.query(&caller, &ShipmentStatus::ALL.map(ShipmentStatus::name))?;
    let page = list_shipments(&web.app, &query).await?;
    let view =
        |it: WorkEntry<ShipmentHead>| ListedShipment { merchant: it.merchant, head: it.value };
    let shipments = page.entries.into_iter().map(view).collect();
    Ok(Json(ChangedShipments { shipments, next: page.next, more: page.more }))
}

/// A page of drop-ship orders.
#[derive(Serialize, ToSchema)]
pub(crate) struct ChangedDropShipOrders {
    /// Those that changed first come first.
    #[schema(value_type = Vec<ListedDropShipOrder<'_>>)]
    drop_ship_orders: Vec<Value>,
    /// Send it as `after` to continue, now or later.
    #[schema(example = "1771578900000000_acme_DS-20417")]
    next: String,
    /// Whether more can be read already.
    more: bool,
}

/// A drop-ship order in a list.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "describes the entries, which are built as JSON")]
pub(crate) enum ListedDropShipOrder<'a> {
    /// For the merchant's own systems.
    Complete(MerchantDropShipOrder<'a>),
    /// For the warehouse and carriers.
    Task(PlatformDropShipOrder<'a>),
}

/// A drop-ship order with everything that belongs to it.
#[derive(Serialize, ToSchema)]
pub(crate) struct MerchantDropShipOrder<'a> {
    /// The merchant that placed it.
    #[schema(example = "acme")]
    merchant: &'a str,
    #[serde(flatten)]
    #[schema(inline)]
    content: &'a DropShipOrder,
}

/// A drop-ship order to pack and to carry.
#[derive(Serialize, ToSchema)]
pub(crate) struct PlatformDropShipOrder<'a> {
    /// The merchant that placed it.
    #[schema(example = "acme")]
    merchant: &'a str,
    #[serde(flatten)]
    #[schema(inline)]
    content: DropShipTask<'a>,
}

fn view_complete(merchant: &str, content: &DropShipOrder) -> Value {
    let view = MerchantDropShipOrder { merchant, content };
    serde_json::to_value(view).expect("an order has string keys")
}

fn view_task(merchant: &str, order: &DropShipOrder) -> Value {
    let view = PlatformDropShipOrder { merchant, content: DropShipTask::of(order) };
    serde_json::to_value(view).expect("an order has string keys")
}

/// List drop-ship orders
///
/// In the order of their changes: an order that changes moves to the end. Continue from `next`,
/// also when there was nothing more, and no change is missed. `reference` is the merchant's
/// identifier of the order. Systems of the platform do not see amounts.
#[utoipa::path(
    get, path = "/drop_ship_orders", operation_id = "list_drop_ship_orders", tag = "Drop ship",
    params(WorkListParameters),
    responses((status = 200, body = ChangedDropShipOrders, description = "A page of the list.",
        example = json!(sample_drop_ship_orders()))),
    security(("token" = ["read"]), ("token" = ["warehouse:write"]), ("token" = ["carrier:write"]))
)]
pub(crate) async fn drop_ship_orders(
    State(web): State<Web>,
    AllowedOne { caller, .. }: AllowedOne<WarehouseReaders>,
    Query(parameters): Query<WorkListParameters>,
) -> Result<Json<ChangedDropShipOrders>, ApiError> {
    let query = parameters.query(&caller, &DropShipStatus::ALL.map(DropShipStatus::name))?;
    let page = list_drop_ship_orders(&web.app, &query).await?;
    let view = if reads_everything(&caller).is_some() { view_complete } else { view_task };
    let orders = page.entries.iter().map(|entry| view(&entry.merchant, &entry.value));
    let drop_ship_orders = orders.collect();
    Ok(Json(ChangedDropShipOrders { drop_ship_orders, next: page.next, more: page.more }))
}

fn sample_summary() -> ListedAsn {
    let state = domain::samples::inbound_asn();
    let updated_at = Some(state.announced_at);
    view_asn("acme".to_owned(), state.into(), updated_at)
}

fn sample_asns() -> Value {
    let next = "1771578900000000_acme_ASN-20260301-7 returns-west";
    json!({ "asns": [sample_summary()], "next": next, "more": false })
}

fn sample_asn_with_lines() -> Value {
    let cartons = domain::samples::inbound_asn().asn.cartons;
    let lines = cartons.into_iter().flat_map(|carton| {
        let carton_identifier = carton.identifier;
        carton.details.into_iter().map(move |detail| ListedAsnLine {
            carton_identifier: carton_identifier.clone(),
            received_units: 0,
            detail,
        })
    });
    json!(AsnAnswer { asn: sample_summary(), lines: lines.collect(), next: None })
}

fn sample_ambiguous_asn() -> Value {
    json!({
        "message": "1 field is invalid: program must be named, because several programs have this \
            ASN: returns-east, returns-west",
        "errors": [{ "field": "program", "code": "missing_field" }],
    })
}

fn sample_shipments() -> Value {
    let head = ShipmentHead::of(&domain::samples::outbound_shipment());
    let shipment = ListedShipment { merchant: "acme".to_owned(), head };
    let next = "1771578900000000_acme_OUT-20260310-1";
    json!({ "shipments": [shipment], "next": next, "more": false })
}

fn sample_drop_ship_orders() -> Value {
    let order = view_complete("acme", &domain::samples::drop_ship_order());
    let next = "1771578900000000_acme_DS-20417";
    json!({ "drop_ship_orders": [order], "next": next, "more": false })
}
