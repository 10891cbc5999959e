//! The files of labels, sent as they were received.

use app::{AppError, returns::label_documents::DocumentReader};
use axum::{
    body::Body,
    http::{
        HeaderValue,
        header::{
            CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_SECURITY_POLICY,
            CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
        },
    },
    response::Response,
};
use domain::returns::rma::DocumentFormat;
use futures_util::stream::try_unfold;

/// No frame may show the file. A stricter policy would keep browsers from showing a PDF file.
const POLICY: HeaderValue = HeaderValue::from_static("frame-ancestors 'none'");

/// Sends a file piece by piece. It has addresses of people in it, so it is not cached.
pub fn send_document(document: DocumentReader) -> Response {
    let (format, bytes) = (document.format, document.bytes);
    let pieces = try_unfold(document, |mut document| async move {
        let piece = document.next().await?;
        Ok::<_, AppError>(piece.map(|piece| (piece, document)))
    });
    let mut response = Response::new(Body::from_stream(pieces));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(format.media_type()));
    headers.insert(CONTENT_LENGTH, HeaderValue::from(bytes));
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static(disposition(format)));
    headers.insert(CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

const fn disposition(format: DocumentFormat) -> &'static str {
    match format {
        DocumentFormat::Pdf => "inline; filename=\"label.pdf\"",
        DocumentFormat::Png => "inline; filename=\"label.png\"",
        DocumentFormat::Zpl => "attachment; filename=\"label.zpl\"",
    }
}
