//! The pages of the withdrawal function.

use app::withdrawal::acknowledgement::WithdrawalAcknowledgement;
use askama::Template;
use domain::merchants::locale::{format_day, format_local_day, format_moment};
use domain::{
    orders::order::{Order, OrderLine},
    returns::policy::Policy,
    withdrawal::{
        decide::withdrawable_units,
        record::{WithdrawalRecord, WithdrawnItem, WithdrawnResult},
        terms::WithdrawalException,
    },
};

use super::statement::{chosen_units, declares_seal};
use crate::{
    form::PortalForm,
    visit::{PageFrame, PortalVisit},
    words::withdrawal::WithdrawalWords,
};

/// The page that asks who withdraws from which order.
#[derive(Template)]
#[template(path = "portal/withdraw/start.html", whitespace = "minimize")]
pub(super) struct StartPage<'a> {
    pub(super) frame: PageFrame,
    pub(super) lead: String,
    pub(super) problem: Option<&'static str>,
    pub(super) name: &'a str,
    pub(super) name_problem: Option<&'static str>,
    pub(super) email: &'a str,
    pub(super) email_problem: Option<&'static str>,
    /// The order that the shopper has found already.
    pub(super) known_order: Option<String>,
    pub(super) order_number: &'a str,
    pub(super) secret: &'a str,
}

/// The page that asks for the goods.
#[derive(Template)]
#[template(path = "portal/withdraw/items.html", whitespace = "minimize")]
pub(super) struct ItemsPage<'a> {
    frame: PageFrame,
    problem: Option<&'static str>,
    name: &'a str,
    email: &'a str,
    lines: Vec<ItemLine<'a>>,
}

struct ItemLine<'a> {
    position: usize,
    title: &'a str,
    most: i64,
    quantity_label: String,
    quantity: i64,
    objection: Option<&'static str>,
    /// Whether the goods are sealed, so that their seal matters.
    sealable: bool,
    sealed: bool,
}

impl<'a> ItemsPage<'a> {
    pub(super) fn new(
        visit: &PortalVisit,
        form: &'a PortalForm,
        order: &'a Order,
        policy: &Policy,
        problem: Option<&'static str>,
    ) -> Self {
        let words = &visit.words().withdrawal;
        let line = |(position, line): (usize, &'a OrderLine)| {
            let most = withdrawable_units(order, line);
            let exception = policy.withdrawal.exception_of(order, line);
            let sealable = exception == Some(WithdrawalException::SealedHygiene);
            ItemLine {
                position,
                title: &line.title,
                most,
                quantity_label: (words.quantity_of)(&most.to_string()),
                quantity: chosen_units(form, order, position, line),
                objection: exception.map(|exception| exception_text(exception, words)),
                sealable,
                sealed: declares_seal(form, position),
            }
        };
        let lines = order.items.iter().enumerate().map(line).filter(|line| line.most > 0);
        Self {
            frame: visit.frame(words.choose_title, "/withdraw/items").with_form(form),
            problem,
            name: form.text("name"),
            email: form.text("email"),
            lines: lines.collect(),
        }
    }
}

/// The page that shows the statement before it is confirmed.
#[derive(Template)]
#[template(path = "portal/withdraw/review.html", whitespace = "minimize")]
pub(super) struct WithdrawalReviewPage<'a> {
    frame: PageFrame,
    problem: Option<&'static str>,
    fields: &'a [(String, String)],
    /// Makes a second confirmation of the same page harmless.
    key: String,
    text: &'a str,
    consequences: Consequences<'a>,
}

impl<'a> WithdrawalReviewPage<'a> {
    pub(super) fn new(
        visit: &PortalVisit,
        form: &'a PortalForm,
        record: &'a WithdrawalRecord,
        currency: &str,
        problem: Option<&'static str>,
    ) -> Self {
        let words = &visit.words().withdrawal;
        Self {
            frame: visit.frame(words.review_title, "/withdraw/review").with_form(form),
            problem,
            fields: form.fields(),
            key: visit.web.app.world.readable::<20>(),
            text: &record.text,
            consequences: Consequences::new(visit, record, Some(currency)).before(record, words),
        }
    }
}

/// The page of a withdrawal that was received.
#[derive(Template)]
#[template(path = "portal/withdraw/done.html", whitespace = "minimize")]
pub(super) struct DonePage<'a> {
    frame: PageFrame,
    received: String,
    text: &'a str,
    consequences: Consequences<'a>,
    document: String,
    sha256: &'a str,
    return_address: Option<String>,
}

impl<'a> DonePage<'a> {
    pub(super) fn new(
        visit: &PortalVisit,
        acknowledged: &'a WithdrawalAcknowledgement,
        currency: Option<&str>,
        page_name: &str,
    ) -> Self {
        let record = &acknowledged.withdrawal;
        let words = &visit.words().withdrawal;
        let rest = format!("/withdrawals/{page_name}");
        let moment = format_moment(visit.language(), record.received_at);
        let rma = record.rma_identifier.as_ref();
        Self {
            received: (words.received)(record.withdrawal_identifier.as_str(), &moment),
            document: visit.address_of(&format!("{rest}/document")),
            frame: visit.frame(words.done_title, &rest),
            text: &record.text,
            consequences: Consequences::new(visit, record, currency),
            sha256: &acknowledged.sha256,
            return_address: rma.map(|rma| visit.address_of(&format!("/returns/{rma}"))),
        }
    }
}

/// What follows from a statement.
struct Consequences<'a> {
    items: Vec<ItemConsequence<'a>>,
    notes: Vec<String>,
}

struct ItemConsequence<'a> {
    title: &'a str,
    quantity: i64,
    text: String,
}

impl<'a> Consequences<'a> {
    /// Without the currency of the order, amounts are left out.
    fn new(visit: &PortalVisit, record: &'a WithdrawalRecord, currency: Option<&str>) -> Self {
        let words = &visit.words().withdrawal;
        let last_day = record.period.last_day.map(|day| format_day(visit.language(), day));
        let item = |item: &'a WithdrawnItem| ItemConsequence {
            title: &item.title,
            quantity: item.quantity,
            text: result_text(item, words, last_day.as_deref().unwrap_or_default()),
        };
        let shipping = Some(record.shipping_refund_cents).filter(|cents| *cents > 0).zip(currency);
        let starts_return = record.rma_identifier.is_some();
        let refund = record.refund_due_at.map(|due| {
            let sentence = (words.refund_by)(&format_local_day(visit.language(), due));
            if starts_return { format!("{sentence} {}", words.may_wait) } else { sentence }
        });
        let notes = [
            shipping
                .map(|(cents, currency)| (words.shipping)(&visit.format_money(cents, currency))),
            starts_return.then(|| words.send_back.to_owned()),
            refund,
        ];
        Self {
            items: record.items.iter().map(item).collect(),
            notes: notes.into_iter().flatten().collect(),
        }
    }

    /// The same before the statement is sent: it can be sent although nothing follows from it.
    fn before(mut self, record: &WithdrawalRecord, words: &WithdrawalWords) -> Self {
        let without_effect = record.refund_due_at.is_none().then(|| words.no_effect.to_owned());
        self.notes.extend(without_effect);
        self
    }
}

fn result_text(item: &WithdrawnItem, words: &WithdrawalWords, last_day: &str) -> String {
    match (item.result, item.exception) {
        (WithdrawnResult::Return, _) => words.returns.to_owned(),
        (WithdrawnResult::Cancel, _) => words.cancels.to_owned(),
        (WithdrawnResult::Late, _) => (words.late)(last_day),
        (WithdrawnResult::Excepted, Some(exception)) => exception_text(exception, words).to_owned(),
        (WithdrawnResult::Excepted | WithdrawnResult::Settled, _) => words.settled.to_owned(),
    }
}

const fn exception_text(exception: WithdrawalException, words: &WithdrawalWords) -> &'static str {
    match exception {
        WithdrawalException::MadeToOrder => words.made_to_order,
        WithdrawalException::Perishable => words.perishable,
        WithdrawalException::SealedHygiene => words.sealed_hygiene,
        WithdrawalException::Digital => words.digital,
    }
}
