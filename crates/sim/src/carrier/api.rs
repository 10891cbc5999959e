//! The routes of the carrier's API.
//!
//! | call                            | effect                                     |
//! | ------------------------------- | ------------------------------------------ |
//! | `POST /v2/shipments`            | a new shipment with its rates              |
//! | `GET /v2/shipments/{id}`        | a shipment by its identifier or reference  |
//! | `POST /v2/shipments/{id}/buy`   | buys its label                             |
//! | `POST /v2/shipments/{id}/forms` | makes a code for a drop-off point          |
//! | `POST /v2/shipments/{id}/refund`| gives back its label                       |
//! | `POST /v2/trackers`             | the tracker of a parcel                    |
//! | `GET /labels/{name}`            | a document; without credentials            |

use std::{future, sync::Arc};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{FromRequestParts, Path, State, rejection::PathRejection},
    http::{HeaderMap, HeaderValue, StatusCode, header, request::Parts},
    response::Response,
    routing::{get, post},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::{
    Carrier, documents,
    fault::{FaultKind, FaultPoint},
    shipments::Shipments,
};
use crate::server::reply::{CloseConnection, JsonResponse};

pub(super) fn routes() -> Router<Arc<Carrier>> {
    Router::new()
        .route("/v2/shipments", post(create))
        .route("/v2/shipments/{id}", get(find))
        .route("/v2/shipments/{id}/buy", post(buy))
        .route("/v2/shipments/{id}/forms", post(add_form))
        .route("/v2/shipments/{id}/refund", post(refund))
        .route("/v2/trackers", post(track))
        .route("/labels/{name}", get(document))
}

/// The status, the code and the message of a refusal.
type Refusal = (StatusCode, &'static str, String);
/// What a call is answered.
type Answer = Result<(StatusCode, Value), Refusal>;

fn refusal(code: &'static str, message: &str) -> Refusal {
    (StatusCode::UNPROCESSABLE_ENTITY, code, message.to_owned())
}

/// A call about a shipment.
struct ShipmentCall {
    carrier: Arc<Carrier>,
    id: String,
    headers: HeaderMap,
}

impl FromRequestParts<Arc<Carrier>> for ShipmentCall {
    type Rejection = PathRejection;

    async fn from_request_parts(
        parts: &mut Parts,
        carrier: &Arc<Carrier>,
    ) -> Result<Self, PathRejection> {
        let Path(id) = Path::from_request_parts(parts, carrier).await?;
        Ok(Self { carrier: Arc::clone(carrier), id, headers: parts.headers.clone() })
    }
}

impl ShipmentCall {
    /// Answers with the shipment as it is after `effect`.
    async fn answer(
        &self,
        point: FaultPoint,
        effect: impl FnOnce(&mut Shipments, usize) -> Result<(), Refusal> + Send,
    ) -> Response {
        let effect = || {
            let mut state = self.carrier.lock();
            let position = state.shipments.position(&self.id).ok_or_else(not_found)?;
            effect(&mut state.shipments, position)?;
            Ok((StatusCode::OK, self.carrier.show(&state.shipments, position)))
        };
        self.carrier.answer(&self.headers, point, effect).await
    }
}

async fn create(State(carrier): State<Arc<Carrier>>, headers: HeaderMap, body: Bytes) -> Response {
    let effect = || {
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        let mut state = carrier.lock();
        match state.shipments.create(&body, carrier.clock.now()) {
            Ok(position) => Ok((StatusCode::CREATED, carrier.show(&state.shipments, position))),
            Err(why) => Err(refusal("SHIPMENT.INVALID_PARAMS", why)),
        }
    };
    carrier.answer(&headers, FaultPoint::Create, effect).await
}

async fn find(call: ShipmentCall) -> Response {
    call.answer(FaultPoint::Find, |_, _| Ok(())).await
}

async fn buy(call: ShipmentCall, body: Bytes) -> Response {
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let rate_id = body.pointer("/rate/id").and_then(Value::as_str).unwrap_or_default();
    let now = call.carrier.clock.now();
    let effect = |shipments: &mut Shipments, position| {
        let bought = shipments.buy(position, rate_id, now);
        bought.map_err(|why| refusal("SHIPMENT.POSTAGE.FAILURE", why))
    };
    call.answer(FaultPoint::Buy, effect).await
}

async fn add_form(call: ShipmentCall) -> Response {
    let effect = |shipments: &mut Shipments, position| {
        let shipment = shipments.get_mut(position).ok_or_else(not_found)?;
        if shipment.purchase.is_none() {
            return Err(refusal("SHIPMENT.FORM.FAILURE", "a label must be bought first"));
        }
        shipment.has_code = true;
        Ok(())
    };
    call.answer(FaultPoint::Form, effect).await
}

async fn refund(call: ShipmentCall) -> Response {
    let effect = |shipments: &mut Shipments, position| {
        let shipment = shipments.get_mut(position).ok_or_else(not_found)?;
        let is_unused = shipment.purchase.as_ref().map(|sale| sale.status == "pre_transit");
        match (is_unused, shipment.refund_status) {
            (None, _) => {
                return Err(refusal("SHIPMENT.REFUND.FAILURE", "the shipment has no label"));
            }
            (Some(false), None) => shipment.refund_status = Some("rejected"),
            (Some(true), _) => shipment.refund_status = Some("submitted"),
            (Some(false), Some(_)) => (),
        }
        Ok(())
    };
    call.answer(FaultPoint::Refund, effect).await
}

async fn track(State(carrier): State<Arc<Carrier>>, headers: HeaderMap, body: Bytes) -> Response {
    let effect = || {
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        let code = body.pointer("/tracker/tracking_code").and_then(Value::as_str);
        let code = code.unwrap_or_default();
        let mut state = carrier.lock();
        let shipment = state.shipments.by_tracking_code(code).cloned().ok_or_else(not_found)?;
        let tracker = state.shipments.tracker(&shipment).unwrap_or_default();
        Ok((StatusCode::CREATED, tracker))
    };
    carrier.answer(&headers, FaultPoint::Find, effect).await
}

fn not_found() -> Refusal {
    (StatusCode::NOT_FOUND, "NOT_FOUND", "The requested resource could not be found.".to_owned())
}

/// The document `shp_1.pdf`, or a code `shp_1.qr.png`.
async fn document(State(carrier): State<Arc<Carrier>>, Path(name): Path<String>) -> Response {
    let made = || {
        let (id, kind) = name.split_once('.')?;
        let state = carrier.lock();
        let shipment = state.shipments.get(state.shipments.position(id)?)?;
        shipment.purchase.as_ref()?;
        documents::make(kind, &shipment.lines())
    };
    let response = match made() {
        Some((content_type, bytes)) => {
            let mut response = Response::new(Body::from(bytes));
            let content_type = HeaderValue::from_static(content_type);
            response.headers_mut().insert(header::CONTENT_TYPE, content_type);
            response
        }
        None => JsonResponse::message(StatusCode::NOT_FOUND, "no such label").into_response(),
    };
    match carrier.draw_fault(FaultPoint::Document) {
        Some(fault) => fail(fault, response).await,
        None => response,
    }
}

impl Carrier {
    fn show(&self, shipments: &Shipments, position: usize) -> Value {
        let shipment = shipments.get(position);
        shipment.map(|shipment| shipments.show(shipment, &self.url)).unwrap_or_default()
    }

    /// Answers a call with what `effect` does, unless a fault was ordered.
    async fn answer(
        &self,
        headers: &HeaderMap,
        point: FaultPoint,
        effect: impl FnOnce() -> Answer + Send,
    ) -> Response {
        if !self.is_authorized(headers) {
            return error(StatusCode::UNAUTHORIZED, "APIKEY.INACTIVE", "This api key is unknown.");
        }
        let fault = self.draw_fault(point);
        match fault {
            Some(FaultKind::Error500) => {
                let status = StatusCode::INTERNAL_SERVER_ERROR;
                return error(status, "INTERNAL_SERVER_ERROR", "Something went wrong.");
            }
            Some(FaultKind::TooMany) => {
                let body = json!({ "error": { "code": "RATE_LIMITED", "message": "Slow down." } });
                return JsonResponse::json(StatusCode::TOO_MANY_REQUESTS, &body)
                    .with(header::RETRY_AFTER, 1)
                    .into_response();
            }
            _ => (),
        }
        let response = match effect() {
            Ok((status, body)) => JsonResponse::json(status, &body).into_response(),
            Err((status, code, message)) => error(status, code, &message),
        };
        match fault {
            Some(fault) => fail(fault, response).await,
            None => response,
        }
    }

    /// The key is the user name of HTTP Basic.
    fn is_authorized(&self, headers: &HeaderMap) -> bool {
        let credential = || {
            let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
            let bytes = STANDARD.decode(value.strip_prefix("Basic ")?).ok()?;
            let (key, _) = std::str::from_utf8(&bytes).ok()?.split_once(':')?;
            Some(self.api_key.as_deref().is_none_or(|expected| expected == key))
        };
        credential().unwrap_or(false)
    }
}

/// The answer to a call that has had its effect.
async fn fail(fault: FaultKind, response: Response) -> Response {
    match fault {
        FaultKind::Hang => future::pending().await,
        FaultKind::LostAnswer => {
            let mut closed = Response::new(Body::empty());
            closed.extensions_mut().insert(CloseConnection);
            closed
        }
        FaultKind::Error500 | FaultKind::TooMany => {
            error(StatusCode::INTERNAL_SERVER_ERROR, "INTERNAL_SERVER_ERROR", "Not now.")
        }
        FaultKind::Repeat | FaultKind::Reverse | FaultKind::WrongSignature => response,
    }
}

fn error(status: StatusCode, code: &str, message: &str) -> Response {
    let body = json!({ "error": { "code": code, "message": message, "errors": [] } });
    JsonResponse::json(status, &body).into_response()
}
