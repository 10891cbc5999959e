//! The statement of a return in the shopper's language: the numbers that the merchant and
//! operators see, without those that are zero.

#[cfg(test)]
mod tests;

use domain::merchants::locale::{format_date, format_money};
use domain::{
    merchants::language::Language,
    money::statement::{PaidAmount, PaidKind, Promise, Statement},
    returns::{
        quote::Quote,
        rma::{Rma, RmaStatus},
    },
};

use crate::words::{Words, words_in};

/// A line of a statement.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct AmountRow {
    pub(crate) label: String,
    pub(crate) amount: String,
}

/// What was promised, and what has become of it.
pub(crate) struct ReturnStatement {
    /// The components of the total.
    pub(crate) components: Vec<AmountRow>,
    /// What the shopper gets in money and as a gift card, as it was confirmed.
    pub(crate) total: String,
    /// What was paid, and what is no longer due.
    pub(crate) changes: Vec<AmountRow>,
    /// What the shopper still gets. Absent if it is nothing, or the whole total.
    pub(crate) balance: Option<String>,
}

impl ReturnStatement {
    /// The statement of a return, before or after it starts.
    pub(crate) fn new(language: Language, rma: &Rma) -> Self {
        let (quote, statement) = (Quote::of_return(rma), Statement::of(rma));
        let rows = RowFormat { language, words: words_in(language), currency: &rma.currency };
        let canceled = rma.status == RmaStatus::Canceled;
        let changes = if canceled {
            rows.list_paid(&statement, rma.gift_refund_only())
        } else {
            rows.list_changes(rma, &quote, &statement)
        };
        let open = !canceled && !changes.is_empty() && statement.balance_cents > 0;
        Self {
            components: if canceled {
                Vec::new()
            } else {
                rows.list_components(&quote, &statement.promised, rma.gift_refund_only())
            },
            total: rows.money(quote.total_cents),
            balance: open.then(|| rows.money(statement.balance_cents)),
            changes,
        }
    }
}

/// How rows are written.
struct RowFormat<'a> {
    language: Language,
    words: &'static Words,
    currency: &'a str,
}

impl RowFormat<'_> {
    fn money(&self, cents: i64) -> String {
        format_money(self.language, cents, self.currency)
    }

    fn row(&self, label: &str, cents: i64) -> AmountRow {
        AmountRow { label: label.to_owned(), amount: self.money(cents) }
    }

    /// Labels and amounts, without those that are zero.
    fn list<'r>(&self, rows: impl IntoIterator<Item = (&'r str, i64)>) -> Vec<AmountRow> {
        let rows = rows.into_iter().filter(|(_, cents)| *cents != 0);
        rows.map(|(label, cents)| self.row(label, cents)).collect()
    }

    fn list_components(&self, quote: &Quote, promise: &Promise, is_gift: bool) -> Vec<AmountRow> {
        let words = &self.words.review;
        let refund = if is_gift { words.gift_card } else { words.refund };
        self.list([
            (refund, quote.refund_cents - promise.difference_cents),
            (words.difference, promise.difference_cents),
            (words.gift_card, quote.gift_card_cents),
            (words.shipping, quote.shipping_refund_cents),
            (words.fee, -quote.fee_cents()),
            (words.bonus, quote.bonus_credit_cents),
        ])
    }

    /// What leads from the total to the balance: the credit for exchanges, what was paid, and what
    /// is no longer due.
    fn list_changes(&self, rma: &Rma, quote: &Quote, statement: &Statement) -> Vec<AmountRow> {
        let words = &self.words.status;
        let lapsed = |rejected: bool| {
            let units =
                rma.units.iter().filter(|it| it.is_lapsed() && it.is_rejected() == rejected);
            units.map(|unit| unit.goods.amounts.refund_cents()).sum::<i64>()
        };
        let (lost_cents, rejected_cents) = (lapsed(false), lapsed(true));
        // With the last unit, shipping is no longer refunded; and a fee can shrink.
        let rest_cents = statement.withdrawn_cents - lost_cents - rejected_cents;
        let mut rows = self.list([
            (words.exchange_credit, quote.exchange_cents),
            (words.not_received, -lost_cents),
            (words.rejected, -rejected_cents),
            (words.fees_adjusted, -rest_cents),
        ]);
        rows.extend(self.list_paid(statement, rma.gift_refund_only()));
        rows.extend(self.list([(words.adjustment, -statement.accepted_cents)]));
        rows
    }

    /// Each payment with its date.
    fn list_paid(&self, statement: &Statement, is_gift: bool) -> Vec<AmountRow> {
        let row =
            |paid: &PaidAmount| self.row(&self.describe_payment(paid, is_gift), -paid.amount_cents);
        statement.paid.iter().filter(|paid| paid.amount_cents != 0).map(row).collect()
    }

    /// The recipient of a gift is refunded with a gift card.
    fn describe_payment(&self, paid: &PaidAmount, is_gift: bool) -> String {
        let (words, date) = (&self.words.status, format_date(self.language, paid.at));
        match paid.kind {
            PaidKind::Refund if is_gift => (words.gift_card_issued_on)(&date),
            PaidKind::Refund => (words.refunded_on)(&date),
            PaidKind::GiftCard => (words.gift_card_issued_on)(&date),
            PaidKind::ExchangeOrder => (words.exchange_placed)(&paid.identifier, &date),
        }
    }
}
