//! What fits the label, and what cannot be drawn.

use proptest::prelude::*;

use super::*;

#[test]
fn numbers_of_carriers_fit_the_label_with_wide_bars() {
    let drawn = |text| draw(text).unwrap().to_string();
    // 176 modules of four dots; 209 modules of three dots.
    assert!(drawn("9400111899223100001234").contains("width=\"96.333%\""));
    assert!(drawn("1Z999AA10123456784").contains("width=\"85.796%\""));
}

#[test]
fn what_cannot_be_scanned_is_not_drawn() {
    assert!(draw("").is_none());
    assert!(draw("Füße").is_none());
    assert!(draw("A\tB").is_none());
    assert!(draw("\u{7f}").is_none());
    assert!(draw(&"1".repeat(56)).is_some());
    assert!(draw(&"1".repeat(58)).is_none());
    assert!(draw(&"x".repeat(255)).is_none());
}

proptest! {
    #[test]
    fn the_modules_are_drawn_between_quiet_zones(text in "[ -~]{1,14}") {
        let cells = draw(&text).unwrap().cells();
        let quiet = vec![false; QUIET_MODULES];
        let expected = [quiet.clone(), draw_modules(&text).unwrap(), quiet].concat();
        prop_assert_eq!(cells, vec![expected]);
    }

    #[test]
    fn no_text_makes_it_panic(text in ".{0,300}") {
        draw(&text);
    }
}
