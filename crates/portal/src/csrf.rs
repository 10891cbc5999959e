//! Refuses forms that another site made a shopper's browser send.

use axum::{
    extract::Request,
    http::{Method, StatusCode},
    middleware::Next,
    response::Response,
};
use server::same_origin::is_same_origin;

use crate::{error_page::render_error, language::PageLanguage};

/// Lets a form through only when a page of ours sent it.
pub(super) async fn require_same_origin(request: Request, next: Next) -> Response {
    if request.method() == Method::POST && !is_same_origin(request.headers()) {
        return render_error(StatusCode::FORBIDDEN, PageLanguage::of_any_portal(&request));
    }
    next.run(request).await
}
