//! The fields of an order, in the order in which they are read and their faults are reported.

use super::rules::{self, IntakeRules, RefundRules};
use super::{LINES_MAX, REFUNDS_MAX};
use crate::currency;
use crate::json::Json;
use crate::orders::order::{
    Customer, Discount, Order, OrderLine, OrderStatus, PaymentDetails, PaymentTransaction,
    PostalAddress, Refund, RefundLine, Variant, VariantAttribute,
};
use crate::reader::fields::{Fields, ListElement};
use crate::reader::{Reader, TEXT_MAX};

/// The key of the shopper, and the one that is accepted in its place.
pub(super) const CUSTOMER: &str = "customer";
pub(super) const CUSTOMER_ALIAS: &str = "the service";

/// Reads an order, and checks `rules` if there are any.
pub(super) fn read_order_fields(at: &Fields<'_>, mut rules: Option<&mut IntakeRules>) -> Order {
    let mut order = Order {
        identifier: at.identifier("identifier"),
        raw_status: at.optional_text("raw_status"),
        status: read_status(at),
        total_amount_cents: at.cents("total_amount_cents"),
        product_amount_cents: at.cents("product_amount_cents"),
        tax_amount_cents: at.cents("tax_amount_cents"),
        discount_amount_cents: at.cents("discount_amount_cents"),
        shipping_amount_cents: at.cents("shipping_amount_cents"),
        shipping_tax_amount_cents: at.cents("shipping_tax_amount_cents"),
        currency: at.text_that(
            "currency",
            currency::is_known,
            "must be an ISO 4217 currency code in capitals, such as USD",
        ),
        tags: at.texts("tags"),
        created_at: at.time("created_at"),
        updated_at: at.time("updated_at"),
        items: Vec::new(),
        customer: Customer::default(),
        shipping_address: PostalAddress::default(),
        billing_address: PostalAddress::default(),
        transactions: Vec::new(),
        refunds: Vec::new(),
        discounts: Vec::new(),
        concept: at.optional_text("concept"),
        note: at.optional_text("note"),
        gift_code: at.optional_identifier("gift_code"),
        secondary_identifier: at.optional_identifier("secondary_identifier"),
    };
    if let Some(rules) = rules.as_deref_mut() {
        rules.check_order_identifier(at, &order.identifier);
        rules::check_gift_code(at, order.gift_code.as_deref());
    }

    let checked = rules.is_some();
    let most = if checked { LINES_MAX } else { usize::MAX };
    let items = at.objects_up_to(most, "items", |at| read_line(at, checked));
    if checked {
        rules::check_distinct_lines(at, &items);
        rules::check_units(at, &items);
    }
    order.customer = read_shopper(at);
    order.shipping_address = at.object("shipping_address", PostalAddress::read).unwrap_or_default();
    order.billing_address = at.object("billing_address", PostalAddress::read).unwrap_or_default();
    order.transactions = at.objects("transactions", read_transaction);
    let total_cents = order.total_amount_cents;
    let mut refunds = rules.map(|rules| RefundRules::of(at, &items, total_cents, rules));
    let most = if checked { REFUNDS_MAX } else { usize::MAX };
    order.refunds = at.objects_up_to(most, "refunds", |at| read_refund(at, refunds.as_mut()));
    order.discounts = at.objects("discounts", read_discount);
    if checked {
        rules::check_amounts(at, &order, &items);
    }

    order.items = items.into_iter().map(|item| item.value).collect();
    order
}

fn read_status(at: &Fields<'_>) -> OrderStatus {
    let status = at.required("status", |value| match value.text(0..=usize::MAX)? {
        "Created" => Some(OrderStatus::Created),
        "Shipped" => Some(OrderStatus::Shipped),
        "Cancelled" | "Canceled" => Some(OrderStatus::Cancelled),
        _ => value.invalid("must be one of Created, Shipped, Cancelled"),
    });
    status.unwrap_or(OrderStatus::Created)
}

fn read_line(at: &Fields<'_>, checked: bool) -> ListElement<OrderLine> {
    let line = OrderLine {
        identifier: at.identifier("identifier"),
        sku: at.optional_identifier("sku"),
        upc: at.optional_identifier("upc"),
        quantity: at.count("quantity"),
        quantity_shipped: at.count("quantity_shipped"),
        quantity_canceled: at.count("quantity_canceled"),
        quantity_refunded: at.optional_count("quantity_refunded"),
        tracking_number: at.optional_text("tracking_number"),
        reverse_tracking_number: at.optional_text("reverse_tracking_number"),
        shipped_date: at.optional_time("shipped_date"),
        delivered_date: at.optional_time("delivered_date"),
        return_policy_end_date: at.optional_time("return_policy_end_date"),
        product_identifier: at.identifier("product_identifier"),
        variant_identifier: at.identifier_or_empty("variant_identifier"),
        dropship_identifier: at.optional_identifier("dropship_identifier"),
        title: at.text("title"),
        tags: at.texts("tags"),
        concept: at.optional_text("concept"),
        product_amount_cents: at.cents("product_amount_cents"),
        tax_amount_cents: at.cents("tax_amount_cents"),
        discount_amount_cents: at.cents("discount_amount_cents"),
        unit_price_amount_cents: at.cents("unit_price_amount_cents"),
        image_url: at.optional_text("image_url"),
        weight: at.optional_number("weight"),
        variants: at.optional_objects("variants", read_variant),
    };
    if checked {
        rules::check_line(at, &line);
    }
    at.element(line)
}

pub(crate) fn read_variant(at: &Fields<'_>) -> Variant {
    Variant {
        sku: at.optional_identifier("sku"),
        title: at.optional_text("title"),
        product_identifier: at.optional_identifier("product_identifier"),
        attributes: at.optional("attributes", read_attributes).unwrap_or_default(),
        unit_price_amount_cents: at.optional_cents("unit_price_amount_cents"),
        quantity_in_stock: at.optional_integer("quantity_in_stock"),
        image_url: at.optional_text("image_url"),
        product_url: at.optional_text("product_url"),
    }
}

/// A list of names and values, or an object with names and values.
fn read_attributes(value: &Reader<'_>) -> Option<Vec<VariantAttribute>> {
    if let Json::Object(_) = value.source() {
        return value.map(|name, value| {
            if name.len() > TEXT_MAX || name.contains('\0') {
                return value.invalid("must have a shorter name, without the character U+0000");
            }
            let value = value.text(0..=TEXT_MAX)?.to_owned();
            Some(VariantAttribute { name: name.to_owned(), value })
        });
    }
    value.list(usize::MAX, |element| {
        element.object(|at| VariantAttribute { name: at.text("name"), value: at.text("value") })
    })
}

/// The shopper, under either of the two keys.
fn read_shopper(at: &Fields<'_>) -> Customer {
    let key = match (at.has(CUSTOMER), at.has(CUSTOMER_ALIAS)) {
        (false, true) => CUSTOMER_ALIAS,
        (true, true) => {
            at.note(CUSTOMER_ALIAS, "must not be sent together with customer");
            CUSTOMER
        }
        (_, false) => CUSTOMER,
    };
    let customer = at.object(key, |at| Customer {
        identifier: at.identifier("identifier"),
        first_name: at.optional_text("first_name"),
        last_name: at.optional_text("last_name"),
        email: at.text_that("email", |email| email.contains('@'), "must be an e-mail address"),
        phone: at.optional_text("phone"),
        tags: at.optional_texts("tags"),
    });
    customer.unwrap_or_default()
}

impl PostalAddress {
    pub fn read(at: &Fields<'_>) -> Self {
        Self {
            name: at.text("name"),
            street1: at.text("street1"),
            street2: at.optional_text("street2"),
            city: at.text("city"),
            state: at.text("state"),
            zip_code: at.text("zip_code"),
            country_code: at.text("country_code"),
            phone: at.optional_text("phone"),
        }
    }
}

fn read_transaction(at: &Fields<'_>) -> PaymentTransaction {
    PaymentTransaction {
        identifier: at.optional_identifier("identifier"),
        parent_identifier: at.optional_identifier("parent_identifier"),
        amount_cents: at.optional_cents("amount_cents"),
        status: at.optional_text("status"),
        kind: at.optional_text("type"),
        gateway: at.optional_text("gateway"),
        is_online: at.optional_flag("is_online"),
        is_test: at.optional_flag("is_test"),
        created_at: at.optional_time("created_at"),
        updated_at: at.optional_time("updated_at"),
        payment_details: at.optional_object("payment_details", |at| PaymentDetails {
            avs_result_code: at.optional_text("avs_result_code"),
            cvv_result_code: at.optional_text("cvv_result_code"),
            credit_card_company: at.optional_text("credit_card_company"),
            gift_card_id: at.optional_text("gift_card_id"),
            gift_card_code: at.optional_text("gift_card_code"),
        }),
    }
}

fn read_discount(at: &Fields<'_>) -> Discount {
    Discount {
        identifier: at.optional_identifier("identifier"),
        code: at.optional_text("code"),
        amount_cents: at.optional_cents("amount_cents"),
        kind: at.optional_text("type"),
        created_at: at.optional_time("created_at"),
        updated_at: at.optional_time("updated_at"),
    }
}

pub(super) fn read_refund(at: &Fields<'_>, mut rules: Option<&mut RefundRules<'_>>) -> Refund {
    let mut refund = Refund {
        identifier: at.identifier("identifier"),
        total_refund_amount_cents: at.cents("total_refund_amount_cents"),
        refund_line_items: Vec::new(),
        note: at.optional_text("note"),
        created_at: at.time("created_at"),
        rma_identifier: at.optional_identifier("rma_identifier"),
        tags: at.optional_texts("tags"),
    };
    if let Some(rules) = rules.as_deref_mut() {
        rules.check(at, &refund);
    }
    refund.refund_line_items = at.objects("refund_line_items", |at| {
        let line = RefundLine {
            identifier: at.identifier("identifier"),
            quantity: at.count("quantity"),
            order_item_identifier: at.identifier("order_item_identifier"),
        };
        if let Some(rules) = rules.as_deref_mut() {
            rules.check_line(at, &line, refund.is_ignored());
        }
        line
    });
    if let Some(rules) = rules {
        rules.check_amount(at, &refund);
    }
    refund
}
