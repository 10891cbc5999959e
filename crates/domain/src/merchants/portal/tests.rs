//! All faults of a portal are reported at once, and every color gives readable text.

use proptest::prelude::*;

use super::color::{BLACK, CONTRAST_MIN, Color, PageSurfaces, WHITE};
use super::*;
use crate::faults::Faults;
use crate::json;

fn read(text: &str) -> Result<Portal, Faults> {
    Portal::read(&json::parse(text.as_bytes()).unwrap())
}

fn faults(text: &str) -> Vec<String> {
    let faults = read(text).unwrap_err();
    faults.errors.iter().map(|error| format!("{} {}", error.field, error.reason)).collect()
}

#[test]
fn what_is_left_out_has_its_default() {
    assert_eq!(read("{}").unwrap(), Portal::default());
    let some = read(r##"{"languages":["de","en"],"accent":"#FFCC00"}"##).unwrap();
    assert_eq!(some.default_language, Language::German);
    assert_eq!(some.accent, Some(Color([255, 204, 0])));
}

#[test]
fn what_was_read_is_stored_and_read_again() {
    let text = r##"{"accent":"#0b5cad","languages":["en","fr"],"default_language":"fr",
        "texts":{"fr":{"welcome":"Bonjour","help":" "}}}"##;

    let portal = read(text).unwrap();

    let stored = serde_json::to_string(&portal).unwrap();
    assert_eq!(serde_json::from_str::<Portal>(&stored).unwrap(), portal);
    assert_eq!(read(&stored).unwrap(), portal);
    assert_eq!(portal.texts_in(Language::French).unwrap().welcome.as_deref(), Some("Bonjour"));
    assert_eq!(portal.texts_in(Language::French).unwrap().help, None);
    assert_eq!(portal.texts_in(Language::English), None);
}

#[test]
fn every_fault_is_reported_with_its_path() {
    let long = "x".repeat(1_001);
    let text = format!(
        r#"{{"accent":"blue","languages":["en","en","xx"],"default_language":"it",
        "texts":{{"en":{{"welcome":"{long}","help":7,"motto":""}},"nl":{{}}}},"logo":""}}"#
    );
    assert_eq!(
        faults(&text),
        [
            "$.accent must be a color such as #0b5cad",
            "$.languages[2] must be one of en, de, fr, es",
            "$.default_language must be one of en, de, fr, es",
            "$.texts.en.welcome must have at most 1000 characters",
            "$.texts.en.help must be a string",
            "$.texts.en.motto is not a known field",
            "$.texts.nl is not a known field",
            "$.logo is not a known field",
        ]
    );
    let rest = r#"{"languages":["en","en"],"default_language":"de"}"#;
    assert_eq!(
        faults(rest),
        [
            "$.languages[1] must be unique",
            "$.default_language must be one of the offered languages"
        ]
    );
    assert_eq!(faults(r#"{"languages":[]}"#), ["$.languages must have at least one element"]);
}

#[test]
fn a_shopper_gets_the_chosen_language_then_the_remembered_one_then_the_browsers() {
    let portal = read(r#"{"languages":["en","de","fr"],"default_language":"fr"}"#).unwrap();
    let (german, spanish) = (Some(Language::German), Some(Language::Spanish));

    assert_eq!(portal.language_for([german, None], "en"), Language::German);
    assert_eq!(portal.language_for([None, german], "en"), Language::German);
    assert_eq!(portal.language_for([spanish, german], "en"), Language::German);
    assert_eq!(portal.language_for([None, spanish], "en"), Language::English);
    assert_eq!(portal.language_for([None, None], "es"), Language::French);
}

#[test]
fn a_logo_is_a_small_raster_picture() {
    let png = b"\x89PNG\r\n\x1a\n".to_vec();
    assert_eq!(logo_kind(&png), Ok(PictureKind::Png));
    assert!(logo_kind(b"<svg></svg>").is_err());
    assert!(logo_kind(b"GIF89a").is_err());
    assert!(logo_kind(b"").is_err());
    let mut large = png;
    large.resize(LOGO_BYTES_MAX + 1, 0);
    assert_eq!(logo_kind(&large), Err("a logo must have at most 256 KiB"));
}

#[test]
fn a_color_is_six_digits_after_a_hash() {
    assert_eq!(Color::parse("#0B5cad").unwrap().to_string(), "#0b5cad");
    for text in ["", "#", "0b5cad", "#0b5ca", "#0b5cadf", "#0b5cag", "#+b5cad", "#é5cad"] {
        assert_eq!(Color::parse(text), None, "{text}");
    }
}

#[test]
fn contrast_is_computed_as_in_the_guidelines() {
    assert!((BLACK.contrast(WHITE) - 21.0).abs() < 0.001);
    assert!((Color([119, 119, 119]).contrast(WHITE) - 4.478).abs() < 0.001);
}

#[test]
fn a_readable_color_is_not_changed() {
    let surfaces = [Color([251, 249, 245]), WHITE, Color([243, 238, 230])];
    let blue = Color::parse("#0b5cad").unwrap();

    let shades = blue.shades_on(&PageSurfaces { surfaces, toward: BLACK });

    assert_eq!((shades.accent, shades.text), (blue, WHITE));
}

proptest! {
    #[test]
    fn every_color_is_readable_on_light_pages_and_on_dark_ones(parts in any::<[u8; 3]>()) {
        let light = [Color([251, 249, 245]), WHITE, Color([243, 238, 230])];
        let dark = [Color([23, 20, 17]), Color([31, 27, 23]), Color([41, 35, 30])];
        for page in [
            PageSurfaces { surfaces: light, toward: BLACK },
            PageSurfaces { surfaces: dark, toward: WHITE },
        ] {
            let shades = Color(parts).shades_on(&page);
            for surface in page.surfaces.iter().chain([&shades.soft]) {
                prop_assert!(surface.contrast(shades.accent) >= CONTRAST_MIN);
            }
            for color in [shades.accent, shades.strong] {
                prop_assert!(shades.text.contrast(color) >= CONTRAST_MIN);
            }
        }
    }
}
