//! The response of a merchant to an exchange order.

use serde::Deserialize;

use crate::{json::Json, reader::read};

/// The response of a merchant that accepts an exchange order. Every field may be absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct ExchangeAnswer {
    pub order_identifier: Option<String>,
    pub total_amount_cents: Option<i64>,
    pub product_amount_cents: Option<i64>,
    pub tax_amount_cents: Option<i64>,
}

/// Reads a response. Fields that cannot be read count as absent.
pub fn read_answer(document: &Json<'_>) -> ExchangeAnswer {
    let text = |key: &'static str| {
        read(document, false, |root| root.object(|at| at.optional_identifier_or_number(key)))
            .ok()
            .and_then(|(value, _)| value)
    };
    let amount = |key: &'static str| {
        read(document, false, |root| root.object(|at| at.optional_cents(key)))
            .ok()
            .and_then(|(value, _)| value)
    };
    ExchangeAnswer {
        order_identifier: text("order_identifier"),
        total_amount_cents: amount("total_amount_cents"),
        product_amount_cents: amount("product_amount_cents"),
        tax_amount_cents: amount("tax_amount_cents"),
    }
}
