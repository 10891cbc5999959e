//! Reads a shipment as the warehouse sends it, and reports all of its faults at once.

use std::collections::HashSet;

use jiff::Timestamp;

use super::{
    CARTONS_MAX, CarrierPaymentType, MESSAGE_UNITS_MAX, OutboundCarton, OutboundDetail, PlaceType,
    ReceivingPlace, SendingPlace, Shipment, ShipmentStatus, ShipmentType, UNITS_MAX, messages,
};
use crate::faults::Faults;
use crate::json::Json;
use crate::reader::fields::Fields;
use crate::reader::{Reader, read};
use crate::returns::receipt::Condition;
use crate::warehouse::asn::eligibility_flags;
use crate::warehouse::asn_number::{AsnNumber, asn_number};
use crate::warehouse::reference;
use crate::warehouse::settings::{ReceivingAddress, Warehouse, WarehouseSettings};

/// A shipment has at most this many tracking numbers.
const TRACKING_NUMBERS_MAX: usize = 1_000;

/// What reading depends on besides the document.
#[derive(Clone, Debug)]
pub struct ShipmentReadContext {
    /// The number for a shipment without one. Short enough for any suffix.
    pub asn_number: AsnNumber,
    /// The most units in a message, if the shipment does not set it.
    pub max_details_per_message: i64,
    /// The warehouses that are configured.
    pub warehouses: Vec<Warehouse>,
    pub now: Timestamp,
}

/// The values that must be unique within a shipment, and how many units were read.
#[derive(Default)]
struct Seen {
    lines: HashSet<String>,
    units: HashSet<String>,
    total: usize,
}

/// Reads a shipment, or reports all of its faults.
pub fn read_shipment(
    document: &Json<'_>,
    context: &ShipmentReadContext,
) -> Result<Shipment, Faults> {
    let (shipment, _) = read(document, false, |root| root.object(|at| shipment(at, context)))?;
    Ok(shipment)
}

fn shipment(at: &Fields<'_>, context: &ShipmentReadContext) -> Shipment {
    at.refuse_unknown();
    let kind = at.required("type", |value| {
        value.named(ShipmentType::parse, "must be one of stock_transfer, freight, vendor")
    });
    let number = at.optional("asn_number", asn_number);
    let warehouses = &context.warehouses;
    let from = at.object("from", |at| sending_place(at, warehouses));
    let to = at.object("to", |at| receiving_place(at, kind, warehouses));
    let channel = match default_channel(from.as_ref(), warehouses) {
        Some(default) => at.optional_identifier("channel").unwrap_or(default),
        None => at.identifier("channel"),
    };
    let shipment_identifier = at.identifier("shipment_identifier");
    let tracking_numbers = read_tracking_numbers(at);
    let carrier = at.optional_identifier("carrier");
    let carrier_payment_type = at.optional("carrier_payment_type", |value| {
        value.named(CarrierPaymentType::parse, "must be one of prepaid, collect")
    });
    let ship_date = at.time("ship_date");
    let status = at.optional("status", first_status).unwrap_or(ShipmentStatus::Pending);
    at.optional("details_type", |value| {
        value.named(|name| (name == "unit").then_some(()), "must be unit")
    });
    // Messages have the time of the last change; a time in the request is only checked.
    at.optional_time("timestamp");
    let bol_number = at.optional_identifier("bol_number");
    let mut seen = Seen::default();
    let cartons = at.objects_up_to(CARTONS_MAX, "cartons", |at| carton(at, &mut seen));
    let max_details_per_message = at
        .optional("max_details_per_message", |value| value.integer(1..=MESSAGE_UNITS_MAX))
        .unwrap_or(context.max_details_per_message.clamp(1, MESSAGE_UNITS_MAX));
    let shipment = Shipment {
        kind: kind.unwrap_or(ShipmentType::Freight),
        asn_number: number.unwrap_or_else(|| context.asn_number.clone()),
        from: from.unwrap_or_else(|| SendingPlace {
            identifier: String::new(),
            external_identifier: None,
            kind: PlaceType::Warehouse,
        }),
        to: to.unwrap_or_else(empty_place),
        channel,
        shipment_identifier,
        tracking_numbers,
        carrier,
        carrier_payment_type,
        ship_date,
        status,
        bol_number,
        cartons,
        max_details_per_message,
        created_at: context.now,
        updated_at: context.now,
        announcements: 1,
    };
    check_size(at, &shipment, seen.total);
    shipment
}

/// The channel of shipments from a warehouse that do not name one.
fn default_channel(from: Option<&SendingPlace>, warehouses: &[Warehouse]) -> Option<String> {
    let from = from?;
    find_warehouse(warehouses, from.kind, Some(&from.identifier))?.default_channel.clone()
}

/// A placeholder for a place that could not be read.
fn empty_place() -> ReceivingPlace {
    ReceivingPlace {
        identifier: None,
        stock_transfer_identifier: None,
        external_identifier: None,
        vendor_id: None,
        kind: PlaceType::Warehouse,
        address: ReceivingAddress::default(),
    }
}

/// Checks that there are units, not too many, and that their messages can be numbered.
fn check_size(at: &Fields<'_>, shipment: &Shipment, total: usize) {
    if !at.sound(&["cartons"]) {
        return;
    }
    if shipment.cartons.is_empty() {
        at.note("cartons", "must not be empty");
    }
    if total > UNITS_MAX {
        at.note("cartons", &format!("must not have more than {UNITS_MAX} units together"));
    }
    let parts = messages(total, shipment.max_details_per_message);
    if parts > 1 && shipment.asn_number.part(parts).is_none() {
        let reason = format!("must leave room for the suffix _{parts} of its last message");
        at.note("asn_number", &reason);
    }
}

fn first_status(value: &Reader<'_>) -> Option<ShipmentStatus> {
    let refused = "must be one of pending, shipped at first";
    value.named(
        |name| {
            ShipmentStatus::parse(name).filter(|status| match status {
                ShipmentStatus::Pending | ShipmentStatus::Shipped => true,
                ShipmentStatus::Delivered | ShipmentStatus::Canceled => false,
            })
        },
        refused,
    )
}

/// The numbers as a list, or as a single value. Their length is not checked, because carriers
/// define it.
fn read_tracking_numbers(at: &Fields<'_>) -> Vec<String> {
    let number = |value: &Reader<'_>| value.text(1..=usize::MAX).map(str::to_owned);
    let one = at.optional("tracking_number", |value| value.text(0..=usize::MAX).map(str::to_owned));
    let many = at.optional("tracking_numbers", |value| value.list(TRACKING_NUMBERS_MAX, number));
    if one.is_some() && many.is_some() {
        at.note("tracking_numbers", "must not be sent beside tracking_number");
    }
    let one = one.filter(|number| !number.is_empty());
    many.unwrap_or_else(|| one.into_iter().collect())
}

fn place_type(at: &Fields<'_>) -> PlaceType {
    let kind = at
        .required("type", |value| value.named(PlaceType::parse, "must be one of warehouse, store"));
    kind.unwrap_or(PlaceType::Warehouse)
}

/// What is known of the warehouse with this identifier.
fn find_warehouse<'a>(
    warehouses: &'a [Warehouse],
    kind: PlaceType,
    identifier: Option<&str>,
) -> Option<&'a WarehouseSettings> {
    let mut warehouses = warehouses.iter().filter(|_| kind == PlaceType::Warehouse);
    let found = warehouses.find(|warehouse| Some(warehouse.identifier.as_str()) == identifier);
    found.map(|warehouse| &warehouse.settings)
}

fn sending_place(at: &Fields<'_>, warehouses: &[Warehouse]) -> SendingPlace {
    at.refuse_unknown();
    let place = SendingPlace {
        identifier: at.identifier_or_number("identifier"),
        external_identifier: at.optional_identifier("external_identifier"),
        kind: place_type(at),
    };
    let known = find_warehouse(warehouses, place.kind, Some(&place.identifier));
    let external = known.and_then(|known| known.external_identifier.clone());
    SendingPlace { external_identifier: place.external_identifier.or(external), ..place }
}

fn receiving_place(
    at: &Fields<'_>,
    shipment: Option<ShipmentType>,
    warehouses: &[Warehouse],
) -> ReceivingPlace {
    at.refuse_unknown();
    let mut place = ReceivingPlace {
        identifier: at.optional_identifier_or_number("identifier"),
        stock_transfer_identifier: at.optional_identifier("stock_transfer_identifier"),
        external_identifier: at.optional_identifier("external_identifier"),
        vendor_id: at.optional_identifier_or_number("vendor_id"),
        kind: place_type(at),
        address: ReceivingAddress::default(),
    };
    // The number of a vendor may look like the identifier of a warehouse.
    let ours = shipment != Some(ShipmentType::Vendor);
    let known = find_warehouse(warehouses, place.kind, place.identifier.as_deref());
    let known = known.filter(|_| ours).cloned().unwrap_or_default();
    place.stock_transfer_identifier =
        place.stock_transfer_identifier.or(known.stock_transfer_identifier);
    place.external_identifier = place.external_identifier.or(known.external_identifier);
    let address = match known.address.map(|known| known.address) {
        Some(known) => at.optional_object("address", ReceivingAddress::read).or(Some(known)),
        None => at.object("address", ReceivingAddress::read),
    };
    place.address = address.unwrap_or_default();
    let Some(shipment) = shipment else { return place };
    let key = match shipment {
        ShipmentType::StockTransfer => "stock_transfer_identifier",
        ShipmentType::Freight => "external_identifier",
        ShipmentType::Vendor => "vendor_id",
    };
    if !at.sound(&["identifier", key]) {
        return place;
    }
    match place.identifier_for(shipment) {
        None => at.note_neither_of(["identifier", key]),
        Some(vendor) if shipment == ShipmentType::Vendor => {
            if !vendor.bytes().all(|byte| byte.is_ascii_digit()) {
                let sent = if place.vendor_id.is_some() { key } else { "identifier" };
                at.note(sent, "must be the number of a vendor");
            }
        }
        Some(_) => (),
    }
    place
}

fn carton(at: &Fields<'_>, seen: &mut Seen) -> OutboundCarton {
    at.refuse_unknown();
    let identifier = at.optional_identifier("identifier");
    let reference = at.optional_object("reference", reference);
    let sorting_template_name = at.optional_identifier("sorting_template_name");
    let details = at.objects_up_to(UNITS_MAX, "details", |at| detail(at, seen));
    if details.is_empty() && at.sound(&["details"]) {
        at.note("details", "must not be empty");
    }
    seen.total = seen.total.saturating_add(details.len());
    OutboundCarton { identifier, reference, sorting_template_name, details }
}

fn detail(at: &Fields<'_>, seen: &mut Seen) -> OutboundDetail {
    at.refuse_unknown();
    let condition = at.required("condition", |value| {
        value.named(Condition::parse, "must be one of N, A, R, B, TT, C, X")
    });
    let detail = OutboundDetail {
        line_identifier: at.identifier("line_identifier"),
        program_identifier: at.identifier("program_identifier"),
        unit_identifier: at.identifier("unit_identifier"),
        client_unit_identifier: at.optional_identifier("client_unit_identifier"),
        inbound_received_asn: at.optional_identifier("inbound_received_asn"),
        sku: at.identifier("sku"),
        upc: at.optional_identifier("upc"),
        vendor_identifier: at.optional_identifier("vendor_identifier"),
        serial_number: at.optional_identifier("serial_number"),
        condition: condition.unwrap_or(Condition::N),
        eligibility_flags: eligibility_flags(at),
        merchant: at.optional_identifier("merchant"),
    };
    at.optional("quantity", |value| value.integer(1..=1));
    if at.sound(&["line_identifier"]) && !seen.lines.insert(detail.line_identifier.clone()) {
        at.note("line_identifier", "must not stand twice in a shipment");
    }
    if at.sound(&["unit_identifier"]) && !seen.units.insert(detail.unit_identifier.clone()) {
        at.note("unit_identifier", "must not stand twice in a shipment: a unit leaves once");
    }
    detail
}
