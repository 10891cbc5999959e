//! All merchants, and adding one.

use app::merchants::{
    add_merchant::{AddedMerchant, add_merchant},
    change_merchant::{MerchantView, list_merchants},
};
use askama::Template;
use axum::{Router, extract::State, http::StatusCode, response::Response, routing::get};
use serde::Deserialize;

use crate::{
    access::visit::{Operator, OperatorForm, Visitor},
    core::{
        field::{Field, document, fill, put_faults},
        frame::{Frame, Section, page},
        words::address,
    },
};
use server::requests::merchants::read_new_merchant;
use server::{Web, error::ApiError, json_body::JsonBody, query::Query};

const PAGE: usize = 50;

pub(crate) const CARRIERS: [(&str, &str); 2] = [
    ("simulated", "Simulated: labels at once, parcels move when told to"),
    ("external", "External: a system asks for labels and reports scans"),
];

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/console/merchants", get(list))
        .route("/console/add-merchant", get(show).post(add))
}

#[derive(Template)]
#[template(path = "merchants/list.html", whitespace = "minimize")]
struct List<'a> {
    frame: Frame<'a>,
    merchants: Vec<MerchantView>,
    next: Option<String>,
}

#[derive(Deserialize)]
struct ListQuery {
    after: Option<String>,
}

async fn list(
    State(web): State<Web>,
    Operator { visitor, .. }: Operator,
    Query(query): Query<ListQuery>,
) -> Result<Response, ApiError> {
    let found = list_merchants(&web.app, query.after.as_deref().unwrap_or_default(), PAGE).await?;
    let last = found.last().filter(|_| found.len() == PAGE);
    let next = last.map(|last| address("/console/merchants", &[("after", &last.merchant)]));
    let frame = Frame::new(&visitor, Section::Merchants, "Merchants");
    Ok(page(&visitor, StatusCode::OK, &List { frame, merchants: found, next }))
}

#[derive(Template)]
#[template(path = "merchants/add.html", whitespace = "minimize")]
struct Add<'a> {
    frame: Frame<'a>,
    fields: Vec<Field>,
    problems: Vec<String>,
}

/// The credentials of a new merchant, shown this once.
#[derive(Template)]
#[template(path = "merchants/added.html", whitespace = "minimize")]
struct Added<'a> {
    frame: Frame<'a>,
    added: &'a AddedMerchant,
}

fn fields() -> Vec<Field> {
    vec![
        Field::text("merchant", "Identifier").hint(
            "Stands in addresses and in client identifiers: a to z, digits and hyphens. It never changes.",
        ),
        Field::text("name", "Name").hint("What shoppers read in the portal."),
        Field::choice("carrier", "Carrier", &CARRIERS),
        Field::flag("managed_receiving", "Our warehouse receives what comes back", false),
        Field::flag("strict", "Refuse orders whose amounts do not add up", false)
            .hint("Otherwise they are accepted with a warning."),
    ]
}

fn form_page(visitor: &Visitor, fields: Vec<Field>, problems: Vec<String>) -> Response {
    let wrong = !problems.is_empty() || fields.iter().any(|field| field.fault.is_some());
    let status = if wrong { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let frame = Frame::new(visitor, Section::Merchants, "Add a merchant");
    page(visitor, status, &Add { frame, fields, problems })
}

async fn show(Operator { visitor, .. }: Operator) -> Response {
    form_page(&visitor, fields(), Vec::new())
}

async fn add(
    State(web): State<Web>,
    OperatorForm { visitor, form, .. }: OperatorForm,
) -> Result<Response, ApiError> {
    let mut fields = fields();
    fill(&mut fields, &form);
    let body = JsonBody::from(document(&fields, &form).to_string());
    let environment = web.settings.environment;
    let added = match body.read(|document| read_new_merchant(document, environment)) {
        Ok(new) => {
            let added = add_merchant(&web.app, visitor.session.request(), &new).await;
            added.map_err(ApiError::from)
        }
        Err(error) => Err(error),
    };
    match added {
        Ok(added) => {
            let title = format!("{} is added", added.merchant);
            let frame = Frame::new(&visitor, Section::Merchants, title);
            Ok(page(&visitor, StatusCode::CREATED, &Added { frame, added: &added }))
        }
        Err(error) => {
            let problems = put_faults(&mut fields, error)?;
            Ok(form_page(&visitor, fields, problems))
        }
    }
}
