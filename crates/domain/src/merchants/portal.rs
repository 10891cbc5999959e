//! What a merchant's returns portal looks like and says, as data.
//!
//! The comments on the fields are the API reference. [`Portal::read`] reads a document and returns
//! all of its faults at once. A field that is left out has its default value.

pub mod color;
mod read;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use self::color::Color;
use crate::merchants::language::Language;
use crate::merchants::picture::PictureKind;

/// The largest logo, in bytes.
pub const LOGO_BYTES_MAX: usize = 256 << 10;

/// The look and the texts of a merchant's portal. Every field may be left out.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Portal {
    /// The color of buttons and links. It is made darker or lighter where text would not be
    /// readable. Left out: the default color.
    #[schema(value_type = Option<String>, example = "#0b5cad", pattern = "^#[0-9a-f]{6}$")]
    pub accent: Option<Color>,
    /// The languages that are offered, each once. Left out: all of them.
    #[schema(min_items = 1, max_items = 4)]
    pub languages: Vec<Language>,
    /// The language for shoppers who prefer none of them. Left out: the first one offered.
    pub default_language: Language,
    /// The merchant's own texts, by language.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(
        value_type = std::collections::HashMap<String, PortalTexts>, required = false,
        example = json!({ "en": { "welcome": "Thirty days to change your mind." } })
    )]
    pub texts: BTreeMap<Language, PortalTexts>,
}

/// A merchant's texts in one language. Plain text: line breaks are kept, markup has no effect.
#[omit_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
#[schema(as = Texts)]
pub struct PortalTexts {
    /// Shown above the form in which shoppers look up their order.
    #[schema(example = "Thirty days to change your mind.", max_length = 1000)]
    pub welcome: Option<String>,
    /// How shoppers get help, shown at the bottom of every page.
    #[schema(example = "Write to help@acme.example, or call 0800 123 456.", max_length = 500)]
    pub help: Option<String>,
    /// The last line of every page.
    #[schema(example = "Acme Outfitters Ltd, London", max_length = 500)]
    pub footer: Option<String>,
}

impl Default for Portal {
    fn default() -> Self {
        Self {
            accent: None,
            languages: Language::ALL.to_vec(),
            default_language: Language::English,
            texts: BTreeMap::new(),
        }
    }
}

impl Portal {
    /// The merchant's texts in a language.
    pub fn texts_in(&self, language: Language) -> Option<&PortalTexts> {
        self.texts.get(&language)
    }

    /// The language for a shopper: the first of `wanted` that is offered, or else the one that the
    /// browser prefers by its `Accept-Language`.
    pub fn language_for(&self, wanted: [Option<Language>; 2], accepted: &str) -> Language {
        let is_offered = |language: &Language| self.languages.contains(language);
        let wanted = wanted.into_iter().flatten().find(is_offered);
        let preferred = || Language::preferred(accepted, &self.languages);
        wanted.or_else(preferred).unwrap_or(self.default_language)
    }
}

/// The kind of picture that a logo is, or why it is not accepted.
pub fn logo_kind(bytes: &[u8]) -> Result<PictureKind, &'static str> {
    if bytes.len() > LOGO_BYTES_MAX {
        return Err("a logo must have at most 256 KiB");
    }
    match PictureKind::of(bytes) {
        Some(kind @ (PictureKind::Png | PictureKind::Jpeg | PictureKind::Webp)) => Ok(kind),
        Some(PictureKind::Gif | PictureKind::Svg) | None => {
            Err("a logo must be a PNG, JPEG, or WebP picture")
        }
    }
}
