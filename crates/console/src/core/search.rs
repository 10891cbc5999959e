//! One box to find anything by.

use app::core::search::{SearchHit, search};
use askama::Template;
use axum::{Router, extract::State, http::StatusCode, response::Response, routing::get};
use serde::Deserialize;

use super::{
    frame::{Frame, Section, page, redirect},
    words::path,
};
use crate::access::visit::Operator;
use server::{Web, error::ApiError, query::Query};

pub(crate) fn routes() -> Router<Web> {
    Router::new().route("/console/search", get(show))
}

#[derive(Deserialize)]
struct Asked {
    #[serde(default)]
    q: String,
}

#[derive(Template)]
#[template(path = "core/search.html", whitespace = "minimize")]
struct Found<'a> {
    frame: Frame<'a>,
    asked: &'a str,
    hits: Vec<Line>,
}

/// Something that was found, and where it is.
struct Line {
    kind: &'static str,
    name: String,
    merchant: String,
    detail: String,
    address: String,
}

async fn show(
    State(web): State<Web>,
    Operator { visitor, .. }: Operator,
    Query(Asked { q }): Query<Asked>,
) -> Result<Response, ApiError> {
    let hits: Vec<Line> = search(&web.app, &q).await?.into_iter().map(line).collect();
    if let [only] = hits.as_slice() {
        return Ok(redirect(&only.address));
    }
    let frame = Frame::new(&visitor, Section::Search, "Search");
    Ok(page(&visitor, StatusCode::OK, &Found { frame, asked: q.trim(), hits }))
}

fn line(hit: SearchHit) -> Line {
    match hit {
        SearchHit::Order(order) => Line {
            kind: "Order",
            address: path(&["console", "orders", &order.merchant, &order.order_id]),
            name: order.order_id,
            merchant: order.merchant,
            detail: [order.name, order.email].join(" "),
        },
        SearchHit::Return { merchant, rma, why } => Line {
            kind: "Return",
            address: path(&["console", "returns", &rma]),
            name: rma,
            merchant,
            detail: format!("found {why}"),
        },
        SearchHit::Message { id } => Line {
            kind: "Message",
            address: path(&["console", "messages", &id]),
            name: id,
            merchant: String::new(),
            detail: String::new(),
        },
        SearchHit::Unit { merchant, unit } => Line {
            kind: "Unit",
            address: path(&["console", "units", &merchant, &unit]),
            name: unit,
            merchant,
            detail: "in the warehouse's books".to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::fixtures::{HOSTILE, assert_is_text, visitor};

    #[test]
    fn what_was_asked_and_what_was_found_stay_text() {
        let visitor = visitor();
        let hits = vec![
            line(SearchHit::Unit { merchant: HOSTILE.to_owned(), unit: HOSTILE.to_owned() }),
            line(SearchHit::Message { id: HOSTILE.to_owned() }),
        ];
        let frame = Frame::new(&visitor, Section::Search, "Search");
        assert_is_text(&Found { frame, asked: HOSTILE, hits });
        let frame = Frame::new(&visitor, Section::Search, "Search");
        assert_is_text(&Found { frame, asked: HOSTILE, hits: Vec::new() });
    }
}
