//! The messages that are delivered, and where they go.

use bytes::Bytes;
use domain::{
    identifier::MerchantId,
    messages::{
        endpoint::Auth,
        kind::MessageKind,
        mail::settings::{MailSecurity, SmtpServer},
    },
};
use store::NewMessage;
use world::Secret;

use super::{BODY_BYTES, LANES_PER_MERCHANT, MERCHANTS, MESSAGES_PER_COMMIT, sink::Sink};

/// The beginning of the name of every merchant with a receiver that hangs.
const HANGING: &str = "hanging-";
pub(crate) const SIGNING_SECRET: &str = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// The merchant of the message with this number.
pub(crate) fn merchant_of(number: usize) -> MerchantId {
    let name = format!("merchant-{}", number / MESSAGES_PER_COMMIT % MERCHANTS);
    MerchantId::parse(&name).unwrap_or_else(|_| MerchantId::platform())
}

/// A merchant with a receiver that hangs.
pub(crate) fn hanging_merchant(position: usize) -> MerchantId {
    MerchantId::parse(&format!("{HANGING}{position}")).unwrap_or_else(|_| MerchantId::platform())
}

pub(crate) fn hangs(merchant: &MerchantId) -> bool {
    merchant.as_str().starts_with(HANGING)
}

/// A message of one kilobyte in one of its merchant's lanes, which take turns.
pub(crate) fn new_message(merchant: &MerchantId, number: usize, now_us: i64) -> NewMessage {
    let turns_before = number / (MERCHANTS * MESSAGES_PER_COMMIT);
    let of_merchant = turns_before * MESSAGES_PER_COMMIT + number % MESSAGES_PER_COMMIT;
    let lane = of_merchant % LANES_PER_MERCHANT + 1;
    NewMessage {
        merchant: merchant.clone(),
        kind: MessageKind::Rma,
        reference: format!("RMA-{lane}"),
        sequence: i64::try_from(number).unwrap_or(i64::MAX),
        lane: i64::try_from(lane).unwrap_or(1),
        created_us: now_us,
        replay: false,
        body: new_body(number),
    }
}

/// A message about one of the things that no other message is about. `each` messages are about the
/// same thing.
pub(crate) fn old_message(
    merchant: &MerchantId,
    number: usize,
    each: usize,
    now_us: i64,
) -> NewMessage {
    let thing = LANES_PER_MERCHANT + 1 + number / each;
    NewMessage {
        reference: format!("OLD-{thing}"),
        sequence: i64::try_from(number % each + 1).unwrap_or(i64::MAX),
        lane: i64::try_from(thing).unwrap_or(1),
        ..new_message(merchant, number, now_us)
    }
}

/// The message as a mail about a thing of its own, as large as mails are.
pub(crate) fn into_mail(message: NewMessage) -> NewMessage {
    let body = serde_json::json!({
        "recipient": "shopper@example.com", "subject": "Your return is on its way",
        "text": "x".repeat(BODY_BYTES), "html": "x".repeat(4 * BODY_BYTES),
    });
    let lane = message.sequence;
    let body = Bytes::from(body.to_string());
    NewMessage { kind: MessageKind::Mail, reference: format!("RMA-{lane}"), lane, body, ..message }
}

/// The mail server of the merchant that hangs: the receiver waits for a request, and a mail server
/// speaks first.
pub(crate) fn mail_server(sink: &Sink) -> SmtpServer<Secret> {
    SmtpServer {
        host: sink.address.ip().to_string(),
        port: sink.address.port(),
        security: MailSecurity::None,
        login: None,
        from: "returns@example.com".to_owned(),
        from_name: None,
        dkim: None,
    }
}

pub(crate) fn new_body(number: usize) -> Bytes {
    let beginning = format!("{{\"rma_identifier\":\"RMA-{number}\",\"filler\":\"");
    let filler = "x".repeat(BODY_BYTES.saturating_sub(beginning.len() + 2));
    Bytes::from(format!("{beginning}{filler}\"}}"))
}

/// Where the engine sends to.
pub(crate) fn target(
    sink: &Sink,
    merchant: &MerchantId,
    kind: MessageKind,
) -> delivery::EndpointTarget {
    let path = if hangs(merchant) { "/hang" } else { "/rmas" };
    delivery::EndpointTarget {
        refusal_is_final: false,
        merchant: merchant.clone(),
        kind,
        url: format!("http://{}{path}", sink.address),
        auth: Auth::None,
        signing_secrets: vec![Secret::new(format!("whsec_{SIGNING_SECRET}"))],
    }
}
