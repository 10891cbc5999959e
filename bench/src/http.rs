//! Just enough of an HTTP/1.1 client: requests are bytes made beforehand, and of an answer only the
//! status and the length are read. On two cores a whole client would be half of what is measured.

use anyhow::{Context, bail};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

const END_OF_HEADERS: &[u8] = b"\r\n\r\n";
const READ_BYTES: usize = 16 << 10;

/// The beginning of a POST; `more` is header lines, each with its line end.
pub(crate) fn head(host: &str, path: &str, more: &str, length: usize) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
         {more}content-length: {length}\r\n\r\n"
    )
}

/// A connection that stays open from one request to the next.
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

pub(crate) struct Answer<'a> {
    pub(crate) body: &'a [u8],
}

impl Connection {
    pub(crate) async fn open(address: &str) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await.context("the server does not answer")?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(READ_BYTES) })
    }

    /// Sends a whole request and waits for the answer, which must have the status 200 or 201.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> anyhow::Result<Answer<'_>> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        let mut wanted = None;
        while wanted.is_none_or(|(_, end)| self.buffer.len() < end) {
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                bail!("the server closed the connection");
            }
            if wanted.is_none() {
                wanted = body_range(&self.buffer)?;
            }
        }
        let (start, end) = wanted.unwrap_or_default();
        let body = self.buffer.get(start..end).unwrap_or_default();
        if !self.buffer.starts_with(b"HTTP/1.1 20") {
            let status = self.buffer.get(9..12).unwrap_or_default();
            let (status, body) = (String::from_utf8_lossy(status), String::from_utf8_lossy(body));
            bail!("the server answered {status}: {body}");
        }
        Ok(Answer { body })
    }
}

/// Where the body begins and ends, once all headers are there.
fn body_range(answer: &[u8]) -> anyhow::Result<Option<(usize, usize)>> {
    let mut ends = answer.windows(END_OF_HEADERS.len()).enumerate();
    let Some((end, _)) = ends.find(|(_, bytes)| *bytes == END_OF_HEADERS) else {
        return Ok(None);
    };
    let headers = std::str::from_utf8(answer.get(..end).unwrap_or_default())?;
    let mut lines = headers.lines().filter_map(|line| line.split_once(':'));
    let length = lines.find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let (_, length) = length.context("an answer without content-length")?;
    let start = end + END_OF_HEADERS.len();
    Ok(Some((start, start + length.trim().parse::<usize>()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_is_found_once_the_headers_are_complete() {
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
        assert_eq!(body_range(answer).unwrap(), Some((38, 40)));
        assert_eq!(body_range(&answer[..30]).unwrap(), None);
        assert!(body_range(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
    }
}
