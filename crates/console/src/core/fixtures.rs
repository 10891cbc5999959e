//! Somebody who looks at pages in tests, and text that must not become more than text.

use app::{
    access::sessions::Session,
    messages::message_log::{MessageState, MessageView},
};
use askama::Template;
use domain::{
    access::operator::{OperatorName, Role},
    exchanges::record::{ExchangeRecord, ExchangeState},
    messages::kind::MessageKind,
};
use jiff::Timestamp;

use crate::access::visit::Visitor;

/// What would be an element, an end of an attribute, or a script.
pub(crate) const HOSTILE: &str = "\"'><script>alert(1)</script><img src=x onerror=y>";

pub(crate) fn visitor() -> Visitor {
    let operator = OperatorName::parse("lena").unwrap();
    Visitor { session: Session::new(operator, Role::Operator, "token"), notice: None }
}

/// Fails where hostile text became part of the page's own markup.
pub(crate) fn assert_is_text(page: &impl Template) {
    let html = page.render().unwrap();
    for bad in ["<script>alert", "<img src=x", "'><", "\"'>"] {
        assert!(!html.contains(bad), "{bad}: {html}");
    }
    assert!(html.contains("alert(1)") || html.contains("alert%281%29"), "{html}");
}

/// A failed message with hostile text in every field.
pub(crate) fn hostile_message() -> MessageView {
    MessageView {
        id: HOSTILE.to_owned(),
        merchant: HOSTILE.to_owned(),
        kind: MessageKind::Rma,
        reference: HOSTILE.to_owned(),
        sequence: 1,
        state: MessageState::Failed,
        created_at: Timestamp::UNIX_EPOCH,
        due_at: Some(Timestamp::UNIX_EPOCH),
        discard_reason: Some(HOSTILE.to_owned()),
    }
}

/// An exchange order with hostile text in every field.
pub(crate) fn hostile_exchange() -> ExchangeRecord {
    ExchangeRecord {
        original_order_id: HOSTILE.to_owned(),
        rma_identifier: domain::samples::rma().rma_identifier,
        transaction_id: HOSTILE.to_owned(),
        state: ExchangeState::Placed,
        credit_cents: 1,
        goods_credit_cents: 1,
        currency: HOSTILE.to_owned(),
        created_at: Timestamp::UNIX_EPOCH,
        decided_at: None,
        exchange_order_identifier: Some(HOSTILE.to_owned()),
        total_amount_cents: Some(1),
        product_amount_cents: None,
        tax_amount_cents: None,
    }
}
