//! The warehouses of the platform: listed, set and removed by operators.

use std::collections::HashMap;

use boxed::boxed;
use domain::{
    bodies::WriteJson,
    faults::{FaultCode, Faults, FieldError},
    identifier::MerchantId,
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
    core::{audit_trail::record_change, commit_once::commit_once, scope::RequestScope},
    orders::load_order::find_newest_snapshot,
};

/// More than any installation has.
const WAREHOUSES_MAX: usize = 1_000;

/// All warehouses, sorted by identifier.
#[boxed]
pub async fn list_warehouses(app: &App) -> Result<Vec<Warehouse>, AppError> {
    let stored = app.store.warehouses(WAREHOUSES_MAX).await?;
    Ok(stored.into_iter().map(|it| it.value).collect())
}

#[boxed]
pub async fn load_warehouse(app: &App, identifier: &str) -> Result<Warehouse, AppError> {
    let found = find_warehouse(app, identifier).await?;
    found.map(|it| it.value).ok_or(AppError::NotFound("warehouse"))
}

/// Adds a warehouse, or replaces all settings of one.
#[boxed]
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
#[boxed]
pub async fn load_return_routes(app: &App) -> Result<ReturnRoutes, AppError> {
    Ok(app.store.return_routes().await?.value)
}

/// Replaces the table of which warehouse returns go to. Every merchant in it must exist, and every
/// warehouse must be configured with an address.
#[boxed]
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
        let mut merchants = HashMap::new();
        let mut errors = Vec::new();
        for (position, route) in routes.routes.iter().enumerate() {
            let mut refuse = |field: &str, reason: &str| {
                let field = format!("$.routes[{position}].{field}");
                errors.push(FieldError {
                    field,
                    code: FaultCode::Invalid,
                    reason: reason.to_owned(),
                });
            };
            if let Some(merchant) = route.merchant.as_deref()
                && !exists(app, &mut merchants, merchant).await?
            {
                refuse("merchant", "must be a merchant that exists");
            }
            if !has_address(&route.warehouse) {
                refuse("warehouse", "must be a configured warehouse with an address");
            }
        }
        if !errors.is_empty() {
            let total = errors.len();
            return Err(AppError::Invalid(Faults { errors, total }));
        }
        let before = app.store.return_routes().await?;
        let mut transaction = Transaction::new("setting the routes of returns");
        if before.value != *routes {
            transaction.put_return_routes(routes, before.version);
            record_change(scope, &mut transaction, "return_routes.set", &routes.to_value());
        }
        Ok((routes.clone(), transaction))
    })
    .await
}

/// Whether there is such a merchant. Many rows name the same one.
async fn exists<'a>(
    app: &App,
    known: &mut HashMap<&'a str, bool>,
    merchant: &'a str,
) -> Result<bool, AppError> {
    if let Some(exists) = known.get(merchant) {
        return Ok(*exists);
    }
    let exists = match MerchantId::parse(merchant) {
        Ok(id) => app.store.merchant(&id).await?.is_some(),
        Err(_) => false,
    };
    known.insert(merchant, exists);
    Ok(exists)
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

/// The warehouse that a return was sent to, as far as it is known: the one that the table of routes
/// names, or else the only one that there is.
pub(crate) async fn find_receiving_warehouse(
    app: &App,
    merchant: &MerchantId,
    rma: &Rma,
) -> Result<Option<String>, AppError> {
    let (routes, warehouses) = (load_return_routes(app).await?, list_warehouses(app).await?);
    let order = if routes.routes.is_empty() {
        None
    } else {
        find_newest_snapshot(app, merchant, rma.sender_order()).await?
    };
    let country = order.map(|order| order.shipping_address.country_code).unwrap_or_default();
    let return_method = rma.return_method;
    let sent = RoutedReturn { merchant, country: &country, return_method };
    let only = warehouses.first().filter(|_| warehouses.len() == 1);
    let warehouse = routes.find_warehouse(&sent, &warehouses).or(only);
    Ok(warehouse.map(|warehouse| warehouse.identifier.clone()))
}

/// Removes a warehouse. Shipments that it completed stay as they are.
#[boxed]
pub async fn remove_warehouse(
    scope: RequestScope<'_>,
    identifier: &str,
) -> Result<Warehouse, AppError> {
    commit_once(scope, || async {
        let found = find_warehouse(scope.app, identifier).await?;
        let Versioned { value, version } = found.ok_or(AppError::NotFound("warehouse"))?;
        let mut transaction = Transaction::new("removing a warehouse");
        transaction.delete_warehouse(identifier, version);
        let detail = json!({ "warehouse": value.to_value() });
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
