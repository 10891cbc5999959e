//! The people who log in to the console: added, listed, given passwords, disabled and enabled.

use boxed::boxed;
use domain::{
    access::{
        operator::{Operator, OperatorName, Role},
        password::check_new_password,
    },
    faults::{FaultCode, Faults, FieldError},
    identifier::MerchantId,
};
use jiff::Timestamp;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::Transaction;
use world::Secret;

use crate::core::idempotency::replayable;
use crate::{
    App, AppError,
    access::passwords,
    core::{audit_trail::record_change, commit_once::commit_once, scope::RequestScope},
};

/// More than any installation has.
const OPERATORS_MAX: usize = 1_000;
/// The letters of generated passwords, with five random bits each.
const MADE_UP_LETTERS: usize = 24;

/// An operator as others see it.
#[omit_none]
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct OperatorView {
    /// The name that the person logs in with.
    #[schema(example = "lena")]
    pub operator: String,
    pub role: Role,
    /// The merchant of a person with the role `merchant`.
    #[schema(value_type = Option<String>, example = "acme")]
    pub merchant: Option<MerchantId>,
    pub created_at: Timestamp,
    /// Absent while the operator is enabled.
    pub disabled_at: Option<Timestamp>,
}

replayable!(OperatorView);

impl From<Operator> for OperatorView {
    fn from(operator: Operator) -> Self {
        Self {
            operator: operator.name.to_string(),
            role: operator.role,
            merchant: operator.merchant,
            created_at: operator.created_at,
            disabled_at: operator.disabled_at,
        }
    }
}

/// An operator's login.
#[omit_none]
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Login)]
pub struct OperatorLogin {
    /// The name that the person logs in with.
    #[schema(example = "lena")]
    pub operator: String,
    pub role: Role,
    /// Present if it was generated. It is shown only once.
    #[schema(example = "7k3q9xwd2m4tv8np5rhy6bcz")]
    pub password: Option<String>,
}

replayable!(OperatorLogin);

/// A new operator. Without a password, one is generated.
#[derive(Clone, Debug)]
pub struct NewOperator {
    pub name: OperatorName,
    pub role: Role,
    /// Present for the role `merchant`, and only for it.
    pub merchant: Option<MerchantId>,
    pub password: Option<Secret>,
}

/// A password, its hash, and whether it was generated.
struct ChosenPassword {
    hash: String,
    made_up: Option<String>,
}

async fn hash_chosen_password(
    app: &App,
    operator: &OperatorName,
    password: Option<&Secret>,
) -> Result<ChosenPassword, AppError> {
    let Some(password) = password else {
        let made_up = app.world.readable::<MADE_UP_LETTERS>();
        let hash = passwords::hash_password(app, &Secret::new(made_up.clone())).await?;
        return Ok(ChosenPassword { hash, made_up: Some(made_up) });
    };
    check_new_password(operator, password.reveal()).map_err(|why| unacceptable(&why))?;
    Ok(ChosenPassword { hash: passwords::hash_password(app, password).await?, made_up: None })
}

fn unacceptable(why: &str) -> AppError {
    let (field, reason) = ("$.password".to_owned(), why.to_owned());
    let errors = vec![FieldError { field, code: FaultCode::Invalid, reason }];
    AppError::Invalid(Faults { errors, total: 1 })
}

/// All operators, sorted by name.
#[boxed]
pub async fn list_operators(app: &App) -> Result<Vec<OperatorView>, AppError> {
    let found = app.store.operators(OPERATORS_MAX).await?;
    Ok(found.into_iter().map(OperatorView::from).collect())
}

#[boxed]
pub async fn add_operator(
    scope: RequestScope<'_>,
    new: &NewOperator,
) -> Result<OperatorLogin, AppError> {
    let app = scope.app;
    let chosen = hash_chosen_password(app, &new.name, new.password.as_ref()).await?;
    commit_once(scope, || async {
        if app.store.operator(&new.name).await?.is_some() {
            return Err(AppError::Conflict(format!("operator {} already exists", new.name)));
        }
        if let Some(merchant) = &new.merchant {
            app.store.merchant(merchant).await?.ok_or(AppError::NotFound("merchant"))?;
        }
        let operator = Operator {
            name: new.name.clone(),
            role: new.role,
            merchant: new.merchant.clone(),
            password_hash: chosen.hash.clone(),
            created_at: app.world.now(),
            disabled_at: None,
        };
        let mut transaction = Transaction::new("adding an operator");
        transaction.insert_operator(&operator);
        let detail = json!({ "operator": new.name, "role": new.role, "merchant": new.merchant });
        record_platform_change(scope, &mut transaction, "operator.add", &detail);
        Ok((view_login(&operator, &chosen), transaction))
    })
    .await
}

/// Sets an operator's password and ends all sessions of the operator.
#[boxed]
pub async fn set_password(
    scope: RequestScope<'_>,
    name: &OperatorName,
    password: Option<&Secret>,
) -> Result<OperatorLogin, AppError> {
    let app = scope.app;
    let chosen = hash_chosen_password(app, name, password).await?;
    commit_once(scope, || async {
        let found = app.store.operator(name).await?.ok_or(AppError::NotFound("operator"))?;
        let operator = Operator { password_hash: chosen.hash.clone(), ..found.value };
        let mut transaction = Transaction::new("setting a password");
        transaction.update_operator(&operator, found.version);
        transaction.delete_sessions(name);
        let detail = json!({ "operator": name });
        record_platform_change(scope, &mut transaction, "operator.password", &detail);
        Ok((view_login(&operator, &chosen), transaction))
    })
    .await
}

/// Disables an operator and ends all sessions at once, or enables the operator again.
#[boxed]
pub async fn set_operator_disabled(
    scope: RequestScope<'_>,
    name: &OperatorName,
    disabled: bool,
) -> Result<OperatorView, AppError> {
    let app = scope.app;
    commit_once(scope, || async {
        let found = app.store.operator(name).await?.ok_or(AppError::NotFound("operator"))?;
        let mut operator = found.value;
        operator.disabled_at = disabled.then(|| operator.disabled_at.unwrap_or(app.world.now()));
        let mut transaction = Transaction::new("changing an operator");
        transaction.update_operator(&operator, found.version);
        if disabled {
            transaction.delete_sessions(name);
        }
        let detail = json!({ "operator": name, "disabled": disabled });
        record_platform_change(scope, &mut transaction, "operator.change", &detail);
        Ok((operator.into(), transaction))
    })
    .await
}

fn view_login(operator: &Operator, chosen: &ChosenPassword) -> OperatorLogin {
    let password = chosen.made_up.clone();
    OperatorLogin { operator: operator.name.to_string(), role: operator.role, password }
}

/// Operators belong to the platform, not to a merchant.
fn record_platform_change(
    scope: RequestScope<'_>,
    transaction: &mut Transaction,
    action: &str,
    detail: &Value,
) {
    let platform = MerchantId::platform();
    record_change(scope.for_merchant(&platform), transaction, action, detail);
}
