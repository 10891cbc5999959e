//! The page on which a shopper chooses what comes back, why, and what it wants for it.

mod line;
mod method;

use app::{exchanges::variants::LineVariants, returns::shopper::Shopper};
use askama::Template;
use domain::{
    orders::order::Order,
    returns::{policy::Policy, returnability::Returnability, rma::Rma},
};

use self::{
    line::{ChooseLine, Sheet},
    method::Way,
};
use super::{
    selection::{Form, Problem},
    visit::{Frame, Visit},
    wording::standing,
};

/// What there is to choose from.
pub(super) struct Offer {
    pub(super) order: Order,
    pub(super) judged: Returnability,
    pub(super) policy: Policy,
    /// For each line; nothing where nobody knows.
    pub(super) variants: Vec<Option<LineVariants>>,
    /// What the shopper sent back before.
    pub(super) returns: Vec<Rma>,
}

#[derive(Template)]
#[template(path = "portal/choose.html", whitespace = "minimize")]
pub(super) struct Choose<'a> {
    frame: Frame,
    order: String,
    ordered: String,
    problems: &'a [Problem],
    returns: Vec<Before>,
    lines: Vec<ChooseLine>,
    ways: Vec<Way>,
    method_problem: Option<&'static str>,
    gift: bool,
    giftee_email: &'a str,
    email_problem: Option<&'static str>,
    /// Whether anything can come back.
    any: bool,
}

/// A return that was started before.
struct Before {
    address: String,
    number: String,
    date: String,
    standing: &'static str,
}

/// What is to be mended at an element of the page.
fn problem_at(problems: &[Problem], element: &str) -> Option<&'static str> {
    problems.iter().find(|problem| problem.element == element).map(|problem| problem.words)
}

impl<'a> Choose<'a> {
    pub(super) fn new(
        visit: &Visit,
        shopper: &Shopper,
        offer: &Offer,
        (form, problems): (&'a Form, &'a [Problem]),
    ) -> Self {
        let words = visit.words();
        let sheet = Sheet { visit, offer, form, problems, gift: shopper.gift };
        let lines = offer.order.items.iter().zip(&offer.judged.lines).enumerate();
        let lines: Vec<ChooseLine> =
            lines.map(|(position, (line, judged))| sheet.line(position, line, judged)).collect();
        let before = |rma: &Rma| Before {
            address: visit.at(&format!("/returns/{}", rma.rma_identifier)),
            number: rma.rma_identifier.to_string(),
            date: visit.date(rma.created_at),
            standing: standing(rma.status, words),
        };
        let here = if problems.is_empty() { "/return" } else { "/review" };
        let frame = visit.frame(words.choose.title, here);
        Self {
            frame: frame.after(form),
            order: (words.choose.order)(&offer.order.identifier),
            ordered: (words.choose.ordered_on)(&visit.date(offer.order.created_at)),
            problems,
            returns: offer.returns.iter().map(before).collect(),
            any: lines.iter().any(ChooseLine::is_open),
            lines,
            ways: method::ways(visit, offer, form.text("method")),
            method_problem: problem_at(problems, "method"),
            gift: shopper.gift,
            giftee_email: form.text("giftee_email"),
            email_problem: problem_at(problems, "giftee_email"),
        }
    }
}
