//! What the merchant should be told, whole: every field of every message, with fixed words where
//! identifiers and times are.

use serde_json::{Value, json};

/// A return that was started.
pub(super) struct Rma {
    pub(super) id: String,
    /// What was answered.
    pub(super) answer: Value,
}

/// A message with fixed words in the place of what is new each time.
pub(super) fn fixed(mut message: Value, rma: &Rma) -> Value {
    let payments = format!("PAY-{}", rma.id.trim_start_matches("RMA-"));
    replace(&mut message, &|key, text| {
        if text == rma.id {
            "RMA".to_owned()
        } else if matches!(key, "created_at" | "updated_at" | "decided_at") {
            "TIME".to_owned()
        } else {
            text.replace(&payments, "PAY")
        }
    });
    message
}

fn replace(value: &mut Value, with: &dyn Fn(&str, &str) -> String) {
    match value {
        Value::Object(fields) => {
            for (key, field) in fields {
                match field.as_str() {
                    Some(text) => *field = json!(with(key, text)),
                    None => replace(field, with),
                }
            }
        }
        Value::Array(list) => {
            for element in list {
                replace(element, with);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => (),
    }
}

/// The fields of `base` with those of `other` in their place.
fn with(mut base: Value, other: &Value) -> Value {
    for (key, value) in other.as_object().unwrap() {
        base[key] = value.clone();
    }
    base
}

/// The message about a return of these units.
pub(super) fn rma(status: &str, items: &[Value], bonus_cents: i64) -> Value {
    json!({
        "rma_identifier": "RMA",
        "status": status,
        "created_at": "TIME",
        "updated_at": "TIME",
        "items": items,
        "return_method": "mail-back",
        "return_shipping_cost_cents": 0,
        "gift_refund_only": false,
        "bonus_credit_amount_cents": bonus_cents,
        "receiving_complete": true,
        "concept": "Harbor & Pine",
    })
}

/// What becomes of a unit: the merchant pays the shopper, or us for what replaces it.
pub(super) enum Becomes<'a> {
    Money,
    /// `EVEN_EXCHANGE` or `UNEVEN_EXCHANGE`, and the order once it is placed.
    Goods(&'a str, Option<&'a str>),
}

pub(super) fn tee(order: &str, becomes: &Becomes<'_>) -> Value {
    let what = json!({
        "order_line_item_identifier": "tees", "sku": "TEE-NAVY-M", "upc": "012345678905",
    });
    unit(order, 4_610, becomes, &what)
}

pub(super) fn scarf(order: &str, becomes: &Becomes<'_>) -> Value {
    let what = json!({ "order_line_item_identifier": "scarf", "sku": "SCARF-RED", "upc": null });
    unit(order, 4_212, becomes, &what)
}

/// A unit of this order and worth; `what` tells its line and codes, and whatever else differs.
pub(super) fn unit(order: &str, cents: i64, becomes: &Becomes<'_>, what: &Value) -> Value {
    let (kind, exchange, service, shopper) = match becomes {
        Becomes::Money => ("REFUND", None, 0, cents),
        Becomes::Goods(kind, exchange) => (*kind, *exchange, cents, 0),
    };
    let base = json!({
        "order_identifier": order,
        "exchange_order_identifier": exchange,
        "original_order_identifier": null,
        "return_reason": "too_small",
        "is_exchange": matches!(becomes, Becomes::Goods(..)),
        "tracking_number": null,
        "package_tracking_status": null,
        "receiving_status": null,
        "refund_financials": {
            "estimated_refund_amount_cents": cents,
            "service_refund_amount_cents": service,
            "shopper_refund_amount_cents": shopper,
        },
        "refund_type": kind,
        "warehouse_receipt_condition": null,
    });
    with(base, what)
}

/// The exchange order with these items for what was bought with an order.
pub(super) fn asked(order: &str, items: &[Value]) -> Value {
    let billing = json!({
        "name": "Dana Whitfield",
        "street1": "418 Juniper Street",
        "street2": null,
        "city": "Portland",
        "province": "OR",
        "postal_code": "97205",
        "country_code": "US",
        "phone": null,
    });
    let shipping = json!({ "street2": "Apartment 3", "phone": "+1 503 555 0142" });
    json!({
        "currency": "USD",
        "original_order_id": order,
        "rma_identifier": "RMA",
        "is_gift": false,
        "items": items,
        "customer": {
            "identifier": "CUS-5512",
            "first_name": "Dana",
            "last_name": "Whitfield",
            "email": "dana.whitfield@example.com",
            "phone": "+1 503 555 0142",
        },
        "shipping_address": with(billing.clone(), &shipping),
        "billing_address": billing,
        "payment": { "transaction_id": "PAY-1" },
    })
}

/// So many tees in the place of as many that come back.
pub(super) fn tees_replaced(sku: &str, title: &str, quantity: i64, price_cents: i64) -> Value {
    json!({
        "sku": sku,
        "quantity": quantity,
        "title": title,
        "unit_price_amount_cents": price_cents,
        "product_amount_cents": price_cents * quantity,
        "discount_amount_cents": 250 * quantity,
        "tax_amount_cents": 360 * quantity,
        "product_identifier": "PRD-7781",
        "variant_identifier": "TEE-NAVY",
        "original_sku": "TEE-NAVY-M",
        "original_item_identifier": "tees",
        "concept": "Harbor & Pine",
    })
}

/// A gift card for these units: title, SKU and line of each.
pub(super) fn card(cents: i64, bonus_cents: i64, units: &[[&str; 3]]) -> Value {
    let units = units.iter().map(|[title, sku, line]| {
        json!({
            "title": title,
            "original_sku": sku,
            "original_item_identifier": line,
            "quantity": 1,
            "concept": "Harbor & Pine",
        })
    });
    json!({
        "sku": "GIFT-CARD",
        "quantity": 1,
        "unit_price_amount_cents": cents,
        "bonus_credit_amount_cents": bonus_cents,
        "return_items": units.collect::<Vec<_>>(),
    })
}

pub(super) const TEE: [&str; 3] = ["Organic cotton tee, navy, M", "TEE-NAVY-M", "tees"];
pub(super) const SCARF: [&str; 3] = ["Lambswool scarf, red", "SCARF-RED", "scarf"];
pub(super) const LARGE: &str = "Organic cotton tee, navy, L";
