//! Returns as people look for them: newest first, of one merchant or of all, and several by their names.

use domain::{
    identifier::MerchantId,
    returns::rma::{Rma, RmaStatus},
};

use crate::{
    EngineError, Store, StoreError,
    core::{
        body::parse_body,
        cursor::Cursor,
        error::During,
        pages::Extent,
        value::{Row, params},
    },
};

/// Where a return is, and what is known without reading it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedReturn {
    pub merchant: String,
    pub rma_id: String,
    pub created_us: i64,
    pub status: String,
}

impl ListedReturn {
    /// Its position in lists.
    pub fn cursor(&self) -> Cursor {
        let (merchant, id) = (self.merchant.clone(), self.rma_id.clone());
        Cursor { at_us: self.created_us, merchant, id }
    }
}

/// Which returns to list, newest first.
#[derive(Clone, Debug)]
pub struct ReturnFilter {
    pub before: Cursor,
    pub merchant: Option<MerchantId>,
    pub status: Option<RmaStatus>,
    pub limit: usize,
}

const OPERATION: &str = "listing returns";

impl Store {
    /// Returns, newest first, and the last one looked at when there may be more.
    pub async fn returns(
        &self,
        filter: &ReturnFilter,
    ) -> Result<(Vec<ListedReturn>, Option<ListedReturn>), StoreError> {
        let extent = Extent::new(filter.limit, filter.status.is_some());
        let Cursor { at_us, merchant, id } = &filter.before;
        let rows = match &filter.merchant {
            None => {
                self.query(
                    OPERATION,
                    "SELECT merchant_id, rma_id, created_us, status FROM returns
                     WHERE (created_us, merchant_id, rma_id) < ($1, $2, $3)
                     ORDER BY created_us DESC, merchant_id DESC, rma_id DESC LIMIT $4",
                    params![*at_us, merchant.as_str(), id.as_str(), extent.most()],
                )
                .await?
            }
            Some(owner) => {
                self.query(
                    OPERATION,
                    "SELECT merchant_id, rma_id, created_us, status FROM returns
                     WHERE merchant_id = $1 AND (created_us, rma_id) < ($2, $3)
                     ORDER BY created_us DESC, rma_id DESC LIMIT $4",
                    params![owner.as_str(), *at_us, id.as_str(), extent.most()],
                )
                .await?
            }
        };
        let found = rows.iter().map(place).collect::<Result<Vec<_>, _>>().during(OPERATION)?;
        let wanted = filter.status.map(RmaStatus::name);
        Ok(extent.cut(found, |it| wanted.is_none_or(|status| it.status == status)))
    }

    /// Those of these returns that there are, each with its merchant, in any order.
    pub async fn returns_named(
        &self,
        names: impl Iterator<Item = (&str, &str)>,
    ) -> Result<Vec<(String, Rma)>, StoreError> {
        let wanted = names.map(|(merchant, rma_id)| params![merchant, rma_id]).collect();
        let rows = self
            .query_each(
                OPERATION,
                "SELECT t.merchant_id, t.rma_id, t.body FROM ROWS(merchant_id, rma_id)
                 JOIN returns t ON t.merchant_id = r.merchant_id AND t.rma_id = r.rma_id",
                wanted,
            )
            .await?;
        let read = |row: &Row| {
            let (merchant, rma_id, body) = row
                .text(0)
                .and_then(|it| Ok((it, row.text(1)?, row.text(2)?)))
                .during(OPERATION)?;
            Ok((merchant.to_owned(), parse_body("returns", rma_id, body)?))
        };
        rows.iter().map(read).collect()
    }
}

fn place(row: &Row) -> Result<ListedReturn, EngineError> {
    Ok(ListedReturn {
        merchant: row.text(0)?.to_owned(),
        rma_id: row.text(1)?.to_owned(),
        created_us: row.int(2)?,
        status: row.text(3)?.to_owned(),
    })
}
