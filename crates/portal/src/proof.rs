//! Proof of who is asking. A postal code shows what can be returned. Whatever moves value to
//! another address than the original payment, or shows an address, needs more: a code that is sent
//! to the e-mail address of the order, a link that the store has signed, or the code of the gift
//! receipt.

use app::{
    AppError,
    access::order_proofs::{ProofWay, find_proof_way},
    orders::returnability::ReturnableOrder,
    returns::shopper::Shopper,
};
use domain::returns::{
    Resolution,
    request::{Fallback, ReturnItem, ReturnRequest},
    rma::{LabelState, Rma},
};

use crate::{
    selection::{FieldProblem, problem_at},
    visit::PortalVisit,
    words::Words,
};

/// The element of the page that asks for the proof.
pub(super) const PROOF_ELEMENT: &str = "proof";

/// What a page says about the proof that a shopper lacks.
pub(super) struct ProofCard {
    pub(super) why: &'static str,
    /// What the shopper can choose with it, while the card is folded.
    pub(super) offer: Option<&'static str>,
    /// What else the shopper can do.
    pub(super) advice: Option<&'static str>,
    /// Whether the shopper can enter the gift code.
    pub(super) asks_gift_code: bool,
    /// Whether a code can be sent to the e-mail address of the order.
    pub(super) sends_codes: bool,
    /// Whether the card is unfolded.
    pub(super) open: bool,
    pub(super) notice: Option<&'static str>,
    pub(super) problem: Option<&'static str>,
    /// The return that the shopper goes back to; empty for the page of the order.
    pub(super) return_number: String,
}

impl ProofCard {
    fn new(visit: &PortalVisit, way: ProofWay, why: &'static str) -> Self {
        let words = &visit.words().proof;
        Self {
            why,
            offer: None,
            advice: None,
            asks_gift_code: way == ProofWay::GiftCode,
            sends_codes: way == ProofWay::SentCode,
            open: visit.code_sent,
            notice: visit.code_sent.then_some(words.code_sent),
            problem: None,
            return_number: String::new(),
        }
    }

    /// The card for a shopper who chooses, and lacks a proof that matters for the order.
    pub(super) async fn for_choice(
        visit: &PortalVisit,
        shopper: &Shopper,
        returnable: &ReturnableOrder,
        problems: &[FieldProblem],
    ) -> Result<Option<Self>, AppError> {
        let offers_card = returnable.policy.policy.gift_card.is_some();
        if shopper.proven || !(shopper.gift || offers_card) {
            return Ok(None);
        }
        let words = &visit.words().proof;
        let why = if shopper.gift { words.for_gift } else { words.for_gift_card };
        let way = find_proof_way(&visit.web.app, shopper).await?;
        let card = Self::new(visit, way, why);
        let problem = problem_at(problems, PROOF_ELEMENT);
        let use_link = if shopper.gift { words.ask_store } else { words.use_link };
        Ok(Some(Self {
            advice: (way == ProofWay::Link).then_some(use_link),
            open: card.open || shopper.gift || problem.is_some(),
            offer: (!shopper.gift).then_some(words.offer),
            problem,
            ..card
        }))
    }

    /// The card for a shopper whose label is shown only with proof. Where none can be asked for,
    /// the label is shown without: the shopper could not return anything.
    pub(super) async fn for_label(
        visit: &PortalVisit,
        shopper: &Shopper,
        rma: &Rma,
        problem: Option<&'static str>,
    ) -> Result<Option<Self>, AppError> {
        if shopper.proven {
            return Ok(None);
        }
        let words = &visit.words().proof;
        let way = find_proof_way(&visit.web.app, shopper).await?;
        let card = Self::new(visit, way, words.for_label);
        Ok((way != ProofWay::Link).then(|| Self {
            advice: card.sends_codes.then_some(words.label_mailed),
            open: true,
            problem,
            return_number: rma.rma_identifier.to_string(),
            ..card
        }))
    }
}

/// Whether a shopper may replace the label of a return. Where no proof can be asked for, one who
/// has none can replace only a label that is of no use. Otherwise anyone who knows the order and a
/// postal code could end the label on a parcel that is about to be sent.
pub(super) async fn may_renew(
    visit: &PortalVisit,
    shopper: &Shopper,
    rma: &Rma,
) -> Result<bool, AppError> {
    let app = &visit.web.app;
    let is_usable = rma.label_state(app.world.now()) == LabelState::Usable
        && rma.open_labels().next().is_some();
    if shopper.proven || !is_usable {
        return Ok(true);
    }
    Ok(find_proof_way(app, shopper).await? != ProofWay::Link)
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
