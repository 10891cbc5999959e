//! The color, languages and texts of a merchant's returns portal.

use app::{
    AppError,
    merchants::portals::{load_portal, set_portal},
};
use askama::Template;
use axum::{Router, response::Response, routing::get};
use domain::{
    faults::FieldError,
    identifier::MerchantId,
    merchants::{language::Language, portal::Portal},
};
use serde_json::{Map, Value, json};

use super::tabs::{MerchantTab, MerchantTabs};
use crate::{
    access::{
        merchant_visit::{MerchantForm, MerchantVisit},
        visit::MemberForm,
        visitor::Visitor,
    },
    core::{
        field::describe_fault_of,
        form::{Form, non_empty},
        frame::{Frame, Section, form_status, redirect_with_notice, render_page},
    },
};
use server::{Web, error::ApiError, json_body::JsonBody};

/// The texts of one language: the name of the field, its label, and the most characters.
const TEXTS: [(&str, &str, usize); 3] = [
    ("welcome", "Above the form that finds an order", 1_000),
    ("help", "How shoppers get help", 500),
    ("footer", "Last line of every page", 500),
];

pub(crate) fn routes() -> Router<Web> {
    Router::new().route("/console/merchants/{merchant}/portal", get(show).post(save))
}

#[derive(Template)]
#[template(path = "merchants/portal.html", whitespace = "minimize")]
struct PortalPage<'a> {
    frame: Frame<'a>,
    tabs: MerchantTabs,
    accent: String,
    languages: Vec<LanguageChoice>,
    problems: Vec<String>,
}

/// A language with the merchant's texts in it.
struct LanguageChoice {
    language: Language,
    is_offered: bool,
    is_default: bool,
    texts: Vec<TextField>,
}

struct TextField {
    id: String,
    name: String,
    label: &'static str,
    max: usize,
    value: String,
}

/// The settings as a document, which is stored or was sent.
fn language_choices(document: &Value) -> Vec<LanguageChoice> {
    let codes = |name: &str| document.get(name).and_then(Value::as_array).cloned();
    let offered = codes("languages").unwrap_or_default();
    let choice = |language: Language| {
        let code = language.code();
        let text = |(name, label, max): (&str, &'static str, usize)| TextField {
            id: format!("{code}-{name}"),
            name: format!("{code}.{name}"),
            label,
            max,
            value: find_text(document, code, name).to_owned(),
        };
        LanguageChoice {
            language,
            is_offered: offered.iter().any(|it| it == code),
            is_default: document.get("default_language").is_some_and(|it| it == code),
            texts: TEXTS.into_iter().map(text).collect(),
        }
    };
    Language::ALL.into_iter().map(choice).collect()
}

fn find_text<'a>(document: &'a Value, code: &str, name: &str) -> &'a str {
    document.get("texts").and_then(|texts| texts.get(code)?.get(name)?.as_str()).unwrap_or_default()
}

/// The form as the document that the API would get.
fn to_portal_document(form: &Form) -> Value {
    let is_offered = |language: &Language| form.all("language").any(|it| it == language.code());
    let offered: Vec<&str> =
        Language::ALL.into_iter().filter(is_offered).map(Language::code).collect();
    let mut texts = Map::new();
    for language in Language::ALL {
        let code = language.code();
        let own: Map<String, Value> = TEXTS
            .into_iter()
            .filter_map(|(name, ..)| {
                let text = form.text(&format!("{code}.{name}")).replace("\r\n", "\n");
                non_empty(&text).map(|text| (name.to_owned(), text.into()))
            })
            .collect();
        if !own.is_empty() {
            texts.insert(code.to_owned(), own.into());
        }
    }
    let default_language = form.text("default_language");
    let mut document =
        json!({ "languages": offered, "default_language": default_language, "texts": texts });
    if let (Some(accent), Some(root)) = (non_empty(form.text("accent")), document.as_object_mut()) {
        root.insert("accent".to_owned(), accent.to_lowercase().into());
    }
    document
}

fn render(
    visitor: &Visitor,
    merchant: &MerchantId,
    document: &Value,
    problems: Vec<String>,
) -> Response {
    let accent = document.get("accent").and_then(Value::as_str).unwrap_or_default();
    let status = form_status(!problems.is_empty());
    let content = PortalPage {
        frame: Frame::new(visitor, Section::Merchants, format!("Portal of {merchant}")),
        tabs: MerchantTabs::new(merchant, MerchantTab::Portal),
        accent: accent.to_owned(),
        languages: language_choices(document),
        problems,
    };
    render_page(visitor, status, &content)
}

async fn show(
    MerchantVisit { web, visitor, merchant }: MerchantVisit,
) -> Result<Response, ApiError> {
    let portal = load_portal(&web.app, &merchant).await?.portal;
    Ok(render(&visitor, &merchant, &json!(portal), Vec::new()))
}

async fn save(
    MerchantForm { web, merchant, sent: MemberForm { visitor, form, .. } }: MerchantForm,
) -> Result<Response, ApiError> {
    load_portal(&web.app, &merchant).await?;
    let document = to_portal_document(&form);
    match JsonBody::from(document.to_string()).read(Portal::read) {
        Ok(portal) => {
            set_portal(visitor.session.scope(&web.app).for_merchant(&merchant), &portal).await?;
            let to = format!("/console/merchants/{merchant}/portal");
            Ok(redirect_with_notice(&web, &to, "The portal is saved."))
        }
        Err(ApiError::App(AppError::Invalid(faults))) => {
            let problems = faults.errors.iter().map(describe_problem).collect();
            Ok(render(&visitor, &merchant, &document, problems))
        }
        Err(error) => Err(error),
    }
}

/// What is wrong, with the label of the field as the page has it.
fn describe_problem(error: &FieldError) -> String {
    let path = error.field.trim_start_matches("$.");
    let mut parts = path.split('.');
    match (parts.next().unwrap_or_default(), parts.next(), parts.next()) {
        // The page offers only languages that exist, each once, so none of them is chosen.
        ("languages", ..) => "Choose at least one language that is offered.".to_owned(),
        ("default_language", ..) => {
            "Shoppers who prefer none of the offered languages must get one of them.".to_owned()
        }
        ("accent", ..) => describe_fault_of("Color of buttons and links", &error.reason),
        ("texts", Some(code), Some(name)) => {
            let text = TEXTS.iter().find(|(known, ..)| *known == name);
            let label = text.map_or(name, |(_, label, _)| *label);
            let language = Language::parse(code).map_or(code, |language| language.own_name());
            describe_fault_of(&format!("{language}: {label}"), &error.reason)
        }
        _ => describe_fault_of(path, &error.reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::fixtures::{HOSTILE, assert_is_text, sample_visitor};

    #[test]
    fn a_form_becomes_the_document_that_the_api_would_get() {
        let form = Form::of(&[
            ("accent", "#0B5CAD"),
            ("language", "de"),
            ("language", "en"),
            ("default_language", "de"),
            ("de.help", "Schreiben Sie uns.\r\nDanke."),
            ("fr.footer", "  "),
        ]);
        let expected = json!({
            "accent": "#0b5cad", "languages": ["en", "de"], "default_language": "de",
            "texts": { "de": { "help": "Schreiben Sie uns.\nDanke." } }
        });
        assert_eq!(to_portal_document(&form), expected);
        let portal = JsonBody::from(expected.to_string()).read(Portal::read).unwrap();
        assert_eq!(json!(portal), expected, "what is saved is shown again");
    }

    #[test]
    fn problems_name_the_fields_as_the_page_does() {
        let document = json!({
            "accent": "blue", "languages": [], "default_language": "en",
            "texts": { "de": { "help": "x".repeat(501) } }
        });
        let read = JsonBody::from(document.to_string()).read(Portal::read);
        let Err(ApiError::App(AppError::Invalid(faults))) = read else { panic!("it is invalid") };
        let problems: Vec<String> = faults.errors.iter().map(describe_problem).collect();
        let expected = [
            "“Color of buttons and links” must be a color such as #0b5cad.",
            "Choose at least one language that is offered.",
            "“Deutsch: How shoppers get help” must have at most 500 characters.",
        ];
        assert_eq!(problems, expected);
    }

    #[test]
    fn the_texts_of_a_portal_stay_text() {
        let visitor = sample_visitor();
        let document = json!({ "texts": { "en": { "welcome": HOSTILE } } });
        assert_is_text(&PortalPage {
            frame: Frame::new(&visitor, Section::Merchants, "Portal"),
            tabs: MerchantTabs::new(&MerchantId::parse("acme").unwrap(), MerchantTab::Portal),
            accent: HOSTILE.to_owned(),
            languages: language_choices(&document),
            problems: vec![HOSTILE.to_owned()],
        });
    }
}
