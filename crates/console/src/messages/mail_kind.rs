//! One kind of mail: how it looks in each language, the merchant's own words, and a test.

use app::messages::mail::{
    preview::{MailSample, preview_mail, send_test_mail},
    settings::{load_mail_settings, set_mail_settings},
};
use askama::Template;
use axum::{
    Router,
    extract::State,
    response::Response,
    routing::{get, post},
};
use domain::{
    identifier::MerchantId,
    merchants::language::Language,
    messages::mail::{Mail, MailKind, settings::MailText, template::Placeholder},
};
use serde_json::json;

use super::{endpoint_test::test_url, mail::mail_url, mail_labels::mail_label};
use crate::access::{
    visit::{Member, MemberForm},
    visitor::Visitor,
};
use crate::{
    core::{
        field::describe_fault_of,
        form::non_empty,
        format::to_sentence,
        frame::{Frame, Section, form_status, redirect, redirect_with_notice, render_page},
    },
    merchants::tabs::{MerchantTab, MerchantTabs},
};
use app::AppError;
use server::requests::{identifiers::parse_merchant, mail::read_mail_settings};
use server::{
    Web, error::ApiError, json_body::JsonBody, mail_document::send_mail_document, path::Path,
};

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/console/merchants/{merchant}/mail/{kind}/{language}", get(show).post(set))
        .route("/console/merchants/{merchant}/mail/{kind}/{language}/html", get(show_html))
        .route("/console/merchants/{merchant}/mail/{kind}/{language}/test", post(test))
}

type MailPath = Path<(String, String, String)>;

#[derive(Template)]
#[template(path = "messages/mail_kind.html", whitespace = "minimize")]
struct MailKindPage<'a> {
    frame: Frame<'a>,
    tabs: MerchantTabs,
    kind: MailKind,
    language: Language,
    /// What the words may contain.
    placeholders: String,
    words: MailText,
    problems: Vec<String>,
    mail: Mail,
}

fn parse_path(
    merchant: &str,
    kind: &str,
    language: &str,
) -> Result<(MerchantId, MailSample), ApiError> {
    let kind = MailKind::parse(kind).ok_or(AppError::NotFound("kind of mail"))?;
    let language = Language::parse(language).ok_or(AppError::NotFound("language"))?;
    Ok((parse_merchant(merchant)?, MailSample { kind, language }))
}

fn kind_url(merchant: &MerchantId, sample: MailSample) -> String {
    format!("{}/{}/{}", mail_url(merchant), sample.kind, sample.language.code())
}

async fn render(
    web: &Web,
    visitor: &Visitor,
    merchant: &MerchantId,
    sample: MailSample,
    sent: Option<(MailText, Vec<String>)>,
) -> Result<Response, ApiError> {
    let MailSample { kind, language } = sample;
    let status = form_status(sent.is_some());
    let settings = load_mail_settings(&web.app, merchant).await?;
    let current = settings.texts.get(&kind).and_then(|texts| texts.get(&language)).cloned();
    let (words, problems) = sent.unwrap_or_else(|| (current.unwrap_or_default(), Vec::new()));
    let names = Placeholder::of(kind).iter().map(|it| format!("{{{}}}", it.name()));
    let content = MailKindPage {
        frame: Frame::new(visitor, Section::Merchants, mail_label(kind)),
        tabs: MerchantTabs::new(merchant, MerchantTab::Mail),
        kind,
        language,
        placeholders: names.collect::<Vec<_>>().join(", "),
        words,
        problems,
        mail: preview_mail(&web.app, merchant, sample).await?,
    };
    Ok(render_page(visitor, status, &content))
}

async fn show(
    State(web): State<Web>,
    Member { visitor, .. }: Member,
    Path((merchant, kind, language)): MailPath,
) -> Result<Response, ApiError> {
    let (merchant, sample) = parse_path(&merchant, &kind, &language)?;
    render(&web, &visitor, &merchant, sample, None).await
}

async fn show_html(
    State(web): State<Web>,
    _: Member,
    Path((merchant, kind, language)): MailPath,
) -> Result<Response, ApiError> {
    let (merchant, sample) = parse_path(&merchant, &kind, &language)?;
    Ok(send_mail_document(preview_mail(&web.app, &merchant, sample).await?.html))
}

async fn set(
    State(web): State<Web>,
    Path((merchant, kind, language)): MailPath,
    MemberForm { visitor, form, .. }: MemberForm,
) -> Result<Response, ApiError> {
    let (merchant, sample) = parse_path(&merchant, &kind, &language)?;
    let words = MailText {
        subject: non_empty(form.text("subject")).map(str::to_owned),
        text: non_empty(form.text("text")).map(|text| text.replace("\r\n", "\n")),
    };
    let mut settings = load_mail_settings(&web.app, &merchant).await?;
    settings.texts.entry(sample.kind).or_default().insert(sample.language, words.clone());
    let mut document = json!(settings);
    // What is only shown is not part of the settings.
    for shown in ["merchant", "platform_server"] {
        document.as_object_mut().map(|root| root.remove(shown));
    }
    match JsonBody::from(document.to_string()).read(read_mail_settings) {
        Ok(settings) => {
            let scope = visitor.session.scope(&web.app).for_merchant(&merchant);
            set_mail_settings(scope, &settings).await?;
            let to = kind_url(&merchant, sample);
            Ok(redirect_with_notice(&web, &to, "The words of this mail are saved."))
        }
        Err(ApiError::App(AppError::Invalid(faults))) => {
            let problem = |it: &domain::faults::FieldError| {
                describe_fault_of(field_label(&it.field), &it.reason)
            };
            let problems = faults.errors.iter().map(problem).collect();
            render(&web, &visitor, &merchant, sample, Some((words, problems))).await
        }
        Err(error) => Err(error),
    }
}

/// The label that the page has for the field at this path.
fn field_label(path: &str) -> &str {
    match path.rsplit('.').next().unwrap_or_default() {
        "subject" => "Subject",
        "text" => "First paragraphs",
        name => name,
    }
}

async fn test(
    State(web): State<Web>,
    Path((merchant, kind, language)): MailPath,
    MemberForm { visitor, form, .. }: MemberForm,
) -> Result<Response, ApiError> {
    let (merchant, sample) = parse_path(&merchant, &kind, &language)?;
    let scope = visitor.session.scope(&web.app).for_merchant(&merchant);
    match send_test_mail(scope, sample, form.text("recipient")).await {
        Ok(sent) => Ok(redirect(&test_url(&merchant, &sent.id))),
        Err(AppError::Conflict(why)) => {
            let problems = vec![to_sentence(&why)];
            render(&web, &visitor, &merchant, sample, Some((MailText::default(), problems))).await
        }
        Err(error) => Err(error.into()),
    }
}
