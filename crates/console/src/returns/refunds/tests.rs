//! The page of refund problems, with hostile text in every field that merchants fill.

use app::returns::{refund_case::RefundedLine, refund_problems::ProblemView};
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

fn found(next: Option<&str>) -> RefundCases {
    RefundCases { cases: vec![sample_case()], next: next.map(str::to_owned) }
}

#[test]
fn a_refund_stays_text_and_has_a_button_for_each_candidate() {
    let visitor = sample_visitor();
    let query = RefundQuery::default();
    let refusal = Some(HOSTILE.to_owned());
    let html = assert_is_text(&RefundsPage::new(&visitor, &query, found(Some(HOSTILE)), refusal));
    assert!(html.contains("Match to RMA-7K3Q-9XWD-2M4T"), "{html}");
    assert!(html.contains("46.10 USD"), "{html}");
    assert!(html.contains("Pays for 1 unit; 1 unit would be left over"), "{html}");
}

#[test]
fn a_resolved_refund_offers_no_actions() {
    let visitor = sample_visitor();
    let query = RefundQuery { state: "settled".to_owned(), ..RefundQuery::default() };
    let html = assert_is_text(&RefundsPage::new(&visitor, &query, found(None), None));
    assert!(!html.contains("Match to"), "{html}");
}
