//! The search for anything that has a number or an email address.

use app::core::search::{SearchHit, search};
use askama::Template;
use axum::{Router, extract::State, http::StatusCode, response::Response, routing::get};
use serde::Deserialize;

use super::{
    frame::{Frame, Section, redirect, render_page},
    urls::{
        asn_url, drop_ship_url, message_url, order_url, return_url, shipment_url, unit_url,
        withdrawal_url,
    },
};
use crate::access::visit::Member;
use server::{Web, error::ApiError, query::Query};

pub(crate) fn routes() -> Router<Web> {
    Router::new().route("/console/search", get(show))
}

#[derive(Deserialize)]
struct SearchQuery {
    #[serde(default)]
    q: String,
}

#[derive(Template)]
#[template(path = "core/search.html", whitespace = "minimize")]
struct SearchPage<'a> {
    frame: Frame<'a>,
    query: &'a str,
    results: Vec<SearchResult>,
}

struct SearchResult {
    kind: &'static str,
    name: String,
    merchant: String,
    detail: String,
    url: String,
}

/// A single result opens at once.
async fn show(
    State(web): State<Web>,
    Member { visitor, .. }: Member,
    Query(SearchQuery { q }): Query<SearchQuery>,
) -> Result<Response, ApiError> {
    let hits = search(&web.app, visitor.own_merchant(), &q).await?;
    let results: Vec<SearchResult> = hits.into_iter().map(search_result).collect();
    if let [only] = results.as_slice() {
        return Ok(redirect(&only.url));
    }
    let frame = Frame::new(&visitor, Section::Search, "Search");
    let content = SearchPage { frame, query: q.trim(), results };
    Ok(render_page(&visitor, StatusCode::OK, &content))
}

fn search_result(hit: SearchHit) -> SearchResult {
    match hit {
        SearchHit::Order(order) => SearchResult {
            kind: "Order",
            url: order_url(&order.merchant, &order.order_id),
            name: order.order_id,
            merchant: order.merchant,
            detail: [order.name, order.email].join(" "),
        },
        SearchHit::Return { merchant, rma, why } => SearchResult {
            kind: "Return",
            url: return_url(&rma),
            name: rma,
            merchant,
            detail: format!("found {why}"),
        },
        SearchHit::Message { id } => SearchResult {
            kind: "Message",
            url: message_url(&id),
            name: id,
            merchant: String::new(),
            detail: String::new(),
        },
        SearchHit::Withdrawal { merchant, withdrawal } => {
            let url = withdrawal_url(&merchant, &withdrawal);
            plain_result("Withdrawal", withdrawal, merchant, url)
        }
        SearchHit::Unit { merchant, unit } => {
            let url = unit_url(&merchant, &unit);
            plain_result("Unit", unit, merchant, url)
        }
        SearchHit::Asn { merchant, asn_number, program } => {
            let url = asn_url(&merchant, &asn_number, &program);
            let detail = format!("program {program}");
            SearchResult { detail, ..plain_result("ASN", asn_number, merchant, url) }
        }
        SearchHit::Shipment { merchant, asn_number } => {
            let url = shipment_url(&merchant, &asn_number);
            plain_result("Shipment", asn_number, merchant, url)
        }
        SearchHit::DropShipOrder { merchant, identifier } => {
            let url = drop_ship_url(&merchant, &identifier);
            plain_result("Drop-ship order", identifier, merchant, url)
        }
    }
}

const fn plain_result(
    kind: &'static str,
    name: String,
    merchant: String,
    url: String,
) -> SearchResult {
    SearchResult { kind, name, merchant, detail: String::new(), url }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::fixtures::{HOSTILE, assert_is_text, sample_visitor};

    #[test]
    fn the_query_and_the_results_stay_text() {
        let visitor = sample_visitor();
        let results = vec![
            search_result(SearchHit::Unit {
                merchant: HOSTILE.to_owned(),
                unit: HOSTILE.to_owned(),
            }),
            search_result(SearchHit::Message { id: HOSTILE.to_owned() }),
            search_result(SearchHit::Asn {
                merchant: HOSTILE.to_owned(),
                asn_number: HOSTILE.to_owned(),
                program: HOSTILE.to_owned(),
            }),
        ];
        let frame = Frame::new(&visitor, Section::Search, "Search");
        assert_is_text(&SearchPage { frame, query: HOSTILE, results });
        let frame = Frame::new(&visitor, Section::Search, "Search");
        assert_is_text(&SearchPage { frame, query: HOSTILE, results: Vec::new() });
    }
}
