//! Shipments: the list, and one shipment with its units.

use app::warehouse::{shipments::load_shipment, work_lists::list_shipments};
use askama::Template;
use axum::{Router, extract::State, http::StatusCode, response::Response, routing::get};
use domain::warehouse::shipment::{Shipment, ShipmentHead, ShipmentStatus, ShipmentType};

use super::work_list::{WorkListPage, WorkRow, work_query};
use crate::{
    access::{visit::Worker, visitor::Visitor},
    core::{
        badge::Badge,
        format::{TimeElement, format_count, format_number},
        frame::{Frame, Section, render_page},
        lists::StatusQuery,
        urls::shipment_url,
    },
};
use server::{
    Web, error::ApiError, path::Path, query::Query, requests::identifiers::parse_merchant,
};

const PATH: &str = "/console/shipments";
/// The most units that a page shows.
const UNITS_MAX: usize = 500;

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route(PATH, get(list))
        .route("/console/shipments/{merchant}/{asn_number}", get(show))
}

const fn status_badge(status: ShipmentStatus) -> Badge {
    match status {
        ShipmentStatus::Pending => Badge::cool("Pending"),
        ShipmentStatus::Shipped => Badge::cool("Shipped"),
        ShipmentStatus::Delivered => Badge::good("Delivered"),
        ShipmentStatus::Canceled => Badge::plain("Canceled"),
    }
}

const fn type_label(kind: ShipmentType) -> &'static str {
    match kind {
        ShipmentType::StockTransfer => "Stock transfer",
        ShipmentType::Freight => "Freight",
        ShipmentType::Vendor => "Vendor",
    }
}

async fn list(
    State(web): State<Web>,
    Worker { visitor, .. }: Worker,
    Query(query): Query<StatusQuery>,
) -> Result<Response, ApiError> {
    let asked = work_query(&query, &ShipmentStatus::ALL.map(ShipmentStatus::name))?;
    let page = list_shipments(&web.app, &asked).await?;
    let statuses = ShipmentStatus::ALL.map(|status| (status.name(), status_badge(status).label));
    let rows = page.entries.iter().map(|entry| {
        let head = &entry.value;
        WorkRow {
            url: shipment_url(&entry.merchant, head.asn_number.as_str()),
            identifier: head.asn_number.to_string(),
            merchant: entry.merchant.clone(),
            cells: vec![
                type_label(head.kind).to_owned(),
                head.from.identifier.clone(),
                destination(head),
                format_number(head.unit_count),
            ],
            status: status_badge(head.status),
            updated: TimeElement(entry.updated_at),
        }
    });
    let content = WorkListPage {
        frame: Frame::new(&visitor, Section::Shipments, "Shipments"),
        filter: query.filter(&web, &visitor, &statuses).await?,
        headings: &["Type", "From", "To", "Units"],
        rows: rows.collect(),
        empty: "No shipments found. They appear here when the warehouse creates them.",
        paging: query.paging(PATH, page.more.then_some(page.next.as_str())),
    };
    Ok(render_page(&visitor, StatusCode::OK, &content))
}

fn destination(head: &ShipmentHead) -> String {
    head.to.identifier_for(head.kind).unwrap_or(&head.to.address.city).to_owned()
}

#[derive(Template)]
#[template(path = "warehouse/shipment.html", whitespace = "minimize")]
struct ShipmentPage<'a> {
    frame: Frame<'a>,
    status: Badge,
    /// Labels and values.
    facts: Vec<(&'static str, String)>,
    leaves: TimeElement,
    updated: TimeElement,
    address: Vec<String>,
    units: Vec<UnitRow>,
    /// How many units are not shown.
    hidden: usize,
}

struct UnitRow {
    unit: String,
    carton: String,
    sku: String,
    condition: &'static str,
}

async fn show(
    State(web): State<Web>,
    Worker { visitor, .. }: Worker,
    Path((merchant, asn_number)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let owner = parse_merchant(&merchant)?;
    let shipment = load_shipment(&web.app, Some(&owner), &asn_number).await?;
    let content = shipment_page(&visitor, &merchant, &shipment);
    Ok(render_page(&visitor, StatusCode::OK, &content))
}

fn shipment_page<'a>(
    visitor: &'a Visitor,
    merchant: &str,
    shipment: &Shipment,
) -> ShipmentPage<'a> {
    let head = ShipmentHead::of(shipment);
    let tracking = head.tracking_numbers.join(", ");
    let facts = [
        ("Merchant", Some(merchant.to_owned())),
        ("Type", Some(type_label(head.kind).to_owned())),
        ("Channel", Some(head.channel.clone())),
        ("Reference", Some(head.shipment_identifier.clone())),
        ("From", Some(head.from.identifier.clone())),
        ("To", Some(destination(&head))),
        ("Carrier", head.carrier.clone()),
        ("Tracking numbers", Some(tracking).filter(|numbers| !numbers.is_empty())),
        ("Bill of lading", head.bol_number.clone()),
        ("Content", Some(format_content(&head))),
    ];
    let to = &head.to.address;
    let optional = |text: &Option<String>| text.clone().unwrap_or_default();
    let address = [
        to.name.clone(),
        optional(&to.company),
        to.street.clone(),
        optional(&to.street2),
        to.zip.clone(),
        to.city.clone(),
        to.state.clone(),
    ];
    let units = shipment.cartons.iter().flat_map(|carton| {
        let name = carton.identifier.clone().unwrap_or_default();
        carton.details.iter().map(move |detail| UnitRow {
            unit: detail.unit_identifier.clone(),
            carton: name.clone(),
            sku: detail.sku.clone(),
            condition: detail.condition.name(),
        })
    });
    ShipmentPage {
        frame: Frame::new(visitor, Section::Shipments, format!("Shipment {}", head.asn_number)),
        status: status_badge(head.status),
        facts: facts.into_iter().filter_map(|(label, value)| Some((label, value?))).collect(),
        leaves: TimeElement(head.ship_date),
        updated: TimeElement(head.updated_at),
        address: address.into_iter().filter(|line| !line.is_empty()).collect(),
        units: units.take(UNITS_MAX).collect(),
        hidden: shipment.units().count().saturating_sub(UNITS_MAX),
    }
}

fn format_content(head: &ShipmentHead) -> String {
    let units = format_count(head.unit_count, "unit", "units");
    format!("{units} in {}", format_count(head.carton_count, "carton", "cartons"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::fixtures::{HOSTILE, assert_is_text, sample_visitor};

    #[test]
    fn a_shipment_stays_text() {
        let mut shipment = domain::samples::outbound_shipment();
        shipment.channel = HOSTILE.to_owned();
        shipment.to.address.name = HOSTILE.to_owned();
        shipment.cartons[0].details[0].sku = HOSTILE.to_owned();
        let visitor = sample_visitor();
        assert_is_text(&shipment_page(&visitor, HOSTILE, &shipment));
    }
}
