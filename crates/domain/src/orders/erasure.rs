//! What is erased when the data of a shopper is erased, and what remains.
//!
//! Facts remain: which goods, amounts and times, which numbers, what was decided. What is about a
//! person is replaced: names, addresses other than the country, e-mail addresses, telephone
//! numbers, and text that people wrote. Equal text is replaced by equal text, so a return is still
//! the result of its journal.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use jiff::{Timestamp, civil::Date};

use super::order::{Order, PostalAddress};
use crate::json::{self, Json, JsonEntry, Malformed};
use crate::returns::rma::Rma;
use crate::warehouse::stray::person_key;

/// Stands for an erased text.
pub const ERASED: &str = "erased";
/// Stands for an erased e-mail address. No mail can ever reach it (RFC 2606).
pub const ERASED_EMAIL: &str = "erased@erased.invalid";

/// Shorter texts are too common to be searched for in other texts.
const TELLING_LENGTH: usize = 5;

/// The fields of an order that are not about its shopper. All others of an order are removed, also
/// those that we do not know.
const KEPT_OF_ORDERS: [&str; 63] = [
    "amount_cents",
    "attributes",
    "avs_result_code",
    "code",
    "concept",
    "created_at",
    "credit_card_company",
    "currency",
    "cvv_result_code",
    "delivered_date",
    "discount_amount_cents",
    "discounts",
    "dropship_identifier",
    "gateway",
    "identifier",
    "image_url",
    "is_online",
    "is_test",
    "items",
    "name",
    "order_item_identifier",
    "parent_identifier",
    "payment_details",
    "product_amount_cents",
    "product_identifier",
    "product_url",
    "quantity",
    "quantity_canceled",
    "quantity_in_stock",
    "quantity_refunded",
    "quantity_shipped",
    "raw_status",
    "refund_line_items",
    "refunds",
    "return_policy_end_date",
    "reverse_tracking_number",
    "rma_identifier",
    "secondary_identifier",
    "shipped_date",
    "shipping_amount_cents",
    "shipping_tax_amount_cents",
    "sku",
    "status",
    "tags",
    "tax_amount_cents",
    "title",
    "total_amount_cents",
    "total_refund_amount_cents",
    "tracking_number",
    "transactions",
    "type",
    "unit_price_amount_cents",
    "upc",
    "updated_at",
    "value",
    "variant_identifier",
    "variants",
    "weight",
    // These are replaced.
    "billing_address",
    "customer",
    "shipping_address",
    // These are in addresses and stay.
    "country",
    "country_code",
];

/// Texts under these keys are about a person, or a person wrote them.
const PERSONAL: [&str; 23] = [
    "address1",
    "address2",
    "comments",
    "first_name",
    "gift_message",
    "hand_off",
    "html",
    "instructions",
    "last_name",
    "note",
    "phone",
    "places",
    "postal_code",
    "reject_reason",
    "rejected",
    "street",
    "street1",
    "street2",
    "subject",
    "telephone_number",
    "text",
    "zip",
    "zip_code",
];
const EMAILS: [&str; 3] = ["email", "giftee_email", "recipient"];
/// Texts under these keys are about a person if the object is an address.
const PARTS_OF_ADDRESSES: [&str; 5] = ["city", "company", "name", "province", "state"];
/// An object with one of these keys is an address.
const SIGNS_OF_ADDRESSES: [&str; 5] = ["postal_code", "street", "street1", "zip", "zip_code"];

/// What is known about a shopper: texts that must not remain in other texts either.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PersonalTexts {
    /// In lower case.
    texts: BTreeSet<String>,
    /// The people that goods were sent to, as drop-ship orders are found by.
    pub person_keys: BTreeSet<String>,
}

impl PersonalTexts {
    /// Adds a text that is searched for, unless it is too short to tell anything or a single word.
    pub fn add(&mut self, text: &str) {
        let text = text.trim().to_lowercase();
        let is_short = text.chars().count() < TELLING_LENGTH;
        if !is_short && !is_word(&text) && text != ERASED_EMAIL {
            self.texts.insert(text);
        }
    }

    /// Adds everything that an order says about its shopper.
    pub fn add_order(&mut self, order: &Order) {
        let customer = &order.customer;
        self.add(&customer.email);
        let names = [&customer.first_name, &customer.last_name];
        let names: Vec<&str> = names.into_iter().flatten().map(String::as_str).collect();
        self.add(&names.join(" "));
        customer.phone.iter().for_each(|phone| self.add(phone));
        self.add_address(&order.shipping_address);
        self.add_address(&order.billing_address);
    }

    fn add_address(&mut self, address: &PostalAddress) {
        self.add(&address.name);
        self.add(&address.street1);
        address.street2.iter().chain(&address.phone).for_each(|text| self.add(text));
        if address.name != ERASED {
            self.person_keys.extend(person_key(&address.name, &address.zip_code));
        }
    }

    /// Whether a text contains one of them, in any case of letters.
    pub fn are_in(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        self.texts.iter().any(|personal| text.contains(personal.as_str()))
    }

    /// A text that people may have written, without what is known about the shopper. A time stays
    /// one, also if some of its digits are like those of a telephone number.
    pub fn erase_text<'a>(&self, text: &'a str) -> &'a str {
        if self.are_in(text) && !is_time(text) { ERASED } else { text }
    }
}

/// Whether a text is a single word, which may be the name of a color, of a brand or of a status as
/// well.
fn is_word(text: &str) -> bool {
    text.chars().all(|it| it.is_alphabetic() || matches!(it, '_' | '-'))
}

fn is_time(text: &str) -> bool {
    text.parse::<Timestamp>().is_ok() || text.parse::<Date>().is_ok()
}

/// Whether the data of the shopper was erased from an order.
pub fn is_erased(order: &Order) -> bool {
    order.customer.email == ERASED_EMAIL
}

/// Whether the data of the shopper was erased from a return that had an address. One without any
/// looks the same before and after.
pub fn is_marked_as_erased(rma: &Rma) -> bool {
    [&rma.email, &rma.giftee_email].into_iter().flatten().any(|email| email == ERASED_EMAIL)
}

/// Whether the data of the shopper was erased from a return, or it has none.
pub fn is_erased_return(rma: &Rma) -> bool {
    [&rma.email, &rma.giftee_email].into_iter().flatten().all(|email| email == ERASED_EMAIL)
}

/// Whether the data of the shopper was erased from a message with an exchange order.
pub fn is_erased_exchange_order(body: &[u8]) -> bool {
    let email = |message: &Json<'_>| match message.get("customer")?.get("email")? {
        Json::Text(email) => Some(email.as_ref() == ERASED_EMAIL),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::List(_) | Json::Object(_) => None,
    };
    json::parse(body).ok().and_then(|message| email(&message)).unwrap_or(false)
}

/// An order, or a refund of one, as the merchant sent it, without what is about its shopper.
pub fn erase_order(body: &[u8], known: &PersonalTexts) -> Result<Vec<u8>, Malformed> {
    Ok(erase(&json::parse(body)?, Fields::Orders, known))
}

/// A document of this service, such as a return, an event or a message, without what is about a
/// shopper.
pub fn erase_document(body: &[u8], known: &PersonalTexts) -> Result<Vec<u8>, Malformed> {
    Ok(erase(&json::parse_large(body)?, Fields::Service, known))
}

/// A unit in the warehouse, without what people wrote about it.
pub fn erase_unit(body: &[u8], known: &PersonalTexts) -> Result<Vec<u8>, Malformed> {
    Ok(erase(&json::parse_large(body)?, Fields::WithReasons, known))
}

/// What an audit record says about a change, without the words of who made it.
pub fn erase_audit_detail(detail: &str, known: &PersonalTexts) -> Result<String, Malformed> {
    let erased = erase(&json::parse(detail.as_bytes())?, Fields::WithReasons, known);
    Ok(String::from_utf8_lossy(&erased).into_owned())
}

fn erase(document: &Json<'_>, fields: Fields, known: &PersonalTexts) -> Vec<u8> {
    let mut out = Vec::new();
    Eraser { known, fields }.write(document, &mut out);
    out
}

/// Whose fields a document has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fields {
    /// A merchant may add any others.
    Orders,
    Service,
    /// An audit record, a unit or a cancellation, whose reason is in the words of a person.
    WithReasons,
}

struct Eraser<'a> {
    known: &'a PersonalTexts,
    fields: Fields,
}

impl Eraser<'_> {
    fn write(&self, value: &Json<'_>, out: &mut Vec<u8>) {
        match value {
            Json::Text(text) => json::write_text(self.known.erase_text(text), out),
            Json::List(values) => write_list(values, out, |value, out| self.write(value, out)),
            Json::Object(object) => self.write_object(&object.entries, out),
            Json::Null | Json::Bool(_) | Json::Number(_) => value.write(out),
        }
    }

    fn write_as(&self, fields: Fields, value: &Json<'_>, out: &mut Vec<u8>) {
        Self { known: self.known, fields }.write(value, out);
    }

    fn write_object(&self, entries: &[JsonEntry<'_>], out: &mut Vec<u8>) {
        let is_address = entries.iter().any(|(key, _)| SIGNS_OF_ADDRESSES.contains(&key.as_ref()));
        let of_order = self.fields == Fields::Orders;
        let kept =
            entries.iter().filter(|(key, _)| !of_order || KEPT_OF_ORDERS.contains(&key.as_ref()));
        let mut separator = b'{';
        for (key, value) in kept {
            out.push(separator);
            separator = b',';
            json::write_text(key, out);
            out.push(b':');
            match key.as_ref() {
                "customer" if of_order => write_erased_customer(out),
                "shipping_address" | "billing_address" if of_order => {
                    write_erased_address(value, out);
                }
                // Names and values, which may be keys.
                "attributes" => self.write_as(Fields::Service, value, out),
                // The identifier is the merchant's for the shopper, or an e-mail address.
                "customer" => write_erased_person(value, out),
                "cancellations" => self.write_as(Fields::WithReasons, value, out),
                key if is_reference(key) => value.write(out),
                key if EMAILS.contains(&key) => write_erased(value, ERASED_EMAIL, out),
                key if PERSONAL.contains(&key) => write_erased(value, ERASED, out),
                "reason" if self.fields == Fields::WithReasons => {
                    write_erased(value, ERASED, out);
                }
                key if is_address && PARTS_OF_ADDRESSES.contains(&key) => {
                    write_erased(value, ERASED, out);
                }
                _ => self.write(value, out),
            }
        }
        if separator == b'{' {
            out.push(b'{');
        }
        out.push(b'}');
    }
}

/// Whether values under a key refer to something. Without them the facts would fall apart.
fn is_reference(key: &str) -> bool {
    key.ends_with("identifier") || ["line", "lines", "sku", "upc"].contains(&key)
}

/// Replaces everything in an object that is about a person, also an identifier.
fn write_erased_person(person: &Json<'_>, out: &mut Vec<u8>) {
    match person {
        Json::Object(object) => write_entries(&object.entries, out, |key, value, out| {
            let erased = if EMAILS.contains(&key) { ERASED_EMAIL } else { ERASED };
            write_erased(value, erased, out);
        }),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) | Json::List(_) => {
            write_erased(person, ERASED, out);
        }
    }
}

/// Replaces all texts, and keeps the structure: what is absent stays absent.
fn write_erased(value: &Json<'_>, erased: &str, out: &mut Vec<u8>) {
    match value {
        Json::Text(text) if text.is_empty() => value.write(out),
        Json::Text(_) => json::write_text(erased, out),
        Json::List(values) => {
            write_list(values, out, |value, out| write_erased(value, erased, out));
        }
        Json::Object(object) => write_entries(&object.entries, out, |_, value, out| {
            write_erased(value, erased, out);
        }),
        Json::Null | Json::Bool(_) | Json::Number(_) => value.write(out),
    }
}

fn write_entries(
    entries: &[JsonEntry<'_>],
    out: &mut Vec<u8>,
    write: impl Fn(&str, &Json<'_>, &mut Vec<u8>),
) {
    out.push(b'{');
    for (position, (key, value)) in entries.iter().enumerate() {
        if position > 0 {
            out.push(b',');
        }
        json::write_text(key, out);
        out.push(b':');
        write(key, value, out);
    }
    out.push(b'}');
}

fn write_list(values: &[Json<'_>], out: &mut Vec<u8>, write: impl Fn(&Json<'_>, &mut Vec<u8>)) {
    out.push(b'[');
    for (position, value) in values.iter().enumerate() {
        if position > 0 {
            out.push(b',');
        }
        write(value, out);
    }
    out.push(b']');
}

/// With the fields that an order must have.
fn write_erased_customer(out: &mut Vec<u8>) {
    out.extend_from_slice(br#"{"identifier":"#);
    json::write_text(ERASED, out);
    out.extend_from_slice(br#","email":"#);
    json::write_text(ERASED_EMAIL, out);
    out.push(b'}');
}

/// With the fields that an order must have. Without a postal code, the order is not found by it.
fn write_erased_address(address: &Json<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(br#"{"name":"#);
    json::write_text(ERASED, out);
    out.extend_from_slice(br#","street1":"#);
    json::write_text(ERASED, out);
    out.extend_from_slice(br#","city":"#);
    json::write_text(ERASED, out);
    out.extend_from_slice(br#","state":"","zip_code":"","country_code":"#);
    match address.get("country_code") {
        Some(country @ Json::Text(_)) => country.write(out),
        Some(_) | None => json::write_text("", out),
    }
    out.push(b'}');
}
