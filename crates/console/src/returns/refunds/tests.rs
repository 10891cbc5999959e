//! The page of refund problems, with hostile text in every field that merchants fill.

use app::returns::{
    refund_case::RefundedLine,
    refund_problems::{DifferenceView, ProblemView},
};
use jiff::Timestamp;

use super::*;
use crate::core::fixtures::{HOSTILE, assert_is_text, sample_visitor};

fn sample_case() -> RefundCase {
    let hostile = || HOSTILE.to_owned();
    RefundCase {
        problem: ProblemView {
            merchant: "acme".to_owned(),
            refund_identifier: hostile(),
            order_identifier: hostile(),
            kind: "unmatched".to_owned(),
            state: "unmatched".to_owned(),
            noticed_at: Timestamp::UNIX_EPOCH,
            detail: hostile(),
            difference: None,
        },
        refund: Some(RefundFacts {
            amount_cents: 4_610,
            currency: "USD".to_owned(),
            created_at: Timestamp::UNIX_EPOCH,
            note: Some(hostile()),
            rma_identifier: Some(hostile()),
            lines: vec![RefundedLine { identifier: hostile(), title: hostile(), quantity: 2 }],
        }),
        candidates: vec![RefundCandidate {
            rma_identifier: "RMA-7K3Q-9XWD-2M4T".to_owned(),
            status: "CREATED",
            created_at: Timestamp::UNIX_EPOCH,
            pays_for: 1,
            left_over: 1,
            short_of: 0,
        }],
    }
}

fn find_cases(next: Option<&str>) -> RefundCases {
    RefundCases {
        merchants: vec![FilterOption::new(HOSTILE, HOSTILE, HOSTILE)],
        cases: vec![sample_case()],
        next: next.map(str::to_owned),
    }
}

#[test]
fn a_refund_stays_text_and_has_a_button_for_each_candidate() {
    let visitor = sample_visitor();
    let query = RefundQuery::default();
    let refusal = Some(HOSTILE.to_owned());
    let html =
        assert_is_text(&RefundsPage::new(&visitor, &query, find_cases(Some(HOSTILE)), refusal));
    assert!(html.contains("Match to RMA-7K3Q-9XWD-2M4T"), "{html}");
    assert!(html.contains("46.10 USD"), "{html}");
    assert!(html.contains("Pays for 1 unit; 1 unit would be left over"), "{html}");
}

#[test]
fn a_resolved_refund_offers_no_actions() {
    let visitor = sample_visitor();
    let query = RefundQuery { state: "settled".to_owned(), ..RefundQuery::default() };
    let mut found = find_cases(None);
    found.cases[0].problem.state = "settled".to_owned();
    let html = assert_is_text(&RefundsPage::new(&visitor, &query, found, None));
    assert!(!html.contains("Match to"), "{html}");
}

fn difference(state: &str, amounts: [i64; 2]) -> RefundCases {
    let mut found = find_cases(None);
    let problem = &mut found.cases[0].problem;
    (problem.kind, problem.state) = ("short_paid".to_owned(), state.to_owned());
    let [promised_cents, paid_cents] = amounts;
    problem.difference = Some(DifferenceView {
        rma_identifier: "RMA-7K3Q-9XWD-2M4T".to_owned(),
        currency: "KWD".to_owned(),
        promised_cents,
        paid_cents,
    });
    found
}

fn render(state: &str, amounts: [i64; 2]) -> String {
    let visitor = sample_visitor();
    let query = RefundQuery { merchant: HOSTILE.to_owned(), ..RefundQuery::default() };
    assert_is_text(&RefundsPage::new(&visitor, &query, difference(state, amounts), None))
}

#[test]
fn a_difference_shows_both_amounts_and_has_three_answers() {
    let html = render("short_paid", [4_015, 4_014]);
    for part in [
        "<dt>Promised</dt><dd>4.015 KWD</dd>",
        "<dt>Paid</dt><dd>4.014 KWD</dd>",
        "<dt>Missing</dt><dd><strong>0.001 KWD</strong></dd>",
        "Pays less than was promised.",
        ">Paid too little</span>",
        "href=\"/console/returns/RMA-7K3Q-9XWD-2M4T\"",
        "action=\"/console/refunds/difference\"",
        "value=\"accept\">Accept<",
        "value=\"ask\">Ask the merchant<",
        "value=\"await\">Expect the rest<",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    assert!(!html.contains("Match to"), "{html}");

    let too_much = render("over_paid", [4_015, 5_000]);
    assert!(too_much.contains("<dt>Paid too much</dt>"), "{too_much}");
    assert!(too_much.contains("0.985 KWD"), "{too_much}");
    assert!(!too_much.contains("Expect the rest"), "nothing is missing: {too_much}");
}

#[test]
fn a_settled_difference_says_what_was_decided_and_an_asked_one_stays_open() {
    let settled = render("settled", [4_015, 4_014]);
    assert!(settled.contains(">Resolved</span>") && settled.contains("4.014 KWD"), "{settled}");
    assert!(!settled.contains("refunds/difference"), "{settled}");
    let asked = render("asked", [4_015, 4_014]);
    assert!(asked.contains(">Merchant asked</span>"), "{asked}");
    assert!(asked.contains("refunds/difference"), "{asked}");
}

#[test]
fn every_kind_of_difference_can_be_listed_and_other_states_list_what_is_open() {
    let state =
        |state: &str| RefundQuery { state: state.to_owned(), ..RefundQuery::default() }.state();
    for kind in DifferenceKind::ALL {
        assert_eq!(state(kind.name()), kind.name());
    }
    assert_eq!((state("settled"), state(""), state(HOSTILE)), ("settled", OPEN, OPEN));
    let options = RefundQuery::default().state_options();
    assert_eq!(options.len(), STATES.len() + DifferenceKind::ALL.len());
    assert_eq!(options.iter().filter(|it| it.selected).count(), 1);
}

#[test]
fn an_answer_needs_an_action_but_no_note() {
    let read = |fields: &[(&str, &str)]| read_answer(&Form::of(fields));
    assert_eq!(read(&[("answer", "accept")]).unwrap().note, "no note");
    assert_eq!(read(&[("answer", "ask"), ("note", " by mail ")]).unwrap().note, "by mail");
    assert!(read(&[("note", "x")]).is_err());
    assert!(read(&[("answer", "accept"), ("note", &"x".repeat(NOTE_MAX + 1))]).is_err());
}
