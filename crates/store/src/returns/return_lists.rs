//! Lists of returns: newest first, of one merchant or of all, and several by their identifiers.

use boxed::boxed;
use domain::returns::rma::{Rma, RmaStatus};

use crate::{
    EngineError, Store, StoreError,
    core::{
        body::parse_body,
        cursor::Cursor,
        pages::{ListFilter, ListSql},
        value::{Row, params},
    },
};

/// What a list shows of a return without reading its body.
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

/// Which returns to list.
pub type ReturnFilter = ListFilter<RmaStatus>;

const OPERATION: &str = "listing returns";
const RETURNS: ListSql = ListSql {
    of_all: "SELECT merchant_id, rma_id, created_us, status FROM returns
             WHERE (created_us, merchant_id, rma_id) < ($1, $2, $3)
             ORDER BY created_us DESC, merchant_id DESC, rma_id DESC LIMIT $4",
    of_one: "SELECT merchant_id, rma_id, created_us, status FROM returns
             WHERE merchant_id = $1 AND (created_us, rma_id) < ($2, $3)
             ORDER BY created_us DESC, rma_id DESC LIMIT $4",
};

impl Store {
    /// Returns, newest first, and the last one examined when there may be more.
    #[boxed]
    pub async fn returns(
        &self,
        filter: &ReturnFilter,
    ) -> Result<(Vec<ListedReturn>, Option<ListedReturn>), StoreError> {
        let (sql, values) = filter.statement(&RETURNS);
        let returns = self.read_all(OPERATION, sql, values, read_listed).await?;
        let status = filter.status.map(RmaStatus::name);
        Ok(filter.page_size().cut(returns, |it| status.is_none_or(|status| it.status == status)))
    }

    /// The stored returns among these merchants and identifiers, each with its merchant, in any
    /// order.
    pub async fn returns_named(
        &self,
        names: impl Iterator<Item = (&str, &str)>,
    ) -> Result<Vec<(String, Rma)>, StoreError> {
        self.read_each(
            OPERATION,
            "SELECT t.merchant_id, t.rma_id, t.body FROM ROWS(merchant_id, rma_id)
             JOIN returns t ON t.merchant_id = r.merchant_id AND t.rma_id = r.rma_id",
            names.map(|(merchant, rma_id)| params![merchant, rma_id]).collect(),
            |row| {
                let rma = parse_body("returns", row.text(1)?, row.text(2)?)?;
                Ok((row.text(0)?.to_owned(), rma))
            },
        )
        .await
    }
}

fn read_listed(row: &Row) -> Result<ListedReturn, EngineError> {
    Ok(ListedReturn {
        merchant: row.text(0)?.to_owned(),
        rma_id: row.text(1)?.to_owned(),
        created_us: row.int(2)?,
        status: row.text(3)?.to_owned(),
    })
}
