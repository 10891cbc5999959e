//! Proof of who is asking. A postal code shows what can be returned. Whatever moves value to
//! another address than the original payment needs more: a link that the store has signed, or the
//! code of the gift receipt.

use app::{
    orders::returnability::ReturnableOrder,
    returns::shopper::{Shopper, has_gift_code},
};
use domain::returns::{
    Resolution,
    request::{Fallback, ReturnItem, ReturnRequest},
};

use crate::{
    selection::{FieldProblem, problem_at},
    words::Words,
};

/// The element of the page that asks for the proof.
pub(super) const PROOF_ELEMENT: &str = "proof";

/// What a page says about the proof that a shopper lacks.
pub(super) struct ProofCard {
    pub(super) why: &'static str,
    /// What the shopper can do, if there is no field.
    pub(super) advice: Option<&'static str>,
    /// Whether the shopper can enter the gift code.
    pub(super) asks_gift_code: bool,
    pub(super) problem: Option<&'static str>,
}

impl ProofCard {
    /// The card for a shopper who lacks a proof that matters for the order.
    pub(super) fn new(
        words: &Words,
        shopper: &Shopper,
        returnable: &ReturnableOrder,
        problems: &[FieldProblem],
    ) -> Option<Self> {
        let offers_card = returnable.policy.policy.gift_card.is_some();
        if shopper.proven || !(shopper.gift || offers_card) {
            return None;
        }
        let words = &words.proof;
        let asks_gift_code = shopper.gift && has_gift_code(returnable.order());
        let advice = if shopper.gift { words.ask_store } else { words.use_link };
        Some(Self {
            why: if shopper.gift { words.for_gift } else { words.for_gift_card },
            advice: (!asks_gift_code).then_some(advice),
            asks_gift_code,
            problem: problem_at(problems, PROOF_ELEMENT),
        })
    }
}

/// The problem of a shopper who wants what needs a proof, and has none.
pub(super) fn find_missing_proof(
    shopper: &Shopper,
    request: &ReturnRequest,
    words: &Words,
) -> Option<FieldProblem> {
    let moves_value = |item: &ReturnItem| {
        item.resolution == Resolution::GiftCard || item.fallback == Some(Fallback::GiftCard)
    };
    let needs_proof = request.gift.is_some() || request.items.iter().any(moves_value);
    let text = words.proof.needed;
    (needs_proof && !shopper.proven)
        .then(|| FieldProblem { element: PROOF_ELEMENT.to_owned(), text })
}
