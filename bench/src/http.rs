//! A minimal HTTP/1.1 client: requests are bytes that were created beforehand, and only the status,
//! the length and, if needed, a cookie of a response are read. On two cores a complete client would
//! be half of what is measured.

use anyhow::{Context, bail};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

const END_OF_HEADERS: &[u8] = b"\r\n\r\n";
const READ_BYTES: usize = 16 << 10;

/// The head of a POST; `more` is header lines, each with its line end.
pub(crate) fn post_head(host: &str, path: &str, more: &str, length: usize) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
         {more}content-length: {length}\r\n\r\n"
    )
}

/// A whole GET; `more` as in [`post_head`].
pub(crate) fn get(host: &str, path: &str, more: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: {host}\r\n{more}\r\n")
}

/// A whole form, as a browser sends it; `more` as in [`post_head`].
pub(crate) fn form(host: &str, path: &str, more: &str, fields: &[(&str, &str)]) -> String {
    let pairs = fields.iter().map(|(name, value)| format!("{name}={}", encode(value)));
    let body = pairs.collect::<Vec<_>>().join("&");
    format!(
        "POST {path} HTTP/1.1\r\nhost: {host}\r\n\
         content-type: application/x-www-form-urlencoded\r\n\
         {more}content-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Encodes text for an address or a form.
pub(crate) fn encode(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

/// A connection that stays open from one request to the next.
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

pub(crate) struct Response<'a> {
    /// Three digits.
    pub(crate) status: &'a [u8],
    head: &'a [u8],
    pub(crate) body: &'a [u8],
}

impl Response<'_> {
    /// The first cookie that the response sets, as a browser sends it back: `name=value`.
    pub(crate) fn cookie(&self) -> anyhow::Result<String> {
        let value = find_header(std::str::from_utf8(self.head)?, "set-cookie");
        let cookie = value.and_then(|value| value.split(';').next());
        Ok(cookie.context("the response sets no cookie")?.to_owned())
    }

    /// The response, for an error message.
    pub(crate) fn describe(&self) -> String {
        let [status, body] = [self.status, self.body].map(String::from_utf8_lossy);
        format!("the server responded with {status}: {body}")
    }
}

impl Connection {
    pub(crate) async fn open(address: &str) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await.context("the server does not respond")?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(READ_BYTES) })
    }

    /// Sends a whole request and waits for the response, which must have the status 200 or 201.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> anyhow::Result<Response<'_>> {
        let response = self.send(request).await?;
        if !response.status.starts_with(b"20") {
            bail!(response.describe());
        }
        Ok(response)
    }

    /// Sends a whole request and waits for the response, whatever its status.
    pub(crate) async fn send(&mut self, request: &[u8]) -> anyhow::Result<Response<'_>> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        let mut body = None;
        while body.is_none_or(|(_, end)| self.buffer.len() < end) {
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                bail!("the server closed the connection");
            }
            if body.is_none() {
                body = find_body(&self.buffer)?;
            }
        }
        let (start, end) = body.unwrap_or_default();
        let part = |from, to| self.buffer.get(from..to).unwrap_or_default();
        Ok(Response { status: part(9, 12), head: part(0, start), body: part(start, end) })
    }
}

/// Where the body starts and ends. None if the headers are incomplete.
fn find_body(response: &[u8]) -> anyhow::Result<Option<(usize, usize)>> {
    let mut ends = response.windows(END_OF_HEADERS.len()).enumerate();
    let Some((end, _)) = ends.find(|(_, bytes)| *bytes == END_OF_HEADERS) else {
        return Ok(None);
    };
    let headers = std::str::from_utf8(response.get(..end).unwrap_or_default())?;
    let length =
        find_header(headers, "content-length").context("the response has no content-length")?;
    let start = end + END_OF_HEADERS.len();
    Ok(Some((start, start + length.parse::<usize>()?)))
}

/// The first value of a header.
fn find_header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = lines.find(|(key, _)| key.eq_ignore_ascii_case(name))?;
    Some(value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_is_found_once_the_headers_are_complete() {
        let response = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
        assert_eq!(find_body(response).unwrap(), Some((38, 40)));
        assert_eq!(find_body(&response[..30]).unwrap(), None);
        assert!(find_body(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
    }

    #[test]
    fn a_form_has_a_length_and_encodes_its_values() {
        let sent = form("host", "/portal", "a: b\r\n", &[("one", "a&b"), ("two", "c@d")]);
        let (head, body) = sent.split_once("\r\n\r\n").unwrap();
        assert_eq!(body, "one=a%26b&two=c%40d");
        assert!(head.ends_with("a: b\r\ncontent-length: 19"), "{head}");
    }

    #[test]
    fn a_cookie_is_sent_back_without_its_attributes() {
        let head = b"HTTP/1.1 303 See Other\r\nSet-Cookie: a=b; Path=/\r\n\r\n";
        let response = Response { status: b"303", head, body: b"" };
        assert_eq!(response.cookie().unwrap(), "a=b");
    }
}
