//! The languages of the pages for shoppers.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A language, written as its two-letter code.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema,
)]
pub enum Language {
    #[serde(rename = "en")]
    English,
    #[serde(rename = "de")]
    German,
    #[serde(rename = "fr")]
    French,
    #[serde(rename = "es")]
    Spanish,
}

impl Language {
    pub const ALL: [Self; 4] = [Self::English, Self::German, Self::French, Self::Spanish];

    /// The two-letter code of ISO 639.
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::French => "fr",
            Self::Spanish => "es",
        }
    }

    /// Its name in the language itself.
    pub const fn own_name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::German => "Deutsch",
            Self::French => "Français",
            Self::Spanish => "Español",
        }
    }

    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.code() == code)
    }

    /// The language among `offered` that a browser with this `Accept-Language` prefers. The region
    /// does not matter: `de-AT` is German.
    pub fn preferred(accepted: &str, offered: &[Self]) -> Option<Self> {
        let mut best: Option<(u32, Self)> = None;
        for range in accepted.split(',').take(RANGES_MAX) {
            let mut parts = range.split(';').map(str::trim);
            let tag = parts.next().unwrap_or_default().split('-').next().unwrap_or_default();
            let weight = parts.find_map(|part| part.strip_prefix("q=")).map_or(1_000, thousandths);
            let known = Self::parse(&tag.to_ascii_lowercase());
            let Some(language) = known.filter(|language| offered.contains(language)) else {
                continue;
            };
            if weight > 0 && best.is_none_or(|(before, _)| weight > before) {
                best = Some((weight, language));
            }
        }
        best.map(|(_, language)| language)
    }
}

/// Languages beyond this number are ignored.
const RANGES_MAX: usize = 32;

/// A weight from 0 to 1 with at most three decimal digits, in thousandths. An unreadable weight
/// is 0.
fn thousandths(text: &str) -> u32 {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let part: String = part.chars().chain("000".chars()).take(3).collect();
    match (whole, part.parse::<u32>()) {
        ("0", Ok(part)) => part,
        ("1", Ok(0)) => 1_000,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_parsed_from_its_code() {
        for language in Language::ALL {
            assert_eq!(Language::parse(language.code()), Some(language));
            assert_eq!(serde_json::to_value(language).unwrap(), language.code());
        }
        assert_eq!(Language::parse("DE"), None);
    }

    #[test]
    fn a_reader_gets_the_most_preferred_offered_language() {
        let all = &Language::ALL;
        let some = &[Language::English, Language::French];
        for (accepted, offered, expected) in [
            ("de", &all[..], Some(Language::German)),
            ("de-AT,de;q=0.9,en;q=0.8", all, Some(Language::German)),
            ("de-AT,de;q=0.9,en;q=0.8", some, Some(Language::English)),
            ("nl, fr;q=0.4, en;q=0.5", all, Some(Language::English)),
            ("FR-ca", some, Some(Language::French)),
            ("en;q=0, fr;q=0.001", all, Some(Language::French)),
            ("es;q=1.0,de;q=2", all, Some(Language::Spanish)),
            ("nl", all, None),
            ("*", all, None),
            ("", all, None),
            (";;q=,,-", all, None),
        ] {
            assert_eq!(Language::preferred(accepted, offered), expected, "{accepted}");
        }
    }
}
