//! One merchant: its setup, settings, clients and signing secret.

use app::{
    access::change_client::{ClientView, list_clients},
    merchants::{
        change_merchant::{MerchantChange, MerchantView, change_merchant, load_merchant},
        onboarding::{Onboarding, load_onboarding},
    },
};
use askama::Template;
use axum::{
    Router,
    extract::State,
    response::Response,
    routing::{get, post},
};
use domain::identifier::MerchantId;

use super::{
    fields::settings_fields,
    tabs::{MerchantTab, MerchantTabs},
};
use crate::access::{
    visit::{Member, OperatorForm, Person},
    visitor::Visitor,
};
use crate::core::{
    field::{Field, FormState, to_document},
    frame::{Frame, Section, form_status, home_url, redirect, redirect_with_notice, render_page},
    urls::merchant_url,
};
use server::requests::{identifiers::parse_merchant, merchants::read_merchant_change};
use server::{Web, error::ApiError, json_body::JsonBody, path::Path};

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/console/merchant", get(show_own))
        .route("/console/merchants/{merchant}", get(show).post(change))
        .route("/console/merchants/{merchant}/disabled", post(disable))
}

#[derive(Template)]
#[template(path = "merchants/merchant.html", whitespace = "minimize")]
struct MerchantPage<'a> {
    frame: Frame<'a>,
    tabs: MerchantTabs,
    merchant: MerchantView,
    clients: Vec<ClientView>,
    onboarding: Onboarding,
    form: FormState,
    /// The scopes that a new client can have.
    scopes: Vec<String>,
}

impl MerchantPage<'_> {
    fn settings_fields(&self) -> impl Iterator<Item = &Field> {
        self.form.fields.iter().filter(|field| !is_address_field(field))
    }

    fn address_fields(&self) -> impl Iterator<Item = &Field> {
        self.form.fields.iter().filter(|field| is_address_field(field))
    }
}

fn is_address_field(field: &Field) -> bool {
    field.name.starts_with("return_address.")
}

fn form_fields(merchant: &MerchantView) -> Vec<Field> {
    let mut fields = vec![Field::text("name", "Name").value(&merchant.name)];
    fields.extend(settings_fields(merchant.settings));
    fields.extend(address_fields(merchant));
    fields
}

fn address_fields(merchant: &MerchantView) -> [Field; 8] {
    let address = merchant.return_address.as_ref();
    let field = |name, label, value: Option<&String>| {
        Field::text(name, label).value(value.cloned().unwrap_or_default()).optional()
    };
    [
        field("return_address.name", "Recipient", address.map(|it| &it.name)),
        field("return_address.street1", "Street", address.map(|it| &it.street1)),
        field(
            "return_address.street2",
            "Street, second line",
            address.and_then(|it| it.street2.as_ref()),
        ),
        field("return_address.city", "City", address.map(|it| &it.city)),
        field("return_address.state", "State or region", address.map(|it| &it.state)),
        field("return_address.zip_code", "Postal code", address.map(|it| &it.zip_code)),
        field("return_address.country_code", "Country", address.map(|it| &it.country_code))
            .hint("Two letters, such as US."),
        field("return_address.phone", "Phone", address.and_then(|it| it.phone.as_ref())),
    ]
}

/// The page with the form as it was sent, or with the current settings.
async fn render_merchant(
    web: &Web,
    visitor: &Visitor,
    id: &MerchantId,
    sent: Option<FormState>,
) -> Result<Response, ApiError> {
    let merchant = load_merchant(&web.app, id).await?;
    let status = form_status(sent.is_some());
    let scopes = domain::access::scope::Scopes::merchant_most().to_string();
    let content = MerchantPage {
        frame: Frame::new(visitor, Section::Merchants, &merchant.name),
        tabs: MerchantTabs::new(id, MerchantTab::Merchant),
        clients: list_clients(&web.app, id).await?,
        onboarding: load_onboarding(&web.app, id).await?,
        form: sent.unwrap_or_else(|| FormState::new(form_fields(&merchant))),
        merchant,
        scopes: scopes.split(' ').map(str::to_owned).collect(),
    };
    Ok(render_page(visitor, status, &content))
}

async fn show(
    State(web): State<Web>,
    Member { visitor, .. }: Member,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    render_merchant(&web, &visitor, &parse_merchant(&id)?, None).await
}

/// Where a merchant's people start.
async fn show_own(Person { visitor, .. }: Person) -> Response {
    match visitor.own_merchant() {
        Some(own) => redirect(&merchant_url(own.as_str())),
        None => redirect(home_url(visitor.session.role)),
    }
}

async fn change(
    State(web): State<Web>,
    Path(id): Path<String>,
    OperatorForm { visitor, form, .. }: OperatorForm,
) -> Result<Response, ApiError> {
    let id = parse_merchant(&id)?;
    let fields = form_fields(&load_merchant(&web.app, &id).await?);
    let body = JsonBody::from(to_document(&fields, &form).to_string());
    match body.read(read_merchant_change) {
        Ok(change) => {
            change_merchant(visitor.session.scope(&web.app).for_merchant(&id), &change).await?;
            let to = merchant_url(&id.to_string());
            Ok(redirect_with_notice(&web, &to, "Settings saved."))
        }
        Err(error) => {
            let mut state = FormState::filled(fields, &form);
            state.assign_faults(error)?;
            render_merchant(&web, &visitor, &id, Some(state)).await
        }
    }
}

async fn disable(
    State(web): State<Web>,
    Path(id): Path<String>,
    OperatorForm { visitor, form, .. }: OperatorForm,
) -> Result<Response, ApiError> {
    let id = parse_merchant(&id)?;
    let disabled = form.text("disabled") == "true";
    let change = MerchantChange { disabled: Some(disabled), ..MerchantChange::default() };
    change_merchant(visitor.session.scope(&web.app).for_merchant(&id), &change).await?;
    let notice = if disabled {
        format!("{id} is disabled. Its tokens are refused.")
    } else {
        format!("{id} is enabled again.")
    };
    Ok(redirect_with_notice(&web, &merchant_url(&id.to_string()), &notice))
}
