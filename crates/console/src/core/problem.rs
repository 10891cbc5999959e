//! Error pages: the messages of the API as pages for people.

use askama::Template;
use axum::{
    extract::Request,
    http::{StatusCode, header::CONTENT_TYPE},
    middleware::Next,
    response::Response,
};
use http_body_util::{BodyExt, Limited};

use super::{
    format::to_sentence,
    frame::{START_PATH, Styles, home_url, render_bare_page},
};
use crate::access::visitor::Visitor;
use server::error::respond;

/// Longer than any message of ours.
const MESSAGE_MAX_BYTES: usize = 1 << 20;

#[derive(Template)]
#[template(path = "core/problem.html", whitespace = "minimize")]
struct ProblemPage<'a> {
    styles: Styles,
    title: &'static str,
    message: &'a str,
    exit: Exit,
}

/// The link that leads away from an error page.
#[derive(Clone, Copy)]
struct Exit {
    url: &'static str,
    label: &'static str,
}

/// Leads every role to its own start page, because it is unknown here who sees the error.
const START: Exit = Exit { url: START_PATH, label: "Go to your start page" };

fn render_problem(status: StatusCode, message: &str, exit: Exit) -> Response {
    let title = match status {
        StatusCode::NOT_FOUND => "Not found",
        StatusCode::FORBIDDEN => "Access denied",
        StatusCode::CONFLICT => "Not possible now",
        StatusCode::METHOD_NOT_ALLOWED => "Not supported",
        StatusCode::TOO_MANY_REQUESTS => "Too many requests",
        status if status.is_server_error() => "Something went wrong",
        _ => "Invalid request",
    };
    let message = &to_sentence(message);
    render_bare_page(status, &ProblemPage { styles: Styles::new(), title, message, exit })
}

pub(crate) async fn no_such_page() -> Response {
    respond(StatusCode::NOT_FOUND, "this page does not exist")
}

/// The page is for another role.
pub(crate) fn missing_role(visitor: &Visitor) -> Response {
    let message = format!(
        "you are logged in as {} with the role {}, which cannot open this page",
        visitor.session.operator,
        visitor.session.role.name()
    );
    let exit = Exit { url: home_url(visitor.session.role), label: "Go to your start page" };
    render_problem(StatusCode::FORBIDDEN, &message, exit)
}

/// The form was not sent by a page of this session.
pub(crate) fn foreign_form() -> Response {
    let message = "this form has expired or belongs to another session, and nothing was changed: \
                   go back, reload the page and send it again";
    respond(StatusCode::FORBIDDEN, message)
}

/// Turns every error response of the API into a page with the same message.
pub(crate) async fn errors_to_html(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let status = response.status();
    let is_json = response.headers().get(CONTENT_TYPE).is_some_and(|it| it == "application/json");
    if !is_json || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let body = Limited::new(response.into_body(), MESSAGE_MAX_BYTES).collect().await;
    let body = body.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let error: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
    let message = error.get("message").and_then(serde_json::Value::as_str).unwrap_or_default();
    render_problem(status, message, START)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_stays_text() {
        let message = "<script>alert(1)</script>";
        let page = ProblemPage { styles: Styles::new(), title: "x", message, exit: START };
        assert!(!page.render().unwrap().contains("<script>alert"));
    }
}
