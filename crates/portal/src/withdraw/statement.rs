//! The statement, as it is read from the form and written in the shopper's language.

use domain::{
    messages::mail::address::is_mail_address,
    orders::order::{Order, OrderLine},
    withdrawal::{
        decide::withdrawable_units,
        record::{StatedItem, WithdrawalStatement},
    },
};

use crate::{form::PortalForm, visit::PortalVisit};

/// The longest name.
const TEXT_MAX: usize = 255;

/// The fields that are carried from page to page: neither the order's number nor its secret.
const KEPT_FIELDS: [&str; 2] = ["name", "email"];
const KEPT_PREFIXES: [&str; 2] = ["quantity.", "sealed."];

/// The part of a form that belongs to the statement.
pub(super) fn keep_statement(form: &PortalForm) -> PortalForm {
    let is_kept = |name: &str| {
        KEPT_FIELDS.contains(&name) || KEPT_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
    };
    let fields = form.fields().iter().filter(|(name, _)| is_kept(name)).cloned();
    PortalForm::new(fields.collect())
}

/// Whether the form has a name that can be recorded.
pub(super) fn has_name(form: &PortalForm) -> bool {
    (1..=TEXT_MAX).contains(&form.text("name").chars().count())
}

/// Whether the form has an address to which an acknowledgement can be sent.
pub(super) fn has_email(form: &PortalForm) -> bool {
    is_mail_address(form.text("email"))
}

/// How many units of a line are chosen: all, unless the form says otherwise.
pub(super) fn chosen_units(
    form: &PortalForm,
    order: &Order,
    position: usize,
    line: &OrderLine,
) -> i64 {
    let most = withdrawable_units(order, line);
    match form.text(&format!("quantity.{position}")) {
        "" => most,
        text => text.parse().unwrap_or(0).clamp(0, most),
    }
}

pub(super) fn declares_seal(form: &PortalForm, position: usize) -> bool {
    form.text(&format!("sealed.{position}")) == "yes"
}

/// The statement, with the text that the shopper reads before confirming it.
pub(super) fn read_statement(
    visit: &PortalVisit,
    form: &PortalForm,
    order: &Order,
) -> WithdrawalStatement {
    let words = &visit.words().withdrawal;
    let mut text = vec![words.declaration.to_owned()];
    let mut items = Vec::new();
    for (position, line) in order.items.iter().enumerate() {
        let quantity = chosen_units(form, order, position, line);
        if quantity > 0 {
            let is_sealed = declares_seal(form, position);
            text.push(if is_sealed {
                format!("{quantity} × {} ({})", line.title, words.seal_unbroken)
            } else {
                format!("{quantity} × {}", line.title)
            });
            let order_line_item_identifier = line.identifier.clone();
            items.push(StatedItem { order_line_item_identifier, quantity, is_sealed });
        }
    }
    let ordered_on = visit.format_date(order.created_at);
    text.push((words.stated_order)(&order.identifier, &ordered_on));
    text.push((words.stated_name)(form.text("name")));
    text.push((words.stated_email)(form.text("email")));
    WithdrawalStatement {
        name: form.text("name").to_owned(),
        email: form.text("email").to_owned(),
        language: visit.language(),
        text: text.join("\n"),
        items,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_to_which_no_mail_can_be_sent_is_not_accepted() {
        let accepts =
            |email: &str| has_email(&PortalForm::new(vec![("email".to_owned(), email.to_owned())]));
        assert!(accepts("dana.whitfield@example.com"));
        for email in ["", "dana", "dana@exam_ple.com", "dana@@example.com", "dana,@example.com"] {
            assert!(!accepts(email), "{email}");
        }
    }
}
