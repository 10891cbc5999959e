//! The first page: how things are.

use askama::Template;
use axum::{Router, http::StatusCode, response::Response, routing::get};

use super::{
    frame::{Frame, Section, page},
    visit::Operator,
};
use crate::Web;

pub(super) fn routes() -> Router<Web> {
    Router::new().route("/console", get(show))
}

#[derive(Template)]
#[template(path = "console/overview.html", whitespace = "minimize")]
struct Overview<'a> {
    frame: Frame<'a>,
}

async fn show(Operator { visitor, .. }: Operator) -> Response {
    let frame = Frame::new(&visitor, Section::Overview, "Overview");
    page(&visitor, StatusCode::OK, &Overview { frame })
}
