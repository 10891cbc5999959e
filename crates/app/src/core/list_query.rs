//! Lists that the console filters: of one merchant or all, in one status or any, page by page.

use domain::identifier::MerchantId;
use store::{Cursor, ListFilter};

/// Which rows to list.
#[derive(Clone, Debug)]
pub struct ListQuery<'a, S> {
    pub merchant: Option<MerchantId>,
    pub status: Option<S>,
    /// The cursor that the page before ended with.
    pub before: Option<&'a str>,
    pub limit: usize,
}

impl<S: Copy> ListQuery<'_, S> {
    pub(crate) fn filter(&self) -> ListFilter<S> {
        ListFilter {
            before: self.before.and_then(Cursor::parse).unwrap_or_else(Cursor::newest),
            merchant: self.merchant.clone(),
            status: self.status,
            limit: self.limit,
        }
    }
}
