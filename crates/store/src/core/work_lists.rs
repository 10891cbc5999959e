//! Work lists: rows in the order in which their changes were committed.
//!
//! Each listed row has the number of its last change. Numbers are given before the commit, so a
//! page ends before the first number that a running transaction may still commit
//! (`Engine::settled_change`). A reader that continues from the end of a page sees every later
//! change: a row that changes again moves to the end of the list.
//!
//! A reading can also begin at a time. The times of changes are almost in the order of their
//! numbers, so the first change to read is found by a binary search for the time.

use boxed::boxed;
use domain::identifier::MerchantId;

use crate::{
    EngineError, Store, StoreError,
    core::{
        cursor::Cursor,
        error::During,
        pages::PageSize,
        value::{Row, Value, params},
    },
};

const OPERATION: &str = "reading a work list";
/// A change gets its time when it is decided, and its number somewhat later. A reading from a time
/// on also has what was decided so much earlier.
const DECIDED_EARLIER_US: i64 = 60_000_000;
/// How far the times of two changes may be in the wrong order, for the search: the time from
/// decision to commit, and the difference between the clocks of two nodes.
const DISORDER_US: i64 = 600_000_000;

/// Which list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkList {
    /// Of one merchant only.
    Orders,
    Returns,
    /// Their identifiers are the number and the program, separated by a space.
    Asns,
    Shipments,
    DropShipOrders,
}

/// Which rows of a list to read.
#[derive(Clone, Debug)]
pub struct WorkFilter {
    /// Of one merchant, or of all.
    pub merchant: Option<MerchantId>,
    pub status: Option<&'static str>,
    /// Only what changed since then, and shortly before.
    pub since_us: Option<i64>,
    /// Where the page before ended.
    pub after: Option<Cursor>,
    pub limit: usize,
    pub now_us: i64,
}

/// What a work list knows of a row without its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkRow {
    pub merchant: String,
    pub id: String,
    /// When its last change was decided.
    pub changed_us: i64,
    pub status: String,
    changed: i64,
}

impl WorkRow {
    fn cursor(&self) -> Cursor {
        Cursor { at_us: self.changed, merchant: self.merchant.clone(), id: self.id.clone() }
    }
}

/// A page of a work list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkPage {
    /// In the order of their changes.
    pub rows: Vec<WorkRow>,
    /// Where the next page begins, also if there is nothing more yet.
    pub next: Cursor,
    /// Whether there may be more already.
    pub more: bool,
}

/// The texts of the queries of a list.
struct ListTexts {
    /// After a change, merchant and identifier, before a change, so many.
    of_all: &'static str,
    /// Of a merchant, after a change and identifier, before a change, so many.
    of_one: &'static str,
    /// Before a change, merchant and identifier, so many, the latest first.
    latest_of_all: &'static str,
    /// Of a merchant, before a change and identifier, so many, the latest first.
    latest_of_one: &'static str,
    /// From a change on, before a change.
    first_of_all: &'static str,
    first_of_one: &'static str,
    /// By merchants and numbers.
    named: &'static str,
}

/// A query for rows of a list. The rest of the text says for which of them.
macro_rules! rows_where {
    ($table:literal, $key:literal, $($rest:literal),+) => {
        concat!(
            "SELECT merchant_id, ",
            $key,
            ", changed, changed_us, status FROM ",
            $table,
            " WHERE ",
            $($rest),+
        )
    };
}

/// `$key` identifies a row of a merchant, and is the end of an index; `$name` is its number.
macro_rules! list_texts {
    ($table:literal, $key:literal, $name:literal) => {
        ListTexts {
            of_all: rows_where!(
                $table,
                $key,
                "(changed, merchant_id, ",
                $key,
                ") > ($1, $2, $3) AND changed < $4
                 ORDER BY changed, merchant_id, ",
                $key,
                " LIMIT $5"
            ),
            of_one: rows_where!(
                $table,
                $key,
                "merchant_id = $1 AND (changed, ",
                $key,
                ") > ($2, $3) AND changed < $4
                 ORDER BY changed, ",
                $key,
                " LIMIT $5"
            ),
            latest_of_all: rows_where!(
                $table,
                $key,
                "(changed, merchant_id, ",
                $key,
                ") < ($1, $2, $3)
                 ORDER BY changed DESC, merchant_id DESC, ",
                $key,
                " DESC LIMIT $4"
            ),
            latest_of_one: rows_where!(
                $table,
                $key,
                "merchant_id = $1 AND (changed, ",
                $key,
                ") < ($2, $3)
                 ORDER BY changed DESC, ",
                $key,
                " DESC LIMIT $4"
            ),
            first_of_all: concat!(
                "SELECT changed, changed_us FROM ",
                $table,
                " WHERE changed >= $1 AND changed < $2
                 ORDER BY changed, merchant_id, ",
                $key,
                " LIMIT 1"
            ),
            first_of_one: concat!(
                "SELECT changed, changed_us FROM ",
                $table,
                " WHERE merchant_id = $1 AND changed >= $2 AND changed < $3
                 ORDER BY changed, ",
                $key,
                " LIMIT 1"
            ),
            named: concat!(
                "SELECT t.merchant_id, ",
                $key,
                ", t.changed, t.changed_us, t.status
                 FROM ROWS(merchant_id, id) JOIN ",
                $table,
                " t
                     ON t.merchant_id = r.merchant_id AND t.",
                $name,
                " = r.id"
            ),
        }
    };
}

const ORDERS: ListTexts = list_texts!("orders", "order_id", "order_id");
const RETURNS: ListTexts = list_texts!("returns", "rma_id", "rma_id");
const ASNS: ListTexts = list_texts!("asns", "(asn_number || ' ' || program_id)", "asn_number");
const SHIPMENTS: ListTexts = list_texts!("shipments", "asn_number", "asn_number");
const DROP_SHIP_ORDERS: ListTexts =
    list_texts!("drop_ship_orders", "client_identifier", "client_identifier");

impl WorkList {
    const fn texts(self) -> &'static ListTexts {
        match self {
            Self::Orders => &ORDERS,
            Self::Returns => &RETURNS,
            Self::Asns => &ASNS,
            Self::Shipments => &SHIPMENTS,
            Self::DropShipOrders => &DROP_SHIP_ORDERS,
        }
    }
}

impl WorkFilter {
    fn matches(&self, row: &WorkRow) -> bool {
        self.status.is_none_or(|status| row.status == status)
            && self
                .since_us
                .is_none_or(|since| row.changed_us >= since.saturating_sub(DECIDED_EARLIER_US))
    }

    fn page_size(&self) -> PageSize {
        PageSize::new(self.limit, self.status.is_some() || self.since_us.is_some())
    }

    /// The page of rows that follow `after`, in their order.
    fn page(&self, rows: Vec<WorkRow>, after: Cursor) -> WorkPage {
        let last = rows.last().map_or(after, WorkRow::cursor);
        let (rows, end) = self.page_size().cut(rows, |row| self.matches(row));
        let more = end.is_some();
        WorkPage { rows, next: end.map_or(last, |row| row.cursor()), more }
    }
}

impl Store {
    /// A page of a list.
    #[boxed]
    pub async fn work_list(
        &self,
        list: WorkList,
        filter: &WorkFilter,
    ) -> Result<WorkPage, StoreError> {
        let settled = self.engine.settled_change().await.during(OPERATION)?;
        let after = match (&filter.after, filter.since_us) {
            (Some(after), _) => after.clone(),
            (None, Some(since_us)) => self.find_start(list, filter, since_us, settled).await?,
            (None, None) => beginning(),
        };
        let rows = filter.page_size().rows();
        let (sql, values) = match &filter.merchant {
            None => (
                list.texts().of_all,
                params![after.at_us, after.merchant.as_str(), after.id.as_str(), settled, rows],
            ),
            Some(merchant) => (
                list.texts().of_one,
                params![merchant, after.at_us, after.id.as_str(), settled, rows],
            ),
        };
        let mut rows = self.read_all(OPERATION, sql, values, read_row).await?;
        self.hold_back(&mut rows, filter.now_us);
        Ok(filter.page(rows, after))
    }

    /// A page of a list for people: the latest change first. It continues before `filter.after`.
    #[boxed]
    pub async fn latest_work(
        &self,
        list: WorkList,
        filter: &WorkFilter,
    ) -> Result<WorkPage, StoreError> {
        let before = filter.after.clone().unwrap_or_else(Cursor::newest);
        let (number, id, rows) = (before.at_us, before.id.as_str(), filter.page_size().rows());
        let (sql, values) = match &filter.merchant {
            None => {
                (list.texts().latest_of_all, params![number, before.merchant.as_str(), id, rows])
            }
            Some(merchant) => (list.texts().latest_of_one, params![merchant, number, id, rows]),
        };
        let rows = self.read_all(OPERATION, sql, values, read_row).await?;
        Ok(filter.page(rows, before))
    }

    /// The same page, of nothing but the rows with these merchants and numbers.
    pub async fn work_list_named(
        &self,
        list: WorkList,
        filter: &WorkFilter,
        names: impl Iterator<Item = (&str, &str)>,
    ) -> Result<WorkPage, StoreError> {
        let settled = self.engine.settled_change().await.during(OPERATION)?;
        let names = names.map(|(merchant, id)| params![merchant, id]).collect();
        let mut rows = self.read_each(OPERATION, list.texts().named, names, read_row).await?;
        let after = filter.after.clone().unwrap_or_else(beginning);
        let position = |it: &Cursor| (it.at_us, it.merchant.clone(), it.id.clone());
        rows.retain(|row| row.changed < settled && position(&row.cursor()) > position(&after));
        rows.sort_by_key(|row| position(&row.cursor()));
        rows.dedup();
        rows.truncate(filter.page_size().rows());
        self.hold_back(&mut rows, filter.now_us);
        Ok(filter.page(rows, after))
    }

    /// A page ends before the first change that is so new that it may become visible after later
    /// ones.
    fn hold_back(&self, rows: &mut Vec<WorkRow>, now_us: i64) {
        let Some(late_us) = self.engine.visible_late_us() else { return };
        let newest_us = now_us.saturating_sub(late_us);
        if let Some(end) = rows.iter().position(|row| row.changed_us > newest_us) {
            rows.truncate(end);
        }
    }

    /// A position that all changes since `since_us` follow: after a change that was decided long
    /// enough before.
    async fn find_start(
        &self,
        list: WorkList,
        filter: &WorkFilter,
        since_us: i64,
        settled: i64,
    ) -> Result<Cursor, StoreError> {
        let before_us = since_us.saturating_sub(DECIDED_EARLIER_US).saturating_sub(DISORDER_US);
        let (mut start, mut low, mut high) = (0, 0, settled);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.first_change(list, filter, middle, high).await? {
                Some(change) if change.changed_us < before_us => {
                    start = change.changed;
                    low = change.changed.saturating_add(1);
                }
                _ => high = middle,
            }
        }
        Ok(Cursor { at_us: start, ..beginning() })
    }

    async fn first_change(
        &self,
        list: WorkList,
        filter: &WorkFilter,
        from: i64,
        before: i64,
    ) -> Result<Option<FoundChange>, StoreError> {
        let (sql, values): (_, Vec<Value>) = match &filter.merchant {
            None => (list.texts().first_of_all, params![from, before]),
            Some(merchant) => (list.texts().first_of_one, params![merchant, from, before]),
        };
        let read = |row: &Row| Ok(FoundChange { changed: row.int(0)?, changed_us: row.int(1)? });
        self.read_first(OPERATION, sql, values, read).await
    }
}

struct FoundChange {
    changed: i64,
    changed_us: i64,
}

/// Where a list begins.
fn beginning() -> Cursor {
    Cursor { at_us: 0, merchant: String::new(), id: String::new() }
}

fn read_row(row: &Row) -> Result<WorkRow, EngineError> {
    Ok(WorkRow {
        merchant: row.text(0)?.to_owned(),
        id: row.text(1)?.to_owned(),
        changed: row.int(2)?,
        changed_us: row.int(3)?,
        status: row.text(4)?.to_owned(),
    })
}
