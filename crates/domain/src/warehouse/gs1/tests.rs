//! Symbols as they are printed, transmitted and linked, and anything else.

use proptest::prelude::*;

use super::*;

/// An article and a carton of the examples that GS1 publishes.
const GTIN: &str = "09506000134352";
const SSCC: &str = "106141412345678908";

fn gtin_of(text: &str) -> Option<String> {
    Gs1Symbol::parse(text).and_then(|symbol| symbol.gtin)
}

#[test]
fn links_in_capitals_and_any_mark_of_a_symbology_are_read() {
    for text in ["HTTPS://ID.GS1.ORG/01/09506000134352/21/S1", "]J1010950600013435221S1"] {
        let symbol = Gs1Symbol::parse(text).unwrap();
        assert_eq!(symbol.gtin.as_deref(), Some("09506000134352"), "{text}");
        assert_eq!(symbol.serial.as_deref(), Some("S1"), "{text}");
    }
}

#[test]
fn the_spellings_of_a_symbol_say_the_same() {
    for text in [
        "(01)09506000134352(10)ABC123(21)12345",
        "(01) 09506000134352 (10) ABC123 (21) 12345",
        "]d2010950600013435210ABC123\u{1d}2112345",
        "\u{1d}010950600013435210ABC123\u{1d}2112345\u{1d}",
        "10ABC123\u{1d}0109506000134352",
        "01095060001343521720122531030007502112345",
        "https://id.gs1.org/01/09506000134352/10/ABC123/21/12345",
        "https://example.com/shop/01/9506000134352/10/ABC123?21=12345&utm=x",
        "http://example.com/01/09506000134352/10/ABC%3123?21=12345#top",
    ] {
        assert_eq!(gtin_of(text).as_deref(), Some(GTIN), "{text}");
    }
}

#[test]
fn a_carton_is_read_with_its_number() {
    for text in ["(00)106141412345678908", "]C100106141412345678908", "00106141412345678908"] {
        assert_eq!(Gs1Symbol::parse(text).unwrap().sscc.as_deref(), Some(SSCC), "{text}");
    }
}

#[test]
fn what_is_not_a_symbol_is_not_read_as_one() {
    for text in [
        "",
        "(",
        "(01)",
        "()",
        "012345678905",
        "1Z999AA10123456784",
        "9400111899223100001234",
        "0109506000134353",
        "(01)09506000134353",
        "(00)106141412345678909",
        "(01)0950600013435",
        "(01)09506000134352(01)10614141234567",
        "(21)12345",
        "(01)09506000134352(21)",
        "(01)09506000134352(10)123456789012345678901",
        "0109506000134352ä",
        "https://example.com/",
        "https://example.com/01",
        "https://example.com/01/09506000134352/21",
        "https://example.com/01/09506000134352/21/%zz",
        "RMA-7K3Q-9XWD-2M4T",
    ] {
        assert_eq!(Gs1Symbol::parse(text), None, "{text}");
    }
    assert_eq!(Gs1Symbol::parse(&"9".repeat(LENGTH_MAX + 1)), None);
}

#[test]
fn check_digits_of_published_numbers_hold_and_others_do_not() {
    for number in ["96385074", "614141000036", "4006381333931", GTIN, "10614141000415", SSCC] {
        assert!(is_checked(number), "{number}");
        let (last, start) = (number.bytes().last().unwrap() - b'0', &number[..number.len() - 1]);
        for other in (0..10).filter(|digit| *digit != last) {
            assert!(!is_checked(&format!("{start}{other}")), "{start}{other}");
        }
    }
    assert!(!is_checked("") && !is_checked("12a"));
}

fn with_check_digit(start: &str) -> String {
    (0..10).map(|digit| format!("{start}{digit}")).find(|it| is_checked(it)).unwrap()
}

proptest! {
    #[test]
    fn what_is_encoded_is_read_again(
        start in "[0-9]{13}",
        serial in "[A-Za-z0-9!\"%&'*+,./:;<=>?_-]{1,20}",
        batch in "[A-Za-z0-9!\"%&'*+,./:;<=>?_-]{1,20}",
        carton in "[0-9]{17}",
    ) {
        let (gtin, sscc) = (with_check_digit(&start), with_check_digit(&carton));
        let escape = |text: &str| {
            let parts: Vec<String> = text.bytes().map(|it| format!("%{it:02X}")).collect();
            parts.concat()
        };
        let texts = [
            format!("(01){gtin}(10){batch}(21){serial}"),
            format!("]d201{gtin}10{batch}\u{1d}21{serial}"),
            format!("https://id.gs1.org/01/{gtin}/10/{}/21/{}", escape(&batch), escape(&serial)),
        ];
        let symbol = Gs1Symbol {
            gtin: Some(gtin.clone()),
            sscc: None,
            serial: Some(serial.clone()),
            batch: Some(batch.clone()),
        };
        for text in texts {
            prop_assert_eq!(Gs1Symbol::parse(&text), Some(symbol.clone()), "{}", text);
        }
        // Elements of variable length first, and with a carton between them.
        let symbol = Gs1Symbol { sscc: Some(sscc.clone()), ..symbol };
        for separator in ["\u{1d}", "<GS>", "|"] {
            let text = format!("21{serial}{separator}00{sscc}10{batch}{separator}01{gtin}");
            prop_assert_eq!(Gs1Symbol::parse(&text), Some(symbol.clone()), "{}", text);
        }
    }

    #[test]
    fn no_text_breaks_the_reader(text in "\\PC{0,60}", digits in "[0-9\u{1d}()/%]{0,60}") {
        for text in [text.as_str(), digits.as_str()] {
            let _ = Gs1Symbol::parse(text);
            let _ = Gs1Symbol::parse(&format!("]d201{GTIN}{text}"));
            let _ = Gs1Symbol::parse(&format!("https://x/01/{text}"));
        }
    }
}
