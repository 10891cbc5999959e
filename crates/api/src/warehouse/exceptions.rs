//! Units that did not match when they were received, and operators' decisions about them.

use app::warehouse::unit_questions::{
    QuestionKey, UnitExceptionPage, answer_question, list_unit_exceptions,
};
use axum::{Json, extract::State};
use domain::{
    identifier::MerchantId,
    warehouse::unit::{ReceivingAnswer, UnitRecord, read_answer},
};
use serde::Deserialize;
use serde_json::Value;
use utoipa::IntoParams;

use crate::core::paging::{PAGE, PAGE_MAX};
use crate::core::{
    admin_request::AdminRequest,
    caller::{Admin, Allowed},
    idempotency::IdempotencyHeader,
    sample,
};
use server::error::{ApiError, Invalid, Message};
use server::{Web, query::Query};

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ExceptionsQuery {
    /// Start after this unit: `next` of the previous page.
    after: Option<String>,
    /// The length of a page: at most 500, by default 100.
    limit: Option<usize>,
}

/// List receiving exceptions
///
/// Units that did not match, each with its open questions and the lines that it could belong to,
/// most likely first.
#[utoipa::path(
    get, path = "/exceptions", operation_id = "list_exceptions", tag = "Operation",
    params(ExceptionsQuery),
    responses((status = 200, body = UnitExceptionPage, description = "Oldest question first.",
        example = json!({ "exceptions": [{
            "merchant": "acme", "since": "2026-03-04T10:12:00Z", "unit": sample_unit()
        }] }))),
    security(("token" = ["admin"]))
)]
pub(crate) async fn list(
    State(web): State<Web>,
    _: Allowed<Admin>,
    Query(query): Query<ExceptionsQuery>,
) -> Result<Json<UnitExceptionPage>, ApiError> {
    let limit = query.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX);
    Ok(Json(list_unit_exceptions(&web.app, query.after.as_deref(), limit).await?))
}

/// Resolve a receiving exception
///
/// Match the unit to a line that expects one, accept it as surplus, or reject it with a reason.
/// Repeating the same decision changes nothing.
#[utoipa::path(
    post, path = "/merchants/{merchant}/units/{unit}/questions/{asn_number}/answer",
    operation_id = "answer_exception", tag = "Operation",
    params(
        ("merchant" = String, Path, description = "The merchant of the unit, or `platform` while \
            the merchant is unknown.", example = "acme"),
        ("unit" = String, Path, description = "The license plate of the unit.",
            example = "LP-0093321"),
        ("asn_number" = String, Path, description = "The ASN that the unit was scanned for.",
            example = "ASN-20260301-7"),
        IdempotencyHeader,
    ),
    request_body(content = ReceivingAnswer, example = json!({
        "action": "match", "asn_number": "ASN-20260301-7", "line_identifier": "2"
    })),
    responses(
        (status = 200, body = UnitRecord, description = "The changed unit.",
            example = json!(sample_unit())),
        (status = 409, body = Message, description = "The exception was resolved differently before, or \
            the line expects no more units.", example = json!({
                "message": "line 2 of the ASN ASN-20260301-7 awaits no more units"
            })),
        (status = 422, body = Invalid, description = "Every invalid field. Nothing was stored.",
            example = json!(sample::missing_field("$.action"))),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn decide(
    State(web): State<Web>,
    request: AdminRequest<(String, String, String)>,
) -> Result<Json<UnitRecord>, ApiError> {
    let (merchant, unit, asn_number) = &request.path;
    let missing = |_| ApiError::from(app::AppError::NotFound("merchant"));
    let merchant = MerchantId::parse_stored(merchant).map_err(missing)?;
    let answer = request.body.read(read_answer)?;
    let scope = request.scope(&web.app);
    let asked = QuestionKey { merchant: &merchant, unit, asn_number };
    Ok(Json(answer_question(scope, asked, &answer).await?))
}

fn sample_unit() -> Value {
    serde_json::to_value(domain::samples::received_unit()).expect("a unit has string keys")
}
