//! Reads a portal field by field, in the order in which its faults are told.

use std::collections::BTreeMap;

use super::colour::Color;
use super::{Portal, PortalTexts};
use crate::faults::{FaultCode, Faults};
use crate::json::Json;
use crate::merchants::language::Language;
use crate::reader::fields::Fields;
use crate::reader::path::PathStep;
use crate::reader::{Reader, read};

const WELCOME_MAX: usize = 1_000;
const LINE_MAX: usize = 500;
const COLOUR_MAX: usize = 16;
const LANGUAGES: &str = "must be one of en, de, fr, es";

pub(super) fn portal(document: &Json<'_>) -> Result<Portal, Faults> {
    let (portal, _) = read(document, true, |root| root.object(fields))?;
    Ok(portal)
}

fn fields(at: &Fields<'_>) -> Portal {
    at.refuses_unknown();
    let accent = at.optional("accent", |value| {
        let colour = Color::parse(value.text(0..=COLOUR_MAX)?);
        colour.or_else(|| value.invalid("must be a colour such as #0b5cad"))
    });
    let offered = at.optional("languages", languages);
    let languages = offered.unwrap_or_else(|| Portal::default().languages);
    let default_language = at.optional("default_language", |value| {
        let language = value.named(Language::parse, LANGUAGES)?;
        if at.sound(&["languages"]) && !languages.contains(&language) {
            return value.invalid("must be one of the languages on offer");
        }
        Some(language)
    });
    let first = languages.first().copied().unwrap_or(Language::English);
    Portal {
        accent,
        default_language: default_language.unwrap_or(first),
        texts: at.optional_object("texts", texts).unwrap_or_default(),
        languages,
    }
}

fn languages(value: &Reader<'_>) -> Option<Vec<Language>> {
    let languages =
        value.list(Language::ALL.len(), |element| element.named(Language::parse, LANGUAGES))?;
    if languages.is_empty() {
        return value.invalid("must have at least one element");
    }
    for (position, language) in languages.iter().enumerate() {
        if languages.iter().take(position).any(|before| before == language) {
            value.note_at(&[PathStep::Index(position)], FaultCode::Invalid, "must not stand twice");
        }
    }
    Some(languages)
}

fn texts(at: &Fields<'_>) -> BTreeMap<Language, PortalTexts> {
    at.refuses_unknown();
    let mut texts = BTreeMap::new();
    for language in Language::ALL {
        if let Some(said) = at.optional_object(language.code(), said) {
            texts.insert(language, said);
        }
    }
    texts
}

fn said(at: &Fields<'_>) -> PortalTexts {
    at.refuses_unknown();
    PortalTexts {
        welcome: text(at, "welcome", WELCOME_MAX),
        help: text(at, "help", LINE_MAX),
        footer: text(at, "footer", LINE_MAX),
    }
}

/// Empty text is none.
fn text(at: &Fields<'_>, key: &'static str, most: usize) -> Option<String> {
    let text = at.optional(key, |value| value.text(0..=most).map(str::to_owned));
    text.filter(|text| !text.trim().is_empty())
}
