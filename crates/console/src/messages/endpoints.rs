//! Where a merchant's systems are reached: how they are doing, their addresses, pausing, resuming and testing
//! them.

use app::messages::{
    message_log::{MessageState, MessageWithAttempts, load_message},
    set_endpoints::{EndpointView, EndpointsChange, list_endpoints, set_endpoints},
    test_endpoint::{TestMessageRequest, send_test_message},
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
    identifier::{MerchantId, MessageId},
    messages::kind::MessageKind,
};
use tokio::time::{Duration, sleep};

use crate::{
    access::visit::{Operator, OperatorForm, Visitor},
    core::{
        field::{Field, document, fill, put_faults},
        frame::{Frame, Section, done, page, redirect},
    },
    merchants::merchant::{About, Part},
};
use server::requests::{
    endpoints::{read_base_change, read_kind_change},
    identifiers::{parse_kind, parse_merchant},
};
use server::{Web, error::ApiError, json_body::JsonBody, path::Path};

/// For how long the page of a test waits for the merchant's answer before it is shown without.
const ANSWER_TRIES: u32 = 20;
const ANSWER_EVERY: Duration = Duration::from_millis(100);

const AUTH: [(&str, &str); 5] = [
    ("none", "None: messages are signed, that is enough"),
    ("bearer", "A bearer token"),
    ("basic", "User name and password"),
    ("header", "A key in a header"),
    ("oauth2", "OAuth 2.0 client credentials"),
];

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/console/merchants/{merchant}/endpoints", get(show).post(set_base))
        .route("/console/merchants/{merchant}/endpoints/{kind}", get(show_one).post(set_one))
        .route("/console/merchants/{merchant}/endpoints/{kind}/{action}", post(act))
        .route("/console/merchants/{merchant}/tests/{message}", get(tested))
}

#[derive(Template)]
#[template(path = "messages/endpoints.html", whitespace = "minimize")]
struct List<'a> {
    frame: Frame<'a>,
    about: About,
    endpoints: Vec<EndpointView>,
    fields: Vec<Field>,
    problems: Vec<String>,
}

/// The address of one kind alone.
#[derive(Template)]
#[template(path = "messages/endpoint.html", whitespace = "minimize")]
struct One<'a> {
    frame: Frame<'a>,
    about: About,
    kind: MessageKind,
    fields: Vec<Field>,
    problems: Vec<String>,
}

/// What became of a test message.
#[derive(Template)]
#[template(path = "messages/endpoint_test.html", whitespace = "minimize")]
struct TestPage<'a> {
    frame: Frame<'a>,
    about: About,
    tested: MessageWithAttempts,
}

impl TestPage<'_> {
    fn is_waiting(&self) -> bool {
        self.tested.message.state == MessageState::Waiting
    }

    fn is_delivered(&self) -> bool {
        self.tested.message.state == MessageState::Delivered
    }
}

/// The address, and everything that one of the ways to prove who we are needs.
fn fields(address: Field) -> Vec<Field> {
    let only = |way: &'static str, field: Field| Field { only_for: way, ..field.optional() };
    vec![
        address,
        Field::choice("auth.type", "How calls prove who they come from", &AUTH)
            .hint("Fill in what the chosen way needs below, and leave the rest empty."),
        only("bearer", Field::secret("auth.token", "Bearer token")),
        only("basic", Field::text("auth.username", "User name")),
        only("basic", Field::secret("auth.password", "Password")),
        only("header", Field::text("auth.name", "Header")).hint("Such as X-Api-Key."),
        only("header", Field::secret("auth.value", "Key in the header")),
        only("oauth2", Field::text("auth.token_url", "Token address")),
        only("oauth2", Field::text("auth.client_id", "OAuth client identifier")),
        only("oauth2", Field::secret("auth.client_secret", "OAuth client secret")),
        only("oauth2", Field::text("auth.scope", "OAuth scope")),
    ]
}

fn base_fields() -> Vec<Field> {
    let address = Field::text("base_url", "Base address")
        .hint("https. Each kind of message has its path behind it, as the table shows.");
    fields(address)
}

fn one_fields() -> Vec<Field> {
    fields(Field::text("url", "Address").hint("https, whole: nothing is put behind it."))
}

async fn list_page(
    web: &Web,
    visitor: &Visitor,
    merchant: &MerchantId,
    (fields, problems): (Vec<Field>, Vec<String>),
) -> Result<Response, ApiError> {
    let wrong = !problems.is_empty() || fields.iter().any(|field| field.fault.is_some());
    let status = if wrong { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let shown = List {
        frame: Frame::new(visitor, Section::Merchants, format!("Endpoints of {merchant}")),
        about: About::new(merchant, Part::Endpoints),
        endpoints: list_endpoints(&web.app, merchant).await?.endpoints,
        fields,
        problems,
    };
    Ok(page(visitor, status, &shown))
}

async fn show(
    State(web): State<Web>,
    Operator { visitor, .. }: Operator,
    Path(merchant): Path<String>,
) -> Result<Response, ApiError> {
    list_page(&web, &visitor, &parse_merchant(&merchant)?, (base_fields(), Vec::new())).await
}

async fn set_base(
    State(web): State<Web>,
    Path(merchant): Path<String>,
    OperatorForm { visitor, form, .. }: OperatorForm,
) -> Result<Response, ApiError> {
    let merchant = parse_merchant(&merchant)?;
    let mut fields = base_fields();
    fill(&mut fields, &form);
    let body = JsonBody::from(document(&fields, &form).to_string());
    match body.read(|document| read_base_change(&web, document)) {
        Ok(change) => {
            set_endpoints(&web.app, visitor.session.request(), &merchant, &change).await?;
            let words = "The base address is set. Send a test to see whether it is reached.";
            Ok(done(&web, &list_address(&merchant), words))
        }
        Err(error) => {
            let problems = put_faults(&mut fields, error)?;
            list_page(&web, &visitor, &merchant, (fields, problems)).await
        }
    }
}

fn list_address(merchant: &MerchantId) -> String {
    format!("/console/merchants/{merchant}/endpoints")
}

fn one_page(
    visitor: &Visitor,
    merchant: &MerchantId,
    kind: MessageKind,
    (fields, problems): (Vec<Field>, Vec<String>),
) -> Response {
    let wrong = !problems.is_empty() || fields.iter().any(|field| field.fault.is_some());
    let status = if wrong { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let frame = Frame::new(visitor, Section::Merchants, format!("Address for {kind}"));
    let about = About::new(merchant, Part::Endpoints);
    page(visitor, status, &One { frame, about, kind, fields, problems })
}

async fn show_one(
    State(web): State<Web>,
    Operator { visitor, .. }: Operator,
    Path((merchant, kind)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let (merchant, kind) = (parse_merchant(&merchant)?, parse_kind(&kind)?);
    let held = list_endpoints(&web.app, &merchant).await?.endpoints;
    let url = held.into_iter().find(|it| it.kind == kind).and_then(|it| it.url);
    let mut fields = one_fields();
    if let (Some(field), Some(url)) = (fields.first_mut(), url) {
        field.value = url;
    }
    Ok(one_page(&visitor, &merchant, kind, (fields, Vec::new())))
}

async fn set_one(
    State(web): State<Web>,
    Path((merchant, kind)): Path<(String, String)>,
    OperatorForm { visitor, form, .. }: OperatorForm,
) -> Result<Response, ApiError> {
    let (merchant, kind) = (parse_merchant(&merchant)?, parse_kind(&kind)?);
    let mut fields = one_fields();
    fill(&mut fields, &form);
    let body = JsonBody::from(document(&fields, &form).to_string());
    match body.read(|document| read_kind_change(&web, kind, document)) {
        Ok(change) => {
            set_endpoints(&web.app, visitor.session.request(), &merchant, &change).await?;
            Ok(done(&web, &list_address(&merchant), &format!("{kind} has an address of its own.")))
        }
        Err(error) => {
            let problems = put_faults(&mut fields, error)?;
            Ok(one_page(&visitor, &merchant, kind, (fields, problems)))
        }
    }
}

async fn act(
    State(web): State<Web>,
    Path((merchant, kind, action)): Path<(String, String, String)>,
    OperatorForm { visitor, .. }: OperatorForm,
) -> Result<Response, ApiError> {
    let (merchant, kind) = (parse_merchant(&merchant)?, parse_kind(&kind)?);
    let request = visitor.session.request();
    let (change, words) = match action.as_str() {
        "pause" => (EndpointsChange::Pause { kind }, "is paused; its messages wait"),
        "resume" => (EndpointsChange::Resume { kind }, "is resumed; what waited is sent"),
        "forget" => (EndpointsChange::Forget { kind }, "goes to the base address again"),
        "test" => {
            let test = TestMessageRequest { kind, reference: None, sequence: 1 };
            let sent = send_test_message(&web.app, request, &merchant, &test).await?;
            return Ok(redirect(&format!("/console/merchants/{merchant}/tests/{}", sent.id)));
        }
        _ => return Err(app::AppError::NotFound("action").into()),
    };
    set_endpoints(&web.app, request, &merchant, &change).await?;
    Ok(done(&web, &list_address(&merchant), &format!("{kind} {words}.")))
}

async fn tested(
    State(web): State<Web>,
    Operator { visitor, .. }: Operator,
    Path((merchant, id)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let merchant = parse_merchant(&merchant)?;
    let id = MessageId::parse(&id).filter(|id| id.merchant == merchant);
    let id = id.ok_or(app::AppError::NotFound("message"))?;
    let mut found = load_message(&web.app, &id).await?;
    for _ in 0..ANSWER_TRIES {
        if !found.attempts.is_empty() {
            break;
        }
        sleep(ANSWER_EVERY).await;
        found = load_message(&web.app, &id).await?;
    }
    let frame = Frame::new(&visitor, Section::Merchants, format!("Test of {}", found.message.kind));
    let about = About::new(&merchant, Part::Endpoints);
    Ok(page(&visitor, StatusCode::OK, &TestPage { frame, about, tested: found }))
}
