//! What a check of the books reads: all returns in the order of their keys, as they are stored.

use boxed::boxed;
use domain::{
    identifier::MerchantId,
    returns::{identifier::RmaId, rma::Rma},
};

use super::postings::{Posting, PostingPosition};
use crate::{
    Store, StoreError,
    core::{
        body::{corrupt, parse_body, parse_merchant},
        value::params,
    },
};

/// A return, and what other columns of its row say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReturnRow {
    pub version: i64,
    pub status: String,
    pub currency: String,
    pub owed_cents: i64,
    /// Whether it has postings. A return that is older than them has none before the server runs.
    pub is_posted: bool,
    pub rma: Rma,
}

impl Store {
    /// Merchants and identifiers of returns after a merchant and an identifier, in order.
    #[boxed]
    pub async fn return_keys(
        &self,
        merchant: &str,
        rma: &str,
        limit: usize,
    ) -> Result<Vec<(MerchantId, RmaId)>, StoreError> {
        self.read_all(
            "listing the keys of returns",
            "SELECT merchant_id, rma_id FROM returns WHERE (merchant_id, rma_id) > ($1, $2)
             ORDER BY merchant_id, rma_id LIMIT $3",
            params![merchant, rma, limit],
            |row| {
                let (merchant, id) = (parse_merchant("returns", row.text(0)?)?, row.text(1)?);
                let unreadable = || corrupt("returns", id, &"not an RMA identifier");
                Ok((merchant, RmaId::parse(id).ok_or_else(unreadable)?))
            },
        )
        .await
    }

    #[boxed]
    pub async fn return_row(
        &self,
        merchant: &MerchantId,
        rma: &RmaId,
    ) -> Result<Option<ReturnRow>, StoreError> {
        self.read_first(
            "reading a return and its columns",
            "SELECT version, status, currency, owed_cents, body,
                 (SELECT count(*) FROM unposted_returns u
                  WHERE u.merchant_id = $1 AND u.rma_id = t.rma_id)
             FROM returns t WHERE merchant_id = $1 AND rma_id = $2",
            params![merchant, rma.as_str()],
            |row| {
                Ok(ReturnRow {
                    version: row.int(0)?,
                    status: row.text(1)?.to_owned(),
                    currency: row.text(2)?.to_owned(),
                    owed_cents: row.int(3)?,
                    is_posted: row.int(5)? == 0,
                    rma: parse_body("returns", rma.as_str(), row.text(4)?)?,
                })
            },
        )
        .await
    }

    /// The positions of the events that made these postings, as far as there are such events.
    #[boxed]
    pub async fn events_of_postings(
        &self,
        merchant: &MerchantId,
        postings: &[Posting],
    ) -> Result<Vec<PostingPosition>, StoreError> {
        self.read_each(
            "reading the events of postings",
            "SELECT e.at_us, e.rma_id, e.number FROM ROWS(merchant_id, rma_id, number)
             JOIN return_events e ON e.merchant_id = r.merchant_id AND e.rma_id = r.rma_id
                 AND e.number = r.number",
            postings.iter().map(|it| params![merchant, it.rma_id.as_str(), it.number]).collect(),
            |row| {
                let (at_us, number) = (row.int(0)?, row.int(2)?);
                Ok(PostingPosition { at_us, rma_id: row.text(1)?.to_owned(), number })
            },
        )
        .await
    }
}
