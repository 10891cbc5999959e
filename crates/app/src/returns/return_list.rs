//! Lists of returns: newest first for people, in the order of their changes for systems.

use std::collections::HashMap;

use boxed::boxed;
use domain::returns::{
    identifier::RmaId,
    rma::{Rma, RmaStatus},
};
use store::{WorkList, WorkPage};

use crate::{
    App, AppError,
    core::{
        list_query::ListQuery,
        time::time_from_us,
        work_lists::{WorkEntries, WorkEntry, WorkListQuery},
    },
};

/// Which returns a reader sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VisibleReturns {
    All,
    /// Those that our warehouse receives.
    ManagedReceiving,
}

/// Returns in the order of their changes. The reference is the return's identifier, a tracking
/// number, or an order of the merchant that is read for.
#[boxed]
pub async fn list_changed_returns(
    app: &App,
    query: &WorkListQuery,
    visible: VisibleReturns,
) -> Result<WorkEntries<WorkEntry<Rma>>, AppError> {
    let page = match &query.reference {
        None => query.page(app, WorkList::Returns).await?,
        Some(reference) => page_of_reference(app, query, reference).await?,
    };
    let names = page.rows.iter().map(|row| (row.merchant.as_str(), row.id.as_str()));
    let loaded = app.store.returns_named(names).await?;
    let mut by_key: HashMap<(String, String), Rma> = loaded
        .into_iter()
        .map(|(merchant, rma)| ((merchant, rma.rma_identifier.to_string()), rma))
        .collect();
    let is_visible = |rma: &Rma| visible == VisibleReturns::All || rma.managed_receiving;
    let entries = page.rows.iter().filter_map(|row| {
        let value = by_key.remove(&(row.merchant.clone(), row.id.clone())).filter(is_visible)?;
        let (merchant, updated_at) = (row.merchant.clone(), time_from_us(row.changed_us));
        Some(WorkEntry { merchant, updated_at, value })
    });
    Ok(WorkEntries::new(&page, entries.collect()))
}

async fn page_of_reference(
    app: &App,
    query: &WorkListQuery,
    reference: &str,
) -> Result<WorkPage, AppError> {
    let owner = query.merchant.as_ref();
    let mut names = Vec::new();
    if let Some(rma) = RmaId::parse(reference)
        && let Some(merchant) = app.store.merchant_of_rma(&rma).await?
        && owner.is_none_or(|owner| *owner == merchant)
    {
        names.push((merchant.to_string(), rma.to_string()));
    }
    let travelling = app.store.returns_by_parcel(owner, reference).await?;
    names.extend(
        travelling.into_iter().map(|(merchant, rma)| (merchant.to_string(), rma.to_string())),
    );
    if let Some(owner) = owner {
        let ledger = app.store.ledger(owner, reference).await?;
        let returns = ledger.value.rmas().iter();
        names.extend(returns.map(|rma| (owner.to_string(), rma.clone())));
    }
    query.page_of_names(app, WorkList::Returns, &names).await
}

/// Lists returns with their merchants, newest first. The second value is the cursor of the next
/// page, if there may be one.
#[boxed]
pub async fn list_returns(
    app: &App,
    query: &ListQuery<'_, RmaStatus>,
) -> Result<(Vec<(String, Rma)>, Option<String>), AppError> {
    let (listed, end) = app.store.returns(&query.filter()?).await?;
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
