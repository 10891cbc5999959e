//! Reads a portal field by field, in the order in which its faults are reported.

use std::collections::BTreeMap;

use super::color::Color;
use super::{Portal, PortalTexts};
use crate::faults::{FaultCode, Faults};
use crate::json::Json;
use crate::merchants::language::Language;
use crate::reader::fields::Fields;
use crate::reader::path::PathStep;
use crate::reader::{Reader, read};

const WELCOME_MAX: usize = 1_000;
const LINE_MAX: usize = 500;
const COLOR_MAX: usize = 16;
const LANGUAGES: &str = "must be one of en, de, fr, es";

impl Portal {
    /// Reads a portal, or returns everything wrong with it.
    pub fn read(document: &Json<'_>) -> Result<Self, Faults> {
        let (portal, _) = read(document, true, |root| root.object(read_portal))?;
        Ok(portal)
    }
}

fn read_portal(at: &Fields<'_>) -> Portal {
    at.refuse_unknown();
    let accent = at.optional("accent", |value| {
        let color = Color::parse(value.text(0..=COLOR_MAX)?);
        color.or_else(|| value.invalid("must be a color such as #0b5cad"))
    });
    let offered = at.optional("languages", read_languages);
    let languages = offered.unwrap_or_else(|| Portal::default().languages);
    let default_language = at.optional("default_language", |value| {
        let language = value.named(Language::parse, LANGUAGES)?;
        if at.sound(&["languages"]) && !languages.contains(&language) {
            return value.invalid("must be one of the offered languages");
        }
        Some(language)
    });
    let first = languages.first().copied().unwrap_or(Language::English);
    Portal {
        accent,
        default_language: default_language.unwrap_or(first),
        texts: at.optional_object("texts", read_texts).unwrap_or_default(),
        languages,
    }
}

fn read_languages(value: &Reader<'_>) -> Option<Vec<Language>> {
    let languages =
        value.list(Language::ALL.len(), |element| element.named(Language::parse, LANGUAGES))?;
    if languages.is_empty() {
        return value.invalid("must have at least one element");
    }
    for (position, language) in languages.iter().enumerate() {
        if languages.iter().take(position).any(|before| before == language) {
            value.note_at(&[PathStep::Index(position)], FaultCode::Invalid, "must be unique");
        }
    }
    Some(languages)
}

fn read_texts(at: &Fields<'_>) -> BTreeMap<Language, PortalTexts> {
    at.refuse_unknown();
    let mut texts = BTreeMap::new();
    for language in Language::ALL {
        let in_language = at.optional_object(language.code(), read_texts_in_language);
        if let Some(in_language) = in_language {
            texts.insert(language, in_language);
        }
    }
    texts
}

fn read_texts_in_language(at: &Fields<'_>) -> PortalTexts {
    at.refuse_unknown();
    PortalTexts {
        welcome: read_text(at, "welcome", WELCOME_MAX),
        help: read_text(at, "help", LINE_MAX),
        footer: read_text(at, "footer", LINE_MAX),
    }
}

/// Blank text counts as left out.
fn read_text(at: &Fields<'_>, key: &'static str, most: usize) -> Option<String> {
    let text = at.optional(key, |value| value.text(0..=most).map(str::to_owned));
    text.filter(|text| !text.trim().is_empty())
}
