//! A merchant's return policy: edit it as text, see what would be different, save it, look back.

use app::returns::policies::{PolicyView, list_policies, load_merchant_policy, set_policy};
use askama::Template;
use axum::{Router, extract::State, http::StatusCode, response::Response, routing::get};
use domain::{identifier::MerchantId, returns::policy::Policy};

use crate::{
    access::visit::{Operator, OperatorForm, Visitor},
    core::{
        difference::{Difference, differences},
        field::put_faults,
        frame::{Frame, Section, done, page},
    },
    merchants::merchant::{About, Part},
};
use server::requests::identifiers::parse_merchant;
use server::{Web, error::ApiError, json_body::JsonBody, path::Path};

const VERSIONS: usize = 20;

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/console/merchants/{merchant}/policy", get(show).post(change))
        .route("/console/merchants/{merchant}/policy/{version}", get(look_back))
}

#[derive(Template)]
#[template(path = "returns/policy.html", whitespace = "minimize")]
struct Page<'a> {
    frame: Frame<'a>,
    about: About,
    held: &'a PolicyView,
    history: Vec<PolicyView>,
    text: String,
    problems: Vec<String>,
    /// What would be different; there when it was asked for.
    preview: Option<Vec<Difference>>,
}

#[derive(Template)]
#[template(path = "returns/policy_version.html", whitespace = "minimize")]
struct Version<'a> {
    frame: Frame<'a>,
    about: About,
    held: PolicyView,
    text: String,
}

fn pretty(policy: &Policy) -> String {
    serde_json::to_string_pretty(policy).expect("a policy has string keys")
}

/// What was typed, what is wrong with it, and what it would change.
#[derive(Default)]
struct Typed {
    text: Option<String>,
    problems: Vec<String>,
    preview: Option<Vec<Difference>>,
}

async fn page_of(
    web: &Web,
    visitor: &Visitor,
    merchant: &MerchantId,
    typed: Typed,
) -> Result<Response, ApiError> {
    let held = load_merchant_policy(&web.app, merchant).await?;
    let wrong = !typed.problems.is_empty();
    let status = if wrong { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let shown = Page {
        frame: Frame::new(visitor, Section::Merchants, format!("Return policy of {merchant}")),
        about: About::new(merchant, Part::Policy),
        history: list_policies(&web.app, merchant, i64::MAX, VERSIONS).await?,
        text: typed.text.unwrap_or_else(|| pretty(&held.policy)),
        held: &held,
        problems: typed.problems,
        preview: typed.preview,
    };
    Ok(page(visitor, status, &shown))
}

async fn show(
    State(web): State<Web>,
    Operator { visitor, .. }: Operator,
    Path(merchant): Path<String>,
) -> Result<Response, ApiError> {
    page_of(&web, &visitor, &parse_merchant(&merchant)?, Typed::default()).await
}

async fn change(
    State(web): State<Web>,
    Path(merchant): Path<String>,
    OperatorForm { visitor, form, .. }: OperatorForm,
) -> Result<Response, ApiError> {
    let merchant = parse_merchant(&merchant)?;
    let text = form.raw("policy").to_owned();
    let policy = match JsonBody::from(text.clone()).read(Policy::read) {
        Ok(policy) => policy,
        Err(error) => {
            let problems = faults(error)?;
            let typed = Typed { text: Some(text), problems, preview: None };
            return page_of(&web, &visitor, &merchant, typed).await;
        }
    };
    if form.raw("save").is_empty() {
        let held = load_merchant_policy(&web.app, &merchant).await?;
        let preview = Some(differences(&held.policy, &policy));
        let typed = Typed { text: Some(pretty(&policy)), problems: Vec::new(), preview };
        return page_of(&web, &visitor, &merchant, typed).await;
    }
    let saved = set_policy(&web.app, visitor.session.request(), &merchant, &policy).await?;
    let words = format!("Version {} holds for returns that start from now on.", saved.version);
    Ok(done(&web, &format!("/console/merchants/{merchant}/policy"), &words))
}

/// Everything that is wrong with the text, each with its path.
fn faults(error: ApiError) -> Result<Vec<String>, ApiError> {
    if let ApiError::App(malformed @ app::AppError::Malformed(_)) = &error {
        return Ok(vec![crate::core::problem::sentence(&malformed.to_string())]);
    }
    put_faults(&mut [], error)
}

async fn look_back(
    State(web): State<Web>,
    Operator { visitor, .. }: Operator,
    Path((merchant, version)): Path<(String, i64)>,
) -> Result<Response, ApiError> {
    let merchant = parse_merchant(&merchant)?;
    let found = list_policies(&web.app, &merchant, version.saturating_add(1), 1).await?;
    let held = found.into_iter().find(|it| it.version == version);
    let held = held.ok_or(app::AppError::NotFound("version of the policy"))?;
    let title = format!("Return policy of {merchant}, version {version}");
    let frame = Frame::new(&visitor, Section::Merchants, title);
    let (about, text) = (About::new(&merchant, Part::Policy), pretty(&held.policy));
    Ok(page(&visitor, StatusCode::OK, &Version { frame, about, held, text }))
}
