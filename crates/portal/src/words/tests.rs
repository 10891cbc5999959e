//! Sentences keep what is put into them.

use super::*;

#[test]
fn every_sentence_says_what_was_put_into_it() {
    for language in Language::ALL {
        let words = words(language);
        let lines = [
            words.frame.help,
            words.choose.order,
            words.choose.ordered,
            words.choose.each,
            words.choose.until,
            words.choose.bonus,
            words.choose.dearer,
            words.choose.cheaper,
            words.choose.part,
            words.choose.fee,
            words.rules.window_ended,
            words.review.as_exchange,
            words.review.exchanged,
            words.status.rma,
            words.status.started_on,
            words.status.paid_on,
            words.status.exchange_sent,
            words.label.started,
            words.label.bar_code,
            words.label.qr_of_number,
            words.label.qr_of_return,
        ];
        for (number, line) in lines.iter().enumerate() {
            assert!(line("§").contains('§'), "{language:?} {number}");
        }
        let long = [
            words.choose.bonus_up_to,
            words.choose.fees,
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
    let titles = Language::ALL.map(|language| words(language).choose.title);
    for (position, title) in titles.iter().enumerate() {
        assert!(!titles[..position].contains(title), "{title}");
    }
}
