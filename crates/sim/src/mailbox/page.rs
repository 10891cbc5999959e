//! The page that shows the mails: as plain text, with a link to each as HTML. The HTML has a policy
//! of its own, which lets it do nothing but use its own style sheet.

use std::sync::Arc;

use askama::Template;
use axum::{
    Router,
    extract::{Path, State},
    http::{StatusCode, header},
    response::{Html, IntoResponse, Response},
    routing::get,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use ring::digest::{SHA256, digest};

use super::{ArrivedMail, Mailbox};

const STYLE: &str = include_str!("../../static/sim.css");
const POLICY: &str = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

pub(super) fn routes(mailbox: Arc<Mailbox>) -> Router {
    Router::new()
        .route("/mailbox", get(list))
        .route("/mailbox/{number}", get(show))
        .route("/mailbox/{number}/html", get(show_html))
        .route("/sim.css", get(style))
        .with_state(mailbox)
}

#[derive(Template)]
#[template(path = "mailbox.html")]
struct MailboxPage {
    mails: Vec<Arc<ArrivedMail>>,
}

#[derive(Template)]
#[template(path = "mail.html")]
struct MailPage {
    arrived: Arc<ArrivedMail>,
}

async fn list(State(mailbox): State<Arc<Mailbox>>) -> Response {
    render(&MailboxPage { mails: mailbox.list() })
}

async fn show(State(mailbox): State<Arc<Mailbox>>, Path(number): Path<u64>) -> Response {
    match mailbox.find(number) {
        Some(arrived) => render(&MailPage { arrived }),
        None => not_kept(),
    }
}

async fn show_html(State(mailbox): State<Arc<Mailbox>>, Path(number): Path<u64>) -> Response {
    let Some(arrived) = mailbox.find(number) else { return not_kept() };
    let html = arrived.mail.html.clone();
    ([(header::CONTENT_SECURITY_POLICY, content_policy(&html))], Html(html)).into_response()
}

async fn style() -> Response {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], STYLE).into_response()
}

fn not_kept() -> Response {
    (StatusCode::NOT_FOUND, "This mail is not kept.").into_response()
}

fn render(page: &impl Template) -> Response {
    match page.render() {
        Ok(html) => ([(header::CONTENT_SECURITY_POLICY, POLICY)], Html(html)).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Names the style sheet of a mail by its hash.
fn content_policy(html: &str) -> String {
    let style = html.split_once("<style>").and_then(|(_, rest)| rest.split_once("</style>"));
    let hash = STANDARD.encode(digest(&SHA256, style.map_or("", |(style, _)| style).as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'"
    )
}
