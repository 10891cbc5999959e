//! Every rule has a text in every language, and forms keep the shopper's choices.

use domain::{
    merchants::language::Language,
    returns::{
        quote::OfferRule,
        returnability::{ReturnRule, RuleAnswer, RuleVerdict},
        start::StartRule,
    },
};

use super::{
    form::{LinePart, PortalForm},
    words::wording::{objection_text, refusal_text},
};
use crate::words::words_in;

#[test]
fn every_rule_has_its_own_text_in_every_language() {
    for language in Language::ALL {
        let words = words_in(language);
        let rules = ReturnRule::ALL
            .into_iter()
            .filter(|rule| *rule != ReturnRule::Tags)
            .map(StartRule::Unit);
        let offers = OfferRule::ALL.into_iter().map(StartRule::Offer);
        let others =
            [StartRule::OneExchangeOrder, StartRule::VariantAvailable, StartRule::VariantPrice];
        let mut texts: Vec<&str> = Vec::new();
        for rule in rules.chain(offers).chain(others) {
            let text = refusal_text(rule, words);
            assert!(!texts.contains(&text), "{language:?} {rule:?}: {text}");
            texts.push(text);
        }
        assert_eq!(refusal_text(StartRule::SameShopper, words), words.rules.not_possible);
    }
}

#[test]
fn a_return_window_that_has_ended_names_its_last_day() {
    let ended = RuleAnswer {
        rule: ReturnRule::Window,
        verdict: RuleVerdict::Refuses,
        fact: "shipped on 2026-01-02; the 30-day window ends on 2026-02-01".to_owned(),
        changes_at: None,
        ended_at: Some("2026-02-02T00:00:00Z".parse().unwrap()),
    };
    let texts = Language::ALL.map(|language| objection_text(&ended, words_in(language), language));
    assert_eq!(texts[0], "The return period ended on 1 February 2026.");
    assert_eq!(texts[1], "Die Rückgabefrist endete am 1. Februar 2026.");
    assert_eq!(texts[2], "Le délai de retour a pris fin le 1er février 2026.");
    assert_eq!(texts[3], "El plazo de devolución terminó el 1 de febrero de 2026.");
}

fn form(pairs: &[(&str, &str)]) -> PortalForm {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    PortalForm::new(pairs.iter().map(owned).collect())
}

#[test]
fn splitting_a_line_adds_a_part_up_to_the_limit() {
    let plain = form(&[("quantity.2.1", " 3 ")]);
    assert_eq!(
        (plain.part_count(2), plain.part_text("quantity", LinePart { line: 2, part: 1 })),
        (1, "3")
    );

    let mut split = form(&[("split", "2"), ("parts.1", "4"), ("parts.2", "2")]).split_line();
    assert_eq!((split.part_count(0), split.part_count(1), split.part_count(2)), (1, 4, 3));
    assert_eq!(split.text("split"), "");

    for _ in 0..20 {
        let again = ("split".to_owned(), "2".to_owned());
        let fields = split.fields().iter().cloned().chain([again]);
        split = PortalForm::new(fields.collect()).split_line();
    }
    assert_eq!(split.part_count(2), 10);
    for nonsense in ["", "-1", "99999999999999999999", "x"] {
        assert_eq!(
            form(&[("parts.0", nonsense), ("split", nonsense)]).split_line().part_count(0),
            1
        );
    }
}
