//! Reads a drop-ship order, and says everything wrong with it at once.

use std::collections::HashSet;

use jiff::Timestamp;
use jiff::civil::Date;

use super::{
    DropShipAddress, DropShipItem, DropShipOrder, DropShipStatus, ITEMS_MAX, ShippingMethod,
};
use crate::faults::{FaultCode, Faults};
use crate::json::Json;
use crate::reader::fields::{Fields, ListElement, QUANTITY_MAX};
use crate::reader::path::PathStep;
use crate::reader::{Reader, read};
use crate::returns::receipt::Condition;

/// What reading depends on besides the document.
#[derive(Clone, Copy, Debug)]
pub struct DropShipReadContext {
    /// The first of [`DropShipReadContext::IDS`] numbers in a row that are nobody's `id` yet.
    pub first_id: i64,
    pub now: Timestamp,
}

impl DropShipReadContext {
    /// How many numbers an order may need: its own, two addresses', and its lines'.
    pub const IDS: i64 = 128;
}

/// Reads an order that the merchant wants shipped, or says everything wrong with it.
pub fn read_drop_ship_order(
    document: &Json<'_>,
    context: &DropShipReadContext,
) -> Result<DropShipOrder, Faults> {
    let (order, _) = read(document, false, |root| {
        root.object(|at| {
            at.refuse_unknown();
            at.object("order", |at| order(at, context))
        })?
    })?;
    Ok(order)
}

fn order(at: &Fields<'_>, context: &DropShipReadContext) -> DropShipOrder {
    at.refuse_unknown();
    let method = at.required("shipping_method", shipping_method);
    DropShipOrder {
        id: context.first_id,
        client_identifier: at.identifier("client_identifier"),
        brand: at.optional_identifier("brand"),
        channel: at.optional_identifier("channel"),
        shipping_method: method.unwrap_or(ShippingMethod::Standard),
        status: DropShipStatus::Accepted,
        price_cents: at.cents("price_cents"),
        tax_cents: at.cents("tax_cents"),
        processing_fee_cents: at.optional_cents("processing_fee_cents").unwrap_or_default(),
        shipping_cost_cents: at.cents("shipping_cost_cents"),
        shipping_tax_cents: at.cents("shipping_tax_cents"),
        comments: at.optional_text("comments"),
        expected_delivery_date: at.optional("expected_delivery_date", date),
        signature_required: at.optional_flag("signature_required").unwrap_or_default(),
        packing_slip_identifier: at.optional_identifier("packing_slip_identifier"),
        billing_address: address(at, "billing_address", context.first_id.saturating_add(1)),
        shipping_address: address(at, "shipping_address", context.first_id.saturating_add(2)),
        order_items: items(at, context.first_id.saturating_add(3)),
        reject_reason: None,
        shipments: Vec::new(),
        cancellations: Vec::new(),
        created_at: context.now,
        updated_at: context.now,
        messages_sent: 0,
    }
}

fn shipping_method(value: &Reader<'_>) -> Option<ShippingMethod> {
    let refused = "must be one of STANDARD, EXPRESS, OVERNIGHT, FREIGHT, PICK-UP";
    value.named(ShippingMethod::parse, refused)
}

fn date(value: &Reader<'_>) -> Option<Date> {
    // A date has ten characters; what is longer names a time, too, which nobody would see again.
    let parse = |text: &str| text.parse().ok().filter(|_| text.len() == 10);
    value.named(parse, "must be a date such as 2026-03-09")
}

fn address(at: &Fields<'_>, key: &'static str, id: i64) -> DropShipAddress {
    let address = at.object(key, |at| {
        at.refuse_unknown();
        DropShipAddress {
            id,
            name: at.text("name"),
            company: at.optional_text("company"),
            telephone_number: at.optional_text("telephone_number"),
            street: at.text("street"),
            street2: at.optional_text("street2"),
            city: at.text("city"),
            state: at.text("state"),
            zip_code: at.text("zip_code"),
            country: at.text("country"),
        }
    });
    address.unwrap_or_default()
}

fn items(at: &Fields<'_>, first_id: i64) -> Vec<DropShipItem> {
    let mut next_id = first_id;
    let items = at.objects_up_to(ITEMS_MAX, "order_items", |at| {
        let id = next_id;
        next_id = next_id.saturating_add(1);
        item(at, id)
    });
    if items.is_empty() && at.sound(&["order_items"]) {
        at.note("order_items", "must not be empty");
    }
    distinct(at, "order_items", &items, |item| &item.client_identifier);
    items.into_iter().map(|item| item.value).collect()
}

fn item(at: &Fields<'_>, id: i64) -> ListElement<DropShipItem> {
    at.refuse_unknown();
    let condition = at.optional("condition", |value| {
        value.named(Condition::parse, "must be one of N, R, A, B, C, X, TT")
    });
    let quantity = at.required("quantity", |value| value.integer(1..=QUANTITY_MAX));
    at.element(DropShipItem {
        id,
        client_identifier: at.identifier("client_identifier"),
        sku: at.identifier("sku"),
        brand: at.optional_identifier("brand"),
        condition,
        quantity: quantity.unwrap_or_default(),
        quantity_shipped: 0,
        quantity_cancelled: 0,
        price_cents: at.cents("price_cents"),
        tax_cents: at.cents("tax_cents"),
        shipping_cost_cents: at.optional_cents("shipping_cost_cents").unwrap_or_default(),
        shipping_tax_cents: at.optional_cents("shipping_tax_cents").unwrap_or_default(),
        status: DropShipStatus::Accepted,
        comments: at.optional_text("comments"),
    })
}

/// Notes every element whose `client_identifier` stands before it already.
pub(super) fn distinct<T>(
    at: &Fields<'_>,
    list: &'static str,
    items: &[ListElement<T>],
    identifier: impl Fn(&T) -> &str,
) {
    let key = "client_identifier";
    let mut seen = HashSet::with_capacity(items.len());
    for item in items.iter().filter(|item| item.sound(key)) {
        if !seen.insert(identifier(&item.value)) {
            let steps = [PathStep::Key(list), PathStep::Index(item.position), PathStep::Key(key)];
            at.reader().note_at(&steps, FaultCode::Invalid, "must be unique");
        }
    }
}
