//! Decides who may see a page, and accepts only forms that the visitor's own pages sent.
//!
//! A handler with [`Operator`], [`Member`] or [`Worker`] in its signature shows its page only to
//! these roles. Everyone else is sent to the login, or gets a page that names the missing role. A
//! merchant's people reach only what belongs to their merchant. Forms are read only by
//! [`OperatorForm`] and the like, which refuse a form from another site or session.

use std::marker::PhantomData;

use app::{
    access::sessions::{peek_session, use_session},
    core::notice::open_notice,
};
use axum::{
    extract::{FromRequest, FromRequestParts, Request},
    http::{Method, request::Parts},
    response::{IntoResponse, Response},
};
use boxed::boxed;
use domain::access::operator::Role;
use world::Secret;

use super::{
    reach::check_address,
    visitor::{NOTICE, Visitor, session_cookie_name},
};
use crate::core::{form::Form, frame::redirect, problem, urls::add_query};
use server::{
    Web, address_of, cookie::read_cookie, error::ApiError, login_throttle::LoginAttempt,
    observe::request_id, same_origin::is_same_origin,
};

/// The field that every form of ours contains.
pub(super) const FORM_TOKEN: &str = "form_token";

/// Which roles may see a page, as a type.
pub(crate) trait Roles: Send + Sync {
    /// Whether the request counts as activity of the person and extends the session.
    const EXTENDS_SESSION: bool = true;

    fn include(role: Role) -> bool;
}

pub(crate) struct Operators;
impl Roles for Operators {
    fn include(role: Role) -> bool {
        role == Role::Operator
    }
}

/// Operators, and the people of the merchant that a page is about.
pub(crate) struct Members;
impl Roles for Members {
    fn include(role: Role) -> bool {
        matches!(role, Role::Operator | Role::Merchant)
    }
}

/// Operators, and the people of the warehouse.
pub(crate) struct Workers;
impl Roles for Workers {
    fn include(role: Role) -> bool {
        matches!(role, Role::Operator | Role::Warehouse)
    }
}

pub(crate) struct AllRoles;
impl Roles for AllRoles {
    fn include(_: Role) -> bool {
        true
    }
}

/// A page that an operator left open sends requests by itself.
pub(crate) struct OpenPages;
impl Roles for OpenPages {
    const EXTENDS_SESSION: bool = false;

    fn include(role: Role) -> bool {
        Operators::include(role)
    }
}

/// A visitor with one of the roles.
pub(crate) struct Visit<R: Roles> {
    pub(crate) visitor: Visitor,
    roles: PhantomData<R>,
}

/// A form that a visitor with one of the roles sent from one of our pages.
pub(crate) struct VisitForm<R: Roles> {
    pub(crate) visitor: Visitor,
    pub(crate) form: Form,
    /// The path that the form was sent to.
    pub(crate) path: String,
    /// Counts against the limit of wrong passwords if the form contains one.
    pub(crate) attempt: LoginAttempt,
    roles: PhantomData<R>,
}

pub(crate) type Operator = Visit<Operators>;
pub(crate) type Member = Visit<Members>;
pub(crate) type Worker = Visit<Workers>;
pub(crate) type Person = Visit<AllRoles>;
pub(crate) type Watcher = Visit<OpenPages>;
pub(crate) type OperatorForm = VisitForm<Operators>;
pub(crate) type MemberForm = VisitForm<Members>;
pub(crate) type WorkerForm = VisitForm<Workers>;
pub(crate) type PersonForm = VisitForm<AllRoles>;

impl<R: Roles> FromRequestParts<Web> for Visit<R> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, Response> {
        let visitor = load_visitor(parts, web, R::EXTENDS_SESSION).await?;
        if !R::include(visitor.session.role) || visitor.lacks_merchant() {
            return Err(problem::missing_role(&visitor));
        }
        if let Some(own) = visitor.own_merchant() {
            check_address(parts, web, own).await?;
        }
        Ok(Self { visitor, roles: PhantomData })
    }
}

impl<R: Roles> FromRequest<Web> for VisitForm<R> {
    type Rejection = Response;

    async fn from_request(request: Request, web: &Web) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let Visit { visitor, .. } = Visit::<R>::from_request_parts(&mut parts, web).await?;
        let form = Form::read(body).await.map_err(IntoResponse::into_response)?;
        let same_session = form.raw(FORM_TOKEN) == visitor.session.form_token;
        if same_session && is_same_origin(&parts.headers) {
            let attempt = web.login_attempt(&parts, Some(visitor.session.operator.clone()));
            let path = parts.uri.path().to_owned();
            Ok(Self { visitor, form, path, attempt, roles: PhantomData })
        } else {
            Err(problem::foreign_form())
        }
    }
}

/// Boxed, so that this is compiled once and not into every handler.
#[boxed]
async fn load_visitor(
    parts: &Parts,
    web: &Web,
    extends_session: bool,
) -> Result<Visitor, Response> {
    let cookie = session_cookie_name(web.settings.secure_cookies);
    let token = read_cookie(&parts.headers, cookie).map(|it| Secret::new(it.to_owned()));
    let loaded = match &token {
        Some(token) if extends_session => use_session(&web.app, token).await,
        Some(token) => peek_session(&web.app, token).await,
        None => Ok(None),
    };
    let session = loaded.map_err(|error| ApiError::from(error).into_response())?;
    let Some(mut session) = session else { return Err(redirect(&login_url(parts))) };
    session.address = address_of(&parts.extensions);
    session.request = request_id(&parts.extensions);
    let notice = read_cookie(&parts.headers, NOTICE).and_then(|it| open_notice(&web.app, it));
    Ok(Visitor { session, notice })
}

/// The login, which returns to the requested page. A form that was sent is lost.
fn login_url(parts: &Parts) -> String {
    let requested = parts.uri.path_and_query().map_or("", |it| it.as_str());
    if parts.method == Method::GET && requested != "/console" {
        add_query("/console/login", &[("next", requested)])
    } else {
        "/console/login".to_owned()
    }
}
