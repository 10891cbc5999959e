//! Drop-ship orders: the list, and one order, which can be shipped, canceled or rejected.

use app::{
    AppError,
    warehouse::{
        drop_ship::{decide_drop_ship_order, load_drop_ship_order},
        work_lists::list_drop_ship_orders,
    },
};
use askama::Template;
use axum::{
    Router,
    extract::State,
    http::StatusCode,
    response::Response,
    routing::{get, post},
};
use domain::{
    faults::Faults,
    json,
    orders::order::PostalAddress,
    warehouse::drop_ship::{
        DropShipAction, DropShipAddress, DropShipItem, DropShipOrder, DropShipStatus,
        read_cancellation, read_shipping,
    },
};
use serde_json::{Map, Value, json};

use super::work_list::{WorkListPage, WorkRow, work_query};
use crate::{
    access::{
        visit::{Worker, WorkerForm},
        visitor::Visitor,
    },
    core::{
        badge::Badge,
        form::{Form, NOTE_MAX, non_empty},
        format::{TimeElement, format_number, to_sentence},
        frame::{Frame, Section, redirect_with_notice, render_page},
        lists::StatusQuery,
        urls::drop_ship_url,
    },
};
use server::{
    Web, error::ApiError, path::Path, query::Query, requests::identifiers::parse_merchant,
};

const PATH: &str = "/console/drop-ship";

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route(PATH, get(list))
        .route("/console/drop-ship/{merchant}/{identifier}", get(show))
        .route("/console/drop-ship/{merchant}/{identifier}/shipments", post(ship))
        .route("/console/drop-ship/{merchant}/{identifier}/cancellations", post(cancel))
}

const fn status_badge(status: DropShipStatus) -> Badge {
    match status {
        DropShipStatus::Accepted => Badge::cool("Open"),
        DropShipStatus::PartiallyShipped => Badge::warn("Partly shipped"),
        DropShipStatus::Shipped => Badge::good("Shipped"),
        DropShipStatus::Cancelled => Badge::plain("Canceled"),
        DropShipStatus::Rejected => Badge::bad("Rejected"),
    }
}

async fn list(
    State(web): State<Web>,
    Worker { visitor, .. }: Worker,
    Query(query): Query<StatusQuery>,
) -> Result<Response, ApiError> {
    let asked = work_query(&query, &DropShipStatus::ALL.map(DropShipStatus::name))?;
    let page = list_drop_ship_orders(&web.app, &asked).await?;
    let statuses = DropShipStatus::ALL.map(|status| (status.name(), status_badge(status).label));
    let rows = page.entries.iter().map(|entry| {
        let order = &entry.value;
        let open: i64 = order.order_items.iter().map(DropShipItem::quantity_open).sum();
        WorkRow {
            url: drop_ship_url(&entry.merchant, &order.client_identifier),
            identifier: order.client_identifier.clone(),
            merchant: entry.merchant.clone(),
            cells: vec![
                order.shipping_address.name.clone(),
                order.shipping_method.name().to_owned(),
                format_number(open),
            ],
            status: status_badge(order.status),
            updated: TimeElement(order.updated_at),
        }
    });
    let content = WorkListPage {
        frame: Frame::new(&visitor, Section::DropShip, "Drop-ship orders"),
        filter: query.filter(&web, &visitor, &statuses).await?,
        headings: &["Recipient", "Speed", "Open units"],
        rows: rows.collect(),
        empty: "No drop-ship orders found. They appear here when a merchant places them.",
        paging: query.paging(PATH, page.more.then_some(page.next.as_str())),
    };
    Ok(render_page(&visitor, StatusCode::OK, &content))
}

#[derive(Template)]
#[template(path = "warehouse/drop_ship.html", whitespace = "minimize")]
struct DropShipPage<'a> {
    frame: Frame<'a>,
    merchant: &'a str,
    url: String,
    order: &'a DropShipOrder,
    status: Badge,
    created: TimeElement,
    updated: TimeElement,
    address: Vec<String>,
    lines: Vec<LineRow<'a>>,
    is_open: bool,
    can_reject: bool,
    /// Why the last action was refused.
    refusal: Option<String>,
    /// What was entered when it was refused.
    entered: Entered,
    note_max: usize,
}

struct LineRow<'a> {
    identifier: &'a str,
    sku: &'a str,
    condition: &'static str,
    quantity: i64,
    shipped: i64,
    cancelled: i64,
    open: i64,
    status: Badge,
    /// Units that leave now, as they were entered; all open ones at first.
    entered: String,
}

/// The fields of the page as they were entered.
#[derive(Default)]
struct Entered {
    carrier: String,
    shipping_method: String,
    tracking_number: String,
    reason: String,
    /// The units of each line, in their order.
    quantities: Vec<String>,
}

impl Entered {
    fn read(form: &Form) -> Self {
        let text = |name| form.text(name).to_owned();
        Self {
            carrier: text("carrier"),
            shipping_method: text("shipping_method"),
            tracking_number: text("tracking_number"),
            reason: text("reason"),
            quantities: form.all("quantity").map(|it| it.trim().to_owned()).collect(),
        }
    }
}

fn drop_ship_page<'a>(
    visitor: &'a Visitor,
    merchant: &'a str,
    order: &'a DropShipOrder,
    refusal: Option<String>,
    entered: Entered,
) -> DropShipPage<'a> {
    let lines = order.order_items.iter().enumerate().map(|(position, item)| LineRow {
        identifier: &item.client_identifier,
        sku: &item.sku,
        condition: item.condition.map_or("", |condition| condition.name()),
        quantity: item.quantity,
        shipped: item.quantity_shipped,
        cancelled: item.quantity_cancelled,
        open: item.quantity_open(),
        status: status_badge(item.status),
        entered: match entered.quantities.get(position) {
            Some(entered) => entered.clone(),
            None => item.quantity_open().to_string(),
        },
    });
    let title = format!("Drop-ship order {}", order.client_identifier);
    DropShipPage {
        frame: Frame::new(visitor, Section::DropShip, title),
        merchant,
        url: drop_ship_url(merchant, &order.client_identifier),
        status: status_badge(order.status),
        created: TimeElement(order.created_at),
        updated: TimeElement(order.updated_at),
        address: address_lines(&order.shipping_address),
        lines: lines.collect(),
        is_open: !order.is_closed(),
        can_reject: !order.has_shipped(),
        order,
        refusal,
        entered,
        note_max: NOTE_MAX,
    }
}

/// The address as its country writes it, and how to call the recipient.
fn address_lines(to: &DropShipAddress) -> Vec<String> {
    let postal = PostalAddress {
        name: to.name.clone(),
        street1: to.street.clone(),
        street2: to.street2.clone(),
        city: to.city.clone(),
        state: to.state.clone(),
        zip_code: to.zip_code.clone(),
        country_code: to.country.clone(),
        phone: None,
    };
    let mut lines = postal.lines();
    if let Some(company) = to.company.clone().filter(|company| !company.is_empty()) {
        lines.insert(lines.len().min(1), company);
    }
    lines.extend(to.telephone_number.clone().filter(|number| !number.is_empty()));
    lines
}

async fn show(
    State(web): State<Web>,
    Worker { visitor, .. }: Worker,
    Path((merchant, identifier)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let owner = parse_merchant(&merchant)?;
    let order = load_drop_ship_order(&web.app, Some(&owner), &identifier).await?;
    let content = drop_ship_page(&visitor, &merchant, &order, None, Entered::default());
    Ok(render_page(&visitor, StatusCode::OK, &content))
}

async fn ship(
    State(web): State<Web>,
    Path((merchant, identifier)): Path<(String, String)>,
    sent: WorkerForm,
) -> Result<Response, ApiError> {
    let action = read_action(&shipping_document(&sent.form), read_shipping);
    act(&web, &sent, &merchant, &identifier, action).await
}

async fn cancel(
    State(web): State<Web>,
    Path((merchant, identifier)): Path<(String, String)>,
    sent: WorkerForm,
) -> Result<Response, ApiError> {
    let document = json!({
        "reason": sent.form.text("reason"), "outcome": sent.form.raw("outcome"),
    });
    act(&web, &sent, &merchant, &identifier, read_action(&document, read_cancellation)).await
}

/// The request that the API would get. Lines of which nothing leaves are left out.
fn shipping_document(form: &Form) -> Value {
    let items = form.all("line").zip(form.all("quantity"));
    let items = items.filter(|(_, quantity)| !matches!(quantity.trim(), "" | "0"));
    let items = items.map(|(line, quantity)| {
        let quantity = quantity.trim();
        let number = quantity.parse::<i64>().map_or_else(|_| Value::from(quantity), Value::from);
        json!({ "client_identifier": line, "quantity": number })
    });
    let mut document = Map::from_iter([
        ("carrier".to_owned(), form.text("carrier").into()),
        ("tracking_number".to_owned(), form.text("tracking_number").into()),
        ("items".to_owned(), items.collect::<Vec<Value>>().into()),
    ]);
    if let Some(method) = non_empty(form.text("shipping_method")) {
        document.insert("shipping_method".to_owned(), method.into());
    }
    Value::Object(document)
}

fn read_action(
    document: &Value,
    read: impl FnOnce(&json::Json<'_>) -> Result<DropShipAction, Faults>,
) -> Result<DropShipAction, String> {
    let text = document.to_string();
    let parsed = json::parse(text.as_bytes()).map_err(|error| error.to_string())?;
    read(&parsed).map_err(|faults| {
        let fault = |it: &domain::faults::FieldError| {
            format!("{} {}", it.field.trim_start_matches("$."), it.reason)
        };
        faults.errors.iter().map(fault).collect::<Vec<_>>().join("; ")
    })
}

async fn act(
    web: &Web,
    sent: &WorkerForm,
    merchant: &str,
    identifier: &str,
    action: Result<DropShipAction, String>,
) -> Result<Response, ApiError> {
    let owner = parse_merchant(merchant)?;
    let scope = sent.visitor.session.scope(&web.app).for_merchant(&owner);
    let done = match action {
        Ok(action) => decide_drop_ship_order(scope, identifier, &action).await,
        Err(why) => Err(AppError::Conflict(why)),
    };
    match done {
        Ok(order) => {
            let label = status_badge(order.status).label.to_lowercase();
            let notice = format!("Drop-ship order {identifier} is {label} now.");
            Ok(redirect_with_notice(web, &drop_ship_url(merchant, identifier), &notice))
        }
        Err(AppError::Conflict(why)) => {
            let order = load_drop_ship_order(&web.app, Some(&owner), identifier).await?;
            let (refusal, entered) = (Some(to_sentence(&why)), Entered::read(&sent.form));
            let content = drop_ship_page(&sent.visitor, merchant, &order, refusal, entered);
            Ok(render_page(&sent.visitor, StatusCode::CONFLICT, &content))
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::fixtures::{HOSTILE, assert_is_text, sample_visitor};

    #[test]
    fn an_order_stays_text() {
        let mut order = domain::samples::drop_ship_order();
        order.client_identifier = HOSTILE.to_owned();
        order.comments = Some(HOSTILE.to_owned());
        order.shipping_address.name = HOSTILE.to_owned();
        order.order_items[0].sku = HOSTILE.to_owned();
        let entered = || HOSTILE.to_owned();
        let entered = Entered {
            carrier: entered(),
            shipping_method: entered(),
            tracking_number: entered(),
            reason: entered(),
            quantities: vec![entered()],
        };
        let visitor = sample_visitor();
        let refusal = Some(HOSTILE.to_owned());
        assert_is_text(&drop_ship_page(&visitor, HOSTILE, &order, refusal, entered));
    }

    #[test]
    fn lines_of_which_nothing_leaves_are_left_out() {
        let form = Form::of(&[
            ("carrier", "UPS"),
            ("tracking_number", "1Z"),
            ("line", "A"),
            ("quantity", " 2 "),
            ("line", "B"),
            ("quantity", "0"),
            ("line", "C"),
            ("quantity", "x"),
        ]);
        let items = json!([
            { "client_identifier": "A", "quantity": 2 },
            { "client_identifier": "C", "quantity": "x" },
        ]);
        assert_eq!(shipping_document(&form)["items"], items);
    }
}
