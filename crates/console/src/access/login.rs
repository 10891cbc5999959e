//! Logging in and out.

use app::access::sessions::{log_in, log_out};
use askama::Template;
use axum::{
    Router,
    extract::{Extension, Request, State},
    http::{StatusCode, header::RETRY_AFTER},
    response::Response,
    routing::{get, post},
};
use domain::access::operator::{OperatorName, Role};
use serde::Deserialize;
use world::Secret;

use super::visit::{SESSION, WorkerForm};
use crate::core::{
    form::Form,
    frame::{Styles, bare_page, home, redirect, set_cookie},
    problem,
};
use server::cookie::read_cookie;
use server::login_throttle::Try;
use server::{Web, error::ApiError, guard::Peer, query::Query};

const WRONG: &str = "Name and password do not fit. Please check both.";

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/console/login", get(show).post(enter))
        .route("/console/logout", post(leave))
}

#[derive(Template)]
#[template(path = "access/login.html", whitespace = "minimize")]
struct Login<'a> {
    styles: Styles,
    name: &'a str,
    next: &'a str,
    problem: Option<&'a str>,
}

impl<'a> Login<'a> {
    fn new(name: &'a str, next: &'a str, problem: Option<&'a str>) -> Self {
        Self { styles: Styles::new(), name, next, problem }
    }
}

#[derive(Deserialize)]
struct Next {
    next: Option<String>,
}

async fn show(Query(Next { next }): Query<Next>) -> Response {
    let next = next.unwrap_or_default();
    bare_page(StatusCode::OK, &Login::new("", &next, None))
}

async fn enter(
    State(web): State<Web>,
    Extension(peer): Extension<Peer>,
    request: Request,
) -> Result<Response, ApiError> {
    let (parts, body) = request.into_parts();
    if !web.is_same_origin(&parts.headers) {
        return Ok(problem::not_our_form());
    }
    let form = Form::read(body).await?;
    let (name, next) = (form.text("name"), form.raw("next"));
    let address = web.client_address(peer, &parts.headers);
    let attempt = Try { address, name: OperatorName::parse(&name.to_ascii_lowercase()).ok() };
    if let Err(wait_s) = web.logins.begin(&attempt, web.started.elapsed()) {
        return Ok(too_often(name, next, wait_s));
    }
    let password = Secret::new(form.raw("password").to_owned());
    let Some((token, role)) = log_in(&web.app, name, &password).await? else {
        return Ok(bare_page(StatusCode::OK, &Login::new(name, next, Some(WRONG))));
    };
    web.logins.succeeded(&attempt, web.started.elapsed());
    if let Some(old) = read_cookie(&parts.headers, SESSION) {
        log_out(&web.app, &Secret::new(old.to_owned())).await?;
    }
    let mut response = redirect(&destination(next, role));
    keep_token(&mut response, &token, web.is_https(&parts));
    Ok(response)
}

/// Tells the browser to keep the token of a session, until it is closed.
pub(crate) fn keep_token(response: &mut Response, token: &Secret, https: bool) {
    let flags = if https { "; Secure" } else { "" };
    set_cookie(response, &session_cookie(token.reveal(), flags));
}

fn session_cookie(value: &str, flags: &str) -> String {
    format!("{SESSION}={value}; Path=/console; HttpOnly; SameSite=Strict{flags}")
}

fn too_often(name: &str, next: &str, wait_s: u32) -> Response {
    let words = format!("That was wrong too often. Please wait {wait_s} seconds and try again.");
    let page = Login::new(name, next, Some(&words));
    let mut response = bare_page(StatusCode::TOO_MANY_REQUESTS, &page);
    response.headers_mut().insert(RETRY_AFTER, wait_s.into());
    response
}

/// Where to go after the log-in: a page of the console, whatever the browser was told to ask for.
fn destination(next: &str, role: Role) -> String {
    let rest = next.strip_prefix("/console").filter(|rest| rest.is_empty() || is_below(rest));
    if rest.is_some() { next.to_owned() } else { home(role).to_owned() }
}

fn is_below(rest: &str) -> bool {
    let plain = rest.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    rest.starts_with(['/', '?']) && plain && !rest.contains("//")
}

async fn leave(
    State(web): State<Web>,
    headers: axum::http::HeaderMap,
    _: WorkerForm,
) -> Result<Response, ApiError> {
    if let Some(token) = read_cookie(&headers, SESSION) {
        log_out(&web.app, &Secret::new(token.to_owned())).await?;
    }
    let mut response = redirect("/console/login");
    set_cookie(&mut response, &session_cookie("", "; Max-Age=0"));
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_leads_to_a_page_of_the_console_and_nowhere_else() {
        for good in ["/console", "/console/orders", "/console?a=b", "/console/orders?q=%2F%2Fx"] {
            assert_eq!(destination(good, Role::Operator), good);
        }
        for bad in [
            "",
            "/",
            "//evil.example.com",
            "https://evil.example.com",
            "/consoles",
            "/console//evil.example.com",
            "/console/\\evil",
            "/console/\r\nSet-Cookie: a=b",
            "/console@evil.example.com",
        ] {
            assert_eq!(destination(bad, Role::Operator), "/console", "{bad}");
            assert_eq!(destination(bad, Role::Warehouse), "/console/receive", "{bad}");
        }
    }

    #[test]
    fn what_was_typed_stays_text() {
        let typed = "\"><script>alert(1)</script>";
        let page = Login::new(typed, typed, None).render().unwrap();
        assert!(!page.contains("<script>alert"), "{page}");
    }
}
