//! What carriers call: the labels that are wanted, and what happens to parcels.

use app::returns::carrier_events::{
    CarrierResults, RequestedLabels, apply_carrier_events, list_label_requests,
};
use axum::{Json, extract::State};
use domain::returns::carrier::{CarrierEvents, read_carrier_events};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::core::{
    body::JsonRequest,
    caller::{Allowed, CarrierWrite},
    idempotency::IdempotencyHeader,
};
use server::Web;
use server::{
    error::{ApiError, Invalid, Message},
    query::Query,
};

/// Report carrier events
///
/// One result for each event, in order. Repeated and late events change nothing, unknown and contradictory ones
/// are answered and do no harm to the others.
#[utoipa::path(
    post, path = "/carrier_events", operation_id = "report_carrier_events", tag = "Carrier",
    params(IdempotencyHeader),
    request_body(content = CarrierEvents, example = json!({
        "events": [
            { "type": "label_created", "rma_identifier": "RMA-7K3Q-9XWD-2M4T",
              "tracking_number": "9400111899223197428490" },
            { "type": "in_transit", "tracking_number": "9400111899223197428490",
              "occurred_at": "2026-02-23T07:41:12Z" }
        ]
    })),
    responses(
        (status = 200, body = CarrierResults, description = "What became of each event.",
            example = json!({ "results": [
                { "result": "applied", "rma_identifier": "RMA-7K3Q-9XWD-2M4T" },
                { "result": "unknown" }
            ] })),
        (status = 409, body = Message, description = "The key was used for another request.",
            example = json!({ "message":
                "this Idempotency-Key was used for another request in the last 24 hours" })),
        (status = 422, body = Invalid, description = "Every field that is not acceptable. No event \
            was taken in.", example = json!({
                "message": "1 field is invalid: $.events[0].type is missing",
                "errors": [{ "field": "$.events[0].type", "code": "missing_field" }]
            })),
    ),
    security(("token" = ["carrier:write"]))
)]
pub(crate) async fn report(
    State(web): State<Web>,
    Allowed { caller, .. }: Allowed<CarrierWrite>,
    JsonRequest { body, repeatable }: JsonRequest,
) -> Result<Json<CarrierResults>, ApiError> {
    let events = body.read(read_carrier_events)?;
    let results = apply_carrier_events(&web.app, &caller, &events, repeatable.as_ref()).await?;
    Ok(Json(results))
}

const PAGE_MAX: usize = 1_000;
const PAGE: usize = 100;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct LabelRequestsQuery {
    /// Begin behind this one: `next` of the page before.
    after: Option<String>,
    /// At most 1,000; 100 when absent.
    limit: Option<usize>,
}

/// List wanted labels
///
/// Returns of merchants with an external carrier that have no label yet. A carrier makes one and reports it as
/// the event `label_created`.
#[utoipa::path(
    get, path = "/label_requests", operation_id = "list_label_requests", tag = "Carrier",
    params(LabelRequestsQuery),
    responses((status = 200, body = RequestedLabels, description = "Oldest first.",
        example = json!({ "label_requests": [{
            "rma_identifier": "RMA-7K3Q-9XWD-2M4T", "merchant": "acme",
            "requested_at": "2026-02-20T10:15:00Z"
        }] }))),
    security(("token" = ["carrier:write"]))
)]
pub(crate) async fn wanted(
    State(web): State<Web>,
    Allowed { caller, .. }: Allowed<CarrierWrite>,
    Query(query): Query<LabelRequestsQuery>,
) -> Result<Json<RequestedLabels>, ApiError> {
    let limit = query.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX);
    Ok(Json(list_label_requests(&web.app, &caller, query.after.as_deref(), limit).await?))
}
