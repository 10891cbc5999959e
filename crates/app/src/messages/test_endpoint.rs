//! An operator sends a test message to see whether an endpoint works.

use boxed::boxed;
use domain::{
    identifier::MessageId,
    messages::{kind::MessageKind, mail::settings::MailDelivery},
    samples,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::Transaction;

use crate::{
    AppError,
    core::{audit_trail::record_change, commit_once::commit_once, scope::RequestScope},
    messages::{
        message_log::filter_by_reference,
        outbox::{self, About},
    },
};

/// The test message that is being sent.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct TestMessage {
    /// The identifier of the message.
    #[schema(example = "msg_acme_42")]
    pub id: String,
}

/// The test message to send.
#[derive(Clone, Debug)]
pub struct TestMessageRequest {
    pub kind: MessageKind,
    /// What the message is about, to test the order of messages with short bodies. If absent, the
    /// message is the documented sample about something new.
    pub reference: Option<String>,
    pub sequence: i64,
}

#[boxed]
pub async fn send_test_message(
    scope: RequestScope<'_>,
    test: &TestMessageRequest,
) -> Result<TestMessage, AppError> {
    let (app, merchant, kind) = (scope.app, scope.merchant()?, test.kind);
    let new_reference = || format!("test-{}", app.world.readable::<10>());
    let reference = test.reference.clone().unwrap_or_else(new_reference);
    let reference: String = commit_once(scope, || async {
        app.store.merchant(merchant).await?.ok_or(AppError::NotFound("merchant"))?;
        if kind == MessageKind::ExchangeVariants {
            let why = "exchange_variants is queried, so there is no message to test it with";
            return Err(AppError::Conflict(why.to_owned()));
        }
        let delivery = app.store.mail_settings(merchant).await?.value.delivery;
        if kind == MessageKind::Mail && delivery != MailDelivery::Message {
            let why = "mails are not sent to an endpoint; send a test mail instead";
            return Err(AppError::Conflict(why.to_owned()));
        }
        // The response to the test would be taken for the response to the exchange order.
        if kind == MessageKind::ExchangeOrder
            && app.store.exchange_order(merchant, &reference).await?.is_some()
        {
            let why = format!("{reference} has an exchange order; use another ref for the test");
            return Err(AppError::Conflict(why));
        }
        let sample = samples::message_about(kind, &reference);
        let sample = sample.filter(|_| test.reference.is_none());
        let body = sample.and_then(|sample| serde_json::from_str(&sample).ok());
        let body: Value = body.unwrap_or_else(|| short_body(kind, &reference));
        let mut transaction = Transaction::new("sending a test message");
        let about = About { kind, reference: &reference, sequence: test.sequence };
        transaction.enqueue(outbox::message(app, merchant, &about, body.to_string().into()));
        let detail = json!({ "kind": kind, "ref": reference });
        record_change(scope, &mut transaction, "endpoint.test", &detail);
        Ok((reference.clone(), transaction))
    })
    .await?;
    let sent = app.store.messages(merchant, &filter_by_reference(&reference, 1)).await?.0;
    let number = sent.first().ok_or(AppError::NotFound("message"))?.message_id;
    Ok(TestMessage { id: MessageId { merchant: merchant.clone(), number }.to_string() })
}

fn short_body(kind: MessageKind, reference: &str) -> Value {
    json!({
        "test": true,
        "message": "This is a test message. No action is required.",
        "kind": kind,
        "identifier": reference,
    })
}
