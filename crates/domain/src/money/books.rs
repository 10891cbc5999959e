//! The money of returns as double entries.
//!
//! Every return has a balance on each [`Account`], and the balances of a return sum to zero: what
//! is promised has a reason, and what is paid reduces the promise. They follow from the return
//! alone. What an event posts is the difference between the balances after and before it, so every
//! posting sums to zero, too, whatever the event was.
//!
//! Debits are positive. A return of 45.00 with 3.60 tax and a fee of 5.95 starts with goods 45.00,
//! tax 3.60, fees -5.95 and promised -42.65; its refund adds promised 42.65 and refunds -42.65.

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::returns::Resolution;
use crate::returns::quote::Quote;
use crate::returns::rma::Rma;

/// The accounts of a merchant.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Account {
    /// What shoppers are promised and have not got. Negative: the merchant owes it.
    Promised,
    /// Refunds that were reported as paid.
    Refunds,
    /// Gift cards that were issued.
    GiftCards,
    /// What goods in exchange are worth.
    Exchanges,
    /// The returned goods, at the price that was paid for them.
    Goods,
    Tax,
    /// Shipping charges that are paid back.
    Shipping,
    /// Fees for handling returns.
    Fees,
    /// Credit on top of gift cards.
    Bonus,
    /// What dearer variants cost more than the goods that they replace.
    Absorbed,
    /// Differences between promises and refunds that were accepted.
    WrittenOff,
}

impl Account {
    pub const COUNT: usize = 11;
    pub const ALL: [Self; Self::COUNT] = [
        Self::Promised,
        Self::Refunds,
        Self::GiftCards,
        Self::Exchanges,
        Self::Goods,
        Self::Tax,
        Self::Shipping,
        Self::Fees,
        Self::Bonus,
        Self::Absorbed,
        Self::WrittenOff,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Promised => "promised",
            Self::Refunds => "refunds",
            Self::GiftCards => "gift_cards",
            Self::Exchanges => "exchanges",
            Self::Goods => "goods",
            Self::Tax => "tax",
            Self::Shipping => "shipping",
            Self::Fees => "fees",
            Self::Bonus => "bonus",
            Self::Absorbed => "absorbed",
            Self::WrittenOff => "written_off",
        }
    }
}

/// An amount on each account, in minor units of one currency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Balances {
    promised: i64,
    refunds: i64,
    gift_cards: i64,
    exchanges: i64,
    goods: i64,
    tax: i64,
    shipping: i64,
    fees: i64,
    bonus: i64,
    absorbed: i64,
    written_off: i64,
}

impl Balances {
    const ZERO: Self = Self {
        promised: 0,
        refunds: 0,
        gift_cards: 0,
        exchanges: 0,
        goods: 0,
        tax: 0,
        shipping: 0,
        fees: 0,
        bonus: 0,
        absorbed: 0,
        written_off: 0,
    };

    /// From amounts in the order of [`Account::ALL`].
    pub const fn from_amounts(amounts: [i64; Account::COUNT]) -> Self {
        let [promised, refunds, gift_cards, exchanges, goods, tax, rest @ ..] = amounts;
        let [shipping, fees, bonus, absorbed, written_off] = rest;
        let paid = Self { refunds, gift_cards, exchanges, written_off, ..Self::ZERO };
        Self { promised, goods, tax, shipping, fees, bonus, absorbed, ..paid }
    }

    /// In the order of [`Account::ALL`].
    pub fn amounts(&self) -> [i64; Account::COUNT] {
        Account::ALL.map(|account| self.get(account))
    }

    /// The balances of a return.
    pub fn of(rma: &Rma) -> Self {
        let due = Quote::due(rma);
        let units = rma.units.iter().filter(|unit| rma.owes_for(unit));
        let (mut goods, mut tax) = (0, 0);
        for amounts in units.map(|unit| unit.goods.amounts) {
            goods += amounts.price_cents - amounts.discount_cents;
            tax += amounts.tax_cents;
        }
        let given = Given::of(rma, &due);
        let paid: i64 = rma.refunds.iter().map(|it| it.amount_cents).sum::<i64>() + unrecorded(rma);
        let accepted: i64 = rma.refunds.iter().map(|it| it.accepted_cents).sum();
        let (shipping, bonus) = (due.shipping_refund_cents, due.bonus_credit_cents);
        let promised = goods + tax + shipping + bonus - due.fee_cents();
        let settled = paid + accepted + given.gift_cards + given.exchanges;
        Self {
            promised: settled - promised,
            refunds: -paid,
            gift_cards: -given.gift_cards,
            exchanges: -given.exchanges - given.absorbed,
            goods,
            tax,
            shipping,
            fees: -due.fee_cents(),
            bonus,
            absorbed: given.absorbed,
            written_off: -accepted,
        }
    }

    pub const fn get(&self, account: Account) -> i64 {
        match account {
            Account::Promised => self.promised,
            Account::Refunds => self.refunds,
            Account::GiftCards => self.gift_cards,
            Account::Exchanges => self.exchanges,
            Account::Goods => self.goods,
            Account::Tax => self.tax,
            Account::Shipping => self.shipping,
            Account::Fees => self.fees,
            Account::Bonus => self.bonus,
            Account::Absorbed => self.absorbed,
            Account::WrittenOff => self.written_off,
        }
    }

    /// What must be posted to get from `before` to these balances.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        self.combine(before, |now, before| now - before)
    }

    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        self.combine(other, |amount, other| amount + other)
    }

    fn combine(&self, other: &Self, join: fn(i64, i64) -> i64) -> Self {
        let mut amounts = self.amounts();
        for (amount, other) in amounts.iter_mut().zip(other.amounts()) {
            *amount = join(*amount, other);
        }
        Self::from_amounts(amounts)
    }

    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }

    /// The sum of all accounts: zero, unless something is wrong.
    pub fn sum(&self) -> i64 {
        self.amounts().iter().sum()
    }

    /// The amounts that are not zero.
    pub fn entries(&self) -> impl Iterator<Item = (Account, i64)> + use<> {
        Account::ALL.into_iter().zip(self.amounts()).filter(|(_, amount)| *amount != 0)
    }
}

/// What shoppers got instead of money.
#[derive(Default)]
struct Given {
    gift_cards: i64,
    exchanges: i64,
    absorbed: i64,
}

impl Given {
    fn of(rma: &Rma, due: &Quote) -> Self {
        let mut given = Self::default();
        let mut bonus_given = false;
        for unit in rma.units.iter().filter(|unit| unit.exchange.is_some()) {
            match unit.goods.resolution {
                Resolution::Exchange => {
                    given.exchanges += unit.goods.replaced_cents();
                    given.absorbed += unit.goods.absorbed_cents();
                }
                Resolution::GiftCard => {
                    given.gift_cards += unit.goods.replaced_cents();
                    let order = unit.goods.order_identifier.as_str();
                    bonus_given |= rma.first_gift_card() == Some(order);
                }
                Resolution::Refund => (),
            }
        }
        if bonus_given {
            given.gift_cards += due.bonus_credit_cents - due.fee_from_gift_card_cents;
        }
        given
    }
}

/// What was paid for units by refunds from before amounts were recorded: what was promised.
fn unrecorded(rma: &Rma) -> i64 {
    let is_recorded = |id: &str| rma.refunds.iter().any(|it| it.refund_identifier == id);
    let units = rma.units.iter().filter(|unit| {
        unit.refund.as_ref().is_some_and(|made| !is_recorded(&made.refund_identifier))
    });
    units.map(|unit| unit.goods.amounts.refund_cents()).sum()
}
