//! The routes for carriers: label requests and tracking events.

use app::{
    carriers::label_requests::{RequestedLabels, list_label_requests},
    returns::carrier_events::{CarrierResults, Reporter, apply_carrier_events},
};
use axum::{Json, extract::State};
use domain::{
    access::scope::Scope,
    returns::carrier::{CarrierEvents, read_carrier_events},
};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::core::{
    body::LargeRequest,
    caller::{Allowed, CarrierWrite},
    idempotency::IdempotencyHeader,
};
use server::Web;
use server::{error::ApiError, query::Query};

/// Report carrier events
///
/// The response has one result for each event, in the same order. Repeated and late events change
/// nothing. Unknown and contradictory events are reported and do not affect the others.
#[utoipa::path(
    post, path = "/carrier_events", operation_id = "report_carrier_events", tag = "Carrier",
    params(IdempotencyHeader),
    request_body(content = CarrierEvents, example = json!({
        "events": [
            { "type": "label_created", "rma_identifier": "RMA-7K3Q-9XWD-2M4T",
              "tracking_number": "9400111899223197428490", "generation": 1,
              "label": {
                  "carrier": "USPS", "service": "GroundAdvantage",
                  "cost": { "amount_cents": 612, "currency": "USD" },
                  "expires_at": "2026-05-20T00:00:00Z",
                  "documents": [{ "format": "zpl", "content": "XlhBXkZPNTAsNTBeRkRSTUFeRlNeWFo=" }]
              } },
            { "type": "in_transit", "tracking_number": "9400111899223197428490",
              "occurred_at": "2026-02-23T07:41:12Z" }
        ]
    })),
    responses(
        (status = 200, body = CarrierResults, description = "The result of each event.",
            example = json!({ "results": [
                { "result": "applied", "rma_identifier": "RMA-7K3Q-9XWD-2M4T" },
                { "result": "unknown" }
            ] })),
    ),
    security(("token" = ["carrier:write"]))
)]
pub(crate) async fn report(
    State(web): State<Web>,
    Allowed { caller, .. }: Allowed<CarrierWrite>,
    LargeRequest { mut body, key }: LargeRequest,
) -> Result<Json<CarrierResults>, ApiError> {
    let events = body.read(read_carrier_events)?;
    let scope = caller.scope(&web.app, key.as_ref());
    // An operator's tool has the scope admin, a carrier's system does not need it.
    let by_hand = caller.scopes.contains(Scope::Admin);
    let reporter = if by_hand { Reporter::Operator } else { Reporter::Carrier };
    let results = apply_carrier_events(scope, reporter, &events).await?;
    Ok(Json(results))
}

/// Each request is described with its return and its orders.
const PAGE_MAX: usize = 100;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct LabelRequestsQuery {
    /// Start after this one: `next` of the previous page.
    after: Option<String>,
    /// The length of a page: at most 100, which is the default.
    limit: Option<usize>,
}

/// List label requests
///
/// Returns without a label, of merchants with an external carrier, with everything that is needed
/// to make one. The carrier makes a label and reports it as the event `label_created`.
#[utoipa::path(
    get, path = "/label_requests", operation_id = "list_label_requests", tag = "Carrier",
    params(LabelRequestsQuery),
    responses((status = 200, body = RequestedLabels, description = "Oldest first.",
        example = json!({ "label_requests": [{
            "rma_identifier": "RMA-7K3Q-9XWD-2M4T", "merchant": "acme", "generation": 1,
            "return_method": "mail-back", "parcel_count": 1, "formats": ["pdf", "png", "zpl"],
            "sender": { "name": "Dana Whitfield", "street1": "418 Juniper Street",
                "city": "Portland", "state": "OR", "zip_code": "97205", "country_code": "US",
                "email": "dana.whitfield@example.com" },
            "recipient": { "name": "Acme Returns", "street1": "2 Dock Road", "city": "Reno",
                "state": "NV", "zip_code": "89502", "country_code": "US" },
            "items": [{ "sku": "TEE-NAVY-M", "title": "Organic cotton tee, navy, M",
                "quantity": 2, "value_cents": 8500, "weight_grams": 360 }],
            "currency": "USD", "requested_at": "2026-02-20T10:15:00Z"
        }] }))),
    security(("token" = ["carrier:write"]))
)]
pub(crate) async fn list(
    State(web): State<Web>,
    Allowed { caller, .. }: Allowed<CarrierWrite>,
    Query(query): Query<LabelRequestsQuery>,
) -> Result<Json<RequestedLabels>, ApiError> {
    let limit = query.limit.unwrap_or(PAGE_MAX).clamp(1, PAGE_MAX);
    Ok(Json(
        list_label_requests(&web.app, caller.merchant.as_ref(), query.after.as_deref(), limit)
            .await?,
    ))
}
