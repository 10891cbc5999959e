//! What a shopper chose in a form, and where in the form something is to be mended.
//!
//! Each line of the order has fields of its own, and where its pieces come back for different reasons, each
//! part of it has: `quantity.N.K`, `reason.N.K`, `get.N.K`, `variant.N.K` and `fallback.N.K`, where N is
//! the line's position and K the part's. `parts.N` says how many parts there are. The elements of the page
//! have the same names with hyphens.

use app::{AppError, returns::shopper::Shopper};
use domain::{
    orders::order::Order,
    returns::{
        Resolution, ReturnMethod,
        request::{Fallback, Gift, ReturnItem, ReturnRequest},
        start::ReturnRefusal,
    },
};

use super::wording::refusal;
use crate::words::Words;

/// No line is chosen from in more parts than this.
const PARTS_MAX: usize = 10;

/// The element of the page that holds the lines.
const ITEMS: &str = "items";

/// The fields of a form.
pub(super) struct Form(pub(super) Vec<(String, String)>);

impl Form {
    pub(super) fn text(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.trim()).unwrap_or_default()
    }

    /// A field of a part of a line.
    pub(super) fn of(&self, name: &str, place: Place) -> &str {
        self.text(&format!("{name}.{}.{}", place.line, place.part))
    }

    /// In how many parts a line is chosen from.
    pub(super) fn parts(&self, line: usize) -> usize {
        let parts = self.text(&format!("parts.{line}")).parse().unwrap_or(1);
        parts.clamp(1, PARTS_MAX)
    }

    /// The form with one part more of the line for which the shopper asked for one.
    pub(super) fn split(mut self) -> Self {
        if let Ok(line) = self.text("split").parse() {
            let (name, parts) = (format!("parts.{line}"), self.parts(line) + 1);
            self.0.retain(|(known, _)| *known != name);
            self.0.push((name, parts.to_string()));
        }
        self.0.retain(|(known, _)| known != "split");
        self
    }
}

/// A part of a line in the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) part: usize,
}

impl Place {
    /// The element of the page that a field of this part is.
    pub(super) fn element(self, name: &str) -> String {
        format!("{name}-{}-{}", self.line, self.part)
    }
}

/// What is to be mended, and which element of the page it is.
pub(super) struct Problem {
    pub(super) element: String,
    pub(super) words: &'static str,
}

/// The return that a shopper chose, and where each of its items was chosen.
pub(super) struct Chosen {
    pub(super) request: ReturnRequest,
    places: Vec<Place>,
}

/// The return that a form asks for, or everything that is missing in it.
pub(super) fn chosen(
    form: &Form,
    shopper: &Shopper,
    order: &Order,
    words: &Words,
) -> Result<Chosen, Vec<Problem>> {
    let (mut items, mut places, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    let mut missing =
        |element: String, words: &'static str| problems.push(Problem { element, words });
    for (line, bought) in order.items.iter().enumerate() {
        for place in (0..form.parts(line)).map(|part| Place { line, part }) {
            let quantity: i64 = form.of("quantity", place).parse().unwrap_or(0);
            if quantity <= 0 {
                continue;
            }
            let item = item(form, place, quantity, (&order.identifier, &bought.identifier));
            if item.return_reason.is_empty() {
                missing(place.element("reason"), words.choose.need_reason);
            }
            if item.exchange_sku.as_ref().is_some_and(String::is_empty) {
                missing(place.element("variant"), words.choose.need_variant);
            }
            items.push(item);
            places.push(place);
        }
    }
    if items.is_empty() {
        missing(ITEMS.to_owned(), words.choose.need_item);
    }
    let return_method = ReturnMethod::parse(form.text("method"));
    if return_method.is_none() {
        missing("method".to_owned(), words.choose.need_method);
    }
    let giftee = form.text("giftee_email");
    if shopper.gift && !giftee.contains('@') {
        missing("giftee_email".to_owned(), words.choose.need_email);
    }
    let return_method = match return_method {
        Some(method) if problems.is_empty() => method,
        Some(_) | None => return Err(problems),
    };
    let request = ReturnRequest {
        email: (!shopper.gift).then(|| order.customer.email.clone()),
        return_method,
        items,
        gift: shopper.gift.then(|| Gift { giftee_email: giftee.to_owned() }),
    };
    Ok(Chosen { request, places })
}

fn item(form: &Form, place: Place, quantity: i64, (order, line): (&str, &str)) -> ReturnItem {
    let resolution = Resolution::parse(form.of("get", place)).unwrap_or(Resolution::Refund);
    let exchanged = resolution == Resolution::Exchange;
    let fallback = Fallback::parse(form.of("fallback", place)).unwrap_or(Fallback::Refund);
    ReturnItem {
        order_identifier: order.to_owned(),
        order_line_item_identifier: line.to_owned(),
        quantity,
        return_reason: form.of("reason", place).to_owned(),
        resolution,
        exchange_sku: exchanged.then(|| form.of("variant", place).to_owned()),
        fallback: exchanged.then_some(fallback),
    }
}

impl Chosen {
    /// What a use case has against the return, each where the shopper can choose otherwise.
    pub(super) fn problems(
        &self,
        error: AppError,
        words: &Words,
    ) -> Result<Vec<Problem>, AppError> {
        let problem = |element: String, words: &'static str| Problem { element, words };
        if matches!(error, AppError::Conflict(_)) {
            return Ok(vec![problem(ITEMS.to_owned(), words.rules.just_returned)]);
        }
        let AppError::Refused(refused) = error else { return Err(error) };
        let mut problems: Vec<Problem> = Vec::new();
        for ReturnRefusal { field, rule, .. } in &refused {
            let found = problem(self.element(field), refusal(rule, words));
            let same = |known: &Problem| known.element == found.element;
            if !problems.iter().any(same) {
                problems.push(found);
            }
        }
        Ok(problems)
    }

    /// The element of the page for a field of the request.
    fn element(&self, field: &str) -> String {
        if field == "$.return_method" {
            return "method".to_owned();
        }
        let item = field.strip_prefix("$.items[").and_then(|rest| rest.split_once(']'));
        let place = item.and_then(|(number, _)| self.places.get(number.parse::<usize>().ok()?));
        match (place, item.map(|(_, rest)| rest)) {
            (Some(place), Some(".return_reason")) => place.element("reason"),
            (Some(place), Some(".resolution")) => place.element("get"),
            (Some(place), Some(".exchange_sku")) => place.element("variant"),
            (Some(place), _) => place.element("quantity"),
            (None, _) => ITEMS.to_owned(),
        }
    }
}
