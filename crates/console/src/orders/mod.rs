//! Orders: the list, and everything about one order.

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

use crate::{access::visit::Member, core::frame::render_page};
use server::{Web, error::ApiError, path::Path, requests::identifiers::parse_merchant};

pub(super) fn routes() -> Router<Web> {
    Router::new()
        .route("/console/orders", get(list::show))
        .route("/console/orders/{merchant}/{identifier}", get(show))
        .route("/console/orders/{merchant}/{identifier}/as-sent", get(download))
}

async fn show(
    State(web): State<Web>,
    Member { visitor, .. }: Member,
    Path((merchant, identifier)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let view = load_order_view(&web.app, &parse_merchant(&merchant)?, &identifier).await?;
    let content = order_page::order_page(&visitor, &merchant, &view);
    Ok(render_page(&visitor, StatusCode::OK, &content))
}

/// The order exactly as the merchant sent it, as a file.
async fn download(
    State(web): State<Web>,
    _: Member,
    Path((merchant, identifier)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let body = load_order_as_sent(&web.app, &parse_merchant(&merchant)?, &identifier).await?;
    let disposition =
        HeaderValue::try_from(format!("attachment; filename=\"{}\"", file_name(&identifier)));
    let disposition = disposition.expect("the file name is plain ASCII");
    let headers = [
        (CONTENT_DISPOSITION, disposition),
        (CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    Ok((headers, body).into_response())
}

/// A file name of letters, digits and hyphens for any order identifier.
fn file_name(identifier: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    format!("order-{}.json", identifier.chars().take(80).map(plain).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_is_plain_for_any_order() {
        assert_eq!(file_name("ORD-1"), "order-ORD-1.json");
        assert_eq!(file_name("../\"\r\nü"), "order--------.json");
    }
}
