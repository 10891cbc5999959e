//! A visitor for the tests of pages, and text that must never become markup.

use app::{
    access::sessions::Session,
    messages::message_log::{MessageState, MessageView},
};
use askama::Template;
use domain::{
    access::operator::{Operator, OperatorName, Role},
    exchanges::record::{ExchangeRecord, ExchangeState},
    messages::kind::MessageKind,
};
use jiff::Timestamp;

use super::lists::{FilterOption, StatusFilter, StatusQuery};
use crate::access::visitor::Visitor;

/// Text that ends an attribute and contains a script, if it is not escaped.
pub(crate) const HOSTILE: &str = "\"'><script>alert(1)</script><img src=x onerror=y>";

/// An operator who gets a notice with hostile text.
pub(crate) fn sample_visitor() -> Visitor {
    let operator = Operator {
        name: OperatorName::parse("lena").unwrap(),
        role: Role::Operator,
        merchant: None,
        password_hash: String::new(),
        created_at: Timestamp::UNIX_EPOCH,
        disabled_at: None,
    };
    let session = Session::new(&operator, "token");
    Visitor { session, notice: Some(HOSTILE.to_owned()) }
}

/// Fails if hostile text became markup of the page. Returns the page.
pub(crate) fn assert_is_text(page: &impl Template) -> String {
    let html = page.render().unwrap();
    for bad in ["<script>alert", "<img src=x", "'><", "\"'>", "style="] {
        assert!(!html.contains(bad), "{bad}: {html}");
    }
    assert!(html.contains("&#60;script&#62;alert"), "{html}");
    assert_eq!(html.matches("<h1>").count(), 1, "{html}");
    html
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

/// The query of a list with hostile text in every field.
pub(crate) fn hostile_status_query() -> StatusQuery {
    StatusQuery {
        merchant: HOSTILE.to_owned(),
        status: HOSTILE.to_owned(),
        before: HOSTILE.to_owned(),
    }
}

/// A filter with hostile text in every option.
pub(crate) fn hostile_status_filter() -> StatusFilter {
    StatusFilter {
        merchants: vec![FilterOption::new(HOSTILE, HOSTILE, HOSTILE)],
        statuses: vec![FilterOption::new(HOSTILE, HOSTILE, "")],
    }
}
