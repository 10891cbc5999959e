//! Operators: the people who log in to the console.

use app::access::operators::{self, NewOperator, OperatorLogin, OperatorView};
use axum::{Json, extract::State, http::StatusCode};
use domain::{
    access::operator::{OperatorName, Role},
    faults::{FaultCode, Faults},
    json::Json as Document,
    reader::{Reader, TEXT_MAX},
};
use serde::Serialize;
use utoipa::ToSchema;
use world::Secret;

use super::clients::read_disabled;
use crate::core::{
    admin_request::AdminRequest,
    body::JsonRequest,
    caller::{Admin, Allowed},
    idempotency::IdempotencyHeader,
    sample,
};
use server::error::{ApiError, Invalid, Message};
use server::{
    Web,
    json_body::read_object,
    requests::identifiers::{parse_operator, read_merchant},
};

/// The people who may log in to the console.
#[derive(Serialize, ToSchema)]
pub(crate) struct Operators {
    /// Sorted by name.
    operators: Vec<OperatorView>,
}

fn sample_operator() -> serde_json::Value {
    serde_json::json!({
        "operator": "lena", "role": "operator", "created_at": "2026-02-11T09:24:31Z"
    })
}

fn sample_login() -> serde_json::Value {
    serde_json::json!({
        "operator": "lena", "role": "operator", "password": "7k3q9xwd2m4tv8np5rhy6bcz"
    })
}

/// List operators
///
/// The people who may log in to the console.
#[utoipa::path(
    get, path = "/operators", operation_id = "list_operators", tag = "Operation",
    responses((status = 200, body = Operators, description = "Sorted by name.",
        example = json!({ "operators": [sample_operator()] }))),
    security(("token" = ["admin"]))
)]
pub(crate) async fn list(
    State(web): State<Web>,
    _: Allowed<Admin>,
) -> Result<Json<Operators>, ApiError> {
    Ok(Json(Operators { operators: operators::list_operators(&web.app).await? }))
}

/// A new operator.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read field by field")]
pub(crate) struct OperatorBody {
    /// The name for the login: 1 to 32 lower-case letters, digits and hyphens.
    #[schema(example = "lena")]
    operator: String,
    role: Role,
    /// Required for the role `merchant`, and only for it: whose pages the person sees.
    #[schema(example = "acme")]
    merchant: Option<String>,
    /// 10 to 200 characters. If absent, a password is generated.
    #[schema(example = "a stapler on the moon")]
    password: Option<String>,
}

/// Add an operator
///
/// A person who may log in to the console, with the given password or a generated one.
#[utoipa::path(
    post, path = "/operators", operation_id = "add_operator", tag = "Operation",
    params(IdempotencyHeader),
    request_body(content = OperatorBody, example = json!({
        "operator": "lena", "role": "operator"
    })),
    responses(
        (status = 201, body = OperatorLogin, description = "The login. A generated password is \
            shown only once.", example = json!(sample_login())),
        (status = 409, body = Message, description = "The name is taken.",
            example = json!({ "message": "operator lena already exists" })),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn add(
    State(web): State<Web>,
    Allowed { caller, .. }: Allowed<Admin>,
    JsonRequest { body, key }: JsonRequest,
) -> Result<(StatusCode, Json<OperatorLogin>), ApiError> {
    let new = body.read(read_new_operator)?;
    let scope = caller.scope(&web.app, key.as_ref());
    Ok((StatusCode::CREATED, Json(operators::add_operator(scope, &new).await?)))
}

fn read_new_operator(document: &Document<'_>) -> Result<NewOperator, Faults> {
    read_object(document, |at| {
        let name = at.required("operator", |at| {
            let parsed = OperatorName::parse(at.text(1..=TEXT_MAX)?);
            parsed.map_err(|why| at.note(FaultCode::Invalid, &why)).ok()
        });
        let role = at.required("role", |at| {
            at.named(Role::parse, "must be `operator`, `warehouse` or `merchant`")
        });
        let merchant = match role {
            Some(Role::Merchant) => at.required("merchant", read_merchant),
            Some(Role::Operator | Role::Warehouse) | None => at.optional("merchant", |at| {
                at.invalid("only a person with the role `merchant` belongs to one")
            }),
        };
        let password = at.optional("password", secret);
        Some(NewOperator { name: name?, role: role?, merchant, password })
    })
}

fn secret(at: &Reader<'_>) -> Option<Secret> {
    at.text(1..=TEXT_MAX).map(|text| Secret::new(text.to_owned()))
}

/// A change of an operator.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read field by field")]
pub(crate) struct OperatorChange {
    /// Whether the operator may no longer log in.
    disabled: bool,
}

/// Change an operator
///
/// Disabling an operator ends all its sessions at once.
#[utoipa::path(
    patch, path = "/operators/{operator}", operation_id = "change_operator", tag = "Operation",
    params(
        ("operator" = String, Path, description = "The operator's name.", example = "lena"),
        IdempotencyHeader,
    ),
    request_body(content = OperatorChange, example = json!({ "disabled": false })),
    responses(
        (status = 200, body = OperatorView, description = "The changed operator.",
            example = json!(sample_operator())),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn change(
    State(web): State<Web>,
    request: AdminRequest<String>,
) -> Result<Json<OperatorView>, ApiError> {
    let (name, disabled) = (parse_operator(&request.path)?, request.body.read(read_disabled)?);
    let scope = request.scope(&web.app);
    Ok(Json(operators::set_operator_disabled(scope, &name, disabled).await?))
}

/// The new password.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read field by field")]
pub(crate) struct PasswordBody {
    /// 10 to 200 characters. If absent, a password is generated.
    #[schema(example = "a stapler on the moon")]
    password: Option<String>,
}

/// Set an operator's password
///
/// For an operator who forgot the password. All sessions of the operator end.
#[utoipa::path(
    post, path = "/operators/{operator}/password", operation_id = "set_operator_password",
    tag = "Operation",
    params(
        ("operator" = String, Path, description = "The operator's name.", example = "lena"),
        IdempotencyHeader,
    ),
    request_body(content = PasswordBody, example = json!({})),
    responses(
        (status = 200, body = OperatorLogin, description = "The login. A generated password is \
            shown only once.", example = json!(sample_login())),
        (status = 422, body = Invalid, description = "Every invalid field. Nothing was stored.",
            example = json!(sample::invalid_field(
                "$.password",
                FaultCode::Invalid,
                "must have 10 to 200 characters",
            ))),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn set_password(
    State(web): State<Web>,
    request: AdminRequest<String>,
) -> Result<Json<OperatorLogin>, ApiError> {
    let (name, password) = (parse_operator(&request.path)?, request.body.read(read_new_password)?);
    let scope = request.scope(&web.app);
    Ok(Json(operators::set_password(scope, &name, password.as_ref()).await?))
}

fn read_new_password(document: &Document<'_>) -> Result<Option<Secret>, Faults> {
    read_object(document, |at| Some(at.optional("password", secret)))
}
