//! A withdrawal from two lines of an order, one of which has no right of withdrawal.

use jiff::civil::date;

use super::time;
use crate::merchants::language::Language;
use crate::returns::identifier::RmaId;
use crate::withdrawal::identifier::WithdrawalId;
use crate::withdrawal::period::WithdrawalPeriod;
use crate::withdrawal::record::{
    WithdrawalOutcome, WithdrawalRecord, WithdrawnItem, WithdrawnResult,
};
use crate::withdrawal::terms::WithdrawalException;

/// The withdrawal that [`withdrawal_message`](super::withdrawal_message) is about.
pub fn withdrawal() -> WithdrawalRecord {
    let item = |line: &str, title: &str, quantity, result| WithdrawnItem {
        order_line_item_identifier: line.to_owned(),
        title: title.to_owned(),
        quantity,
        result,
        exception: None,
        legal_basis: None,
    };
    let exception = WithdrawalException::MadeToOrder;
    let text = [
        "I hereby withdraw from the contract for the purchase of the following goods:",
        "2 × Organic cotton tee, navy, M",
        "1 × Stoneware mug, clay",
        "Order ORD-100472, placed on 11 February 2026",
        "Name: Dana Whitfield",
        "Email address for the acknowledgement: dana.whitfield@example.com",
    ];
    WithdrawalRecord {
        withdrawal_identifier: WithdrawalId::parse("WDR-4H8N-Q2XK-7RZ1")
            .expect("the sample's identifier is one"),
        merchant: "acme".to_owned(),
        received_at: time("2026-02-20T18:04:11.250112Z"),
        order_identifier: "ORD-100472".to_owned(),
        name: "Dana Whitfield".to_owned(),
        email: "dana.whitfield@example.com".to_owned(),
        language: Language::English,
        text: text.join("\n"),
        whole_order: true,
        outcome: WithdrawalOutcome::PartlyAccepted,
        period: WithdrawalPeriod {
            delivered_on: Some(date(2026, 2, 16)),
            assumed: false,
            last_day: Some(date(2026, 3, 2)),
            ends_at: Some(time("2026-03-02T23:00:00Z")),
        },
        items: vec![
            item("ORD-100472-1", "Organic cotton tee, navy, M", 2, WithdrawnResult::Return),
            WithdrawnItem {
                exception: Some(exception),
                legal_basis: Some(exception.legal_basis()),
                ..item("ORD-100472-2", "Stoneware mug, clay", 1, WithdrawnResult::Excepted)
            },
        ],
        rma_identifier: RmaId::parse("RMA-7K3Q-9XWD-2M4T"),
        shipping_refund_cents: 643,
        refund_due_at: Some(time("2026-03-06T23:00:00Z")),
    }
}
