//! The warehouse grades or moves a unit.

use boxed::boxed;
use domain::warehouse::unit::{UnitChange, UnitRecord, change_unit};
use store::{Transaction, UnitSteps};

use crate::{
    AppError,
    core::{commit_once::commit_once, scope::RequestScope},
    warehouse::resolve_merchant::resolve_merchant,
};

/// Changes the condition, channel or location of a unit, and records this in its history. Values
/// that the unit already has change nothing.
#[boxed]
pub async fn change_unit_state(
    scope: RequestScope<'_>,
    unit_id: &str,
    change: &UnitChange,
) -> Result<UnitRecord, AppError> {
    let app = scope.app;
    let missing = || AppError::NotFound("unit");
    let owners = app.store.merchants_of_unit(unit_id).await?;
    let merchant = resolve_merchant(scope.merchant, &owners)?.ok_or_else(missing)?;
    commit_once(scope, || async {
        let before = app.store.units(&merchant, [unit_id].into_iter()).await?.pop();
        let before = before.ok_or_else(missing)?;
        let decision = change_unit(&before.value, change, app.world.now())
            .map_err(|refusal| AppError::Conflict(refusal.to_string()))?;
        let mut transaction = Transaction::new("changing a unit");
        if decision.changed {
            let steps = decision.unit.since(&before.value);
            let row = UnitSteps { unit_id, replaces: before.version, steps };
            transaction.put_unit_steps(&merchant, &[row]);
        }
        Ok((decision.unit, transaction))
    })
    .await
}
