//! A merchant's return policy: edited as text, previewed and saved. Old versions can be read.

use app::returns::policies::{PolicyView, list_policies, load_merchant_policy, set_policy};
use askama::Template;
use axum::{Router, extract::State, http::StatusCode, response::Response, routing::get};
use domain::{bodies::WriteJson, identifier::MerchantId, json, returns::policy::Policy};

use crate::access::{
    merchant_visit::{MerchantForm, MerchantVisit},
    visit::{Member, MemberForm},
    visitor::Visitor,
};
use crate::{
    core::{
        difference::{Difference, find_differences},
        field::FormState,
        format::to_sentence,
        frame::{Frame, Section, form_status, redirect_with_notice, render_page},
        urls::policy_url,
    },
    merchants::tabs::{MerchantTab, MerchantTabs},
};
use server::requests::identifiers::parse_merchant;
use server::{Web, error::ApiError, json_body::JsonBody, path::Path};

/// How many versions are listed.
const VERSIONS_MAX: usize = 20;

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/console/merchants/{merchant}/policy", get(show).post(preview_or_save))
        .route("/console/merchants/{merchant}/policy/{version}", get(show_version))
}

#[derive(Template)]
#[template(path = "returns/policy.html", whitespace = "minimize")]
struct PolicyPage<'a> {
    frame: Frame<'a>,
    tabs: MerchantTabs,
    current: &'a PolicyView,
    history: Vec<PolicyView>,
    text: String,
    problems: Vec<String>,
    /// The changes, if a preview was requested.
    preview: Option<Vec<Difference>>,
}

#[derive(Template)]
#[template(path = "returns/policy_version.html", whitespace = "minimize")]
struct PolicyVersionPage<'a> {
    frame: Frame<'a>,
    tabs: MerchantTabs,
    version: PolicyView,
    text: String,
}

fn format_policy(policy: &Policy) -> String {
    json::pretty(&policy.to_json())
}

/// The text in the form, with its problems or its changes.
#[derive(Default)]
struct PolicyForm {
    text: Option<String>,
    problems: Vec<String>,
    preview: Option<Vec<Difference>>,
}

async fn render_policy(
    web: &Web,
    visitor: &Visitor,
    merchant: &MerchantId,
    form: PolicyForm,
) -> Result<Response, ApiError> {
    let current = load_merchant_policy(&web.app, merchant).await?;
    let status = form_status(!form.problems.is_empty());
    let content = PolicyPage {
        frame: Frame::new(visitor, Section::Merchants, format!("Return policy of {merchant}")),
        tabs: MerchantTabs::new(merchant, MerchantTab::Policy),
        history: list_policies(&web.app, merchant, i64::MAX, VERSIONS_MAX).await?,
        text: form.text.unwrap_or_else(|| format_policy(&current.policy)),
        current: &current,
        problems: form.problems,
        preview: form.preview,
    };
    Ok(render_page(visitor, status, &content))
}

async fn show(
    MerchantVisit { web, visitor, merchant }: MerchantVisit,
) -> Result<Response, ApiError> {
    render_policy(&web, &visitor, &merchant, PolicyForm::default()).await
}

async fn preview_or_save(
    MerchantForm { web, merchant, sent: MemberForm { visitor, form, .. } }: MerchantForm,
) -> Result<Response, ApiError> {
    let text = form.raw("policy").to_owned();
    let policy = match JsonBody::from(text.clone()).read(Policy::read) {
        Ok(policy) => policy,
        Err(error) => {
            let problems = policy_problems(error)?;
            let form = PolicyForm { text: Some(text), problems, preview: None };
            return render_policy(&web, &visitor, &merchant, form).await;
        }
    };
    if !form.is_set("save") {
        let current = load_merchant_policy(&web.app, &merchant).await?;
        let preview = Some(find_differences(&current.policy, &policy));
        let text = Some(format_policy(&policy));
        let form = PolicyForm { text, problems: Vec::new(), preview };
        return render_policy(&web, &visitor, &merchant, form).await;
    }
    let saved =
        set_policy(visitor.session.scope(&web.app).for_merchant(&merchant), &policy).await?;
    let notice =
        format!("Version {} saved. It applies to returns that start from now on.", saved.version);
    Ok(redirect_with_notice(&web, &policy_url(merchant.as_str(), 0), &notice))
}

/// Everything that is wrong with the text, each with its path.
fn policy_problems(error: ApiError) -> Result<Vec<String>, ApiError> {
    if let ApiError::App(malformed @ app::AppError::Malformed(_)) = &error {
        return Ok(vec![to_sentence(&malformed.to_string())]);
    }
    let mut form = FormState::new(Vec::new());
    form.assign_faults(error)?;
    Ok(form.problems)
}

async fn show_version(
    State(web): State<Web>,
    Member { visitor, .. }: Member,
    Path((merchant, version)): Path<(String, i64)>,
) -> Result<Response, ApiError> {
    let merchant = parse_merchant(&merchant)?;
    let history = list_policies(&web.app, &merchant, version.saturating_add(1), 1).await?;
    let found = history.into_iter().find(|it| it.version == version);
    let found = found.ok_or(app::AppError::NotFound("version of the policy"))?;
    let title = format!("Return policy of {merchant}, version {version}");
    let content = PolicyVersionPage {
        frame: Frame::new(&visitor, Section::Merchants, title),
        tabs: MerchantTabs::new(&merchant, MerchantTab::Policy),
        text: format_policy(&found.policy),
        version: found,
    };
    Ok(render_page(&visitor, StatusCode::OK, &content))
}
