//! Receives a call: checks credentials and signature, applies the behavior, and responds.
//!
//! Benchmarks send very many calls, so this is kept short: the body is parsed only where the
//! response depends on it or the order is checked, and the book is locked only to record the call.
//!
//! A behavior applies only to calls that would be accepted. Without credentials the response is
//! 401, and with a bad signature 400, whatever the behavior.

use std::{sync::Arc, time::Duration};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header, request::Parts},
    response::Response,
    routing::{get, post},
};
use bytes::Bytes;
use domain::messages::kind::{MessageKind, ResponseContent};
use percent_encoding::percent_decode_str;
use serde_json::json;

use crate::{
    behavior::Behavior,
    calls::{
        book::{CallRecord, LaneKey, RawContent},
        call::{Call, SignatureCheck},
        lane::find_lane,
    },
    merchant::Merchant,
    server::reply::{JsonResponse, Reply, ReplyAction},
    shop::exchange::OrderOutcome,
};

const BODY_MAX_BYTES: usize = 16 << 20;
const ID_MAX_CHARACTERS: usize = 256;
const PATH_MAX_CHARACTERS: usize = 1_024;

/// A route for each kind, at its default path.
pub(crate) fn routes() -> Router<Arc<Merchant>> {
    let mut router = Router::new();
    for kind in MessageKind::to_merchant() {
        let Some(path) = kind.default_path() else { continue };
        let handler = move |State(merchant): State<Arc<Merchant>>, request: Request| async move {
            receive(&merchant, Some(kind), request).await
        };
        let method =
            if kind == MessageKind::ExchangeVariants { get(handler) } else { post(handler) };
        router = router.route(path, method);
    }
    router
}

/// A call to an unknown path. If it is a message it is recorded.
pub(crate) async fn receive_elsewhere(
    State(merchant): State<Arc<Merchant>>,
    request: Request,
) -> Response {
    if request.headers().contains_key("webhook-id") {
        return receive(&merchant, None, request).await;
    }
    JsonResponse::message(StatusCode::NOT_FOUND, "there is nothing at this path").into_response()
}

async fn receive(merchant: &Merchant, kind: Option<MessageKind>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    match read_body(body).await {
        Ok(body) => merchant.receive(kind, parts, body).send().await,
        Err(response) => response.into_response(),
    }
}

/// Reads the whole body, if it is not too long.
pub(crate) async fn read_body(body: Body) -> Result<Bytes, JsonResponse> {
    let too_long = |_| JsonResponse::message(StatusCode::PAYLOAD_TOO_LARGE, "the body is too long");
    to_bytes(body, BODY_MAX_BYTES).await.map_err(too_long)
}

impl Merchant {
    fn receive(&self, kind: Option<MessageKind>, parts: Parts, body: Bytes) -> Reply {
        let at = self.clock.now();
        let live = |token: &str| self.tokens().is_live(token, at.as_microsecond());
        let authorized = self.auth.accepts(&parts.headers, live);
        let signature = self
            .verifier
            .as_ref()
            .map(|verifier| verifier.check(&parts.headers, &body, at.as_second()));
        let mut changed_order = None;
        let reply = match (kind, signature) {
            _ if !authorized => Reply::now(self.unauthorized()),
            (_, Some(Err(why))) => Reply::now(JsonResponse::message(StatusCode::BAD_REQUEST, why)),
            (None, _) => Reply::now(JsonResponse::message(
                StatusCode::NOT_FOUND,
                "no kind of message has this path",
            )),
            (Some(kind), Some(Ok(())) | None) => {
                let behavior = self.script().next(kind);
                let respond = || self.respond(kind, parts.uri.path(), &body, &mut changed_order);
                apply_behavior(behavior, respond)
            }
        };
        let call = Call {
            number: 0,
            at,
            kind,
            path: truncate(parts.uri.path(), PATH_MAX_CHARACTERS),
            webhook_id: text(&parts.headers, "webhook-id")
                .map(|id| truncate(id, ID_MAX_CHARACTERS)),
            sequence: number(&parts.headers, "x-service-sequence"),
            attempt: number(&parts.headers, "x-service-attempt"),
            signature: match signature {
                Some(Ok(())) => SignatureCheck::Valid,
                Some(Err(_)) => SignatureCheck::Invalid,
                None => SignatureCheck::Unchecked,
            },
            answer: reply.outcome(),
            repeated: false,
            body_bytes: body.len(),
            content: None,
        };
        let lane = kind.filter(|_| self.check_order).and_then(|kind| find_lane(kind, &body));
        let entry = CallRecord {
            id_hash: self.hash(call.webhook_id.as_deref().unwrap_or_default().as_bytes()),
            body_hash: self.hash(&body),
            unauthorized: !authorized,
            lane: lane.map(|name| LaneKey { hash: self.hash(name.as_bytes()), name }),
            changed_order,
            call,
            content: RawContent { headers: parts.headers, body, answer_body: reply.body() },
        };
        self.book().record(entry);
        reply
    }

    fn unauthorized(&self) -> JsonResponse {
        let challenge = HeaderValue::from_static(self.auth.challenge());
        JsonResponse::message(StatusCode::UNAUTHORIZED, "the credentials are missing or wrong")
            .with(header::WWW_AUTHENTICATE, challenge)
    }

    /// The normal response.
    fn respond(
        &self,
        kind: MessageKind,
        path: &str,
        body: &Bytes,
        changed_order: &mut Option<String>,
    ) -> JsonResponse {
        match kind.response_content() {
            ResponseContent::Variants => self.list_variants(path),
            ResponseContent::OrderIdentifier => {
                let outcome = self.shop().place(body, |bytes| self.hash(bytes));
                if let OrderOutcome::Changed { original_order_id, .. } = &outcome {
                    *changed_order = Some(original_order_id.clone());
                }
                respond_to_order(outcome)
            }
            ResponseContent::Nothing => JsonResponse::received(),
        }
    }

    fn list_variants(&self, path: &str) -> JsonResponse {
        let form = MessageKind::ExchangeVariants.default_path().unwrap_or_default();
        let (before, after) = form.split_once("{variant_identifier}").unzip();
        let inner = path.strip_prefix(before.unwrap_or_default());
        let inner = inner.and_then(|inner| inner.strip_suffix(after.unwrap_or_default()));
        let name = percent_decode_str(inner.unwrap_or_default()).decode_utf8_lossy();
        let shop = self.shop();
        match shop.catalog.variants_of(&name) {
            Some(variants) => JsonResponse::json(StatusCode::OK, &variants),
            None => JsonResponse::message(StatusCode::NOT_FOUND, "no such product"),
        }
    }
}

fn respond_to_order(outcome: OrderOutcome) -> JsonResponse {
    match outcome {
        OrderOutcome::Placed(order) | OrderOutcome::Changed { first: order, .. } => {
            JsonResponse::json(StatusCode::OK, &order)
        }
        OrderOutcome::OutOfStock { sku } => {
            JsonResponse::message(StatusCode::CONFLICT, &format!("{sku} is out of stock"))
        }
        OrderOutcome::Unreadable(why) => JsonResponse::message(StatusCode::BAD_REQUEST, &why),
        OrderOutcome::WithoutKey => JsonResponse::json(
            StatusCode::UNPROCESSABLE_ENTITY,
            &json!({
                "message": "some fields are invalid",
                "errors": [{ "field": "$.original_order_id", "code": "missing_field" }],
            }),
        ),
    }
}

/// Replies as `behavior` says. A call that shall fail is not processed.
fn apply_behavior(behavior: Behavior, respond: impl FnOnce() -> JsonResponse) -> Reply {
    let delay = Duration::from_millis(behavior.delay_ms);
    if behavior.hang {
        return Reply { delay, action: ReplyAction::Hang };
    }
    if behavior.close {
        return Reply { delay, action: ReplyAction::Close };
    }
    let status = behavior.effective_status().and_then(|status| StatusCode::from_u16(status).ok());
    let mut response = match status {
        Some(status) if !status.is_success() => JsonResponse::message(
            status,
            &format!("configured to respond with {}", status.as_u16()),
        ),
        Some(status) => {
            let normal = respond();
            let status = if normal.status.is_success() { status } else { normal.status };
            JsonResponse { status, ..normal }
        }
        None => respond(),
    };
    if response.status.is_redirection() {
        response = response.with(header::LOCATION, HeaderValue::from_static("/elsewhere"));
    }
    if let Some(seconds) = behavior.retry_after_s {
        response = response.with(header::RETRY_AFTER, seconds);
    }
    response.padding_bytes = behavior.huge_body_bytes;
    Reply { delay, action: ReplyAction::Respond(response) }
}

impl Reply {
    fn now(response: JsonResponse) -> Self {
        Self { delay: Duration::ZERO, action: ReplyAction::Respond(response) }
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

fn number(headers: &HeaderMap, name: &str) -> Option<u64> {
    text(headers, name)?.parse().ok()
}

fn truncate(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => text.get(..end).unwrap_or_default().to_owned(),
        None => text.to_owned(),
    }
}
