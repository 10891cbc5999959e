//! Fetches something public at an address that a merchant named, such as a picture.
//!
//! The same connections and limits as for every call, and nothing that identifies the caller: no
//! credential, no signature, no cookie. Redirects are not followed, because only this address was
//! checked. Exceptions of the guard are for endpoints, which operators set. Everyone who can
//! publish an order names the address of a picture, so there is no exception here.

use std::time::Duration;

use boxed::boxed;
use bytes::Bytes;
use http::{
    Method, StatusCode,
    header::{ACCEPT, HOST, HeaderValue, USER_AGENT},
};
use tokio::time::timeout;

use crate::sender::{
    answer::{AnswerLimits, HttpAnswer},
    client::HttpClient,
    context::CallContext,
    origin::Origin,
    request,
    send_error::SendError,
};

/// How large and how slow an answer may be.
#[derive(Clone, Copy, Debug)]
pub struct FetchLimits {
    pub bytes_max: usize,
    pub time_max: Duration,
}

/// Returns the whole body at `url`, or in a few words why not.
#[boxed]
pub async fn fetch(
    client: &HttpClient,
    url: &str,
    accept: &'static str,
    limits: FetchLimits,
) -> Result<Bytes, String> {
    fetch_with(&client.context().public_only(), url, accept, limits).await
}

/// The same with the guard of this context.
pub(crate) async fn fetch_with(
    context: &CallContext,
    url: &str,
    accept: &'static str,
    limits: FetchLimits,
) -> Result<Bytes, String> {
    let uri = context.guard().check_url(url).map_err(|refused| refused.to_string())?;
    let origin = Origin::new(&uri, context).map_err(|refused| refused.to_string())?;
    let host = origin.host_header().map_err(|refused| refused.to_string())?;
    let user_agent = HeaderValue::from_str(&context.settings().user_agent)
        .map_err(|_| "the user agent has characters that are not allowed in headers".to_owned())?;
    let write_head = |head: &mut Vec<u8>| {
        head.extend(request::line(&Method::GET, &uri));
        request::header(head, &HOST, &host);
        request::header(head, &USER_AGENT, &user_agent);
        request::header(head, &ACCEPT, &HeaderValue::from_static(accept));
        request::end(head);
        Ok(())
    };
    let read = AnswerLimits { read_max_bytes: limits.bytes_max, kept_max_bytes: limits.bytes_max };
    let mut answer = HttpAnswer::default();
    match timeout(limits.time_max, origin.exchange(write_head, &[], read, &mut answer)).await {
        Ok(Ok(())) => (),
        Ok(Err(error)) => return Err(error.to_string()),
        Err(_) => return Err(SendError::Timeout.to_string()),
    }
    match answer.status {
        Some(StatusCode::OK) if answer.complete => Ok(Bytes::from(answer.kept)),
        Some(StatusCode::OK) => Err(SendError::TooLarge(limits.bytes_max).to_string()),
        Some(status) => Err(format!("it answered {status}")),
        None => Err("it did not answer".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sender::tests::{
        http_client,
        merchant::{Merchant, response},
    };

    const LIMITS: FetchLimits = FetchLimits { bytes_max: 8, time_max: Duration::from_millis(500) };

    async fn start_shop() -> Merchant {
        Merchant::start(|seen| async move {
            match seen.path.as_str() {
                "/small" => response(200, "12345678"),
                "/large" => response(200, "123456789"),
                "/slow" => {
                    tokio::time::sleep(Duration::from_secs(30)).await;
                    response(200, "")
                }
                "/moved" => {
                    let mut moved = response(302, "");
                    moved.headers_mut().insert("location", HeaderValue::from_static("/small"));
                    moved
                }
                _ => response(404, "no"),
            }
        })
        .await
    }

    async fn fetched(shop: &Merchant, path: &str) -> Result<Bytes, String> {
        fetch_with(http_client().context(), &shop.url(path), "image/*", LIMITS).await
    }

    #[tokio::test]
    async fn what_fits_the_limits_comes_whole_and_the_request_says_nothing_of_us() {
        let shop = start_shop().await;

        assert_eq!(fetched(&shop, "/small").await, Ok(Bytes::from_static(b"12345678")));

        let seen = &shop.seen()[0];
        assert_eq!((seen.method.as_str(), seen.header("accept")), ("GET", "image/*"));
        let names: Vec<&str> = seen.headers.keys().map(http::HeaderName::as_str).collect();
        assert_eq!(names, ["host", "user-agent", "accept"]);
    }

    #[tokio::test]
    async fn what_is_too_large_too_slow_moved_or_absent_is_an_error() {
        let shop = start_shop().await;
        for path in ["/large", "/slow", "/moved", "/absent"] {
            assert!(fetched(&shop, path).await.is_err(), "{path}");
        }
        assert_eq!(shop.count("/small"), 0);
    }

    #[tokio::test]
    async fn no_exception_of_the_guard_lets_a_picture_be_fetched_from_inside() {
        let shop = start_shop().await;
        assert!(fetch(&http_client(), &shop.url("/small"), "image/*", LIMITS).await.is_err());
        assert!(shop.seen().is_empty());
    }

    #[tokio::test]
    async fn addresses_that_are_not_for_us_are_never_asked() {
        for url in ["http://10.0.0.1/a.png", "file:///etc/passwd", "not an address", ""] {
            assert!(fetch(&http_client(), url, "image/*", LIMITS).await.is_err(), "{url}");
        }
    }
}
