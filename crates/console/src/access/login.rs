//! Logging in and out.

use app::access::{
    devices::seal_device,
    refusals::record_failed_login,
    sessions::{LoginRequest, log_in, log_out, parse_typed_name},
};
use askama::Template;
use axum::{
    Router,
    extract::{Request, State},
    http::{
        StatusCode,
        header::{RETRY_AFTER, SET_COOKIE},
    },
    response::Response,
    routing::{get, post},
};
use domain::access::operator::{OperatorName, Role};
use serde::Deserialize;
use world::Secret;

use super::{
    visit::{Person, PersonForm},
    visitor::session_cookie_name,
};
use crate::core::{
    form::Form,
    format::format_count,
    frame::{START_PATH, Styles, home_url, redirect, render_bare_page, set_cookie},
    problem,
};
use server::{
    DEVICE_COOKIE, Web,
    cookie::{Cookie, read_cookie},
    error::ApiError,
    query::Query,
    same_origin::is_same_origin,
};

/// Half a year.
const DEVICE_MAX_AGE_S: u32 = 183 * 24 * 60 * 60;
const WRONG: &str = "Wrong name or password.";

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/console/login", get(show).post(log_in_visitor))
        .route("/console/logout", post(log_out_visitor))
        .route(START_PATH, get(start))
}

#[derive(Template)]
#[template(path = "access/login.html", whitespace = "minimize")]
struct LoginPage<'a> {
    styles: Styles,
    name: &'a str,
    next: &'a str,
    problem: Option<&'a str>,
}

impl<'a> LoginPage<'a> {
    fn new(name: &'a str, next: &'a str, problem: Option<&'a str>) -> Self {
        Self { styles: Styles::new(), name, next, problem }
    }
}

#[derive(Deserialize)]
struct LoginQuery {
    #[serde(default)]
    next: String,
}

async fn show(Query(LoginQuery { next }): Query<LoginQuery>) -> Response {
    render_bare_page(StatusCode::OK, &LoginPage::new("", &next, None))
}

async fn start(Person { visitor, .. }: Person) -> Response {
    redirect(home_url(visitor.session.role))
}

async fn log_in_visitor(State(web): State<Web>, request: Request) -> Result<Response, ApiError> {
    let (parts, body) = request.into_parts();
    if !is_same_origin(&parts.headers) {
        return Ok(problem::foreign_form());
    }
    let form = Form::read(body).await?;
    let (name, next) = (form.text("name"), form.raw("next"));
    let attempt = web.login_attempt(&parts, parse_typed_name(name));
    let counted_at = web.started.elapsed();
    if let Err(wait_s) = web.login_throttle.count(&attempt, counted_at) {
        return Ok(too_many_attempts(name, next, wait_s));
    }
    let password = Secret::new(form.raw("password").to_owned());
    let request = LoginRequest { name, password: &password, address: attempt.address };
    let checked = log_in(&web.app, &request).await;
    // It is unknown whether the password is right.
    if checked.is_err() {
        web.login_throttle.forget(&attempt, counted_at);
    }
    let Some((token, role)) = checked? else {
        if web.records_refusal(attempt.address) {
            record_failed_login(&web.app, attempt.name.as_ref(), attempt.address).await?;
        }
        return Ok(render_bare_page(StatusCode::OK, &LoginPage::new(name, next, Some(WRONG))));
    };
    web.login_throttle.take_back(&attempt, web.started.elapsed());
    let secure = web.settings.secure_cookies;
    if let Some(old) = read_cookie(&parts.headers, session_cookie_name(secure)) {
        log_out(&web.app, &Secret::new(old.to_owned())).await?;
    }
    let mut response = redirect(&next_page(next, role));
    set_session_cookie(&mut response, &token, secure);
    if let (Some(operator), None) = (&attempt.name, &attempt.device) {
        set_device_cookie(&mut response, &web, operator);
    }
    Ok(response)
}

/// Sets the cookie by which this browser is known at the next login.
fn set_device_cookie(response: &mut Response, web: &Web, operator: &OperatorName) {
    let cookie = Cookie {
        name: DEVICE_COOKIE,
        value: &seal_device(&web.app, operator),
        path: "/console",
        max_age_s: DEVICE_MAX_AGE_S,
        same_site: "Strict",
        secure: web.settings.secure_cookies,
    };
    if let Some(cookie) = cookie.header() {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
}

/// Sets the cookie with the token of a session, which the browser keeps until it is closed.
pub(crate) fn set_session_cookie(response: &mut Response, token: &Secret, secure: bool) {
    set_cookie(response, &session_cookie(token.reveal(), secure));
}

fn session_cookie(value: &str, secure: bool) -> String {
    let name = session_cookie_name(secure);
    // A name that begins with __Host- demands this path.
    let (path, flags) = if secure { ("/", "; Secure") } else { ("/console", "") };
    format!("{name}={value}; Path={path}; HttpOnly; SameSite=Strict{flags}")
}

/// What a person reads after too many wrong passwords.
pub(crate) fn wait_message(wait_s: u32) -> String {
    let wait = format_count(wait_s.into(), "second", "seconds");
    format!("Too many attempts. Try again in {wait}.")
}

fn too_many_attempts(name: &str, next: &str, wait_s: u32) -> Response {
    let message = wait_message(wait_s);
    let page = LoginPage::new(name, next, Some(&message));
    let mut response = render_bare_page(StatusCode::TOO_MANY_REQUESTS, &page);
    response.headers_mut().insert(RETRY_AFTER, wait_s.into());
    response
}

/// The page after the login: `next` if it is a page of the console, or else the start page.
fn next_page(next: &str, role: Role) -> String {
    let rest = next.strip_prefix("/console").filter(|rest| rest.is_empty() || is_below(rest));
    if rest.is_some() { next.to_owned() } else { home_url(role).to_owned() }
}

fn is_below(rest: &str) -> bool {
    let plain = rest.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    rest.starts_with(['/', '?']) && plain && !rest.contains("//")
}

async fn log_out_visitor(
    State(web): State<Web>,
    headers: axum::http::HeaderMap,
    _: PersonForm,
) -> Result<Response, ApiError> {
    let secure = web.settings.secure_cookies;
    if let Some(token) = read_cookie(&headers, session_cookie_name(secure)) {
        log_out(&web.app, &Secret::new(token.to_owned())).await?;
    }
    let mut response = redirect("/console/login");
    set_cookie(&mut response, &format!("{}; Max-Age=0", session_cookie("", secure)));
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_leads_to_a_page_of_the_console_and_nowhere_else() {
        for good in ["/console", "/console/orders", "/console?a=b", "/console/orders?q=%2F%2Fx"] {
            assert_eq!(next_page(good, Role::Operator), good);
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
            assert_eq!(next_page(bad, Role::Operator), "/console", "{bad}");
            assert_eq!(next_page(bad, Role::Warehouse), "/console/receive", "{bad}");
            assert_eq!(next_page(bad, Role::Merchant), "/console/merchant", "{bad}");
        }
    }

    #[test]
    fn typed_text_stays_text() {
        let typed = "\"><script>alert(1)</script>";
        let page = LoginPage::new(typed, typed, None).render().unwrap();
        assert!(!page.contains("<script>alert"), "{page}");
    }
}
