//! Sentences contain their values, and languages differ.

use super::*;

#[test]
fn every_sentence_contains_its_values() {
    for language in Language::ALL {
        let words = words_in(language);
        let sentences = [
            words.frame.contact,
            words.choose.order,
            words.choose.ordered_on,
            words.choose.price_each,
            words.choose.return_by,
            words.choose.bonus,
            words.choose.difference_back,
            words.choose.selection,
            words.choose.fee,
            words.rules.window_ended_on,
            words.review.as_exchange,
            words.review.exchanged,
            words.status.rma,
            words.status.started_on,
            words.status.refunded_on,
            words.status.exchange_shipped,
            words.status.gift_card_issued_on,
            words.status.rejected_because,
            words.label.started_on,
            words.label.barcode_of_tracking_number,
            words.label.qr_of_tracking_number,
            words.label.qr_of_return,
            words.parcels.label_of,
            words.parcels.code_of,
            words.parcels.valid_until,
            words.parcels.sent_in,
            words.gifts.fee,
            words.gifts.exchanged,
            words.withdrawal.lead,
            words.withdrawal.quantity_of,
            words.withdrawal.stated_name,
            words.withdrawal.stated_email,
            words.withdrawal.late,
            words.withdrawal.shipping,
            words.withdrawal.refund_by,
        ];
        for (number, sentence) in sentences.iter().enumerate() {
            assert!(sentence("§").contains('§'), "{language:?} {number}");
        }
        let sentences_of_two = [
            words.choose.bonus_up_to,
            words.choose.fee_range,
            words.status.exchange_placed,
            words.label.qr_of_both,
            words.parcels.parcel,
            words.withdrawal.stated_order,
            words.withdrawal.received,
        ];
        for sentence in sentences_of_two {
            let text = sentence("§", "¶");
            assert!(text.contains('§') && text.contains('¶'), "{text}");
        }
    }
}

#[test]
fn titles_differ_between_languages() {
    let titles = Language::ALL.map(|language| words_in(language).choose.title);
    for (position, title) in titles.iter().enumerate() {
        assert!(!titles[..position].contains(title), "{title}");
    }
}

/// The French texts of a file that has every language.
fn french_part(source: &str) -> &str {
    let (_, french) = source.split_once("const FRENCH: ").unwrap();
    french.split_once("const SPANISH").unwrap().0
}

#[test]
fn french_punctuation_follows_a_no_break_space() {
    let files = [
        include_str!("gifts.rs"),
        include_str!("parcels.rs"),
        include_str!("proof.rs"),
        include_str!("withdrawal.rs"),
    ];
    let source = [include_str!("french.rs"), &files.map(french_part).concat()].concat();
    for mark in ["?", "!", ":", ";", "»", "%"] {
        assert!(!source.contains(&format!(" {mark}")), "a space that can break before {mark}");
    }
}

#[test]
fn the_steps_with_a_label_begin_with_the_same_verb_form() {
    for language in Language::ALL {
        let words = words_in(language);
        let (own, of_carrier) = (words.label.attach_label.title, words.parcels.print_label.title);
        assert_eq!(own, of_carrier, "{language:?}");
    }
}
