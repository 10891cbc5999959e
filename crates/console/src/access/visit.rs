//! Who looks at a page, whether it may, and whether a form that was sent is one of ours.
//!
//! A handler that names [`Operator`] or [`Worker`] in its signature shows its page to nobody else:
//! whoever is not logged in is sent to the login, whoever has another role is told so. A handler of a
//! form names [`OperatorForm`] or [`WorkerForm`], and there is no other way to get at a form: so none is
//! read that another page sent in the operator's name.

use std::marker::PhantomData;

use app::{
    access::sessions::{Session, peek_session, use_session},
    core::notice::open_notice,
};
use axum::{
    extract::{FromRequest, FromRequestParts, Request},
    http::{Method, request::Parts},
    response::{IntoResponse, Response},
};
use domain::access::operator::Role;
use world::Secret;

use crate::core::{form::Form, frame::redirect, problem};
use server::{Web, cookie::read_cookie, error::ApiError};

/// The cookie that holds the token of the session.
pub(crate) const SESSION: &str = "homeward_console";
/// The cookie that holds a sentence for the next page.
pub(crate) const NOTICE: &str = "homeward_notice";
/// The field of every form that shows that it is one of ours.
pub(crate) const FORM_TOKEN: &str = "form_token";

/// Who is logged in, and what the next page is to tell.
pub(crate) struct Visitor {
    pub(crate) session: Session,
    pub(crate) notice: Option<String>,
}

/// Which roles may see a page, as a type.
pub(crate) trait Roles: Send + Sync {
    /// Whether somebody asks, and not a page by itself.
    const IN_PERSON: bool = true;

    fn include(role: Role) -> bool;
}

pub(crate) struct Operators;
impl Roles for Operators {
    fn include(role: Role) -> bool {
        role == Role::Operator
    }
}

pub(crate) struct Everybody;
impl Roles for Everybody {
    fn include(_: Role) -> bool {
        true
    }
}

/// A page that an operator left open asks by itself.
pub(crate) struct OpenPages;
impl Roles for OpenPages {
    const IN_PERSON: bool = false;

    fn include(role: Role) -> bool {
        Operators::include(role)
    }
}

/// Somebody with a role that may see the page.
pub(crate) struct Visit<R: Roles> {
    pub(crate) visitor: Visitor,
    roles: PhantomData<R>,
}

/// A form of ours, sent by somebody with a role that may.
pub(crate) struct Sent<R: Roles> {
    pub(crate) visitor: Visitor,
    pub(crate) form: Form,
    roles: PhantomData<R>,
}

pub(crate) type Operator = Visit<Operators>;
pub(crate) type Worker = Visit<Everybody>;
pub(crate) type Watcher = Visit<OpenPages>;
pub(crate) type OperatorForm = Sent<Operators>;
pub(crate) type WorkerForm = Sent<Everybody>;

impl<R: Roles> FromRequestParts<Web> for Visit<R> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, Response> {
        let visitor = visitor(parts, web, R::IN_PERSON).await?;
        if R::include(visitor.session.role) {
            Ok(Self { visitor, roles: PhantomData })
        } else {
            Err(problem::not_for_this_role(&visitor))
        }
    }
}

impl<R: Roles> FromRequest<Web> for Sent<R> {
    type Rejection = Response;

    async fn from_request(request: Request, web: &Web) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let Visit { visitor, .. } = Visit::<R>::from_request_parts(&mut parts, web).await?;
        let form = Form::read(body).await.map_err(IntoResponse::into_response)?;
        let ours = form.raw(FORM_TOKEN) == visitor.session.form_token;
        if ours && web.is_same_origin(&parts.headers) {
            Ok(Self { visitor, form, roles: PhantomData })
        } else {
            Err(problem::not_our_form())
        }
    }
}

async fn visitor(parts: &Parts, web: &Web, in_person: bool) -> Result<Visitor, Response> {
    let token = read_cookie(&parts.headers, SESSION).map(|it| Secret::new(it.to_owned()));
    let found = match &token {
        Some(token) if in_person => use_session(&web.app, token).await,
        Some(token) => peek_session(&web.app, token).await,
        None => Ok(None),
    };
    let found = found.map_err(|error| ApiError::from(error).into_response())?;
    let Some(session) = found else { return Err(redirect(&login_address(parts))) };
    let notice = read_cookie(&parts.headers, NOTICE).and_then(|it| open_notice(&web.app, it));
    Ok(Visitor { session, notice })
}

/// The login, which leads back to the page that was asked for; a form that was sent is gone.
fn login_address(parts: &Parts) -> String {
    let asked = parts.uri.path_and_query().map_or("", |it| it.as_str());
    if parts.method == Method::GET && asked != "/console" {
        crate::core::words::address("/console/login", &[("next", asked)])
    } else {
        "/console/login".to_owned()
    }
}
