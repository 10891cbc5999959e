//! A person changes their own password. All their sessions end, and this one is replaced by a new
//! one.

use app::access::{
    operators::set_password,
    sessions::{LoginRequest, log_in},
};
use askama::Template;
use axum::{Router, extract::State, response::Response, routing::get};
use domain::access::password::check_new_password;
use world::Secret;

use super::{
    confirm::check_current_password,
    login::set_session_cookie,
    visit::{Person, PersonForm},
    visitor::Visitor,
};
use crate::core::frame::{
    Frame, Section, form_status, home_url, redirect_with_notice, render_page,
};
use server::{Web, error::ApiError, login_throttle::LoginAttempt};

pub(crate) fn routes() -> Router<Web> {
    Router::new().route("/console/password", get(show).post(change))
}

#[derive(Template)]
#[template(path = "access/password.html", whitespace = "minimize")]
struct PasswordPage<'a> {
    frame: Frame<'a>,
    current_fault: Option<&'a str>,
    new_fault: Option<&'a str>,
}

/// What is wrong with the form, at the field that it concerns.
enum PasswordFault {
    Current(String),
    New(String),
}

fn render_form(visitor: &Visitor, fault: Option<&PasswordFault>) -> Response {
    let (current_fault, new_fault) = match fault {
        None => (None, None),
        Some(PasswordFault::Current(text)) => (Some(text.as_str()), None),
        Some(PasswordFault::New(text)) => (None, Some(text.as_str())),
    };
    let frame = Frame::new(visitor, Section::Visitor, "Change password");
    let content = PasswordPage { frame, current_fault, new_fault };
    render_page(visitor, form_status(fault.is_some()), &content)
}

async fn show(Person { visitor, .. }: Person) -> Response {
    render_form(&visitor, None)
}

async fn change(State(web): State<Web>, sent: PersonForm) -> Result<Response, ApiError> {
    let passwords = PasswordChange {
        current: Secret::new(sent.form.raw("current").to_owned()),
        new: Secret::new(sent.form.raw("new").to_owned()),
    };
    let visitor = &sent.visitor;
    match change_password(&web, visitor, &passwords, &sent.attempt).await? {
        Err(fault) => Ok(render_form(visitor, Some(&fault))),
        Ok(token) => {
            let to = home_url(visitor.session.role);
            let notice = "Password changed. All other sessions were logged out.";
            let mut response = redirect_with_notice(&web, to, notice);
            set_session_cookie(&mut response, &token, web.settings.secure_cookies);
            Ok(response)
        }
    }
}

struct PasswordChange {
    current: Secret,
    new: Secret,
}

/// The token of a new session, or what is wrong with the passwords.
async fn change_password(
    web: &Web,
    visitor: &Visitor,
    passwords: &PasswordChange,
    attempt: &LoginAttempt,
) -> Result<Result<Secret, PasswordFault>, ApiError> {
    let name = &visitor.session.operator;
    if let Err(why) = check_new_password(name, passwords.new.reveal()) {
        return Ok(Err(PasswordFault::New(format!("The new password {why}."))));
    }
    if let Err(fault) = check_current_password(web, visitor, attempt, &passwords.current).await? {
        return Ok(Err(PasswordFault::Current(fault)));
    }
    set_password(visitor.session.scope(&web.app), name, Some(&passwords.new)).await?;
    let credentials =
        LoginRequest { name: name.as_str(), password: &passwords.new, address: attempt.address };
    let logged_in = log_in(&web.app, &credentials).await?;
    let disabled = || PasswordFault::Current("The account was disabled.".to_owned());
    Ok(logged_in.map(|(token, _)| token).ok_or_else(disabled))
}
