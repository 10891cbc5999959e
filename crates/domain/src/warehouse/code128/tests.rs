//! Codes are read back as a scanner would: widths, symbols, check, sets, text.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;

/// The text that these modules encode.
fn read(code: &[bool]) -> String {
    assert!(code.first() == Some(&true) && code.last() == Some(&true));
    let runs: Vec<usize> = code.chunk_by(|left, right| left == right).map(<[bool]>::len).collect();
    let widths: String = runs.iter().map(ToString::to_string).collect();
    let data = widths.strip_suffix(STOP).unwrap();
    let symbol = |widths: &[u8]| WIDTHS.iter().position(|it| it.as_bytes() == widths).unwrap();
    let symbols: Vec<usize> = data.as_bytes().chunks(6).map(symbol).collect();
    let (check, symbols) = symbols.split_last().unwrap();
    let sum: usize = symbols.iter().enumerate().map(|(place, it)| it * place.max(1)).sum();
    assert_eq!(sum % 103, *check);
    decode(symbols)
}

/// The text of the data `symbols`, which begin with the start symbol.
fn decode(symbols: &[usize]) -> String {
    let mut digits = match symbols[0] {
        104 => false,
        105 => true,
        other => panic!("{other} is not a start symbol"),
    };
    let mut text = String::new();
    for symbol in &symbols[1..] {
        match (digits, *symbol) {
            (true, 100) => digits = false,
            (false, 99) => digits = true,
            (true, pair @ 0..=99) => write!(text, "{pair:02}").unwrap(),
            (false, character @ 0..=94) => {
                text.push(char::from(u8::try_from(character + 32).unwrap()));
            }
            (_, other) => panic!("{other} is not a data symbol"),
        }
    }
    text
}

/// The smallest number of symbols between start and check that encode `text`, by exhaustive search.
fn count_fewest(text: &[u8], set: CodeSet) -> usize {
    let [_, behind @ ..] = text else { return 0 };
    let in_b = 1 + count_fewest(behind, CodeSet::B);
    let in_c = (count_digits(text) >= 2).then(|| 1 + count_fewest(&text[2..], CodeSet::C));
    match set {
        CodeSet::B => in_b.min(in_c.map_or(usize::MAX, |symbols| symbols + 1)),
        CodeSet::C => in_c.unwrap_or(usize::MAX).min(in_b + 1),
    }
}

fn bars(text: &str) -> String {
    let digit = |bar| if bar { '1' } else { '0' };
    expand_modules(&encode(text).unwrap()).into_iter().map(digit).collect()
}

#[test]
fn every_symbol_is_eleven_modules_with_an_even_number_of_black_ones_and_unlike_the_others() {
    for (value, widths) in WIDTHS.iter().enumerate() {
        let widths: Vec<u8> = widths.bytes().map(|width| width - b'0').collect();
        assert_eq!(widths.len(), 6, "{value}");
        assert_eq!(widths.iter().sum::<u8>(), 11, "{value}");
        assert_eq!(widths.iter().step_by(2).sum::<u8>() % 2, 0, "{value}");
        assert_eq!(WIDTHS.iter().filter(|it| **it == WIDTHS[value]).count(), 1, "{value}");
    }
}

#[test]
fn known_texts_have_their_known_symbols() {
    let known: [(&str, &[u8]); 7] = [
        ("PJJ123C", &[104, 48, 42, 42, 17, 18, 19, 35, 55]),
        ("A", &[104, 33, 34]),
        ("42", &[105, 42, 44]),
        ("123", &[104, 17, 18, 19, 8]),
        ("12345", &[105, 12, 34, 100, 21, 54]),
        ("AB123456", &[104, 33, 34, 99, 12, 34, 56, 26]),
        ("A12345", &[104, 33, 17, 99, 23, 45, 64]),
    ];
    for (text, expected) in known {
        assert_eq!(encode(text).unwrap(), expected, "{text}");
    }
}

#[test]
fn a_known_text_has_its_known_bars() {
    let start_b = "11010010000";
    let a = "10100011000";
    let check_34 = "10001011000";
    let stop = "1100011101011";
    assert_eq!(bars("A"), [start_b, a, check_34, stop].concat());
}

proptest! {
    #[test]
    fn what_is_drawn_reads_back_as_it_was(text in "[ -~]{1,14}|[A-Z]{0,3}[0-9]{1,24}[A-Z]{0,2}") {
        prop_assert_eq!(read(&draw_modules(&text).unwrap()), text);
    }

    #[test]
    fn no_other_choice_of_sets_is_shorter(text in "[A-B0-9]{1,6}[0-9]{0,8}[A-B]{0,2}") {
        let [in_b, in_c] = [CodeSet::B, CodeSet::C].map(|set| count_fewest(text.as_bytes(), set));
        let best = in_b.min(in_c);
        prop_assert_eq!(encode(&text).unwrap().len(), best + 2);
    }

    #[test]
    fn no_text_makes_it_panic(text in ".{0,300}") {
        let _ = draw_modules(&text);
    }
}
