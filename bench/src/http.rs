//! Just enough of an HTTP/1.1 client: requests are bytes made beforehand, and of an answer only the
//! status, the length and, where it is wanted, a cookie are read. On two cores a whole client would
//! be half of what is measured.

use anyhow::{Context, bail};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
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

/// A whole GET; `more` as in [`head`].
pub(crate) fn get(host: &str, path: &str, more: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: {host}\r\n{more}\r\n")
}

/// A whole form, as a browser sends it; `more` as in [`head`].
pub(crate) fn form(host: &str, path: &str, more: &str, fields: &[(&str, &str)]) -> String {
    let pairs = fields.iter().map(|(name, value)| format!("{name}={}", encoded(value)));
    let body = pairs.collect::<Vec<_>>().join("&");
    format!(
        "POST {path} HTTP/1.1\r\nhost: {host}\r\n\
         content-type: application/x-www-form-urlencoded\r\n\
         {more}content-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Text as it stands in an address or in a form.
pub(crate) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

/// A connection that stays open from one request to the next.
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

pub(crate) struct Answer<'a> {
    /// Three digits.
    pub(crate) status: &'a [u8],
    head: &'a [u8],
    pub(crate) body: &'a [u8],
}

impl Answer<'_> {
    /// The first cookie that the answer sets, as a browser sends it back: `name=value`.
    pub(crate) fn cookie(&self) -> anyhow::Result<String> {
        let value = header(std::str::from_utf8(self.head)?, "set-cookie");
        let cookie = value.and_then(|value| value.split(';').next());
        Ok(cookie.context("an answer without a cookie")?.to_owned())
    }

    /// What was not expected.
    pub(crate) fn told(&self) -> String {
        let [status, body] = [self.status, self.body].map(String::from_utf8_lossy);
        format!("the server answered {status}: {body}")
    }
}

impl Connection {
    pub(crate) async fn open(address: &str) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await.context("the server does not answer")?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(READ_BYTES) })
    }

    /// Sends a whole request and waits for the answer, which must have the status 200 or 201.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> anyhow::Result<Answer<'_>> {
        let answer = self.ask(request).await?;
        if !answer.status.starts_with(b"20") {
            bail!(answer.told());
        }
        Ok(answer)
    }

    /// Sends a whole request and waits for the answer, whatever its status.
    pub(crate) async fn ask(&mut self, request: &[u8]) -> anyhow::Result<Answer<'_>> {
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
        let part = |from, to| self.buffer.get(from..to).unwrap_or_default();
        Ok(Answer { status: part(9, 12), head: part(0, start), body: part(start, end) })
    }
}

/// Where the body begins and ends, once all headers are there.
fn body_range(answer: &[u8]) -> anyhow::Result<Option<(usize, usize)>> {
    let mut ends = answer.windows(END_OF_HEADERS.len()).enumerate();
    let Some((end, _)) = ends.find(|(_, bytes)| *bytes == END_OF_HEADERS) else {
        return Ok(None);
    };
    let headers = std::str::from_utf8(answer.get(..end).unwrap_or_default())?;
    let length = header(headers, "content-length").context("an answer without content-length")?;
    let start = end + END_OF_HEADERS.len();
    Ok(Some((start, start + length.parse::<usize>()?)))
}

/// The first value that the lines of an answer's head have under a name.
fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = lines.find(|(found, _)| found.eq_ignore_ascii_case(name))?;
    Some(value.trim())
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

    #[test]
    fn a_form_says_how_long_it_is_and_keeps_signs_apart_from_its_own() {
        let sent = form("host", "/portal", "a: b\r\n", &[("one", "a&b"), ("two", "c@d")]);
        let (head, body) = sent.split_once("\r\n\r\n").unwrap();
        assert_eq!(body, "one=a%26b&two=c%40d");
        assert!(head.ends_with("a: b\r\ncontent-length: 19"), "{head}");
    }

    #[test]
    fn a_cookie_is_sent_back_without_what_is_said_about_it() {
        let head = b"HTTP/1.1 303 See Other\r\nSet-Cookie: a=b; Path=/\r\n\r\n";
        let answer = Answer { status: b"303", head, body: b"" };
        assert_eq!(answer.cookie().unwrap(), "a=b");
    }
}
