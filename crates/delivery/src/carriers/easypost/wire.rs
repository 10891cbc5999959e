//! The shapes of EasyPost's API, as far as they are used.

#[cfg(test)]
mod tests;

use domain::{
    carriers::{
        job::LabelPurchase,
        label_request::{LabelFormat, LabelParty, LabelRequest},
        rate::{Rate, parse_amount},
    },
    currency::minor_digits,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::carriers::{PostageLabel, RefundStatus, Shipment};

/// The form that a drop-off point scans in place of a label.
pub(super) const CODE_FORM: &str = "label_qr_code";

/// The longest part of an error that is kept.
const ERROR_CHARACTERS_MAX: usize = 160;

/// Weights are in ounces with one decimal.
const GRAMS_PER_TENTH_OUNCE: f64 = 2.834_952_312_5;

/// The body that creates the shipment of a label.
///
/// For a return, EasyPost takes the addresses of the original shipment and swaps them, so the
/// merchant is `from_address` here.
pub(super) fn new_shipment(purchase: &LabelPurchase, unit_weight_grams: i64) -> Value {
    let request = &purchase.request;
    let weight = ounces(purchase.weight_grams(unit_weight_grams));
    let countries =
        [&request.sender, &request.recipient].map(|party| party.address.country_code.as_str());
    let [from, to] = countries;
    let crosses_border = !from.eq_ignore_ascii_case(to);
    let customs = crosses_border.then(|| customs_info(request, unit_weight_grams));
    json!({ "shipment": {
        "is_return": true,
        "reference": purchase.key.reference(),
        "from_address": address(&request.recipient),
        "to_address": address(&request.sender),
        "parcel": { "weight": weight },
        "options": {
            "label_format": label_format(request),
            "print_custom_1": request.rma_identifier.as_str(),
        },
        "customs_info": customs,
    } })
}

fn address(party: &LabelParty) -> Value {
    let address = &party.address;
    json!({
        "name": address.name,
        "street1": address.street1,
        "street2": address.street2,
        "city": address.city,
        "state": address.state,
        "zip": address.zip_code,
        "country": address.country_code,
        "phone": address.phone,
        "email": party.email,
    })
}

/// The first wanted format that is printed. A code is asked for when the label is bought.
fn label_format(request: &LabelRequest) -> &'static str {
    let names = request.formats.iter().filter_map(|format| match format {
        LabelFormat::Pdf => Some("PDF"),
        LabelFormat::Png => Some("PNG"),
        LabelFormat::Zpl => Some("ZPL"),
        LabelFormat::Qr => None,
    });
    names.into_iter().next().unwrap_or("PDF")
}

/// What customs must know, as far as orders say it.
fn customs_info(request: &LabelRequest, unit_weight_grams: i64) -> Value {
    let items = request.items.iter().map(|item| {
        let usual = item.quantity.saturating_mul(unit_weight_grams);
        json!({
            "description": item.title,
            "quantity": item.quantity,
            "value": decimal(item.value_cents, &request.currency),
            "currency": request.currency,
            "weight": ounces(item.weight_grams.unwrap_or(usual)),
            "code": item.sku,
        })
    });
    json!({ "contents_type": "returned_goods", "customs_items": items.collect::<Vec<_>>() })
}

/// An amount such as `85.00`.
fn decimal(cents: i64, currency: &str) -> String {
    let width = usize::from(minor_digits(currency).unwrap_or(2));
    let digits = format!("{:0>1$}", cents.max(0), width + 1);
    match digits.split_at_checked(digits.len() - width) {
        Some((whole, part)) if !part.is_empty() => format!("{whole}.{part}"),
        Some(_) | None => digits,
    }
}

/// Rounded up, because a parcel that is heavier than its label says costs more.
fn ounces(grams: i64) -> f64 {
    let grams = f64::from(i32::try_from(grams).unwrap_or(i32::MAX));
    (grams / GRAMS_PER_TENTH_OUNCE).ceil().max(1.0) / 10.0
}

#[derive(Deserialize)]
struct WireShipment {
    id: String,
    #[serde(default)]
    rates: Vec<WireRate>,
    selected_rate: Option<WireRate>,
    postage_label: Option<WireLabel>,
    tracking_code: Option<String>,
    #[serde(default)]
    forms: Vec<WireForm>,
    refund_status: Option<String>,
}

#[derive(Deserialize)]
struct WireRate {
    id: String,
    carrier: String,
    service: String,
    rate: String,
    currency: Option<String>,
}

#[derive(Deserialize)]
#[expect(clippy::struct_field_names, reason = "the names are those of the API")]
struct WireLabel {
    label_url: Option<String>,
    label_pdf_url: Option<String>,
    label_zpl_url: Option<String>,
}

#[derive(Deserialize)]
struct WireForm {
    form_type: Option<String>,
    form_url: Option<String>,
}

/// The shipment in an answer, if it is one.
pub(super) fn read_shipment(body: &[u8]) -> Option<Shipment> {
    let shipment: WireShipment = serde_json::from_slice(body).ok()?;
    // It becomes part of addresses, so it must not lead elsewhere.
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if shipment.id.is_empty() || !shipment.id.bytes().all(is_plain) {
        return None;
    }
    let url = shipment
        .postage_label
        .and_then(|label| label.label_url.or(label.label_pdf_url).or(label.label_zpl_url));
    let selected = shipment.selected_rate.and_then(read_rate);
    let label = shipment.tracking_code.zip(url).map(|(tracking_number, document_url)| {
        PostageLabel { tracking_number, document_url, rate: selected }
    });
    let code = shipment.forms.into_iter().find(|form| form.form_type.as_deref() == Some(CODE_FORM));
    Some(Shipment {
        id: shipment.id,
        rates: shipment.rates.into_iter().filter_map(read_rate).collect(),
        label,
        code_url: code.and_then(|form| form.form_url),
        refund: shipment.refund_status.as_deref().and_then(read_refund_status),
    })
}

fn read_rate(rate: WireRate) -> Option<Rate> {
    let currency = rate.currency.unwrap_or_else(|| "USD".to_owned());
    Some(Rate {
        price_cents: parse_amount(&rate.rate, minor_digits(&currency)?)?,
        id: rate.id,
        carrier: rate.carrier,
        service: rate.service,
        currency,
    })
}

fn read_refund_status(text: &str) -> Option<RefundStatus> {
    match text {
        "submitted" => Some(RefundStatus::Submitted),
        "refunded" => Some(RefundStatus::Refunded),
        "rejected" => Some(RefundStatus::Rejected),
        "not_applicable" => Some(RefundStatus::NotApplicable),
        _ => None,
    }
}

/// What an answer says about its failure: the code, and the beginning of the message.
pub(super) fn read_error(body: &[u8]) -> Option<String> {
    let document: Value = serde_json::from_slice(body).ok()?;
    let part = |name: &str| document.get("error")?.get(name)?.as_str();
    let text = match (part("code"), part("message")) {
        (Some(code), Some(message)) => format!("{code}: {message}"),
        (Some(text), None) | (None, Some(text)) => text.to_owned(),
        (None, None) => return None,
    };
    let printable = text.chars().filter(|character| !character.is_control());
    Some(printable.take(ERROR_CHARACTERS_MAX).collect())
}
