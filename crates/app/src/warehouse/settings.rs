//! The warehouses of the platform: listed, set and removed by operators.

use domain::{
    faults::{FaultCode, Faults, FieldError},
    merchants::merchant::Merchant,
    orders::order::PostalAddress,
    returns::rma::Rma,
    warehouse::{
        return_routes::{ReturnRoutes, RoutedReturn, return_address},
        settings::{Warehouse, WarehouseSettings},
    },
};
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

replayable!(Warehouse, ReturnRoutes);

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

/// Which warehouse returns go to.
pub async fn load_return_routes(app: &App) -> Result<ReturnRoutes, AppError> {
    Ok(app.store.return_routes().await?.value)
}

/// Replaces the table of which warehouse returns go to. Every warehouse in it must be configured,
/// with an address.
pub async fn set_return_routes(
    scope: RequestScope<'_>,
    routes: &ReturnRoutes,
) -> Result<ReturnRoutes, AppError> {
    let app = scope.app;
    commit_once(scope, || async {
        let warehouses = list_warehouses(app).await?;
        let has_address = |identifier: &str| {
            let mut named = warehouses.iter().filter(|it| it.identifier == identifier);
            named.any(|warehouse| warehouse.settings.address.is_some())
        };
        let faults = (0..).zip(&routes.routes).filter(|(_, it)| !has_address(&it.warehouse));
        let faults = faults.map(|(position, _): (usize, _)| FieldError {
            field: format!("$.routes[{position}].warehouse"),
            code: FaultCode::Invalid,
            reason: "must be a configured warehouse with an address".to_owned(),
        });
        let errors: Vec<FieldError> = faults.collect();
        if !errors.is_empty() {
            let total = errors.len();
            return Err(AppError::Invalid(Faults { errors, total }));
        }
        let before = app.store.return_routes().await?;
        let mut transaction = Transaction::new("setting the routes of returns");
        if before.value != *routes {
            transaction.put_return_routes(routes, before.version);
            record_change(scope, &mut transaction, "return_routes.set", &json!(routes));
        }
        Ok((routes.clone(), transaction))
    })
    .await
}

/// Where a return goes: to one of our warehouses, or to the merchant's own address; only the
/// merchant's name if neither is known. `from` is the address that it comes from.
pub(crate) async fn load_return_address(
    app: &App,
    merchant: &Merchant,
    rma: &Rma,
    from: Option<&PostalAddress>,
) -> Result<PostalAddress, AppError> {
    let routes = load_return_routes(app).await?;
    let warehouses =
        if routes.routes.is_empty() { Vec::new() } else { list_warehouses(app).await? };
    let sent = RoutedReturn {
        merchant: &merchant.id,
        country: from.map_or("", |from| from.country_code.as_str()),
        return_method: rma.return_method,
    };
    let name_only = || PostalAddress { name: merchant.name.clone(), ..PostalAddress::default() };
    let address = return_address(&sent, &routes, &warehouses, merchant.return_address.as_ref());
    Ok(address.unwrap_or_else(name_only))
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
