//! The history of a return.

use app::returns::history::{EventPage, list_events};
use axum::{Json, extract::State};
use serde::Deserialize;
use serde_json::Value;
use utoipa::IntoParams;

use crate::core::{
    caller::{Merchant, Read},
    paging::{PAGE, PAGE_MAX},
};
use server::{Web, error::ApiError, path::Path, query::Query};

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct EventsQuery {
    /// Start after the event with this number: `next` of the previous page.
    #[param(example = 100)]
    after: Option<i64>,
    /// The length of a page: at most 500, by default 100.
    limit: Option<usize>,
}

/// List the events of a return
///
/// Everything that changed the return: when, by whom, and what caused it. Each event has the number
/// of the RMA message about it.
#[utoipa::path(
    get, path = "/returns/{rma}/events", operation_id = "list_return_events", tag = "Returns",
    params(
        ("rma" = String, Path, description = "The return's identifier.",
            example = "RMA-7K3Q-9XWD-2M4T"),
        EventsQuery,
    ),
    responses((status = 200, body = EventPage, description = "Oldest first.",
        example = json!(sample_events()))),
    security(("token" = ["read"]))
)]
pub(crate) async fn events(
    State(web): State<Web>,
    merchant: Merchant<Read>,
    Path(rma): Path<String>,
    Query(query): Query<EventsQuery>,
) -> Result<Json<EventPage>, ApiError> {
    let limit = query.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX);
    Ok(Json(list_events(&web.app, &merchant.id, &rma, query.after, limit).await?))
}

fn sample_events() -> Value {
    serde_json::json!({ "events": [
        {
            "number": 1, "at": "2026-02-20T10:15:00Z", "actor": { "kind": "shopper" },
            "cause": "req-8c6f0a51e2b94d37", "change": { "event": "started", "units": 2 }
        },
        {
            "number": 2, "at": "2026-02-20T10:15:09Z",
            "actor": { "kind": "carrier", "name": "simulated" },
            "change": {
                "event": "label_created", "tracking_number": "9400111899223197428490", "lines": []
            }
        }
    ] })
}
