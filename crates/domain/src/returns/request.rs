//! What a shopper requests: the body of a request to start a return, or to quote one.
//!
//! Only the shape is checked here, and what can be seen from the request alone. The policy decides
//! whether a unit can be returned, by which method, and for how much.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Resolution, ReturnMethod};
use crate::faults::{FaultCode, Faults};
use crate::json::Json;
use crate::merchants::language::Language;
use crate::reader::fields::{Fields, ListElement, QUANTITY_MAX};
use crate::reader::path::PathStep;
use crate::reader::{IDENTIFIER_MAX, Reader, read};

/// A request names at most this many lines.
pub const ITEMS_MAX: usize = 200;

/// A return has at most this many units, so that its message is smaller than ten megabytes.
pub const UNITS_MAX: i64 = 10_000;

/// A return is sent in at most this many parcels.
pub const PARCELS_MAX: i64 = 20;

/// A return as a shopper requests it.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReturnRequest {
    /// The shopper's e-mail address. Required unless the return is of a gift.
    #[schema(example = "dana.whitfield@example.com", max_length = 255)]
    pub email: Option<String>,
    pub return_method: ReturnMethod,
    /// What is returned: at least one unit. The same line may occur several times, each time with a
    /// different reason, resolution, or variant.
    #[schema(min_items = 1, max_items = 200)]
    pub items: Vec<ReturnItem>,
    /// Present if the goods were a gift: the recipient returns them and gets a gift card, and the
    /// buyer gets nothing back.
    pub gift: Option<Gift>,
    /// The shopper's language, for mails. Left out: the default language of the portal.
    pub language: Option<Language>,
    /// How many parcels the goods are sent in, each with a label of its own and at least one unit.
    /// More than one only for the methods `mail-back` and `home-pickup`.
    #[serde(default = "one_parcel", skip_serializing_if = "is_one_parcel")]
    #[schema(required = false, example = 1, minimum = 1, maximum = 20)]
    pub parcel_count: i64,
}

/// Units of one order line that are returned for one reason.
#[omit_none]
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
    /// Why they are returned.
    #[schema(example = "too_small", min_length = 1, max_length = 255)]
    pub return_reason: String,
    pub resolution: Resolution,
    /// The variant to get instead. Required for an exchange, and refused otherwise.
    #[schema(example = "TEE-NAVY-L", max_length = 255)]
    pub exchange_sku: Option<String>,
    /// What the shopper gets if the variant is out of stock. Only for an exchange.
    pub fallback: Option<Fallback>,
    /// The other variant that the shopper gets then. Required if the fallback is `variant`, and
    /// refused otherwise.
    #[schema(example = "TEE-NAVY-S", max_length = 255)]
    pub fallback_sku: Option<String>,
}

/// What a shopper gets instead of an exchange that is not possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fallback {
    /// Money, to the original payment method.
    Refund,
    /// A gift card.
    GiftCard,
    /// Another variant: the one that `fallback_sku` names.
    Variant,
}

impl Fallback {
    pub const ALL: [Self; 3] = [Self::Refund, Self::GiftCard, Self::Variant];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Refund => Resolution::Refund.name(),
            Self::GiftCard => Resolution::GiftCard.name(),
            Self::Variant => "variant",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|fallback| fallback.name() == name)
    }
}

/// The recipient of a gift.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Gift {
    /// Where the gift card goes.
    #[schema(example = "robin.ames@example.com", max_length = 255)]
    pub giftee_email: String,
}

/// Reads a request, or returns everything wrong with it.
pub fn read_request(document: &Json<'_>) -> Result<ReturnRequest, Faults> {
    let (request, _) = read(document, false, |root| root.object(read_fields))?;
    Ok(request)
}

fn read_fields(at: &Fields<'_>) -> ReturnRequest {
    at.refuse_unknown();
    let email = at.optional("email", read_email);
    let return_method = at.required("return_method", |value| {
        let refused = "must be one of mail-back, express-returns, customer-keep, home-pickup";
        value.named(ReturnMethod::parse, refused)
    });
    let items = at.objects_up_to(ITEMS_MAX, "items", read_item);
    let gift = at.optional_object("gift", |at| {
        at.refuse_unknown();
        Gift { giftee_email: at.required("giftee_email", read_email).unwrap_or_default() }
    });
    let language = at.optional("language", |value| {
        value.named(Language::parse, "must be one of en, de, fr, es")
    });

    if email.is_none() && gift.is_none() && at.sound(&["email", "gift"]) {
        at.note_neither_of(["email", "gift"]);
    }
    let parcel_count = at.optional("parcel_count", |value| value.integer(1..=PARCELS_MAX));
    check_items(at, &items);
    check_parcels(at, parcel_count, return_method, &items);
    ReturnRequest {
        email,
        return_method: return_method.unwrap_or(ReturnMethod::MailBack),
        items: items.into_iter().map(|item| item.value).collect(),
        gift,
        language,
        parcel_count: parcel_count.unwrap_or_else(one_parcel),
    }
}

fn read_item(at: &Fields<'_>) -> ListElement<ReturnItem> {
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
    if matches!(resolution, Some(Resolution::Refund | Resolution::GiftCard))
        && exchange_sku.is_some()
    {
        at.note("exchange_sku", EXCHANGE_ONLY);
    }
    let (fallback, fallback_sku) = read_fallback(at, resolution, exchange_sku.as_deref());
    at.element(ReturnItem {
        order_identifier,
        order_line_item_identifier,
        quantity: quantity.unwrap_or_default(),
        return_reason,
        resolution: resolution.unwrap_or(Resolution::Refund),
        exchange_sku,
        fallback,
        fallback_sku,
    })
}

/// What the shopper gets if the variant is out of stock, and which other variant that is.
fn read_fallback(
    at: &Fields<'_>,
    resolution: Option<Resolution>,
    exchange_sku: Option<&str>,
) -> (Option<Fallback>, Option<String>) {
    let fallback = at.optional("fallback", |value| {
        value.named(Fallback::parse, "must be one of refund, gift_card, variant")
    });
    let is_exchange = !matches!(resolution, Some(Resolution::Refund | Resolution::GiftCard));
    if !is_exchange && fallback.is_some() {
        at.note("fallback", EXCHANGE_ONLY);
    }
    if is_exchange && fallback == Some(Fallback::Variant) {
        let sku = at.identifier("fallback_sku");
        if at.sound(&["fallback_sku"]) && exchange_sku == Some(sku.as_str()) {
            at.note("fallback_sku", "must be another variant than exchange_sku");
        }
        return (fallback, Some(sku));
    }
    let sku = at.optional_identifier("fallback_sku");
    // Of a fallback that cannot be read, it is not known whether it has a variant.
    if sku.is_some() && !is_exchange {
        at.note("fallback_sku", EXCHANGE_ONLY);
    } else if sku.is_some() && at.sound(&["fallback"]) {
        at.note("fallback_sku", "must not be sent unless the fallback is variant");
    }
    (fallback, sku)
}

/// Checks the items together: there is at least one, there are not too many units, and no item
/// occurs twice.
fn check_items(at: &Fields<'_>, items: &[ListElement<ReturnItem>]) {
    if !at.sound(&["items"]) {
        return;
    }
    if items.is_empty() {
        at.note("items", "must not be empty");
    }
    let units: i64 = items.iter().map(|item| item.value.quantity).sum();
    if units > UNITS_MAX {
        at.note("items", &format!("must not have more than {UNITS_MAX} units in total"));
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
            let reason = "must be unique for a reason, resolution, and variant";
            at.reader().note_at(&steps, FaultCode::Invalid, reason);
        }
    }
}

/// Checks that there can be so many parcels.
fn check_parcels(
    at: &Fields<'_>,
    parcel_count: Option<i64>,
    return_method: Option<ReturnMethod>,
    items: &[ListElement<ReturnItem>],
) {
    let (Some(count), Some(method)) = (parcel_count, return_method) else { return };
    if count > 1 && !method.has_parcels() {
        at.note("parcel_count", "must be 1 unless the method is mail-back or home-pickup");
    } else if at.sound(&["items"])
        && count > items.iter().map(|item| item.value.quantity).sum::<i64>().max(1)
    {
        at.note("parcel_count", "must not be greater than the number of units");
    }
}

/// Why a field of an exchange is refused elsewhere.
const EXCHANGE_ONLY: &str = "must not be sent unless the resolution is exchange";

/// What distinguishes two items of a request.
const KEY: [&str; 5] = [
    "order_identifier",
    "order_line_item_identifier",
    "return_reason",
    "resolution",
    "exchange_sku",
];

pub(crate) const fn one_parcel() -> i64 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(crate) const fn is_one_parcel(count: &i64) -> bool {
    *count == one_parcel()
}

fn read_email(value: &Reader<'_>) -> Option<String> {
    let email = value.text(1..=IDENTIFIER_MAX)?;
    if !email.contains('@') {
        return value.invalid("must be an e-mail address");
    }
    Some(email.to_owned())
}
