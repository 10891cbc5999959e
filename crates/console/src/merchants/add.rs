//! Adding a merchant.

use app::merchants::add_merchant::{AddedMerchant, NewMerchant, add_merchant};
use askama::Template;
use axum::{Router, extract::State, http::StatusCode, response::Response, routing::get};
use domain::merchants::merchant::{CarrierMode, MerchantSettings};

use super::fields::settings_fields;
use crate::{
    access::{
        confirm::confirm_password,
        visit::{Operator, OperatorForm},
        visitor::Visitor,
    },
    core::{
        field::{Field, FormState, to_document},
        form::Form,
        frame::{Frame, Section, form_status, render_page},
    },
};
use server::{Web, error::ApiError, json_body::JsonBody, requests::merchants::read_new_merchant};

pub(crate) fn routes() -> Router<Web> {
    Router::new().route("/console/add-merchant", get(show).post(add))
}

#[derive(Template)]
#[template(path = "merchants/add.html", whitespace = "minimize")]
struct AddMerchantPage<'a> {
    frame: Frame<'a>,
    form: FormState,
}

/// The credentials of a new merchant, which are shown only once.
#[derive(Template)]
#[template(path = "merchants/added.html", whitespace = "minimize")]
struct AddedMerchantPage<'a> {
    frame: Frame<'a>,
    added: &'a AddedMerchant,
}

fn form_fields() -> Vec<Field> {
    let settings =
        MerchantSettings { carrier: CarrierMode::Simulated, ..MerchantSettings::default() };
    let mut fields = vec![
        Field::text("merchant", "Identifier").hint(
            "Used in addresses and client IDs: a to z, digits and hyphens. It cannot be changed \
             later.",
        ),
        Field::text("name", "Name").hint("Shown to shoppers in the portal."),
    ];
    fields.extend(settings_fields(settings));
    fields
}

fn render_form(visitor: &Visitor, form: FormState) -> Response {
    let status = form_status(form.is_refused());
    let frame = Frame::new(visitor, Section::Merchants, "Add merchant");
    render_page(visitor, status, &AddMerchantPage { frame, form })
}

async fn show(Operator { visitor, .. }: Operator) -> Response {
    render_form(&visitor, FormState::new(form_fields()))
}

async fn add(State(web): State<Web>, sent: OperatorForm) -> axum::response::Result<Response> {
    // A form with faults is corrected before the password is asked for.
    let read = read_form(&web, &sent.form);
    if read.is_ok() {
        confirm_password(&web, &sent).await?;
    }
    let OperatorForm { visitor, form, .. } = sent;
    match add_from_form(&web, &visitor, read).await {
        Ok(added) => {
            let title = format!("Merchant {} added", added.merchant);
            let frame = Frame::new(&visitor, Section::Merchants, title);
            let content = AddedMerchantPage { frame, added: &added };
            Ok(render_page(&visitor, StatusCode::CREATED, &content))
        }
        Err(error) => {
            let mut state = FormState::filled(form_fields(), &form);
            state.assign_faults(error)?;
            Ok(render_form(&visitor, state))
        }
    }
}

fn read_form(web: &Web, form: &Form) -> Result<NewMerchant, ApiError> {
    let body = JsonBody::from(to_document(&form_fields(), form).to_string());
    body.read(|document| read_new_merchant(document, web.settings.environment))
}

async fn add_from_form(
    web: &Web,
    visitor: &Visitor,
    read: Result<NewMerchant, ApiError>,
) -> Result<AddedMerchant, ApiError> {
    Ok(add_merchant(visitor.session.scope(&web.app), &read?).await?)
}
