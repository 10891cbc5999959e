//! A person changes its own password. Every session of it ends; the one at hand is replaced by a new one.

use app::access::{operators::set_password, sessions::log_in};
use askama::Template;
use axum::{
    Router,
    extract::{FromRequest, Request, State},
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::get,
};
use domain::access::operator::{OperatorName, check_password};
use world::Secret;

use super::{
    login::keep_token,
    visit::{Visitor, Worker, WorkerForm},
};
use crate::core::frame::{Frame, Section, done, home, page};
use server::login_throttle::Try;
use server::{Web, error::ApiError, guard::Peer};

pub(crate) fn routes() -> Router<Web> {
    Router::new().route("/console/password", get(show).post(change))
}

#[derive(Template)]
#[template(path = "access/password.html", whitespace = "minimize")]
struct Password<'a> {
    frame: Frame<'a>,
    /// What is wrong with the password that holds, or with the new one.
    current_fault: Option<&'a str>,
    new_fault: Option<&'a str>,
}

fn form_page(visitor: &Visitor, current_fault: Option<&str>, new_fault: Option<&str>) -> Response {
    let frame = Frame::new(visitor, Section::Visitor, "Change your password");
    let wrong = current_fault.or(new_fault).is_some();
    let status = if wrong { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    page(visitor, status, &Password { frame, current_fault, new_fault })
}

async fn show(Worker { visitor, .. }: Worker) -> Response {
    form_page(&visitor, None, None)
}

async fn change(State(web): State<Web>, request: Request) -> Result<Response, Response> {
    let (parts, body) = request.into_parts();
    let https = web.is_https(&parts);
    let peer = parts.extensions.get::<Peer>().copied();
    let address = peer.map(|peer| web.client_address(peer, &parts.headers));
    let request = Request::from_parts(parts, body);
    let WorkerForm { visitor, form, .. } = WorkerForm::from_request(request, &web).await?;
    let (current, new) = (form.raw("current").to_owned(), form.raw("new").to_owned());
    if let Err(why) = check_password(&new) {
        return Ok(form_page(&visitor, None, Some(&format!("The new password {why}."))));
    }
    let name = visitor.session.operator.clone();
    let attempt = address.map(|address| Try { address, name: Some(name.clone()) });
    if let Some(attempt) = &attempt
        && let Err(wait_s) = web.logins.begin(attempt, web.started.elapsed())
    {
        let words = format!("That was wrong too often. Please wait {wait_s} seconds.");
        return Ok(form_page(&visitor, Some(&words), None));
    }
    let changed = replace(&web, &visitor, &name, (current, new)).await;
    let Some(token) = changed.map_err(IntoResponse::into_response)? else {
        return Ok(form_page(&visitor, Some("This is not your password."), None));
    };
    if let Some(attempt) = &attempt {
        web.logins.succeeded(attempt, web.started.elapsed());
    }
    let to = home(visitor.session.role);
    let mut response = done(&web, to, "Your password is changed. Other sessions have ended.");
    keep_token(&mut response, &token, https);
    Ok(response)
}

/// The token of a new session with the new password; None when the current one is wrong.
async fn replace(
    web: &Web,
    visitor: &Visitor,
    name: &OperatorName,
    (current, new): (String, String),
) -> Result<Option<Secret>, ApiError> {
    let new = Secret::new(new);
    if log_in(&web.app, name.as_str(), &Secret::new(current)).await?.is_none() {
        return Ok(None);
    }
    set_password(&web.app, visitor.session.request(), name, Some(&new)).await?;
    Ok(log_in(&web.app, name.as_str(), &new).await?.map(|(token, _)| token))
}
