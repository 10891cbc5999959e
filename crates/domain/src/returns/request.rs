//! What a shopper asks for: the body of a request to start a return, or to quote one.
//!
//! Only the shape is judged here, and what can be told from the request alone. Whether a unit may
//! come back, by which method and for how much, is for the policy to say.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Resolution, ReturnMethod};
use crate::faults::{FaultCode, Faults};
use crate::json::Json;
use crate::reader::fields::{Fields, ListElement, QUANTITY_MAX};
use crate::reader::path::PathStep;
use crate::reader::{IDENTIFIER_MAX, Reader, read};

/// A request names at most this many lines.
pub const ITEMS_MAX: usize = 200;

/// A return has at most this many units, so that its message stays below ten megabytes.
pub const UNITS_MAX: i64 = 10_000;

/// A return as a shopper asks for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReturnRequest {
    /// The shopper's e-mail address. Required unless the return is of a gift.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "dana.whitfield@example.com", max_length = 255)]
    pub email: Option<String>,
    pub return_method: ReturnMethod,
    /// What comes back: at least one unit. The same line may stand here several times, each time
    /// with another reason, resolution or variant.
    #[schema(min_items = 1, max_items = 200)]
    pub items: Vec<ReturnItem>,
    /// Present when whoever returns the goods got them as a gift: the money goes on a gift card,
    /// not back to the one who paid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gift: Option<Gift>,
}

/// Units of one order line that come back for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReturnItem {
    /// The merchant's identifier of the order.
    #[schema(example = "ORD-100472", min_length = 1, max_length = 255)]
    pub order_identifier: String,
    /// The merchant's identifier of the line within the order.
    #[schema(example = "ORD-100472-1", min_length = 1, max_length = 255)]
    pub order_line_item_identifier: String,
    /// How many units.
    #[schema(example = 1, minimum = 1, maximum = 1000)]
    pub quantity: i64,
    /// Why they come back.
    #[schema(example = "too_small", min_length = 1, max_length = 255)]
    pub return_reason: String,
    pub resolution: Resolution,
    /// The variant that is wanted instead. Required for an exchange, and refused otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "TEE-NAVY-L", max_length = 255)]
    pub exchange_sku: Option<String>,
    /// What is wanted if the variant is gone. Only for an exchange.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<Fallback>,
}

/// What a shopper wants in place of an exchange that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fallback {
    /// The money, the way it was paid.
    Refund,
    /// The money on a gift card.
    GiftCard,
}

impl Fallback {
    pub const ALL: [Self; 2] = [Self::Refund, Self::GiftCard];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Refund => Resolution::Refund.name(),
            Self::GiftCard => Resolution::GiftCard.name(),
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|fallback| fallback.name() == name)
    }
}

/// Who got the goods as a gift.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Gift {
    /// Where the gift card goes.
    #[schema(example = "robin.ames@example.com", max_length = 255)]
    pub giftee_email: String,
}

/// Reads a request, or says everything wrong with it.
pub fn read_request(document: &Json<'_>) -> Result<ReturnRequest, Faults> {
    let (request, _) = read(document, false, |root| root.object(request))?;
    Ok(request)
}

fn request(at: &Fields<'_>) -> ReturnRequest {
    at.refuse_unknown();
    let email = at.optional("email", email);
    let return_method = at.required("return_method", |value| {
        let refused = "must be one of mail-back, express-returns, customer-keep, home-pickup";
        value.named(ReturnMethod::parse, refused)
    });
    let items = at.objects_up_to(ITEMS_MAX, "items", item);
    let gift = at.optional_object("gift", |at| {
        at.refuse_unknown();
        Gift { giftee_email: at.required("giftee_email", self::email).unwrap_or_default() }
    });

    if email.is_none() && gift.is_none() && at.sound(&["email", "gift"]) {
        at.note_neither_of(["email", "gift"]);
    }
    check_items(at, &items);
    ReturnRequest {
        email,
        return_method: return_method.unwrap_or(ReturnMethod::MailBack),
        items: items.into_iter().map(|item| item.value).collect(),
        gift,
    }
}

fn item(at: &Fields<'_>) -> ListElement<ReturnItem> {
    at.refuse_unknown();
    let order_identifier = at.identifier("order_identifier");
    let order_line_item_identifier = at.identifier("order_line_item_identifier");
    let quantity = at.required("quantity", |value| value.integer(1..=QUANTITY_MAX));
    let return_reason = at.identifier("return_reason");
    let resolution = at.required("resolution", |value| {
        value.named(Resolution::parse, "must be one of refund, exchange, gift_card")
    });
    let exchange_sku = match resolution {
        Some(Resolution::Exchange) => Some(at.identifier("exchange_sku")),
        Some(Resolution::Refund | Resolution::GiftCard) | None => {
            at.optional_identifier("exchange_sku")
        }
    };
    let fallback = at.optional("fallback", |value| {
        value.named(Fallback::parse, "must be one of refund, gift_card")
    });
    if matches!(resolution, Some(Resolution::Refund | Resolution::GiftCard)) {
        let refused = "must not be sent unless the resolution is exchange";
        if exchange_sku.is_some() {
            at.note("exchange_sku", refused);
        }
        if fallback.is_some() {
            at.note("fallback", refused);
        }
    }
    at.element(ReturnItem {
        order_identifier,
        order_line_item_identifier,
        quantity: quantity.unwrap_or_default(),
        return_reason,
        resolution: resolution.unwrap_or(Resolution::Refund),
        exchange_sku,
        fallback,
    })
}

/// What must hold over all items: there are some, not too many units, and none of them twice.
fn check_items(at: &Fields<'_>, items: &[ListElement<ReturnItem>]) {
    if !at.sound(&["items"]) {
        return;
    }
    if items.is_empty() {
        at.note("items", "must not be empty");
    }
    let units: i64 = items.iter().map(|item| item.value.quantity).sum();
    if units > UNITS_MAX {
        at.note("items", &format!("must not be more than {UNITS_MAX} units together"));
    }
    let mut seen = HashSet::with_capacity(items.len());
    let readable = |item: &&ListElement<ReturnItem>| KEY.iter().all(|key| item.sound(key));
    for ListElement { value: item, position, .. } in items.iter().filter(readable) {
        let key = (
            item.order_identifier.as_str(),
            item.order_line_item_identifier.as_str(),
            item.return_reason.as_str(),
            item.resolution,
            item.exchange_sku.as_deref(),
        );
        if !seen.insert(key) {
            let steps = [
                PathStep::Key("items"),
                PathStep::Index(*position),
                PathStep::Key("order_line_item_identifier"),
            ];
            let reason = "must not stand twice with the same reason, resolution and variant";
            at.reader().note_at(&steps, FaultCode::Invalid, reason);
        }
    }
}

/// What tells two items of a request apart.
const KEY: [&str; 5] = [
    "order_identifier",
    "order_line_item_identifier",
    "return_reason",
    "resolution",
    "exchange_sku",
];

fn email(value: &Reader<'_>) -> Option<String> {
    let email = value.text(1..=IDENTIFIER_MAX)?;
    if !email.contains('@') {
        return value.invalid("must be an e-mail address");
    }
    Some(email.to_owned())
}
