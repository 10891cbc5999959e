//! The page on which a shopper chooses the items to return, the reasons and the resolutions.

mod fallback;
mod line;
mod method;
mod offer;

use app::returns::shopper::Shopper;
use askama::Template;
use domain::returns::rma::{Rma, RmaStatus};

use self::{
    line::{LineBuilder, LineCard},
    method::{MethodOption, can_have_parcels, list_methods},
};
use crate::{
    form::PortalForm,
    proof::ProofCard,
    selection::{FieldProblem, problem_at},
    status::is_complete,
    visit::{PageFrame, PortalVisit},
    words::{Words, wording::status_text},
};

pub(super) use offer::{ReturnOffer, load_variants};

#[derive(Template)]
#[template(path = "portal/choose.html", whitespace = "minimize")]
pub(super) struct ChoosePage<'a> {
    frame: PageFrame,
    order: String,
    ordered_on: String,
    problems: &'a [FieldProblem],
    /// The element with the variants that the shopper has to choose from now.
    variants_at: Option<String>,
    earlier_returns: Vec<EarlierReturn>,
    lines: Vec<LineCard>,
    methods: Vec<MethodOption>,
    method_problem: Option<&'static str>,
    /// What the shopper said about the number of packages, if there can be several.
    parcels: Option<&'a str>,
    parcels_problem: Option<&'static str>,
    gift: bool,
    giftee_email: &'a str,
    email_problem: Option<&'static str>,
    any_returnable: bool,
    submit_text: &'static str,
    /// Asks for the proof that the shopper lacks.
    proof: Option<ProofCard>,
}

struct EarlierReturn {
    address: String,
    number: String,
    date: String,
    status: &'static str,
}

impl<'a> ChoosePage<'a> {
    pub(super) fn new(
        visit: &PortalVisit,
        shopper: &Shopper,
        offer: &ReturnOffer<'_>,
        form: &'a PortalForm,
        problems: &'a [FieldProblem],
    ) -> Self {
        let words = visit.words();
        let builder = LineBuilder { visit, offer, form, problems, shopper };
        let lines = offer.order.items.iter().zip(&offer.returnability.lines).enumerate();
        let lines: Vec<LineCard> = lines
            .map(|(position, (line, returnability))| builder.build(position, line, returnability))
            .collect();
        let earlier = |rma: &Rma| EarlierReturn {
            address: visit.address_of(&format!("/returns/{}", rma.rma_identifier)),
            number: rma.rma_identifier.to_string(),
            date: visit.format_date(rma.created_at),
            status: return_state_text(rma, words),
        };
        let mut parts = lines.iter().flat_map(|line| &line.parts);
        let variants_at = parts.find(|part| problems.is_empty() && part.awaits_variant());
        let variants_at = variants_at.map(|part| format!("variant-{}", part.id));
        let address = if problems.is_empty() { "/return" } else { "/review" };
        Self {
            frame: visit.frame(words.choose.title, address).with_form(form),
            order: (words.choose.order)(&offer.order.identifier),
            ordered_on: (words.choose.ordered_on)(&visit.format_date(offer.order.created_at)),
            problems,
            variants_at,
            earlier_returns: offer.returns.iter().map(earlier).collect(),
            any_returnable: lines.iter().any(LineCard::is_returnable),
            lines,
            methods: list_methods(visit, shopper, offer, form.text("method")),
            method_problem: problem_at(problems, "method"),
            parcels: can_have_parcels(offer).then(|| match form.text("parcels") {
                "" => "1",
                count => count,
            }),
            parcels_problem: problem_at(problems, "parcels"),
            gift: shopper.gift,
            submit_text: if shopper.gift { words.gifts.submit } else { words.choose.submit },
            giftee_email: form.text("giftee_email"),
            email_problem: problem_at(problems, "giftee_email"),
            proof: None,
        }
    }

    pub(super) fn with_proof(self, proof: Option<ProofCard>) -> Self {
        Self { proof, ..self }
    }
}

/// The state of a return in one or two words. It is in progress until its goods have arrived.
fn return_state_text(rma: &Rma, words: &Words) -> &'static str {
    if rma.status == RmaStatus::Refunded && !is_complete(rma) {
        return words.status.is_created;
    }
    status_text(rma.status, words)
}
