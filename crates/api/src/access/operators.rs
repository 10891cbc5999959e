//! Operators: the people who log in to the console.

use app::{
    access::operators::{self, NewOperator, OperatorLogin, OperatorView},
    core::commit_once::Request,
};
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
    body::JsonRequest,
    caller::{Admin, Allowed},
    idempotency::IdempotencyHeader,
};
use server::{
    Web,
    error::{ApiError, Invalid, Message},
    json_body::read_object,
    path::Path,
    requests::identifiers::parse_operator,
};

/// Everybody who may log in to the console.
#[derive(Serialize, ToSchema)]
pub(crate) struct Operators {
    /// In the order of their names.
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
    responses((status = 200, body = Operators, description = "In the order of their names.",
        example = json!({ "operators": [sample_operator()] }))),
    security(("token" = ["admin"]))
)]
pub(crate) async fn list(
    State(web): State<Web>,
    _: Allowed<Admin>,
) -> Result<Json<Operators>, ApiError> {
    Ok(Json(Operators { operators: operators::list_operators(&web.app).await? }))
}

/// Who is to be added.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read so that all faults are told at once")]
pub(crate) struct OperatorBody {
    /// The name under which the person logs in: 1 to 32 lower-case letters, digits and hyphens.
    #[schema(example = "lena")]
    operator: String,
    role: Role,
    /// 10 to 200 characters. When absent, one is made up.
    #[schema(example = "a stapler on the moon")]
    password: Option<String>,
}

/// Add an operator
///
/// A person who may log in to the console, with a password of its own or one that is made up.
#[utoipa::path(
    post, path = "/operators", operation_id = "add_operator", tag = "Operation",
    params(IdempotencyHeader),
    request_body(content = OperatorBody, example = json!({
        "operator": "lena", "role": "operator"
    })),
    responses(
        (status = 201, body = OperatorLogin, description = "The login. A password that was made up is shown \
            this once.", example = json!(sample_login())),
        (status = 409, body = Message, description = "The name is taken.",
            example = json!({ "message": "the operator lena exists" })),
        (status = 422, body = Invalid, description = "Every field that is not acceptable.",
            example = json!({
                "message": "1 field is invalid: $.role is missing",
                "errors": [{ "field": "$.role", "code": "missing_field" }]
            })),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn add(
    State(web): State<Web>,
    Allowed { caller, .. }: Allowed<Admin>,
    JsonRequest { body, repeatable }: JsonRequest,
) -> Result<(StatusCode, Json<OperatorLogin>), ApiError> {
    let new = body.read(read_new_operator)?;
    let request = Request { client: &caller.client, repeatable: repeatable.as_ref() };
    Ok((StatusCode::CREATED, Json(operators::add_operator(&web.app, request, &new).await?)))
}

fn read_new_operator(document: &Document<'_>) -> Result<NewOperator, Faults> {
    read_object(document, |at| {
        let name = at.required("operator", |at| {
            let parsed = OperatorName::parse(at.text(1..=TEXT_MAX)?);
            parsed.map_err(|why| at.note(FaultCode::Invalid, &why)).ok()
        });
        let role =
            at.required("role", |at| at.named(Role::parse, "must be `operator` or `warehouse`"));
        let password = at.optional("password", secret);
        Some(NewOperator { name: name?, role: role?, password })
    })
}

fn secret(at: &Reader<'_>) -> Option<Secret> {
    at.text(1..=TEXT_MAX).map(|text| Secret::new(text.to_owned()))
}

/// What is to be different.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read so that all faults are told at once")]
pub(crate) struct OperatorChange {
    /// Whether the operator is refused from now on.
    disabled: bool,
}

/// Change an operator
///
/// Disabling ends its sessions at once.
#[utoipa::path(
    patch, path = "/operators/{operator}", operation_id = "change_operator", tag = "Operation",
    params(
        ("operator" = String, Path, description = "The operator's name.", example = "lena"),
        IdempotencyHeader,
    ),
    request_body(content = OperatorChange, example = json!({ "disabled": false })),
    responses(
        (status = 200, body = OperatorView, description = "The operator as it is now.",
            example = json!(sample_operator())),
        (status = 404, body = Message, description = "There is no such operator.",
            example = json!({ "message": "there is no such operator" })),
        (status = 422, body = Invalid, description = "Every field that is not acceptable.",
            example = json!({
                "message": "1 field is invalid: $.disabled is missing",
                "errors": [{ "field": "$.disabled", "code": "missing_field" }]
            })),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn change(
    State(web): State<Web>,
    Allowed { caller, .. }: Allowed<Admin>,
    Path(operator): Path<String>,
    JsonRequest { body, repeatable }: JsonRequest,
) -> Result<Json<OperatorView>, ApiError> {
    let (name, disabled) = (parse_operator(&operator)?, body.read(read_disabled)?);
    let request = Request { client: &caller.client, repeatable: repeatable.as_ref() };
    Ok(Json(operators::set_operator_disabled(&web.app, request, &name, disabled).await?))
}

/// Which password it is to be.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read so that all faults are told at once")]
pub(crate) struct PasswordBody {
    /// 10 to 200 characters. When absent, one is made up.
    #[schema(example = "a stapler on the moon")]
    password: Option<String>,
}

/// Set an operator's password
///
/// For a person who forgot it. All its sessions end.
#[utoipa::path(
    post, path = "/operators/{operator}/password", operation_id = "set_operator_password",
    tag = "Operation",
    params(
        ("operator" = String, Path, description = "The operator's name.", example = "lena"),
        IdempotencyHeader,
    ),
    request_body(content = PasswordBody, example = json!({})),
    responses(
        (status = 200, body = OperatorLogin, description = "The login. A password that was made up is shown \
            this once.", example = json!(sample_login())),
        (status = 404, body = Message, description = "There is no such operator.",
            example = json!({ "message": "there is no such operator" })),
        (status = 422, body = Invalid, description = "Every field that is not acceptable.",
            example = json!({
                "message": "1 field is invalid: $.password must have 10 to 200 characters",
                "errors": [{ "field": "$.password", "code": "invalid" }]
            })),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn set_password(
    State(web): State<Web>,
    Allowed { caller, .. }: Allowed<Admin>,
    Path(operator): Path<String>,
    JsonRequest { body, repeatable }: JsonRequest,
) -> Result<Json<OperatorLogin>, ApiError> {
    let (name, password) = (parse_operator(&operator)?, body.read(read_new_password)?);
    let request = Request { client: &caller.client, repeatable: repeatable.as_ref() };
    Ok(Json(operators::set_password(&web.app, request, &name, password.as_ref()).await?))
}

fn read_new_password(document: &Document<'_>) -> Result<Option<Secret>, Faults> {
    read_object(document, |at| Some(at.optional("password", secret)))
}
