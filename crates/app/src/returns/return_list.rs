//! Lists of returns, newest first.

use std::collections::HashMap;

use domain::returns::rma::{Rma, RmaStatus};

use crate::{App, AppError, core::list_query::ListQuery};

/// Lists returns with their merchants, newest first. The second value is the cursor of the next
/// page, if there may be one.
pub async fn list_returns(
    app: &App,
    query: &ListQuery<'_, RmaStatus>,
) -> Result<(Vec<(String, Rma)>, Option<String>), AppError> {
    let (listed, end) = app.store.returns(&query.filter()).await?;
    let names = listed.iter().map(|it| (it.merchant.as_str(), it.rma_id.as_str()));
    let mut loaded: HashMap<String, (String, Rma)> = app
        .store
        .returns_named(names)
        .await?
        .into_iter()
        .map(|(merchant, rma)| (rma.rma_identifier.to_string(), (merchant, rma)))
        .collect();
    let returns = listed.iter().filter_map(|it| loaded.remove(&it.rma_id)).collect();
    let next = end.map(|it| it.cursor().to_string());
    Ok((returns, next))
}
