//! What a merchant's returns portal looks like and says, as data.
//!
//! The comments on the fields are the API reference. A document is read by [`Portal::read`], which says
//! everything wrong with it at once; a field that is left out has its default.

pub mod colour;
mod read;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use self::colour::Color;
use crate::faults::Faults;
use crate::json::Json;
use crate::merchants::language::Language;
use crate::merchants::picture::PictureKind;

/// The largest logo, in bytes.
pub const LOGO_BYTES_MAX: usize = 256 << 10;

/// The look and the words of a merchant's portal. Every field may be left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Portal {
    /// The colour of buttons and links. Where text in it, or on it, could not be read, it is made
    /// darker or lighter. Left out: ours.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "#0b5cad", pattern = "^#[0-9a-f]{6}$")]
    pub accent: Option<Color>,
    /// The languages on offer, each once. Left out: all of them.
    #[schema(min_items = 1, max_items = 4)]
    pub languages: Vec<Language>,
    /// The language of a shopper who asks for none of them. Left out: the first one on offer.
    pub default_language: Language,
    /// The merchant's own words, by language.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(
        value_type = std::collections::HashMap<String, PortalTexts>, required = false,
        example = json!({ "en": { "welcome": "Thirty days to change your mind." } })
    )]
    pub texts: BTreeMap<Language, PortalTexts>,
}

/// What a merchant says in one language. Plain text: line ends count, markup does not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
#[schema(as = Texts)]
pub struct PortalTexts {
    /// Above the form in which shoppers name their order.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Thirty days to change your mind.", max_length = 1000)]
    pub welcome: Option<String>,
    /// Where shoppers find help, at the foot of every page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Write to help@acme.example, or call 0800 123 456.", max_length = 500)]
    pub help: Option<String>,
    /// The last line of every page.
    #[serde(skip_serializing_if = "Option::is_none")]
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
    /// Reads a portal, or says everything wrong with it.
    pub fn read(document: &Json<'_>) -> Result<Self, Faults> {
        read::portal(document)
    }

    /// What the merchant says in a language.
    pub fn texts_in(&self, language: Language) -> Option<&PortalTexts> {
        self.texts.get(&language)
    }

    /// The language for a shopper: the one asked for, the one remembered, or the one that the browser
    /// likes best, as far as they are on offer.
    pub fn language_for(&self, wanted: [Option<Language>; 2], accepted: &str) -> Language {
        let offered = |language: &Language| self.languages.contains(language);
        let wanted = wanted.into_iter().flatten().find(offered);
        let liked = || Language::preferred(accepted, &self.languages);
        wanted.or_else(liked).unwrap_or(self.default_language)
    }
}

/// What a logo is, or why it cannot be one.
pub fn logo_kind(bytes: &[u8]) -> Result<PictureKind, &'static str> {
    if bytes.len() > LOGO_BYTES_MAX {
        return Err("a logo has at most 256 KiB");
    }
    match PictureKind::of(bytes) {
        Some(kind @ (PictureKind::Png | PictureKind::Jpeg | PictureKind::Webp)) => Ok(kind),
        Some(PictureKind::Gif | PictureKind::Svg) | None => {
            Err("a logo is a PNG, JPEG or WebP picture")
        }
    }
}
