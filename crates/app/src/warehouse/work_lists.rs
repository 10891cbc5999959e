//! The lists of the warehouse: ASNs, shipments and drop-ship orders in the order of their changes.

use std::collections::HashMap;

use boxed::boxed;
use domain::warehouse::{
    asn::InboundAsn, drop_ship::DropShipOrder, receiving::AsnState, shipment::ShipmentHead,
};
use jiff::Timestamp;
use store::{AsnLineRow, Versioned, WorkList, WorkPage};

use crate::{
    App, AppError,
    core::{
        time::time_from_us,
        work_lists::{WorkEntries, WorkEntry, WorkListQuery},
    },
    warehouse::resolve_merchant::{missing_parameter, resolve_merchant},
};

/// An ASN without its lines.
#[derive(Clone, Debug)]
pub struct AsnSummary {
    /// Without cartons.
    pub asn: InboundAsn,
    pub announced_at: Timestamp,
    /// Units that were received.
    pub received: i64,
}

impl From<AsnState> for AsnSummary {
    fn from(state: AsnState) -> Self {
        Self { asn: state.asn, announced_at: state.announced_at, received: state.here }
    }
}

/// ASNs with their number, and some of the lines of each.
#[derive(Clone, Debug)]
pub struct AsnPage {
    pub merchant: String,
    pub summary: AsnSummary,
    pub lines: Vec<AsnLineRow>,
    /// The line to continue after, if there may be more.
    pub next: Option<String>,
}

#[boxed]
pub async fn list_asns(
    app: &App,
    query: &WorkListQuery,
) -> Result<WorkEntries<WorkEntry<AsnSummary>>, AppError> {
    let page = match &query.reference {
        None => query.page(app, WorkList::Asns).await?,
        Some(number) => {
            let owners = app.store.merchants_of_asn(number);
            query.page_of_number(app, WorkList::Asns, number, owners).await?
        }
    };
    let numbers = page.rows.iter().map(|row| {
        let number = row.id.split_once(' ').map_or(row.id.as_str(), |(number, _)| number);
        (row.merchant.as_str(), number)
    });
    let heads = app.store.asn_heads_named(numbers).await?;
    let by_key = heads.into_iter().map(|(merchant, state)| {
        let id = format!("{} {}", state.asn.asn_number, state.asn.program_identifier);
        ((merchant, id), AsnSummary::from(state))
    });
    Ok(collect_entries(&page, by_key.collect()))
}

#[boxed]
pub async fn list_shipments(
    app: &App,
    query: &WorkListQuery,
) -> Result<WorkEntries<WorkEntry<ShipmentHead>>, AppError> {
    let page = match &query.reference {
        None => query.page(app, WorkList::Shipments).await?,
        Some(number) => {
            let owners = app.store.merchants_of_shipment(number);
            query.page_of_number(app, WorkList::Shipments, number, owners).await?
        }
    };
    let heads = app.store.shipment_heads(names(&page)).await?;
    let by_key =
        heads.into_iter().map(|(merchant, head)| ((merchant, head.asn_number.to_string()), head));
    Ok(collect_entries(&page, by_key.collect()))
}

#[boxed]
pub async fn list_drop_ship_orders(
    app: &App,
    query: &WorkListQuery,
) -> Result<WorkEntries<WorkEntry<DropShipOrder>>, AppError> {
    let page = match &query.reference {
        None => query.page(app, WorkList::DropShipOrders).await?,
        Some(number) => {
            let owners = app.store.merchants_of_drop_ship_order(number);
            query.page_of_number(app, WorkList::DropShipOrders, number, owners).await?
        }
    };
    let orders = app.store.drop_ship_orders_named(names(&page)).await?;
    let by_key = orders
        .into_iter()
        .map(|(merchant, order)| ((merchant, order.client_identifier.clone()), order));
    Ok(collect_entries(&page, by_key.collect()))
}

/// An ASN with a page of its lines. If several programs have the number, `program` must say which.
#[boxed]
pub async fn load_asn(
    app: &App,
    merchant: Option<&domain::identifier::MerchantId>,
    asn_number: &str,
    program: Option<&str>,
    lines: AsnLinesQuery<'_>,
) -> Result<AsnPage, AppError> {
    let owners = app.store.merchants_of_asn(asn_number).await?;
    let missing = || AppError::NotFound("ASN");
    let merchant = resolve_merchant(merchant, &owners)?.ok_or_else(missing)?;
    let heads = app.store.asn_heads(&merchant, asn_number).await?;
    let state = select_program(heads, program)?.ok_or_else(missing)?;
    let limit = lines.limit;
    let after = lines.after.unwrap_or_default();
    let lines = app.store.asn_lines_page(&merchant, &state.asn, after, limit).await?;
    let last = lines.last().filter(|_| lines.len() == limit);
    let next = last.map(|line| line.detail.line_identifier.clone());
    Ok(AsnPage { merchant: merchant.to_string(), summary: state.into(), lines, next })
}

/// The ASN of a program, or the only one. None if there is none.
fn select_program(
    heads: Vec<Versioned<AsnState>>,
    program: Option<&str>,
) -> Result<Option<AsnState>, AppError> {
    let mut states = heads.into_iter().map(|head| head.value);
    if let Some(program) = program {
        return Ok(states.find(|state| state.asn.program_identifier == program));
    }
    let states: Vec<AsnState> = states.collect();
    if states.len() > 1 {
        let programs = states.iter().map(|state| state.asn.program_identifier.as_str());
        let programs: Vec<&str> = programs.collect();
        let programs = programs.join(", ");
        let reason = format!("must be named, because several programs have this ASN: {programs}");
        return Err(missing_parameter("program", &reason));
    }
    Ok(states.into_iter().next())
}

/// Which lines of an ASN to read.
#[derive(Clone, Copy, Debug)]
pub struct AsnLinesQuery<'a> {
    /// The line that the page before ended with.
    pub after: Option<&'a str>,
    pub limit: usize,
}

fn names(page: &WorkPage) -> impl Iterator<Item = (&str, &str)> {
    page.rows.iter().map(|row| (row.merchant.as_str(), row.id.as_str()))
}

/// The values of the rows of a page, in its order, by merchant and identifier.
fn collect_entries<T>(
    page: &WorkPage,
    mut by_key: HashMap<(String, String), T>,
) -> WorkEntries<WorkEntry<T>> {
    let entries = page.rows.iter().filter_map(|row| {
        let value = by_key.remove(&(row.merchant.clone(), row.id.clone()))?;
        let (merchant, updated_at) = (row.merchant.clone(), time_from_us(row.changed_us));
        Some(WorkEntry { merchant, updated_at, value })
    });
    WorkEntries::new(page, entries.collect())
}
