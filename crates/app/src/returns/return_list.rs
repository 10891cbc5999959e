//! Returns in lists, newest first.

use std::collections::HashMap;

use domain::{
    identifier::MerchantId,
    returns::rma::{Rma, RmaStatus},
};
use store::{Cursor, ReturnFilter};

use crate::{App, AppError};

/// Which returns to list.
#[derive(Clone, Debug, Default)]
pub struct ReturnQuery<'a> {
    pub merchant: Option<&'a MerchantId>,
    pub status: Option<RmaStatus>,
    pub before: Option<&'a str>,
    pub limit: usize,
}

/// Returns with their merchants, newest first, and where to go on when there may be more.
pub async fn list_returns(
    app: &App,
    wanted: &ReturnQuery<'_>,
) -> Result<(Vec<(String, Rma)>, Option<String>), AppError> {
    let filter = ReturnFilter {
        before: wanted.before.and_then(Cursor::parse).unwrap_or_else(Cursor::newest),
        merchant: wanted.merchant.cloned(),
        status: wanted.status,
        limit: wanted.limit,
    };
    let (places, end) = app.store.returns(&filter).await?;
    let names = places.iter().map(|it| (it.merchant.as_str(), it.rma_id.as_str()));
    let found = app.store.returns_named(names).await?;
    let mut found: HashMap<String, (String, Rma)> = found
        .into_iter()
        .map(|(merchant, rma)| (rma.rma_identifier.to_string(), (merchant, rma)))
        .collect();
    let listed = places.iter().filter_map(|place| found.remove(&place.rma_id)).collect();
    let next = end.map(|it| it.cursor().to_string());
    Ok((listed, next))
}
