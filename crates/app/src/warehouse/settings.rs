//! The warehouses of the platform: listed, set and removed by operators.

use domain::warehouse::settings::{Warehouse, WarehouseSettings};
use serde_json::json;
use store::{Transaction, Versioned};

use crate::{
    App, AppError,
    core::{
        audit_trail::record_change, commit_once::commit_once, idempotency::replayable,
        scope::RequestScope,
    },
};

/// More than any installation has.
const WAREHOUSES_MAX: usize = 1_000;

replayable!(Warehouse);

/// All warehouses, sorted by identifier.
pub async fn list_warehouses(app: &App) -> Result<Vec<Warehouse>, AppError> {
    let stored = app.store.warehouses(WAREHOUSES_MAX).await?;
    Ok(stored.into_iter().map(|it| it.value).collect())
}

pub async fn load_warehouse(app: &App, identifier: &str) -> Result<Warehouse, AppError> {
    let found = find_warehouse(app, identifier).await?;
    found.map(|it| it.value).ok_or(AppError::NotFound("warehouse"))
}

/// Adds a warehouse, or replaces all settings of one.
pub async fn set_warehouse(
    scope: RequestScope<'_>,
    identifier: &str,
    settings: &WarehouseSettings,
) -> Result<Warehouse, AppError> {
    let app = scope.app;
    commit_once(scope, || async {
        let warehouse = Warehouse { identifier: identifier.to_owned(), settings: settings.clone() };
        let mut transaction = Transaction::new("setting a warehouse");
        let before = find_warehouse(app, identifier).await?;
        if before.as_ref().is_some_and(|before| before.value == warehouse) {
            return Ok((warehouse, transaction));
        }
        if before.is_none() && list_warehouses(app).await?.len() >= WAREHOUSES_MAX {
            let why = format!("there are already {WAREHOUSES_MAX} warehouses");
            return Err(AppError::Conflict(why));
        }
        transaction.put_warehouse(&warehouse, before.map_or(0, |before| before.version));
        let detail = json!({ "warehouse": warehouse });
        record_change(scope, &mut transaction, "warehouse.set", &detail);
        Ok((warehouse, transaction))
    })
    .await
}

/// Removes a warehouse. Shipments that it completed stay as they are.
pub async fn remove_warehouse(
    scope: RequestScope<'_>,
    identifier: &str,
) -> Result<Warehouse, AppError> {
    commit_once(scope, || async {
        let found = find_warehouse(scope.app, identifier).await?;
        let Versioned { value, version } = found.ok_or(AppError::NotFound("warehouse"))?;
        let mut transaction = Transaction::new("removing a warehouse");
        transaction.delete_warehouse(identifier, version);
        let detail = json!({ "warehouse": identifier });
        record_change(scope, &mut transaction, "warehouse.remove", &detail);
        Ok((value, transaction))
    })
    .await
}

async fn find_warehouse(
    app: &App,
    identifier: &str,
) -> Result<Option<Versioned<Warehouse>>, AppError> {
    let stored = app.store.warehouses(WAREHOUSES_MAX).await?;
    Ok(stored.into_iter().find(|it| it.value.identifier == identifier))
}
