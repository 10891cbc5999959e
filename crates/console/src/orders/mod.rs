//! Orders: the list of them, and everything about one.

mod list;
mod order_page;

use app::orders::order_view::{load_order_as_sent, load_order_view};
use axum::{
    Router,
    extract::State,
    http::{
        HeaderValue, StatusCode,
        header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS},
    },
    response::{IntoResponse, Response},
    routing::get,
};
use domain::identifier::MerchantId;

pub(super) use self::order_page::{exchange_badge, policy_address};
use crate::{access::visit::Operator, core::frame::page};
use server::{Web, error::ApiError, path::Path};

pub(super) fn routes() -> Router<Web> {
    Router::new()
        .route("/console/orders", get(list::show))
        .route("/console/orders/{merchant}/{identifier}", get(show))
        .route("/console/orders/{merchant}/{identifier}/as-sent", get(download))
}

async fn show(
    State(web): State<Web>,
    Operator { visitor, .. }: Operator,
    Path((merchant, identifier)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let found = load_order_view(&web.app, &named(&merchant)?, &identifier).await?;
    Ok(page(&visitor, StatusCode::OK, &order_page::order_page(&visitor, &merchant, &found)))
}

/// The order as the merchant sent it, byte by byte, as a file.
async fn download(
    State(web): State<Web>,
    _: Operator,
    Path((merchant, identifier)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let body = load_order_as_sent(&web.app, &named(&merchant)?, &identifier).await?;
    let disposition =
        HeaderValue::try_from(format!("attachment; filename=\"{}\"", name(&identifier)));
    let disposition = disposition.expect("the name is plain");
    let headers = [
        (CONTENT_DISPOSITION, disposition),
        (CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    Ok((headers, body).into_response())
}

/// What a file is called: letters, digits and hyphens, whatever the order is called.
fn name(identifier: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    format!("order-{}.json", identifier.chars().take(80).map(plain).collect::<String>())
}

fn named(merchant: &str) -> Result<MerchantId, ApiError> {
    MerchantId::parse(merchant).map_err(|_| ApiError::App(app::AppError::NotFound("merchant")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_is_plain_whatever_the_order_is_called() {
        assert_eq!(name("ORD-1"), "order-ORD-1.json");
        assert_eq!(name("../\"\r\nü"), "order--------.json");
    }
}
