//! The money of returns: what each event posted to the accounts of its merchant, and sums of it.

use boxed::boxed;
use domain::{
    identifier::MerchantId,
    money::books::{Account, Balances},
    returns::{identifier::RmaId, rma::Rma},
};

use crate::{
    EngineError, Store, StoreError, Transaction,
    core::{
        body::{corrupt, parse_merchant},
        cursor::Cursor,
        value::{Row, Value, params},
    },
};

/// What one event of a return posted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posting {
    pub at_us: i64,
    pub rma_id: RmaId,
    /// The number of the event within the return.
    pub number: i64,
    pub currency: String,
    pub amounts: Balances,
}

/// A position among postings: of one time, by return and number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PostingPosition {
    pub at_us: i64,
    pub rma_id: String,
    pub number: i64,
}

impl Posting {
    pub fn position(&self) -> PostingPosition {
        let (at_us, number) = (self.at_us, self.number);
        PostingPosition { at_us, rma_id: self.rma_id.to_string(), number }
    }
}

impl PostingPosition {
    /// Before everything of `at_us`.
    pub const fn before(at_us: i64) -> Self {
        Self { at_us, rma_id: String::new(), number: 0 }
    }
}

/// What is still owed for returns of one currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwedSum {
    pub currency: String,
    pub returns: i64,
    pub owed_cents: i64,
}

/// A return that still owes something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwedReturn {
    pub rma_id: String,
    pub created_us: i64,
    pub currency: String,
    pub owed_cents: i64,
}

impl OwedReturn {
    pub fn cursor(&self) -> Cursor {
        Cursor { at_us: self.created_us, merchant: String::new(), id: self.rma_id.clone() }
    }
}

impl Transaction {
    /// Records what an event posted, if it moved money.
    pub fn insert_posting(&mut self, merchant: &MerchantId, posting: &Posting) {
        if posting.amounts.is_zero() {
            return;
        }
        let mut values = params![
            merchant,
            posting.at_us,
            posting.rma_id.as_str(),
            posting.number,
            posting.currency.as_str()
        ];
        values.extend(posting.amounts.amounts().iter().map(|amount| Value::Int(*amount)));
        self.one_row_each(
            "INSERT INTO postings (merchant_id, at_us, rma_id, number, currency, promised, refunds,
                 gift_cards, exchanges, goods, tax, shipping, fees, bonus, absorbed, written_off)
             SELECT r.merchant_id, r.at_us, r.rma_id, r.number, r.currency, r.promised, r.refunds,
                 r.gift_cards, r.exchanges, r.goods, r.tax, r.shipping, r.fees, r.bonus,
                 r.absorbed, r.written_off
             FROM ROWS(merchant_id, at_us, rma_id, number, currency, promised, refunds, gift_cards,
                 exchanges, goods, tax, shipping, fees, bonus, absorbed, written_off)
             WHERE true ON CONFLICT DO NOTHING",
            vec![values],
        );
    }

    /// Marks a return that is older than the journal as posted; a conflict when it is already.
    pub fn end_unposted(&mut self, merchant: &MerchantId, rma: &Rma) {
        self.one_row(
            "DELETE FROM unposted_returns WHERE merchant_id = $1 AND rma_id = $2",
            params![merchant, rma.rma_identifier.as_str()],
        );
        self.any_rows(
            "UPDATE returns SET currency = $3, owed_cents = $4
             WHERE merchant_id = $1 AND rma_id = $2",
            params![merchant, rma.rma_identifier.as_str(), rma.currency.as_str(), owed_cents(rma)],
        );
    }
}

/// What a return still owes. Negative if too much was paid.
pub(crate) fn owed_cents(rma: &Rma) -> i64 {
    -Balances::of(rma).get(Account::Promised)
}

impl Store {
    /// Postings of a merchant after a position and before `to_us`, oldest first.
    #[boxed]
    pub async fn postings(
        &self,
        merchant: &MerchantId,
        after: &PostingPosition,
        to_us: i64,
        limit: usize,
    ) -> Result<Vec<Posting>, StoreError> {
        self.read_all(
            "listing postings",
            "SELECT currency, promised, refunds, gift_cards, exchanges, goods, tax, shipping, fees,
                 bonus, absorbed, written_off, at_us, rma_id, number
             FROM postings
             WHERE merchant_id = $1 AND (at_us, rma_id, number) > ($2, $3, $4) AND at_us < $5
             ORDER BY at_us, rma_id, number LIMIT $6",
            params![merchant, after.at_us, after.rma_id.as_str(), after.number, to_us, limit],
            read_posting,
        )
        .await
    }

    /// What was posted from `from_us` until before `to_us`, by currency.
    #[boxed]
    pub async fn posting_sums(
        &self,
        merchant: &MerchantId,
        from_us: i64,
        to_us: i64,
    ) -> Result<Vec<(String, Balances)>, StoreError> {
        self.read_all(
            "adding up postings",
            "SELECT currency, CAST(sum(promised) AS BIGINT), CAST(sum(refunds) AS BIGINT),
                 CAST(sum(gift_cards) AS BIGINT), CAST(sum(exchanges) AS BIGINT),
                 CAST(sum(goods) AS BIGINT), CAST(sum(tax) AS BIGINT),
                 CAST(sum(shipping) AS BIGINT), CAST(sum(fees) AS BIGINT),
                 CAST(sum(bonus) AS BIGINT), CAST(sum(absorbed) AS BIGINT),
                 CAST(sum(written_off) AS BIGINT)
             FROM postings WHERE merchant_id = $1 AND at_us >= $2 AND at_us < $3
             GROUP BY currency ORDER BY currency",
            params![merchant, from_us, to_us],
            |row| Ok((row.text(0)?.to_owned(), read_amounts(row)?)),
        )
        .await
    }

    /// What these events of a return posted: their times and numbers.
    pub async fn postings_of_events(
        &self,
        merchant: &MerchantId,
        rma: &RmaId,
        events: impl Iterator<Item = (i64, i64)>,
    ) -> Result<Vec<Posting>, StoreError> {
        self.read_each(
            "reading the postings of a return",
            "SELECT p.currency, p.promised, p.refunds, p.gift_cards, p.exchanges, p.goods, p.tax,
                 p.shipping, p.fees, p.bonus, p.absorbed, p.written_off, p.at_us, p.rma_id, p.number
             FROM ROWS(merchant_id, at_us, rma_id, number)
             JOIN postings p ON p.merchant_id = r.merchant_id AND p.at_us = r.at_us
                 AND p.rma_id = r.rma_id AND p.number = r.number",
            events.map(|(at_us, number)| params![merchant, at_us, rma.as_str(), number]).collect(),
            read_posting,
        )
        .await
    }

    /// What is still owed for returns that were started from `from_us` until before `to_us`, by
    /// currency.
    #[boxed]
    pub async fn owed_sums(
        &self,
        merchant: &MerchantId,
        from_us: i64,
        to_us: i64,
    ) -> Result<Vec<OwedSum>, StoreError> {
        self.read_all(
            "adding up what is owed",
            "SELECT currency, count(*), CAST(sum(owed_cents) AS BIGINT) FROM returns
             WHERE merchant_id = $1 AND owed_cents <> 0 AND created_us >= $2 AND created_us < $3
             GROUP BY currency ORDER BY currency",
            params![merchant, from_us, to_us],
            |row| {
                let currency = row.text(0)?.to_owned();
                Ok(OwedSum { currency, returns: row.int(1)?, owed_cents: row.int(2)? })
            },
        )
        .await
    }

    /// Returns that still owe something, oldest first.
    #[boxed]
    pub async fn owed_returns(
        &self,
        merchant: &MerchantId,
        after: &Cursor,
        limit: usize,
    ) -> Result<Vec<OwedReturn>, StoreError> {
        self.read_all(
            "listing returns that owe something",
            "SELECT rma_id, created_us, currency, owed_cents FROM returns
             WHERE merchant_id = $1 AND owed_cents <> 0 AND (created_us, rma_id) > ($2, $3)
             ORDER BY created_us, rma_id LIMIT $4",
            params![merchant, after.at_us, after.id.as_str(), limit],
            |row| {
                Ok(OwedReturn {
                    rma_id: row.text(0)?.to_owned(),
                    created_us: row.int(1)?,
                    currency: row.text(2)?.to_owned(),
                    owed_cents: row.int(3)?,
                })
            },
        )
        .await
    }

    /// Returns that are older than the journal and have no postings yet.
    #[boxed]
    pub async fn unposted_returns(
        &self,
        limit: usize,
    ) -> Result<Vec<(MerchantId, RmaId)>, StoreError> {
        self.read_all(
            "listing returns without postings",
            "SELECT merchant_id, rma_id FROM unposted_returns WHERE merchant_id > ''
             ORDER BY merchant_id, rma_id LIMIT $1",
            params![limit],
            |row| {
                let (merchant, id) =
                    (parse_merchant("unposted_returns", row.text(0)?)?, row.text(1)?);
                let unreadable = || corrupt("unposted_returns", id, &"not an RMA identifier");
                Ok((merchant, RmaId::parse(id).ok_or_else(unreadable)?))
            },
        )
        .await
    }
}

fn read_posting(row: &Row) -> Result<Posting, EngineError> {
    let rma_id = row.text(13)?;
    let parsed = RmaId::parse(rma_id);
    Ok(Posting {
        at_us: row.int(12)?,
        rma_id: parsed.ok_or_else(|| corrupt("postings", rma_id, &"not an RMA identifier"))?,
        number: row.int(14)?,
        currency: row.text(0)?.to_owned(),
        amounts: read_amounts(row)?,
    })
}

/// The amounts of all accounts, which begin at the second column.
fn read_amounts(row: &Row) -> Result<Balances, EngineError> {
    let mut amounts = [0; Account::COUNT];
    for (position, amount) in amounts.iter_mut().enumerate() {
        *amount = row.int(position + 1)?;
    }
    Ok(Balances::from_amounts(amounts))
}
