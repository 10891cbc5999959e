//! The endpoints of a merchant: their state and their addresses. Endpoints are paused, resumed and
//! tested from here.

use app::messages::{
    set_endpoints::{EndpointView, EndpointsChange, list_endpoints, set_endpoints},
    test_endpoint::{TestMessageRequest, send_test_message},
};
use askama::Template;
use axum::{
    Router,
    extract::State,
    response::Response,
    routing::{get, post},
};
use domain::{identifier::MerchantId, messages::kind::MessageKind};

use super::endpoint_test::test_url;
use crate::access::{
    merchant_visit::{MerchantForm, MerchantVisit},
    visit::{Member, MemberForm},
    visitor::Visitor,
};
use crate::{
    core::{
        field::{Field, FormState, to_document},
        form::Form,
        frame::{Frame, Section, form_status, redirect, redirect_with_notice, render_page},
    },
    merchants::tabs::{MerchantTab, MerchantTabs},
};
use server::requests::{
    endpoints::{read_base_change, read_kind_change},
    identifiers::{parse_endpoint_kind, parse_kind, parse_merchant},
};
use server::{Web, error::ApiError, json_body::JsonBody, path::Path};

const AUTH_METHODS: [(&str, &str); 5] = [
    ("none", "None (messages are signed)"),
    ("bearer", "Bearer token"),
    ("basic", "User name and password"),
    ("header", "Key in a header"),
    ("oauth2", "OAuth 2.0 client credentials"),
];

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/console/merchants/{merchant}/endpoints", get(show).post(set_base))
        .route("/console/merchants/{merchant}/endpoints/{kind}", get(show_one).post(set_one))
        .route("/console/merchants/{merchant}/endpoints/{kind}/{action}", post(act))
}

#[derive(Template)]
#[template(path = "messages/endpoints.html", whitespace = "minimize")]
struct EndpointsPage<'a> {
    frame: Frame<'a>,
    tabs: MerchantTabs,
    endpoints: Vec<EndpointView>,
    form: FormState,
}

/// The address of one kind of message.
#[derive(Template)]
#[template(path = "messages/endpoint.html", whitespace = "minimize")]
struct EndpointPage<'a> {
    frame: Frame<'a>,
    tabs: MerchantTabs,
    kind: MessageKind,
    form: FormState,
}

/// The address, and the fields of every authentication method.
fn form_fields(address: Field) -> Vec<Field> {
    let only = |method: &'static str, field: Field| Field { only_for: method, ..field };
    vec![
        address,
        Field::choice("auth.type", "Authentication", &AUTH_METHODS)
            .hint("Fill in the fields of this method and leave the others empty."),
        only("bearer", Field::secret("auth.token", "Bearer token")),
        only("basic", Field::text("auth.username", "User name")),
        only("basic", Field::secret("auth.password", "Password")),
        only("header", Field::text("auth.name", "Header name")).hint("Such as X-Api-Key."),
        only("header", Field::secret("auth.value", "Header value")),
        only("oauth2", Field::text("auth.token_url", "Token URL")),
        only("oauth2", Field::text("auth.client_id", "OAuth client ID")),
        only("oauth2", Field::secret("auth.client_secret", "OAuth client secret")),
        only("oauth2", Field::text("auth.scope", "OAuth scope").optional()),
    ]
}

/// The form as the API would get it. What was entered for another method of authentication, or
/// filled in by a browser, is left out.
fn read_form(fields: Vec<Field>, form: &Form) -> JsonBody {
    let method = form.text("auth.type");
    let is_used = |field: &Field| field.only_for.is_empty() || field.only_for == method;
    let used: Vec<Field> = fields.into_iter().filter(is_used).collect();
    JsonBody::from(to_document(&used, form).to_string())
}

fn base_fields() -> Vec<Field> {
    let address = Field::text("base_url", "Base address")
        .hint("Must start with https. The path of each kind is appended, as shown in the table.");
    form_fields(address)
}

fn one_fields(url: Option<String>) -> Vec<Field> {
    let address = Field::text("url", "Address").value(url.unwrap_or_default());
    form_fields(address.hint("Must start with https. Nothing is appended."))
}

fn endpoints_url(merchant: &MerchantId) -> String {
    format!("/console/merchants/{merchant}/endpoints")
}

async fn render_endpoints(
    web: &Web,
    visitor: &Visitor,
    merchant: &MerchantId,
    form: FormState,
) -> Result<Response, ApiError> {
    let status = form_status(form.is_refused());
    let content = EndpointsPage {
        frame: Frame::new(visitor, Section::Merchants, format!("Endpoints of {merchant}")),
        tabs: MerchantTabs::new(merchant, MerchantTab::Endpoints),
        endpoints: list_endpoints(&web.app, merchant).await?.endpoints,
        form,
    };
    Ok(render_page(visitor, status, &content))
}

async fn show(
    MerchantVisit { web, visitor, merchant }: MerchantVisit,
) -> Result<Response, ApiError> {
    render_endpoints(&web, &visitor, &merchant, FormState::new(base_fields())).await
}

async fn set_base(
    MerchantForm { web, merchant, sent: MemberForm { visitor, form, .. } }: MerchantForm,
) -> Result<Response, ApiError> {
    let body = read_form(base_fields(), &form);
    match body.read(|document| read_base_change(&web, &merchant, document)) {
        Ok(change) => {
            set_endpoints(visitor.session.scope(&web.app).for_merchant(&merchant), &change).await?;
            let notice = "Base address saved. Send a test message to check it.";
            Ok(redirect_with_notice(&web, &endpoints_url(&merchant), notice))
        }
        Err(error) => {
            let mut state = FormState::filled(base_fields(), &form);
            state.assign_faults(error)?;
            render_endpoints(&web, &visitor, &merchant, state).await
        }
    }
}

fn render_endpoint(
    visitor: &Visitor,
    merchant: &MerchantId,
    kind: MessageKind,
    form: FormState,
) -> Response {
    let status = form_status(form.is_refused());
    let frame = Frame::new(visitor, Section::Merchants, format!("Address for {kind}"));
    let tabs = MerchantTabs::new(merchant, MerchantTab::Endpoints);
    render_page(visitor, status, &EndpointPage { frame, tabs, kind, form })
}

async fn show_one(
    State(web): State<Web>,
    Member { visitor, .. }: Member,
    Path((merchant, kind)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let (merchant, kind) = (parse_merchant(&merchant)?, parse_endpoint_kind(&kind)?);
    let all = list_endpoints(&web.app, &merchant).await?.endpoints;
    let url = all.into_iter().find(|it| it.kind == kind).and_then(|it| it.url);
    Ok(render_endpoint(&visitor, &merchant, kind, FormState::new(one_fields(url))))
}

async fn set_one(
    State(web): State<Web>,
    Path((merchant, kind)): Path<(String, String)>,
    MemberForm { visitor, form, .. }: MemberForm,
) -> Result<Response, ApiError> {
    let (merchant, kind) = (parse_merchant(&merchant)?, parse_endpoint_kind(&kind)?);
    let body = read_form(one_fields(None), &form);
    match body.read(|document| read_kind_change(&web, &merchant, kind, document)) {
        Ok(change) => {
            set_endpoints(visitor.session.scope(&web.app).for_merchant(&merchant), &change).await?;
            let notice = format!("{kind} has its own address now.");
            Ok(redirect_with_notice(&web, &endpoints_url(&merchant), &notice))
        }
        Err(error) => {
            let mut state = FormState::filled(one_fields(None), &form);
            state.assign_faults(error)?;
            Ok(render_endpoint(&visitor, &merchant, kind, state))
        }
    }
}

async fn act(
    State(web): State<Web>,
    Path((merchant, kind, action)): Path<(String, String, String)>,
    MemberForm { visitor, .. }: MemberForm,
) -> Result<Response, ApiError> {
    let (merchant, kind) = (parse_merchant(&merchant)?, parse_kind(&kind)?);
    let scope = visitor.session.scope(&web.app).for_merchant(&merchant);
    let (change, result) = match action.as_str() {
        "pause" => (EndpointsChange::Pause { kind }, "is paused. Its messages wait."),
        "resume" => (EndpointsChange::Resume { kind }, "is resumed. Waiting messages are sent."),
        "forget" => (EndpointsChange::Forget { kind }, "uses the base address again."),
        "test" => {
            let test = TestMessageRequest { kind, reference: None, sequence: 1 };
            let sent = send_test_message(scope, &test).await?;
            return Ok(redirect(&test_url(&merchant, &sent.id)));
        }
        _ => return Err(app::AppError::NotFound("action").into()),
    };
    set_endpoints(scope, &change).await?;
    Ok(redirect_with_notice(&web, &endpoints_url(&merchant), &format!("{kind} {result}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_fields_of_the_chosen_method_are_sent() {
        let form = Form::of(&[
            ("base_url", "https://a.example"),
            ("auth.type", "bearer"),
            ("auth.token", "t"),
            ("auth.username", "filled in by a browser"),
        ]);
        let sent = read_form(base_fields(), &form).into_bytes();
        let sent: serde_json::Value = serde_json::from_slice(&sent).unwrap();
        let auth = serde_json::json!({ "type": "bearer", "token": "t" });
        assert_eq!(sent, serde_json::json!({ "base_url": "https://a.example", "auth": auth }));
    }

    #[test]
    fn only_the_scope_is_optional() {
        let optional = base_fields().into_iter().filter(|field| !field.required);
        assert_eq!(optional.map(|field| field.name).collect::<Vec<_>>(), ["auth.scope"]);
    }
}
