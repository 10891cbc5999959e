//! What went wrong, as a page for people instead of JSON for machines.

use askama::Template;
use axum::{
    extract::Request,
    http::{StatusCode, header::CONTENT_TYPE},
    middleware::Next,
    response::Response,
};
use http_body_util::{BodyExt, Limited};

use super::frame::{Styles, bare_page, home};
use crate::access::visit::Visitor;
use server::error::respond;

/// No refusal is longer.
const WORDS_MAX_BYTES: usize = 1 << 20;

#[derive(Template)]
#[template(path = "core/problem.html", whitespace = "minimize")]
struct Problem<'a> {
    styles: Styles,
    title: &'a str,
    words: &'a str,
    /// Where to go from here, and what that is called.
    way_out: (&'a str, &'a str),
}

const OVERVIEW: (&str, &str) = ("/console", "To the overview");

fn problem(status: StatusCode, words: &str, way_out: (&str, &str)) -> Response {
    let title = match status {
        StatusCode::NOT_FOUND => "There is nothing here",
        StatusCode::FORBIDDEN => "This is not for you",
        StatusCode::CONFLICT => "Somebody else was quicker",
        StatusCode::METHOD_NOT_ALLOWED => "This page cannot do that",
        StatusCode::TOO_MANY_REQUESTS => "Too many requests",
        status if status.is_server_error() => "Something went wrong",
        _ => "This cannot be done",
    };
    bare_page(status, &Problem { styles: Styles::new(), title, words, way_out })
}

pub(crate) async fn no_such_page() -> Response {
    respond(StatusCode::NOT_FOUND, "no page of the console has this address")
}

/// The page is for people with another role.
pub(crate) fn not_for_this_role(visitor: &Visitor) -> Response {
    let words = format!(
        "you are logged in as {} with the role {}, which does not see this page",
        visitor.session.operator,
        visitor.session.role.name()
    );
    let way_out = (home(visitor.session.role), "Back to where you can go on");
    problem(StatusCode::FORBIDDEN, &sentence(&words), way_out)
}

/// The form was not sent by a page of this session.
pub(crate) fn not_our_form() -> Response {
    let words = "this form belongs to another session, or to none; nothing was changed: go back, \
                 load the page again and send it once more";
    respond(StatusCode::FORBIDDEN, words)
}

/// Turns every refusal that is meant for machines into a page with the same words.
pub(crate) async fn in_html(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let status = response.status();
    let is_json = response.headers().get(CONTENT_TYPE).is_some_and(|it| it == "application/json");
    if !is_json || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let body = Limited::new(response.into_body(), WORDS_MAX_BYTES).collect().await;
    let body = body.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let said: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
    let words = said.get("message").and_then(serde_json::Value::as_str).unwrap_or_default();
    problem(status, &sentence(words), OVERVIEW)
}

/// The words with a capital at the beginning and a full stop at the end.
pub(crate) fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(char::to_uppercase).into_iter().flatten();
    let text: String = first.chain(letters).collect();
    if text.is_empty() || text.ends_with(['.', '!', '?']) { text } else { format!("{text}.") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_machines_are_told_becomes_a_sentence() {
        assert_eq!(sentence("there is no such merchant"), "There is no such merchant.");
        assert_eq!(sentence("Über uns."), "Über uns.");
        assert_eq!(sentence(""), "");
    }

    #[test]
    fn whatever_is_in_the_words_stays_text() {
        let words = "<script>alert(1)</script>";
        let page = Problem { styles: Styles::new(), title: "x", words, way_out: OVERVIEW };
        assert!(!page.render().unwrap().contains("<script>alert"));
    }
}
