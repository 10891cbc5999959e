//! A person changes their own password. All their sessions end, and this one is replaced by a new
//! one.

use app::access::{operators::set_password, sessions::log_in};
use askama::Template;
use axum::{
    Router,
    extract::{FromRequest, Request, State},
    response::{IntoResponse, Response},
    routing::get,
};
use domain::access::operator::check_password;
use world::Secret;

use super::{
    login::{set_session_cookie, wait_message},
    visit::{Worker, WorkerForm},
    visitor::Visitor,
};
use crate::core::frame::{
    Frame, Section, form_status, home_url, redirect_with_notice, render_page,
};
use server::{Web, error::ApiError, guard::Peer, login_throttle::LoginAttempt};

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

async fn show(Worker { visitor, .. }: Worker) -> Response {
    render_form(&visitor, None)
}

async fn change(State(web): State<Web>, request: Request) -> Result<Response, Response> {
    let (parts, body) = request.into_parts();
    let https = web.is_https(&parts);
    let peer = parts.extensions.get::<Peer>().copied();
    let address = peer.map(|peer| web.client_address(peer, &parts.headers));
    let request = Request::from_parts(parts, body);
    let WorkerForm { visitor, form, .. } = WorkerForm::from_request(request, &web).await?;
    let passwords = PasswordChange {
        current: Secret::new(form.raw("current").to_owned()),
        new: Secret::new(form.raw("new").to_owned()),
    };
    let name = Some(visitor.session.operator.clone());
    let attempt = address.map(|address| LoginAttempt { address, name });
    let changed = change_password(&web, &visitor, &passwords, attempt.as_ref()).await;
    match changed.map_err(IntoResponse::into_response)? {
        Err(fault) => Ok(render_form(&visitor, Some(&fault))),
        Ok(token) => {
            let to = home_url(visitor.session.role);
            let notice = "Password changed. All other sessions were logged out.";
            let mut response = redirect_with_notice(&web, to, notice);
            set_session_cookie(&mut response, &token, https);
            Ok(response)
        }
    }
}

struct PasswordChange {
    current: Secret,
    new: Secret,
}

/// The token of a new session, or what is wrong with the passwords. Wrong current passwords are
/// limited like logins.
async fn change_password(
    web: &Web,
    visitor: &Visitor,
    passwords: &PasswordChange,
    attempt: Option<&LoginAttempt>,
) -> Result<Result<Secret, PasswordFault>, ApiError> {
    if let Err(why) = check_password(passwords.new.reveal()) {
        return Ok(Err(PasswordFault::New(format!("The new password {why}."))));
    }
    if let Some(attempt) = attempt
        && let Err(wait_s) = web.login_throttle.count(attempt, web.started.elapsed())
    {
        return Ok(Err(PasswordFault::Current(wait_message(wait_s))));
    }
    let wrong = || Err(PasswordFault::Current("The current password is wrong.".to_owned()));
    let name = &visitor.session.operator;
    if log_in(&web.app, name.as_str(), &passwords.current).await?.is_none() {
        return Ok(wrong());
    }
    set_password(visitor.session.scope(&web.app), name, Some(&passwords.new)).await?;
    let Some((token, _)) = log_in(&web.app, name.as_str(), &passwords.new).await? else {
        return Ok(wrong());
    };
    if let Some(attempt) = attempt {
        web.login_throttle.take_back(attempt, web.started.elapsed());
    }
    Ok(Ok(token))
}
