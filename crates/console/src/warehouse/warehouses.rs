//! The warehouses of the platform, and which of them returns go to.

mod routes;
mod warehouse_form;

use app::{
    AppError,
    warehouse::settings::{
        list_warehouses, load_return_routes, load_warehouse, remove_warehouse, set_warehouse,
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
use domain::warehouse::settings::{Warehouse, is_identifier};

use self::{
    routes::{RouteRow, read_rows, set_rows, view_routes},
    warehouse_form::{form_fields, read_form, with_identifier},
};
use crate::{
    access::{
        visit::{Operator, OperatorForm},
        visitor::Visitor,
    },
    core::{
        field::FormState,
        frame::{Frame, Section, form_status, redirect_with_notice, render_page},
        lists::{FilterOption, merchant_options},
        urls::warehouse_url,
    },
};
use server::{Web, error::ApiError, path::Path};

const PATH: &str = "/console/warehouses";

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route(PATH, get(list))
        .route("/console/add-warehouse", get(show_empty).post(add))
        .route("/console/return-routes", post(set_routes))
        .route("/console/warehouses/{identifier}", get(show).post(change))
        .route("/console/warehouses/{identifier}/remove", post(remove))
}

#[derive(Template)]
#[template(path = "warehouse/warehouses.html", whitespace = "minimize")]
struct WarehousesPage<'a> {
    frame: Frame<'a>,
    rows: Vec<WarehouseRow>,
    merchants: Vec<FilterOption>,
    /// Those that have an address.
    destinations: Vec<String>,
    routes: Vec<RouteRow>,
    /// Why the table was refused.
    refusal: Option<String>,
}

impl WarehousesPage<'_> {
    /// A merchant that is not among the first ones stays in its row.
    fn lists_merchant(&self, id: &str) -> bool {
        self.merchants.iter().any(|it| it.value == id)
    }

    /// A warehouse that was removed or has no address any more stays in its row until someone
    /// decides on it.
    fn lists_destination(&self, identifier: &str) -> bool {
        self.destinations.iter().any(|it| it == identifier)
    }
}

struct WarehouseRow {
    url: String,
    identifier: String,
    external: String,
    place: String,
    time_zone: String,
    channel: String,
}

fn warehouse_row(warehouse: Warehouse) -> WarehouseRow {
    let settings = warehouse.settings;
    let place = settings.address.map(|address| {
        let parts = [Some(address.address.city), address.country];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    });
    WarehouseRow {
        url: warehouse_url(&warehouse.identifier),
        identifier: warehouse.identifier,
        external: settings.external_identifier.unwrap_or_default(),
        place: place.unwrap_or_default(),
        time_zone: settings.time_zone.unwrap_or_default(),
        channel: settings.default_channel.unwrap_or_default(),
    }
}

async fn render_list(
    web: &Web,
    visitor: &Visitor,
    entered: Option<Vec<RouteRow>>,
    refusal: Option<String>,
) -> Result<Response, ApiError> {
    let warehouses = list_warehouses(&web.app).await?;
    let addressed = warehouses.iter().filter(|it| it.settings.address.is_some());
    let destinations = addressed.map(|it| it.identifier.clone()).collect();
    let routes = match entered {
        Some(entered) => entered,
        None => view_routes(&load_return_routes(&web.app).await?),
    };
    let status = if refusal.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let content = WarehousesPage {
        frame: Frame::new(visitor, Section::Warehouses, "Warehouses"),
        rows: warehouses.into_iter().map(warehouse_row).collect(),
        merchants: merchant_options(web, visitor, "").await?,
        destinations,
        routes,
        refusal,
    };
    Ok(render_page(visitor, status, &content))
}

async fn list(
    State(web): State<Web>,
    Operator { visitor, .. }: Operator,
) -> Result<Response, ApiError> {
    render_list(&web, &visitor, None, None).await
}

async fn set_routes(
    State(web): State<Web>,
    OperatorForm { visitor, form, .. }: OperatorForm,
) -> Result<Response, ApiError> {
    let rows = read_rows(&form);
    match set_rows(&web, &visitor, &rows).await? {
        Ok(()) => Ok(redirect_with_notice(&web, PATH, "The table of return addresses was saved.")),
        Err(why) => render_list(&web, &visitor, Some(rows), Some(why)).await,
    }
}

#[derive(Template)]
#[template(path = "warehouse/warehouse.html", whitespace = "minimize")]
struct WarehousePage<'a> {
    frame: Frame<'a>,
    /// Where the form is sent.
    url: String,
    form: FormState,
    /// Whether the warehouse exists already.
    exists: bool,
}

fn render_form(visitor: &Visitor, identifier: Option<&str>, form: FormState) -> Response {
    let title = match identifier {
        Some(identifier) => format!("Warehouse {identifier}"),
        None => "Add warehouse".to_owned(),
    };
    let status = form_status(form.is_refused());
    let content = WarehousePage {
        frame: Frame::new(visitor, Section::Warehouses, title),
        url: identifier.map_or_else(|| "/console/add-warehouse".to_owned(), warehouse_url),
        exists: identifier.is_some(),
        form,
    };
    render_page(visitor, status, &content)
}

async fn show_empty(Operator { visitor, .. }: Operator) -> Response {
    render_form(&visitor, None, FormState::new(with_identifier(form_fields(None))))
}

async fn show(
    State(web): State<Web>,
    Operator { visitor, .. }: Operator,
    Path(identifier): Path<String>,
) -> Result<Response, ApiError> {
    let warehouse = load_warehouse(&web.app, &identifier).await?;
    let form = FormState::new(form_fields(Some(&warehouse.settings)));
    Ok(render_form(&visitor, Some(&identifier), form))
}

async fn add(State(web): State<Web>, sent: OperatorForm) -> Result<Response, ApiError> {
    let identifier = sent.form.text("identifier").to_owned();
    let saved = if !is_identifier(&identifier) {
        Err(AppError::Conflict("the identifier must have 1 to 255 characters".to_owned()).into())
    } else if load_warehouse(&web.app, &identifier).await.is_ok() {
        Err(AppError::Conflict(format!("warehouse {identifier} already exists")).into())
    } else {
        save(&web, &sent, &identifier).await
    };
    match saved {
        Ok(response) => Ok(response),
        Err(error) => {
            let fields = with_identifier(form_fields(None));
            let mut state = FormState::filled(fields, &sent.form);
            state.assign_faults(error)?;
            Ok(render_form(&sent.visitor, None, state))
        }
    }
}

async fn change(
    State(web): State<Web>,
    Path(identifier): Path<String>,
    sent: OperatorForm,
) -> Result<Response, ApiError> {
    load_warehouse(&web.app, &identifier).await?;
    match save(&web, &sent, &identifier).await {
        Ok(response) => Ok(response),
        Err(error) => {
            let mut state = FormState::filled(form_fields(None), &sent.form);
            state.assign_faults(error)?;
            Ok(render_form(&sent.visitor, Some(&identifier), state))
        }
    }
}

async fn save(web: &Web, sent: &OperatorForm, identifier: &str) -> Result<Response, ApiError> {
    let settings = read_form(&sent.form)?;
    set_warehouse(sent.visitor.session.scope(&web.app), identifier, &settings).await?;
    Ok(redirect_with_notice(web, PATH, &format!("Warehouse {identifier} was saved.")))
}

async fn remove(
    State(web): State<Web>,
    Path(identifier): Path<String>,
    OperatorForm { visitor, .. }: OperatorForm,
) -> Result<Response, ApiError> {
    remove_warehouse(visitor.session.scope(&web.app), &identifier).await?;
    Ok(redirect_with_notice(&web, PATH, &format!("Warehouse {identifier} was removed.")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::fixtures::{HOSTILE, assert_is_text, sample_visitor};

    #[test]
    fn a_row_keeps_a_merchant_and_a_warehouse_that_are_not_offered() {
        let visitor = sample_visitor();
        let page = WarehousesPage {
            frame: Frame::new(&visitor, Section::Warehouses, "Warehouses"),
            rows: Vec::new(),
            merchants: vec![FilterOption::new("acme", "Acme", "")],
            destinations: vec!["31".to_owned()],
            routes: vec![RouteRow {
                merchant: "zeta".to_owned(),
                warehouse: "32".to_owned(),
                ..RouteRow::default()
            }],
            refusal: None,
        };
        let html = page.render().unwrap();
        assert!(html.contains(r#"<option value="zeta" selected>"#), "{html}");
        assert!(html.contains(r#"<option value="32" selected>"#), "{html}");
    }

    #[test]
    fn a_warehouse_stays_text() {
        let hostile = || HOSTILE.to_owned();
        let visitor = sample_visitor();
        let route = RouteRow {
            merchant: hostile(),
            country: hostile(),
            return_method: hostile(),
            warehouse: hostile(),
        };
        assert_is_text(&WarehousesPage {
            frame: Frame::new(&visitor, Section::Warehouses, "Warehouses"),
            rows: vec![WarehouseRow {
                url: hostile(),
                identifier: hostile(),
                external: hostile(),
                place: hostile(),
                time_zone: hostile(),
                channel: hostile(),
            }],
            merchants: vec![FilterOption::new(HOSTILE, HOSTILE, "")],
            destinations: vec![hostile()],
            routes: vec![route],
            refusal: Some(hostile()),
        });
    }
}
