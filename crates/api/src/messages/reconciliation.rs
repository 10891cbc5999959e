//! Reconciliation: a merchant compares what it holds with what was sent to it.

use app::messages::reconciliation::{
    ReconciliationDigest, ReconciliationRange, digest_day, reconcile,
};
use axum::{
    Json,
    body::Body,
    extract::{FromRequest, Request, State},
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Response},
};
use domain::{
    faults::{FaultCode, Faults, FieldError},
    identifier::MerchantId,
    messages::{
        kind::MessageKind,
        reconciliation::{EntryReader, HeldEntry},
    },
};
use jiff::civil::Date;
use serde::Deserialize;
use utoipa::{IntoParams, IntoResponses, ToSchema};

use crate::core::{
    body::media_type,
    caller::{Admin, Allowed, Merchant, Read},
    refusals::UnknownMerchant,
    sample,
};
use server::{
    Web,
    error::{ApiError, Invalid},
    guard::limits::{BODY_TIME_MAX, LARGE_BODY_MAX_BYTES, read_pieces},
    path::Path,
    query::Query,
    requests::identifiers::parse_merchant,
};

const LINES: &str = "application/x-ndjson";
const JSON: &str = "application/json";

/// A thing that you hold. Either `sequence` or `hash` is required.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read field by field")]
pub(crate) struct HeldThing {
    kind: MessageKind,
    /// What the messages are about, such as the identifier of an RMA.
    #[schema(example = "RMA-7K3Q-9XWD-2M4T")]
    reference: String,
    /// `X-Service-Sequence` of the last message about it that you have.
    sequence: Option<i64>,
    /// The SHA-256 of the body of that message, in hex.
    hash: Option<String>,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct RangeQuery {
    /// Compare only what comes after this: `next` of the previous response.
    #[param(example = "rma/RMA-7K3Q-9XWD-2M4T")]
    after: Option<String>,
    /// More requests follow, so that this one compares only up to its last entry.
    #[serde(default)]
    more: bool,
}

/// The entries of a request, in order. They are read while they arrive.
pub(crate) struct HeldEntries(Vec<HeldEntry>);

impl FromRequest<Web> for HeldEntries {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &Web) -> Result<Self, ApiError> {
        let (parts, body) = request.into_parts();
        let kind = media_type(&parts.headers).unwrap_or_default();
        if ![LINES, JSON].contains(&kind.as_str()) {
            return Err(ApiError::UnsupportedMediaType(LINES));
        }
        let mut reader = EntryReader::default();
        let mut fault = None;
        let read = read_pieces(body, LARGE_BODY_MAX_BYTES, BODY_TIME_MAX, |piece| {
            if fault.is_none() {
                fault = reader.push(&piece).err();
            }
        });
        read.await.map_err(|error| ApiError::of_body(&error, LARGE_BODY_MAX_BYTES))?;
        match fault {
            Some(faults) => Err(faults.into()),
            None => Ok(Self(reader.finish()?)),
        }
    }
}

fn sample_lines() -> &'static str {
    "{\"result\":\"older\",\"kind\":\"rma\",\"reference\":\"RMA-7K3Q-9XWD-2M4T\",\"sequence\":4,\
     \"hash\":\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\",\
     \"state\":\"finished\"}\n\
     {\"summary\":{\"equal\":99999,\"missing\":0,\"older\":1,\"newer\":0,\"unknown\":0}}\n"
}

fn sample_held() -> &'static str {
    "{\"kind\":\"rma\",\"reference\":\"RMA-7K3Q-9XWD-2M4T\",\"sequence\":3}\n"
}

/// The responses to a reconciliation.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "describes the responses; the handlers build them")]
pub(crate) enum ReconciliationResponses {
    /// What differs, one JSON object per line: things, and then the numbers.
    #[response(
        status = 200, content_type = "application/x-ndjson", example = json!(sample_lines())
    )]
    Lines(String),
    /// Every invalid entry. Nothing was compared.
    #[response(status = 422, example = json!(sample::invalid_field(
        "$[1].kind", FaultCode::Invalid, "must be a kind of message")))]
    Invalid(Invalid),
}

/// Reconcile
///
/// Compares what you hold with the last message about each thing. Send up to 100,000 things, one
/// per line or as a list, in any order. The response has a line for each thing that is `missing`,
/// `older`, `newer` or `unknown`, and a line with the numbers at the end. To compare more, sort
/// them by the bytes of kind and reference, and send them in parts with `more` and `after`.
#[utoipa::path(
    post, operation_id = "reconcile", path = "/reconciliation", tag = "Messages",
    params(RangeQuery),
    request_body(content(
        (String = "application/x-ndjson", example = json!(sample_held())),
        (Vec<HeldThing> = "application/json", example = json!([
            { "kind": "rma", "reference": "RMA-7K3Q-9XWD-2M4T", "sequence": 3 }
        ])),
    )),
    responses(ReconciliationResponses),
    security(("token" = ["read"]))
)]
pub(crate) async fn compare(
    State(web): State<Web>,
    merchant: Merchant<Read>,
    Query(query): Query<RangeQuery>,
    entries: HeldEntries,
) -> Result<Response, ApiError> {
    answer(&web, &merchant.id, &query, entries).await
}

/// Reconcile for a merchant
///
/// As the merchant does it: compares what it holds with the last message about each thing.
#[utoipa::path(
    post, operation_id = "reconcile_merchant", path = "/merchants/{merchant}/reconciliation",
    tag = "Operation",
    params(
        ("merchant" = String, Path, description = "The merchant's identifier.", example = "acme"),
        RangeQuery,
    ),
    request_body(content(
        (String = "application/x-ndjson", example = json!(sample_held())),
        (Vec<HeldThing> = "application/json", example = json!([
            { "kind": "rma", "reference": "RMA-7K3Q-9XWD-2M4T", "sequence": 3 }
        ])),
    )),
    responses(ReconciliationResponses, UnknownMerchant),
    security(("token" = ["admin"]))
)]
pub(crate) async fn compare_for_merchant(
    State(web): State<Web>,
    _: Allowed<Admin>,
    Path(merchant): Path<String>,
    Query(query): Query<RangeQuery>,
    entries: HeldEntries,
) -> Result<Response, ApiError> {
    answer(&web, &parse_merchant(&merchant)?, &query, entries).await
}

async fn answer(
    web: &Web,
    merchant: &MerchantId,
    query: &RangeQuery,
    HeldEntries(entries): HeldEntries,
) -> Result<Response, ApiError> {
    let range = ReconciliationRange::of(query.after.as_deref(), query.more, &entries);
    let range = range.ok_or_else(not_in_range)?;
    let lines = reconcile(&web.app, merchant, range, entries).await?;
    Ok(([(CONTENT_TYPE, LINES)], Body::from_stream(lines)).into_response())
}

fn not_in_range() -> Faults {
    let reason = "must have entries, all of them after `after`".to_owned();
    let error = FieldError { field: "$".to_owned(), code: FaultCode::Invalid, reason };
    Faults { errors: vec![error], total: 1 }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DigestQuery {
    /// A day in UTC.
    #[param(value_type = String, example = "2026-02-14")]
    day: Date,
}

/// The digest of a day
///
/// One hash over everything whose last message was created on that day (`X-Service-Created`). If
/// yours is the same, nothing is missing.
#[utoipa::path(
    get, operation_id = "read_reconciliation_digest", path = "/reconciliation/digest",
    tag = "Messages",
    params(DigestQuery),
    responses((status = 200, body = ReconciliationDigest, description = "The digest.",
        example = json!({
            "day": "2026-02-14", "things": 2140,
            "digest": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        }))),
    security(("token" = ["read"]))
)]
pub(crate) async fn digest(
    State(web): State<Web>,
    merchant: Merchant<Read>,
    Query(query): Query<DigestQuery>,
) -> Result<Json<ReconciliationDigest>, ApiError> {
    Ok(Json(digest_day(&web.app, &merchant.id, query.day).await?))
}
