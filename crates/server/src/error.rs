//! Error responses. This is the only place with their status codes.
//!
//! The cause of a 500 is logged, never sent.

use app::AppError;
use axum::{
    Json,
    http::{
        StatusCode,
        header::{CACHE_CONTROL, WWW_AUTHENTICATE},
    },
    response::{IntoResponse, Response},
};
use domain::{
    access::scope::Scope,
    faults::{FaultCode, Faults, FieldError},
    returns::start::ReturnRefusal,
};
use omit_none::omit_none;
use serde::Serialize;
use store::{StoreError, with_causes};
use utoipa::ToSchema;

use crate::{guard::limits::BodyError, observe::describe_request};

#[derive(Debug)]
pub enum ApiError {
    /// 400: the request itself is invalid.
    BadRequest(String),
    /// 401: no bearer token, or one that is unknown or expired.
    Unauthorized(&'static str),
    /// 403: the token does not carry this scope.
    Forbidden(Scope),
    /// 408: the body did not arrive in time.
    TooSlow,
    /// 413.
    TooLarge { max_bytes: usize },
    /// 415.
    UnsupportedMediaType(&'static str),
    /// The error of a use case.
    App(AppError),
}

/// The body of an error that is not about fields.
#[derive(Serialize, ToSchema)]
pub struct Message {
    /// What is wrong, in words.
    pub message: String,
}

/// The body of a 422: every invalid field.
#[derive(Serialize, ToSchema)]
pub struct Invalid {
    /// How many fields are invalid, and why the first of them are not.
    message: String,
    /// The first 1,000 invalid fields, in the order of the document.
    errors: Vec<FieldError>,
}

/// The body of a 422 about a return: every invalid field, or every rule that refuses the return.
#[derive(Serialize, ToSchema)]
pub struct Refusals {
    /// All errors in words.
    message: String,
    /// One for each field or rule.
    errors: Vec<Refusal>,
}

/// An invalid field, or a rule that refuses a return.
#[omit_none]
#[derive(Serialize, ToSchema)]
pub struct Refusal {
    /// JSONPath in the request.
    #[schema(example = "$.items[0]")]
    field: String,
    code: FaultCode,
    /// The name of the rule, which never changes. Absent if the field itself is invalid.
    #[schema(example = "window")]
    rule: Option<String>,
    /// The reason in words. Present if `rule` is.
    #[schema(example = "shipped on 2026-01-02; the 30-day window ends on 2026-02-01")]
    message: Option<String>,
}

impl From<ReturnRefusal> for Refusal {
    fn from(ReturnRefusal { field, rule, message }: ReturnRefusal) -> Self {
        let rule = Some(rule.name().to_owned());
        Self { field, code: FaultCode::Invalid, rule, message: Some(message) }
    }
}

impl From<AppError> for ApiError {
    fn from(error: AppError) -> Self {
        Self::App(error)
    }
}

impl From<Faults> for ApiError {
    fn from(faults: Faults) -> Self {
        Self::App(AppError::Invalid(faults))
    }
}

impl ApiError {
    pub fn of_body(error: &BodyError, max_bytes: usize) -> Self {
        match error {
            BodyError::TooLarge => Self::TooLarge { max_bytes },
            BodyError::TooSlow => Self::TooSlow,
            BodyError::Broken(_) => {
                Self::BadRequest("the body did not arrive completely".to_owned())
            }
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        match self {
            Self::BadRequest(why) => respond(StatusCode::BAD_REQUEST, why),
            Self::Unauthorized(why) => {
                let challenge = [(WWW_AUTHENTICATE, "Bearer realm=\"homeward\"")];
                (challenge, respond(StatusCode::UNAUTHORIZED, why)).into_response()
            }
            Self::Forbidden(scope) => {
                respond(StatusCode::FORBIDDEN, format!("the token lacks the scope {scope}"))
            }
            Self::TooSlow => {
                respond(StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time")
            }
            Self::TooLarge { max_bytes } => {
                let why = format!("the body is larger than {max_bytes} bytes");
                respond(StatusCode::PAYLOAD_TOO_LARGE, why)
            }
            Self::UnsupportedMediaType(wanted) => {
                let why = format!("the Content-Type must be {wanted}");
                respond(StatusCode::UNSUPPORTED_MEDIA_TYPE, why)
            }
            Self::App(error) => respond_app_error(error),
        }
    }
}

fn respond_app_error(error: AppError) -> Response {
    match error {
        AppError::NotFound(_) => respond(StatusCode::NOT_FOUND, error.to_string()),
        AppError::Conflict(why) => respond(StatusCode::CONFLICT, why),
        AppError::Changed => respond(StatusCode::CONFLICT, error.to_string()),
        AppError::Malformed(_) | AppError::UnreadablePosition(_) => {
            respond(StatusCode::BAD_REQUEST, error.to_string())
        }
        AppError::Invalid(faults) => {
            let body = Invalid { message: faults.summary(), errors: faults.errors };
            (StatusCode::UNPROCESSABLE_ENTITY, Json(body)).into_response()
        }
        AppError::Refused(refused) => {
            let message = AppError::Refused(refused.clone()).to_string();
            let errors = refused.into_iter().map(Refusal::from).collect();
            (StatusCode::UNPROCESSABLE_ENTITY, Json(Refusals { message, errors })).into_response()
        }
        AppError::Unreachable(_) => respond(StatusCode::BAD_GATEWAY, error.to_string()),
        AppError::TooSlow => respond(StatusCode::SERVICE_UNAVAILABLE, error.to_string()),
        AppError::Busy(_) => respond_now(StatusCode::SERVICE_UNAVAILABLE, error.to_string()),
        // Every attempt to commit met a conflict: the caller may try again.
        AppError::Store(StoreError::Conflict) => {
            respond(StatusCode::CONFLICT, "changed by another request at the same time; try again")
        }
        AppError::Store(_) | AppError::Vault(_) | AppError::UnreadableResponse(_) => {
            internal(&error)
        }
    }
}

/// 500, with the whole chain of causes in the log.
pub fn internal(error: &dyn std::error::Error) -> Response {
    tracing::error!("request failed: {}{}", describe_request(), with_causes(error));
    respond(StatusCode::INTERNAL_SERVER_ERROR, "internal error; it has been logged")
}

pub fn respond(status: StatusCode, message: impl Into<String>) -> Response {
    (status, Json(Message { message: message.into() })).into_response()
}

/// The same for what is true only now, or is no resource: no cache may store it. That of a token's
/// address must not be stored in any case (RFC 6749, section 5.1).
pub fn respond_now(status: StatusCode, message: impl Into<String>) -> Response {
    ([(CACHE_CONTROL, "no-store")], respond(status, message)).into_response()
}

#[expect(clippy::unused_async, reason = "a handler is asynchronous")]
pub async fn no_such_route() -> Response {
    respond(StatusCode::NOT_FOUND, "no such address; see /docs")
}

#[expect(clippy::unused_async, reason = "a handler is asynchronous")]
pub async fn method_not_allowed() -> Response {
    respond_now(StatusCode::METHOD_NOT_ALLOWED, "this address does not support this method")
}
