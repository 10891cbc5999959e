//! Tells browsers that came over TLS never to come without it again.

use axum::{
    extract::Request,
    http::{HeaderValue, header::STRICT_TRANSPORT_SECURITY},
    middleware::Next,
    response::Response,
};

use crate::guard::Encrypted;

/// A year. Other hosts of the domain are not ours to decide about.
const ONE_YEAR: HeaderValue = HeaderValue::from_static("max-age=31536000");

pub async fn require_tls_next_time(request: Request, next: Next) -> Response {
    let came_over_tls = is_https(&request);
    let mut response = next.run(request).await;
    if came_over_tls {
        response.headers_mut().insert(STRICT_TRANSPORT_SECURITY, ONE_YEAR);
    }
    response
}

/// Whether the browser speaks https, to this process or to a trusted proxy. The listener removes
/// the header of anyone else.
fn is_https(request: &Request) -> bool {
    let here = request.extensions().get::<Encrypted>().is_some_and(|encrypted| encrypted.0);
    here || request.headers().get("x-forwarded-proto").is_some_and(|it| it == "https")
}
