//! Lists that other systems poll: rows in the order of their changes. A reader continues from
//! `next` of the page before, and misses nothing that is committed meanwhile.

use domain::{identifier::MerchantId, time::micros};
use jiff::Timestamp;
use store::{Cursor, StoreError, WorkFilter, WorkList, WorkPage};

use crate::{App, AppError, core::list_query::read_position};

/// Which rows of a list to read.
#[derive(Clone, Debug, Default)]
pub struct WorkListQuery {
    /// Of one merchant, or of all.
    pub merchant: Option<MerchantId>,
    pub status: Option<&'static str>,
    /// A number by which a row is known.
    pub reference: Option<String>,
    pub updated_since: Option<Timestamp>,
    /// `next` of the page before.
    pub after: Option<String>,
    pub limit: usize,
    /// For people: the latest change first, and the next page is further back.
    pub newest_first: bool,
}

/// A page of a list.
#[derive(Clone, Debug)]
pub struct WorkEntries<T> {
    pub entries: Vec<T>,
    /// Where to continue, also if there is nothing more yet.
    pub next: String,
    /// Whether there may be more already.
    pub more: bool,
}

/// A row with its merchant, and the time of its last change.
#[derive(Clone, Debug)]
pub struct WorkEntry<T> {
    pub merchant: String,
    pub updated_at: Timestamp,
    pub value: T,
}

impl WorkListQuery {
    fn filter(&self, app: &App) -> Result<WorkFilter, AppError> {
        Ok(WorkFilter {
            merchant: self.merchant.clone(),
            status: self.status,
            since_us: self.updated_since.map(micros),
            after: read_position("after", self.after.as_deref(), Cursor::parse)?,
            limit: self.limit,
            now_us: app.world.now_us(),
        })
    }

    /// A page of all rows.
    pub(crate) async fn page(&self, app: &App, list: WorkList) -> Result<WorkPage, AppError> {
        let filter = self.filter(app)?;
        Ok(if self.newest_first {
            app.store.latest_work(list, &filter).await?
        } else {
            app.store.work_list(list, &filter).await?
        })
    }

    /// A page of the rows with this number. `find_owners` looks up the first few merchants that
    /// have one.
    pub(crate) async fn page_of_number(
        &self,
        app: &App,
        list: WorkList,
        number: &str,
        find_owners: impl Future<Output = Result<Vec<MerchantId>, StoreError>>,
    ) -> Result<WorkPage, AppError> {
        // The one that is asked for may not be among the first.
        let owners = match &self.merchant {
            Some(merchant) => vec![merchant.clone()],
            None => find_owners.await?,
        };
        let names = owners.iter().map(|owner| (owner.as_str(), number));
        Ok(app.store.work_list_named(list, &self.filter(app)?, names).await?)
    }

    /// A page of these rows of one merchant.
    pub(crate) async fn page_of_names(
        &self,
        app: &App,
        list: WorkList,
        names: &[(String, String)],
    ) -> Result<WorkPage, AppError> {
        let names = names.iter().map(|(merchant, id)| (merchant.as_str(), id.as_str()));
        Ok(app.store.work_list_named(list, &self.filter(app)?, names).await?)
    }
}

impl<T> WorkEntries<T> {
    /// The entries of a page, in its order.
    pub(crate) fn new(page: &WorkPage, entries: Vec<T>) -> Self {
        Self { entries, next: page.next.to_string(), more: page.more }
    }
}
