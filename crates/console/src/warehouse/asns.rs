//! ASNs: the list, and one ASN with its lines.

use app::warehouse::work_lists::{AsnLinesQuery, AsnPage, list_asns, load_asn};
use askama::Template;
use axum::{Router, extract::State, http::StatusCode, response::Response, routing::get};
use domain::warehouse::asn::AsnStatus;
use serde::Deserialize;

use super::work_list::{WorkListPage, WorkRow, work_query};
use crate::{
    access::{visit::Worker, visitor::Visitor},
    core::{
        badge::Badge,
        form::non_empty,
        format::{TimeElement, format_number},
        frame::{Frame, Section, render_page},
        lists::{Paging, StatusQuery},
        urls::asn_url,
    },
};
use server::{
    Web, error::ApiError, path::Path, query::Query, requests::identifiers::parse_merchant,
};

const PATH: &str = "/console/asns";
/// How many lines a page shows.
const LINES: usize = 100;

pub(crate) fn routes() -> Router<Web> {
    Router::new().route(PATH, get(list)).route("/console/asns/{merchant}/{asn_number}", get(show))
}

const fn status_badge(status: AsnStatus) -> Badge {
    match status {
        AsnStatus::Pending => Badge::cool("Pending"),
        AsnStatus::Shipped => Badge::cool("On its way"),
        AsnStatus::Delivered => Badge::good("Delivered"),
        AsnStatus::Cancelled => Badge::plain("Canceled"),
    }
}

async fn list(
    State(web): State<Web>,
    Worker { visitor, .. }: Worker,
    Query(query): Query<StatusQuery>,
) -> Result<Response, ApiError> {
    let asked = work_query(&query, &AsnStatus::ALL.map(AsnStatus::name))?;
    let page = list_asns(&web.app, &asked).await?;
    let statuses = AsnStatus::ALL.map(|status| (status.name(), status_badge(status).label));
    let rows = page.entries.into_iter().map(|entry| {
        let asn = entry.value.asn;
        WorkRow {
            url: asn_url(&entry.merchant, asn.asn_number.as_str(), &asn.program_identifier),
            identifier: asn.asn_number.to_string(),
            merchant: entry.merchant,
            cells: vec![
                asn.program_identifier,
                asn.from.identifier,
                asn.to.identifier,
                format_number(entry.value.received),
            ],
            status: status_badge(asn.status),
            updated: TimeElement(entry.updated_at),
        }
    });
    let content = WorkListPage {
        frame: Frame::new(&visitor, Section::Asns, "ASNs"),
        filter: query.filter(&web, &visitor, &statuses).await?,
        headings: &["Program", "From", "To", "Units received"],
        rows: rows.collect(),
        empty: "No ASNs found. They appear here when a merchant announces goods.",
        paging: query.paging(PATH, page.more.then_some(page.next.as_str())),
    };
    Ok(render_page(&visitor, StatusCode::OK, &content))
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct AsnQuery {
    program: String,
    after: String,
}

#[derive(Template)]
#[template(path = "warehouse/asn.html", whitespace = "minimize")]
struct AsnDetailPage<'a> {
    frame: Frame<'a>,
    status: Badge,
    /// Labels and values.
    facts: Vec<(&'static str, String)>,
    announced: TimeElement,
    lines: Vec<LineRow>,
    paging: Paging,
}

struct LineRow {
    identifier: String,
    carton: String,
    sku: String,
    unit: String,
    quantity: i64,
    received: i64,
    state: Badge,
}

async fn show(
    State(web): State<Web>,
    Worker { visitor, .. }: Worker,
    Path((merchant, asn_number)): Path<(String, String)>,
    Query(query): Query<AsnQuery>,
) -> Result<Response, ApiError> {
    let owner = parse_merchant(&merchant)?;
    let lines = AsnLinesQuery { after: non_empty(&query.after), limit: LINES };
    let program = non_empty(&query.program);
    let page = load_asn(&web.app, Some(&owner), &asn_number, program, lines).await?;
    Ok(render_page(&visitor, StatusCode::OK, &asn_page(&visitor, &page, &query)))
}

fn asn_page<'a>(visitor: &'a Visitor, page: &AsnPage, query: &AsnQuery) -> AsnDetailPage<'a> {
    let asn = &page.summary.asn;
    let facts = [
        ("Merchant", Some(page.merchant.clone())),
        ("Program", Some(asn.program_identifier.clone())),
        ("From", Some(asn.from.identifier.clone())),
        ("To", Some(asn.to.identifier.clone())),
        ("Carrier", asn.carrier.clone()),
        ("Tracking number", asn.tracking_number.clone()),
        ("Shipment", asn.shipment_identifier.clone()),
        ("Units received", Some(format_number(page.summary.received))),
    ];
    let path = asn_url(&page.merchant, asn.asn_number.as_str(), "");
    let program = [("program", asn.program_identifier.as_str())];
    AsnDetailPage {
        frame: Frame::new(visitor, Section::Asns, format!("ASN {}", asn.asn_number)),
        status: status_badge(asn.status),
        facts: facts.into_iter().filter_map(|(label, value)| Some((label, value?))).collect(),
        announced: TimeElement(page.summary.announced_at),
        lines: page.lines.iter().map(line_row).collect(),
        paging: Paging::in_order(&path, &program, &query.after, page.next.as_deref()),
    }
}

fn line_row(line: &store::AsnLineRow) -> LineRow {
    let detail = &line.detail;
    LineRow {
        identifier: detail.line_identifier.clone(),
        carton: line.carton.identifier.clone().unwrap_or_default(),
        sku: detail.sku.clone(),
        unit: detail.unit_identifier.clone().unwrap_or_default(),
        quantity: detail.quantity,
        received: line.received,
        state: if line.received >= detail.quantity {
            Badge::good("Received")
        } else if line.received > 0 {
            Badge::warn("Partly received")
        } else {
            Badge::cool("Expected")
        },
    }
}

#[cfg(test)]
mod tests {
    use app::warehouse::work_lists::AsnSummary;
    use store::AsnLineRow;

    use super::*;
    use crate::core::fixtures::{HOSTILE, assert_is_text, sample_visitor};

    #[test]
    fn an_asn_stays_text() {
        let mut state = domain::samples::inbound_asn();
        state.asn.program_identifier = HOSTILE.to_owned();
        let mut carton = state.asn.cartons[0].clone();
        carton.identifier = Some(HOSTILE.to_owned());
        let mut detail = carton.details[0].clone();
        detail.sku = HOSTILE.to_owned();
        let page = AsnPage {
            merchant: HOSTILE.to_owned(),
            summary: AsnSummary::from(state),
            lines: vec![AsnLineRow { received: 0, carton, detail }],
            next: Some(HOSTILE.to_owned()),
        };
        let query = AsnQuery { program: HOSTILE.to_owned(), after: HOSTILE.to_owned() };
        let visitor = sample_visitor();
        assert_is_text(&asn_page(&visitor, &page, &query));
    }
}
