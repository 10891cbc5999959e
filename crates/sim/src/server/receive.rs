//! Taking a call: who is it, is it signed, what were we told to do, what is the answer.
//!
//! This is the way every call goes, and benchmarks send very many, so it is short: the body is
//! read as JSON only where the answer depends on it or the order is checked, and the book is
//! locked only to write in it.
//!
//! Only a call that would be accepted meets a behaviour. A caller without credentials gets 401
//! and one with a bad signature 400, whatever the merchant was told to do.

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
use domain::messages::kind::MessageKind;
use percent_encoding::percent_decode_str;
use serde_json::json;

use crate::{
    behavior::Behaviour,
    calls::{
        book::{Entry, RawContent},
        call::{Call, SignatureCheck},
        lane::lane,
    },
    merchant::Merchant,
    server::reply::{Act, Answer, Reply},
    shop::exchange::Outcome,
};

const BODY_MAX_BYTES: usize = 16 << 20;
const ID_MAX_CHARACTERS: usize = 256;
const PATH_MAX_CHARACTERS: usize = 1_024;

/// A door for each kind, at its usual path.
pub(crate) fn routes() -> Router<Arc<Merchant>> {
    let mut router = Router::new();
    for kind in MessageKind::ALL {
        let handler = move |State(merchant): State<Arc<Merchant>>, request: Request| async move {
            take(&merchant, Some(kind), request).await
        };
        let method =
            if kind == MessageKind::ExchangeVariants { get(handler) } else { post(handler) };
        router = router.route(kind.default_path(), method);
    }
    router
}

/// Somebody knocked where no door is. A message that went astray is written down.
pub(crate) async fn elsewhere(State(merchant): State<Arc<Merchant>>, request: Request) -> Response {
    if request.headers().contains_key("webhook-id") {
        return take(&merchant, None, request).await;
    }
    Answer::message(StatusCode::NOT_FOUND, "there is nothing here").into_response()
}

async fn take(merchant: &Merchant, kind: Option<MessageKind>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    match read(body).await {
        Ok(body) => merchant.take(kind, parts, body).send().await,
        Err(answer) => answer.into_response(),
    }
}

/// The whole body, if it is not too long.
pub(crate) async fn read(body: Body) -> Result<Bytes, Answer> {
    let too_long = |_| Answer::message(StatusCode::PAYLOAD_TOO_LARGE, "the body is too long");
    to_bytes(body, BODY_MAX_BYTES).await.map_err(too_long)
}

impl Merchant {
    fn take(&self, kind: Option<MessageKind>, parts: Parts, body: Bytes) -> Reply {
        let at = self.clock.now();
        let live = |token: &str| self.tokens().is_live(token, at.as_microsecond());
        let authorized = self.proof.holds(&parts.headers, live);
        let signature = self
            .verifier
            .as_ref()
            .map(|verifier| verifier.check(&parts.headers, &body, at.as_second()));
        let mut changed_order = None;
        let reply = match (kind, signature) {
            _ if !authorized => Reply::now(self.unauthorized()),
            (_, Some(Err(why))) => Reply::now(Answer::message(StatusCode::BAD_REQUEST, why)),
            (None, _) => Reply::now(Answer::message(StatusCode::NOT_FOUND, "no kind lives here")),
            (Some(kind), Some(Ok(())) | None) => {
                let behaviour = self.script().next(kind);
                let usual = || self.usual(kind, parts.uri.path(), &body, &mut changed_order);
                behave(behaviour, usual)
            }
        };
        let call = Call {
            number: 0,
            at,
            kind,
            path: cut(parts.uri.path(), PATH_MAX_CHARACTERS),
            webhook_id: text(&parts.headers, "webhook-id").map(|id| cut(id, ID_MAX_CHARACTERS)),
            sequence: number(&parts.headers, "x-service-sequence"),
            attempt: number(&parts.headers, "x-service-attempt"),
            signature: match signature {
                Some(Ok(())) => SignatureCheck::Valid,
                Some(Err(_)) => SignatureCheck::Invalid,
                None => SignatureCheck::Unchecked,
            },
            answer: reply.answered(),
            repeated: false,
            body_bytes: body.len(),
            content: None,
        };
        let lane = kind.filter(|_| self.check_order).and_then(|kind| lane(kind, &body));
        let entry = Entry {
            id_hash: self.hash(call.webhook_id.as_deref().unwrap_or_default().as_bytes()),
            body_hash: self.hash(&body),
            unauthorized: !authorized,
            lane: lane.map(|lane| (self.hash(lane.as_bytes()), lane)),
            changed_order,
            call,
            content: RawContent { headers: parts.headers, body, answer_body: reply.body() },
        };
        self.book().record(entry);
        reply
    }

    fn unauthorized(&self) -> Answer {
        let challenge = HeaderValue::from_static(self.proof.challenge());
        Answer::message(StatusCode::UNAUTHORIZED, "the credentials are missing or wrong")
            .with(header::WWW_AUTHENTICATE, challenge)
    }

    /// The answer of a merchant that does its duty.
    fn usual(
        &self,
        kind: MessageKind,
        path: &str,
        body: &Bytes,
        changed_order: &mut Option<String>,
    ) -> Answer {
        match kind {
            MessageKind::ExchangeVariants => self.variants(path),
            MessageKind::ExchangeOrder => {
                let outcome = self.shop().place(body, |bytes| self.hash(bytes));
                if let Outcome::Changed { original_order_id, .. } = &outcome {
                    *changed_order = Some(original_order_id.clone());
                }
                exchange_order(outcome)
            }
            MessageKind::Rma
            | MessageKind::OutboundAsn
            | MessageKind::InventoryReceipt
            | MessageKind::DropShipmentConfirmation
            | MessageKind::DropShipmentCancellation
            | MessageKind::DropShipmentPartialCancellation => Answer::received(),
        }
    }

    fn variants(&self, path: &str) -> Answer {
        let (before, after) =
            MessageKind::ExchangeVariants.default_path().split_once("{variant_identifier}").unzip();
        let inner = path.strip_prefix(before.unwrap_or_default());
        let inner = inner.and_then(|inner| inner.strip_suffix(after.unwrap_or_default()));
        let name = percent_decode_str(inner.unwrap_or_default()).decode_utf8_lossy();
        let shop = self.shop();
        match shop.catalogue.variants_of(&name) {
            Some(variants) => Answer::json(StatusCode::OK, &variants),
            None => Answer::message(StatusCode::NOT_FOUND, "no such product"),
        }
    }
}

fn exchange_order(outcome: Outcome) -> Answer {
    match outcome {
        Outcome::Placed(order) | Outcome::Changed { first: order, .. } => {
            Answer::json(StatusCode::OK, &order)
        }
        Outcome::OutOfStock { sku } => {
            Answer::message(StatusCode::CONFLICT, &format!("{sku} is out of stock"))
        }
        Outcome::Unreadable(why) => Answer::message(StatusCode::BAD_REQUEST, &why),
        Outcome::WithoutKey => Answer::json(
            StatusCode::UNPROCESSABLE_ENTITY,
            &json!({
                "message": "some fields are not acceptable",
                "errors": [{ "field": "$.original_order_id", "code": "missing_field" }],
            }),
        ),
    }
}

/// Does what was told. A call that is to fail never reaches the usual business.
fn behave(behaviour: Behaviour, usual: impl FnOnce() -> Answer) -> Reply {
    let delay = Duration::from_millis(behaviour.delay_ms);
    if behaviour.hang {
        return Reply { delay, act: Act::Hang };
    }
    if behaviour.close {
        return Reply { delay, act: Act::Close };
    }
    let status = behaviour.told_status().and_then(|status| StatusCode::from_u16(status).ok());
    let mut answer = match status {
        Some(status) if !status.is_success() => {
            Answer::message(status, &format!("told to answer {}", status.as_u16()))
        }
        Some(status) => {
            let usual = usual();
            let status = if usual.status.is_success() { status } else { usual.status };
            Answer { status, ..usual }
        }
        None => usual(),
    };
    if answer.status.is_redirection() {
        answer = answer.with(header::LOCATION, HeaderValue::from_static("/elsewhere"));
    }
    if let Some(seconds) = behaviour.retry_after_s {
        answer = answer.with(header::RETRY_AFTER, seconds);
    }
    answer.padding_bytes = behaviour.huge_body_bytes;
    Reply { delay, act: Act::Answer(answer) }
}

impl Reply {
    fn now(answer: Answer) -> Self {
        Self { delay: Duration::ZERO, act: Act::Answer(answer) }
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

fn number(headers: &HeaderMap, name: &str) -> Option<u64> {
    text(headers, name)?.parse().ok()
}

fn cut(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => text.get(..end).unwrap_or_default().to_owned(),
        None => text.to_owned(),
    }
}
