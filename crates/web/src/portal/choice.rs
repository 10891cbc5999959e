//! What a shopper chose in a form, line by line.
//!
//! Each line of the order has fields of its own: `quantity.N`, `reason.N` and `get.N`, where N is the line's position.
//! `get` is `refund`, `gift_card` or `exchange SKU`.

use app::shopper::Shopper;
use domain::{
    order::Order,
    returns::{
        Resolution, ReturnMethod,
        request::{Gift, ReturnItem, ReturnRequest},
    },
};

/// The fields of a form.
pub(super) struct Form(pub(super) Vec<(String, String)>);

impl Form {
    pub(super) fn text(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.trim()).unwrap_or_default()
    }
}

/// What is wrong with a choice, for the shopper to read.
pub(super) type Problem = &'static str;

/// The return that a shopper chose.
pub(super) fn request(
    form: &Form,
    shopper: &Shopper,
    order: &Order,
) -> Result<ReturnRequest, Problem> {
    let mut items = Vec::new();
    for (position, line) in order.items.iter().enumerate() {
        let quantity: i64 = form.text(&format!("quantity.{position}")).parse().unwrap_or(0);
        if quantity <= 0 {
            continue;
        }
        let reason = form.text(&format!("reason.{position}"));
        if reason.is_empty() {
            return Err("Please give a reason for everything that you send back.");
        }
        let (resolution, exchange_sku) = wanted(form.text(&format!("get.{position}")));
        items.push(ReturnItem {
            order_identifier: order.identifier.clone(),
            order_line_item_identifier: line.identifier.clone(),
            quantity,
            return_reason: reason.to_owned(),
            resolution,
            exchange_sku,
            fallback: None,
        });
    }
    if items.is_empty() {
        return Err("Please choose at least one item.");
    }
    let return_method = ReturnMethod::parse(form.text("method"));
    let gift = match (shopper.gift, form.text("giftee_email")) {
        (false, _) => None,
        (true, email) if email.contains('@') => Some(Gift { giftee_email: email.to_owned() }),
        (true, _) => return Err("Please tell us where to send the gift card."),
    };
    Ok(ReturnRequest {
        email: (!shopper.gift).then(|| order.customer.email.clone()),
        return_method: return_method.ok_or("Please choose how to send it back.")?,
        items,
        gift,
    })
}

fn wanted(text: &str) -> (Resolution, Option<String>) {
    match text.split_once(' ') {
        Some(("exchange", sku)) => (Resolution::Exchange, Some(sku.to_owned())),
        _ => (Resolution::parse(text).unwrap_or(Resolution::Refund), None),
    }
}
