//! One merchant: how far it has come, its settings, its clients and its secrets.

use app::{
    access::change_client::{ClientView, list_clients},
    merchants::{
        change_merchant::{MerchantView, change_merchant, load_merchant},
        onboarding::{Onboarding, load_onboarding},
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
use domain::identifier::MerchantId;

use crate::merchants::list::CARRIERS;
use crate::{
    access::visit::{Operator, OperatorForm, Visitor},
    core::{
        field::{Field, document, fill, put_faults},
        frame::{Frame, Section, done, page},
    },
};
use server::requests::{identifiers::parse_merchant, merchants::read_merchant_change};
use server::{Web, error::ApiError, json_body::JsonBody, path::Path};

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/console/merchants/{merchant}", get(show).post(change))
        .route("/console/merchants/{merchant}/disabled", post(disable))
}

/// The pages about one merchant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Merchant,
    Endpoints,
    Policy,
}

/// The links between the pages about one merchant; see `templates/merchants/tabs.html`.
pub(crate) struct About {
    pub(crate) merchant: String,
    pub(crate) part: Part,
}

impl About {
    pub(crate) fn new(merchant: &MerchantId, part: Part) -> Self {
        Self { merchant: merchant.to_string(), part }
    }

    pub(crate) fn is(&self, part: &str) -> bool {
        let here = match self.part {
            Part::Merchant => "merchant",
            Part::Endpoints => "endpoints",
            Part::Policy => "policy",
        };
        here == part
    }
}

#[derive(Template)]
#[template(path = "merchants/merchant.html", whitespace = "minimize")]
struct Page<'a> {
    frame: Frame<'a>,
    about: About,
    merchant: MerchantView,
    clients: Vec<ClientView>,
    onboarding: Onboarding,
    fields: Vec<Field>,
    address: Vec<Field>,
    problems: Vec<String>,
    /// What a new client may be allowed, each checked.
    scopes: Vec<String>,
}

fn settings_fields(merchant: &MerchantView) -> Vec<Field> {
    let settings = merchant.settings;
    vec![
        Field::text("name", "Name").value(&merchant.name),
        Field::choice("carrier", "Carrier", &CARRIERS).value(settings.carrier.name()),
        Field::flag(
            "managed_receiving",
            "Our warehouse receives what comes back",
            settings.managed_receiving,
        ),
        Field::flag("strict", "Refuse orders whose amounts do not add up", settings.strict)
            .hint("Otherwise they are accepted with a warning."),
    ]
}

fn address_fields(merchant: &MerchantView) -> Vec<Field> {
    let held = merchant.return_address.as_ref();
    let of = |name: &'static str, label: &'static str, value: Option<&str>| {
        Field::text(name, label).value(value.unwrap_or_default()).optional()
    };
    let optional = |value: Option<&'_ Option<String>>| value.cloned().flatten().unwrap_or_default();
    vec![
        of("return_address.name", "Recipient", held.map(|it| it.name.as_str())),
        of("return_address.street1", "Street", held.map(|it| it.street1.as_str())),
        of("return_address.street2", "Street, continued", None)
            .value(optional(held.map(|it| &it.street2))),
        of("return_address.city", "City", held.map(|it| it.city.as_str())),
        of("return_address.state", "State or region", held.map(|it| it.state.as_str())),
        of("return_address.zip_code", "Postal code", held.map(|it| it.zip_code.as_str())),
        of("return_address.country_code", "Country", held.map(|it| it.country_code.as_str()))
            .hint("Two letters, such as US."),
        of("return_address.phone", "Telephone", None).value(optional(held.map(|it| &it.phone))),
    ]
}

async fn page_of(
    web: &Web,
    visitor: &Visitor,
    id: &MerchantId,
    typed: Option<(Vec<Field>, Vec<Field>, Vec<String>)>,
) -> Result<Response, ApiError> {
    let found = load_merchant(&web.app, id).await?;
    let status = if typed.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let (fields, address, problems) =
        typed.unwrap_or_else(|| (settings_fields(&found), address_fields(&found), Vec::new()));
    let scopes = domain::access::scope::Scopes::merchant().to_string();
    let shown = Page {
        frame: Frame::new(visitor, Section::Merchants, &found.name),
        about: About::new(id, Part::Merchant),
        clients: list_clients(&web.app, id).await?,
        onboarding: load_onboarding(&web.app, id).await?,
        merchant: found,
        fields,
        address,
        problems,
        scopes: scopes.split(' ').map(str::to_owned).collect(),
    };
    Ok(page(visitor, status, &shown))
}

async fn show(
    State(web): State<Web>,
    Operator { visitor, .. }: Operator,
    Path(merchant): Path<String>,
) -> Result<Response, ApiError> {
    page_of(&web, &visitor, &parse_merchant(&merchant)?, None).await
}

async fn change(
    State(web): State<Web>,
    Path(id): Path<String>,
    OperatorForm { visitor, form, .. }: OperatorForm,
) -> Result<Response, ApiError> {
    let id = parse_merchant(&id)?;
    let held = load_merchant(&web.app, &id).await?;
    let (mut fields, mut address) = (settings_fields(&held), address_fields(&held));
    fill(&mut fields, &form);
    fill(&mut address, &form);
    let all = [fields.as_slice(), address.as_slice()].concat();
    let body = JsonBody::from(document(&all, &form).to_string());
    let error = match body.read(read_merchant_change) {
        Ok(change) => {
            change_merchant(&web.app, visitor.session.request(), &id, &change).await?;
            let to = format!("/console/merchants/{id}");
            return Ok(done(&web, &to, "The settings are saved."));
        }
        Err(error) => error,
    };
    let count = fields.len();
    let mut all = all;
    let problems = put_faults(&mut all, error)?;
    let address = all.split_off(count);
    page_of(&web, &visitor, &id, Some((all, address, problems))).await
}

async fn disable(
    State(web): State<Web>,
    Path(id): Path<String>,
    OperatorForm { visitor, form, .. }: OperatorForm,
) -> Result<Response, ApiError> {
    let id = parse_merchant(&id)?;
    let disabled = form.text("disabled") == "true";
    let change = app::merchants::change_merchant::MerchantChange {
        disabled: Some(disabled),
        ..app::merchants::change_merchant::MerchantChange::default()
    };
    change_merchant(&web.app, visitor.session.request(), &id, &change).await?;
    let words = if disabled { "disabled: its tokens are refused" } else { "enabled again" };
    Ok(done(&web, &format!("/console/merchants/{id}"), &format!("{id} is {words}.")))
}
