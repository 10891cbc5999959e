//! Asks a person for the password again before a page shows a secret, so that a browser that
//! was left logged in does not give away credentials.

use app::access::{refusals::record_failed_login, sessions::is_password_of};
use askama::Template;
use axum::response::{IntoResponse, Response};
use world::Secret;

use super::{
    login::wait_message,
    visit::{FORM_TOKEN, Roles, VisitForm},
    visitor::Visitor,
};
use crate::core::frame::{Frame, Section, form_status, render_page};
use server::{Web, error::ApiError, login_throttle::LoginAttempt};

/// The field with the visitor's password.
const PASSWORD: &str = "current_password";

/// The form again, as hidden fields below the question for the password.
#[derive(Template)]
#[template(path = "access/confirm.html", whitespace = "minimize")]
struct ConfirmPage<'a> {
    frame: Frame<'a>,
    action: &'a str,
    fields: Vec<(&'a str, &'a str)>,
    fault: Option<&'a str>,
}

/// Accepts a form that contains the visitor's password. Otherwise the error is the page that asks
/// for it.
pub(crate) async fn confirm_password<R: Roles>(
    web: &Web,
    sent: &VisitForm<R>,
) -> Result<(), Response> {
    if !sent.form.is_set(PASSWORD) {
        return Err(ask_for_password(sent, None));
    }
    let password = Secret::new(sent.form.raw(PASSWORD).to_owned());
    match check_current_password(web, &sent.visitor, &sent.attempt, &password).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(fault)) => Err(ask_for_password(sent, Some(&fault))),
        Err(error) => Err(error.into_response()),
    }
}

fn ask_for_password<R: Roles>(sent: &VisitForm<R>, fault: Option<&str>) -> Response {
    let fields = sent.form.fields().filter(|(name, _)| ![FORM_TOKEN, PASSWORD].contains(name));
    let page = ConfirmPage {
        frame: Frame::new(&sent.visitor, Section::Visitor, "Confirm your password"),
        action: &sent.path,
        fields: fields.collect(),
        fault,
    };
    render_page(&sent.visitor, form_status(fault.is_some()), &page)
}

/// Whether it is the visitor's password, or what is wrong. Wrong ones are limited like logins.
pub(crate) async fn check_current_password(
    web: &Web,
    visitor: &Visitor,
    attempt: &LoginAttempt,
    password: &Secret,
) -> Result<Result<(), String>, ApiError> {
    let counted_at = web.started.elapsed();
    if let Err(wait_s) = web.login_throttle.count(attempt, counted_at) {
        return Ok(Err(wait_message(wait_s)));
    }
    let name = &visitor.session.operator;
    let checked = is_password_of(&web.app, name, password).await;
    // It is unknown whether the password is right.
    if checked.is_err() {
        web.login_throttle.forget(attempt, counted_at);
    }
    if !checked? {
        if web.records_refusal(attempt.address) {
            record_failed_login(&web.app, Some(name), attempt.address).await?;
        }
        return Ok(Err("The current password is wrong.".to_owned()));
    }
    web.login_throttle.take_back(attempt, web.started.elapsed());
    Ok(Ok(()))
}
