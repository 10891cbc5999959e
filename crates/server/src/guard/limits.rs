//! Reads a request body within limits of size and time.
//!
//! A body with a `Content-Length` that is too large is refused before any of it is read, and a
//! client that waits for `100 Continue` never sends it. A body without a length is counted while
//! it is read. Both have a lowest rate and a time limit, so that a body that arrives byte by byte
//! cannot hold its connection.

use std::{error::Error, pin::pin, time::Duration};

use axum::body::HttpBody;
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use thiserror::Error;
use tokio::time::{Instant, timeout_at};

pub const BODY_MAX_BYTES: usize = 10 * 1024 * 1024;
/// For requests that list the units of a whole pallet.
pub const LARGE_BODY_MAX_BYTES: usize = 32 * 1024 * 1024;
pub const BODY_TIME_MAX: Duration = Duration::from_secs(30);

/// How far a body may fall behind the lowest rate.
const BODY_DELAY_MAX: Duration = Duration::from_secs(10);
const BODY_RATE_MIN_BYTES_PER_S: u32 = 1024;

#[derive(Debug, Error)]
pub enum BodyError {
    #[error("the request body is larger than allowed")]
    TooLarge,
    #[error("the request body did not arrive in time")]
    TooSlow,
    #[error("the request body ended before it was complete")]
    Broken(#[source] Box<dyn Error + Send + Sync>),
}

/// All of `body`, if it has at most `max_bytes`, arrives within `time_max`, and never falls far
/// behind the lowest rate.
pub async fn read_body<B>(body: B, max_bytes: usize, time_max: Duration) -> Result<Bytes, BodyError>
where
    B: HttpBody<Data = Bytes>,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let mut pieces = Vec::new();
    read_pieces(body, max_bytes, time_max, |piece| pieces.push(piece)).await?;
    Ok(join(pieces))
}

/// The same for a body that is handled piece by piece while it arrives.
pub async fn read_pieces<B>(
    body: B,
    max_bytes: usize,
    time_max: Duration,
    mut handle: impl FnMut(Bytes),
) -> Result<(), BodyError>
where
    B: HttpBody<Data = Bytes>,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    // The value of `Content-Length`, for a body that came over the network.
    let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if announced > max_bytes {
        return Err(BodyError::TooLarge);
    }
    let mut body = pin!(Limited::new(body, max_bytes));
    let (started, delay_max) = (Instant::now(), BODY_DELAY_MAX.min(time_max));
    let mut read_bytes = 0;
    loop {
        let due = delay_max.saturating_add(time_at_lowest_rate(read_bytes)).min(time_max);
        match timeout_at(started + due, body.frame()).await {
            Err(_elapsed) => return Err(BodyError::TooSlow),
            Ok(Some(Err(cause))) if cause.is::<LengthLimitError>() => {
                return Err(BodyError::TooLarge);
            }
            Ok(Some(Err(cause))) => return Err(BodyError::Broken(cause)),
            Ok(Some(Ok(frame))) => {
                if let Ok(piece) = frame.into_data() {
                    read_bytes += piece.len();
                    handle(piece);
                }
            }
            Ok(None) => return Ok(()),
        }
    }
}

/// The pieces as one, without a copy if there is only one.
fn join(mut pieces: Vec<Bytes>) -> Bytes {
    if pieces.len() > 1 { pieces.concat().into() } else { pieces.pop().unwrap_or_default() }
}

/// How long so many bytes take at the lowest rate.
fn time_at_lowest_rate(bytes: usize) -> Duration {
    let seconds = u64::try_from(bytes).unwrap_or(u64::MAX);
    Duration::from_secs(seconds) / BODY_RATE_MIN_BYTES_PER_S
}

#[cfg(test)]
mod tests {
    use std::{
        convert::Infallible,
        io,
        pin::Pin,
        task::{Context, Poll},
    };

    use axum::body::Body;
    use http_body_util::Full;
    use hyper::body::Frame;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Frames without an announced length.
    struct Frames(Vec<Result<Bytes, io::Error>>);

    impl HttpBody for Frames {
        type Data = Bytes;
        type Error = io::Error;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
            Poll::Ready(self.0.pop().map(|data| data.map(Frame::data)))
        }
    }

    /// A body that announces `bytes` and sends none.
    struct Silent {
        bytes: u64,
    }

    impl HttpBody for Silent {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            Poll::Pending
        }

        fn size_hint(&self) -> hyper::body::SizeHint {
            hyper::body::SizeHint::with_exact(self.bytes)
        }
    }

    #[tokio::test]
    async fn a_body_of_exactly_the_limit_is_read() {
        let body = Body::new(Full::from("12345"));

        assert_eq!(read_body(body, 5, SECOND).await.unwrap(), "12345");
    }

    #[tokio::test]
    async fn an_announced_length_beyond_the_limit_is_refused_without_reading() {
        let refusal = read_body(Body::new(Silent { bytes: 6 }), 5, SECOND).await;

        assert!(matches!(refusal, Err(BodyError::TooLarge)));
    }

    #[tokio::test]
    async fn a_body_of_unknown_length_is_counted_while_it_comes() {
        let frames = || vec![Ok(Bytes::from_static(b"345")), Ok(Bytes::from_static(b"12"))];

        let whole = read_body(Body::new(Frames(frames())), 5, SECOND).await;
        let refusal = read_body(Body::new(Frames(frames())), 4, SECOND).await;

        assert_eq!(whole.unwrap(), "12345");
        assert!(matches!(refusal, Err(BodyError::TooLarge)));
    }

    #[tokio::test]
    async fn a_body_that_does_not_come_is_too_slow() {
        let refusal = read_body(Silent { bytes: 3 }, 5, Duration::from_millis(20)).await;

        assert!(matches!(refusal, Err(BodyError::TooSlow)));
    }

    #[tokio::test]
    async fn a_connection_lost_in_the_middle_is_a_broken_body() {
        let lost = Err(io::Error::from(io::ErrorKind::ConnectionReset));
        let frames = Frames(vec![lost, Ok(Bytes::from_static(b"12"))]);

        let refusal = read_body(Body::new(frames), 5, SECOND).await;

        assert!(matches!(refusal, Err(BodyError::Broken(_))));
    }
}
