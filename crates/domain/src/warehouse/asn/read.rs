//! Reads an inbound ASN, and reports all of its faults at once.

use std::collections::HashSet;

use super::{
    AsnCarton, AsnDestination, AsnDetail, AsnOrigin, AsnStatus, CARTONS_MAX, DetailsType,
    InboundAsn, LINE_UNITS_MAX, LINES_MAX,
};
use crate::faults::Faults;
use crate::json::Json;
use crate::reader::fields::Fields;
use crate::reader::{IDENTIFIER_MAX, read};
use crate::returns::identifier::RmaId;
use crate::warehouse::asin::read_asin;
use crate::warehouse::asn_number::{AsnNumber, asn_number};
use crate::warehouse::reference;

/// A line has at most this many flags.
const FLAGS_MAX: usize = 100;

/// The values that must be unique within an ASN, as far as they were read.
struct Seen {
    details_type: Option<DetailsType>,
    lines: HashSet<String>,
    units: HashSet<String>,
    lines_total: usize,
}

/// Reads an ASN, or reports all of its faults.
pub fn read_asn(document: &Json<'_>) -> Result<InboundAsn, Faults> {
    let (asn, _) = read(document, false, |root| root.object(asn).flatten())?;
    Ok(asn)
}

/// None only if there is no number, which is reported.
fn asn(at: &Fields<'_>) -> Option<InboundAsn> {
    at.refuse_unknown();
    let program_identifier = at.identifier("program_identifier");
    let number: Option<AsnNumber> = at.required("asn_number", asn_number);
    if number.as_ref().is_some_and(|it| RmaId::parse_exact(it.as_str()).is_some()) {
        at.note("asn_number", "must not be the identifier of a return");
    }
    let status = at.required("status", |value| {
        value.named(AsnStatus::parse, "must be one of pending, shipped, delivered, cancelled")
    });
    let details_type = at.required("details_type", |value| {
        value.named(DetailsType::parse, "must be one of unit, sku")
    });
    let asn_type = at.optional_identifier("asn_type");
    let message_timestamp = at.optional_identifier("messagetimestamp");
    let shipment_identifier = at.optional_identifier("shipment_identifier");
    let from = at.object("from", origin).unwrap_or_default();
    let to = at.object("to", destination).unwrap_or_default();
    let tracking_number = at.optional_identifier("tracking_number");
    let carrier = at.optional_identifier("carrier");
    let ship_date = at.optional_time("ship_date");
    let merchant = at.optional_identifier("merchant");
    let concept = at.optional_identifier("concept");
    let mut seen =
        Seen { details_type, lines: HashSet::new(), units: HashSet::new(), lines_total: 0 };
    let cartons = at.objects_up_to(CARTONS_MAX, "cartons", |at| carton(at, &mut seen));
    if cartons.is_empty() && at.sound(&["cartons"]) {
        at.note("cartons", "must not be empty");
    }
    if seen.lines_total > LINES_MAX {
        at.note("cartons", &format!("must not have more than {LINES_MAX} lines together"));
    }
    Some(InboundAsn {
        program_identifier,
        asn_number: number?,
        status: status.unwrap_or(AsnStatus::Pending),
        details_type: details_type.unwrap_or(DetailsType::Unit),
        asn_type,
        message_timestamp,
        shipment_identifier,
        from,
        to,
        tracking_number,
        carrier,
        ship_date,
        merchant,
        concept,
        cartons,
    })
}

fn origin(at: &Fields<'_>) -> AsnOrigin {
    at.refuse_unknown();
    AsnOrigin { identifier: at.identifier_or_number("identifier"), kind: at.identifier("type") }
}

fn destination(at: &Fields<'_>) -> AsnDestination {
    at.refuse_unknown();
    AsnDestination {
        identifier: at.identifier_or_number("identifier"),
        kind: at.identifier("type"),
        original_identifier: at.optional_identifier_or_number("original_identifier"),
    }
}

fn carton(at: &Fields<'_>, seen: &mut Seen) -> AsnCarton {
    at.refuse_unknown();
    let identifier = at.optional_identifier("identifier");
    let reference = at.optional_object("reference", reference);
    let details = at.objects_up_to(LINES_MAX, "details", |at| detail(at, seen));
    if details.is_empty() && at.sound(&["details"]) {
        at.note("details", "must not be empty");
    }
    seen.lines_total = seen.lines_total.saturating_add(details.len());
    AsnCarton { identifier, reference, details }
}

fn detail(at: &Fields<'_>, seen: &mut Seen) -> AsnDetail {
    at.refuse_unknown();
    let line_identifier = at.identifier("line_identifier");
    let reference_line_identifier = at.optional_identifier("reference_line_identifier");
    let unit_identifier = read_unit_identifier(at, seen);
    let client_unit_identifier = at.optional_identifier("client_unit_identifier");
    let sku = at.identifier("sku");
    let upc = at.optional_identifier("upc");
    let asin = read_asin(at);
    let quantity = at.required("quantity", |value| value.integer(1..=LINE_UNITS_MAX));
    if seen.details_type == Some(DetailsType::Unit) && quantity.is_some_and(|units| units != 1) {
        at.note("quantity", "must be 1 where details_type is unit");
    }
    if at.sound(&["line_identifier"]) && !seen.lines.insert(line_identifier.clone()) {
        at.note("line_identifier", "must not stand twice in an ASN");
    }
    AsnDetail {
        line_identifier,
        reference_line_identifier,
        unit_identifier,
        client_unit_identifier,
        sku,
        upc,
        asin,
        quantity: quantity.unwrap_or(1),
        serial_number: at.optional_identifier("serial_number"),
        condition: at.optional_identifier("condition"),
        vendor_identifier: at.optional_identifier("vendor_identifier"),
        eligibility_flags: eligibility_flags(at),
        return_reason: at.optional_text("return_reason"),
        merchant: at.optional_identifier("merchant"),
        concept: at.optional_identifier("concept"),
    }
}

/// A line that announces a single unit identifies it; a line that announces a quantity cannot.
fn read_unit_identifier(at: &Fields<'_>, seen: &mut Seen) -> Option<String> {
    let key = "unit_identifier";
    let identifier = match seen.details_type {
        Some(DetailsType::Unit) => Some(at.identifier(key)),
        Some(DetailsType::Sku) => {
            let identifier = at.optional_identifier(key);
            if identifier.is_some() {
                at.note(key, "must not be sent where details_type is sku");
            }
            identifier
        }
        None => at.optional_identifier(key),
    };
    if let Some(unit) = identifier.as_ref().filter(|_| at.sound(&[key]))
        && !seen.units.insert(unit.clone())
    {
        at.note(key, "must not stand twice in an ASN");
    }
    identifier
}

/// The flags of a unit, which are short words.
pub(in crate::warehouse) fn eligibility_flags(at: &Fields<'_>) -> Vec<String> {
    let flags = at.optional("eligibility_flags", |value| {
        value.list(FLAGS_MAX, |flag| flag.text(1..=IDENTIFIER_MAX).map(str::to_owned))
    });
    flags.unwrap_or_default()
}
