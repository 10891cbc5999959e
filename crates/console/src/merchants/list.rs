//! The list of merchants.

use app::merchants::change_merchant::{MerchantView, list_merchants};
use askama::Template;
use axum::{Router, extract::State, http::StatusCode, response::Response, routing::get};
use serde::Deserialize;

use crate::{
    access::visit::Operator,
    core::{
        frame::{Frame, Section, render_page},
        lists::{PAGE_SIZE, Paging},
    },
};
use server::{Web, error::ApiError, query::Query};

const PATH: &str = "/console/merchants";

pub(crate) fn routes() -> Router<Web> {
    Router::new().route(PATH, get(show))
}

#[derive(Template)]
#[template(path = "merchants/list.html", whitespace = "minimize")]
struct MerchantsPage<'a> {
    frame: Frame<'a>,
    merchants: Vec<MerchantView>,
    paging: Paging,
}

#[derive(Deserialize)]
struct MerchantsQuery {
    #[serde(default)]
    after: String,
}

async fn show(
    State(web): State<Web>,
    Operator { visitor, .. }: Operator,
    Query(query): Query<MerchantsQuery>,
) -> Result<Response, ApiError> {
    let found = list_merchants(&web.app, &query.after, PAGE_SIZE).await?;
    let next = found.last().filter(|_| found.len() == PAGE_SIZE);
    let next = next.map(|last| last.merchant.as_str());
    let content = MerchantsPage {
        frame: Frame::new(&visitor, Section::Merchants, "Merchants"),
        paging: Paging::in_order(PATH, &[], &query.after, next),
        merchants: found,
    };
    Ok(render_page(&visitor, StatusCode::OK, &content))
}
