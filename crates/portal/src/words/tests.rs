//! Sentences keep what is put into them.

use super::*;

#[test]
fn every_sentence_says_what_was_put_into_it() {
    for language in Language::ALL {
        let words = words_in(language);
        let lines = [
            words.frame.contact,
            words.choose.order,
            words.choose.ordered_on,
            words.choose.price_each,
            words.choose.return_by,
            words.choose.bonus,
            words.choose.costs_more,
            words.choose.costs_less,
            words.choose.selection,
            words.choose.fee,
            words.rules.window_ended_on,
            words.review.as_exchange,
            words.review.exchanged,
            words.status.rma,
            words.status.started_on,
            words.status.refunded_on,
            words.status.exchange_shipped,
            words.label.started_on,
            words.label.barcode_of_tracking_number,
            words.label.qr_of_tracking_number,
            words.label.qr_of_return,
        ];
        for (number, line) in lines.iter().enumerate() {
            assert!(line("§").contains('§'), "{language:?} {number}");
        }
        let long = [
            words.choose.bonus_up_to,
            words.choose.fee_range,
            words.status.exchange_placed,
            words.label.qr_of_both,
        ];
        for line in long {
            let said = line("§", "¶");
            assert!(said.contains('§') && said.contains('¶'), "{said}");
        }
    }
}

#[test]
fn languages_differ_where_people_would_notice() {
    let titles = Language::ALL.map(|language| words_in(language).choose.title);
    for (position, title) in titles.iter().enumerate() {
        assert!(!titles[..position].contains(title), "{title}");
    }
}

#[test]
fn no_line_of_french_starts_with_a_punctuation_mark() {
    let source = include_str!("french.rs");
    for mark in ["?", "!", ":", ";", "»"] {
        assert!(!source.contains(&format!(" {mark}")), "a space that can break before {mark}");
    }
}
