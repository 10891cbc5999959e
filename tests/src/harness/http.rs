//! A small HTTP client over plain sockets: it says exactly what a test wants said, malformed or
//! not, and gives back the whole answer.

use std::{
    fmt::Write as _,
    io::{self, BufRead, BufReader, Read, Write},
    net::TcpStream,
    time::Duration,
};

use serde_json::Value;

const ANSWER_TIME_MAX: Duration = Duration::from_secs(60);

/// What is sent. `Content-Length` is written by the client, and `Host` where a test says nothing of
/// it.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// A connection, used for one request after the other.
pub(crate) struct Connection<S> {
    stream: BufReader<S>,
}

impl Request {
    pub(crate) fn new(method: &str, target: &str) -> Self {
        let (method, target) = (method.to_owned(), target.to_owned());
        Self { method, target, headers: Vec::new(), body: Vec::new() }
    }

    pub(crate) fn get(target: &str) -> Self {
        Self::new("GET", target)
    }

    pub(crate) fn post(target: &str) -> Self {
        Self::new("POST", target)
    }

    /// The same request to another address.
    pub(crate) fn target(mut self, target: &str) -> Self {
        target.clone_into(&mut self.target);
        self
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same request without the header.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self
    }

    /// The same request with another value of the header.
    pub(crate) fn with(self, name: &str, value: &str) -> Self {
        self.without(name).header(name, value)
    }

    pub(crate) fn bearer(self, token: &str) -> Self {
        self.with("Authorization", &format!("Bearer {token}"))
    }

    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    pub(crate) fn json(self, body: impl Into<Vec<u8>>) -> Self {
        self.with("Content-Type", "application/json").body(body)
    }

    /// The request line and the headers, with nothing about the body.
    fn head(&self) -> String {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.target);
        if !self.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("Host")) {
            head.push_str("Host: homeward\r\n");
        }
        for (name, value) in &self.headers {
            write!(head, "{name}: {value}\r\n").unwrap();
        }
        head
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.announcing(self.body.len()).into_bytes();
        bytes.extend_from_slice(&self.body);
        bytes
    }

    /// The head of a request whose body, of so many bytes, is not there yet.
    pub(crate) fn announcing(&self, bytes: usize) -> String {
        format!("{}Content-Length: {bytes}\r\n\r\n", self.head())
    }

    /// The request with its body in chunks of so many bytes.
    pub(crate) fn chunked(&self, chunk: usize) -> Vec<u8> {
        let mut bytes = format!("{}Transfer-Encoding: chunked\r\n\r\n", self.head()).into_bytes();
        for part in self.body.chunks(chunk) {
            bytes.extend_from_slice(format!("{:x}\r\n", part.len()).as_bytes());
            bytes.extend_from_slice(part);
            bytes.extend_from_slice(b"\r\n");
        }
        bytes.extend_from_slice(b"0\r\n\r\n");
        bytes
    }
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let named = |(known, _): &&(String, String)| known.eq_ignore_ascii_case(name);
        self.headers.iter().find(named).map(|(_, value)| value.as_str())
    }

    /// Every value of a header that may stand several times.
    pub(crate) fn headers(&self, name: &str) -> impl Iterator<Item = &str> {
        let named = move |(known, _): &&(String, String)| known.eq_ignore_ascii_case(name);
        self.headers.iter().filter(named).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// Status and body in one text, to compare whole answers.
    pub(crate) fn said(&self) -> String {
        format!("{} {}", self.status, String::from_utf8_lossy(&self.body))
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Connection<TcpStream> {
    pub(crate) fn open(address: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(ANSWER_TIME_MAX))?;
        Ok(Self::over(stream))
    }

    /// Sends bytes that the other side may stop reading, and reads its answer meanwhile.
    pub(crate) fn send_large(&mut self, bytes: &[u8]) -> io::Result<Reply> {
        let mut writer = self.stream.get_ref().try_clone()?;
        std::thread::scope(|scope| {
            // A server that refuses the request early closes the connection under the writer.
            let writing = scope.spawn(move || drop(writer.write_all(bytes)));
            let reply = self.reply();
            drop(self.stream.get_ref().shutdown(std::net::Shutdown::Both));
            drop(writing.join());
            reply
        })
    }
}

impl<S: Read + Write> Connection<S> {
    pub(crate) fn over(stream: S) -> Self {
        Self { stream: BufReader::new(stream) }
    }

    pub(crate) fn send(&mut self, request: &Request) -> io::Result<Reply> {
        self.write(&request.bytes())?;
        self.reply()
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(bytes)?;
        self.stream.get_mut().flush()
    }

    /// Reads one answer; its body ends where `Content-Length` says, with the last chunk, or with
    /// the connection.
    pub(crate) fn reply(&mut self) -> io::Result<Reply> {
        let status_line = self.line()?;
        let status = status_line.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| io::Error::other(format!("no status: {status_line}")))?;
        let mut headers = Vec::new();
        loop {
            let line = self.line()?;
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(':').unwrap_or((&line, ""));
            headers.push((name.to_owned(), value.trim().to_owned()));
        }
        let mut reply = Reply { status, headers, body: Vec::new() };
        match reply.header("content-length").and_then(|length| length.parse().ok()) {
            Some(length) => {
                reply.body = vec![0; length];
                self.stream.read_exact(&mut reply.body)?;
            }
            None if reply.header("transfer-encoding") == Some("chunked") => {
                reply.body = self.chunks()?;
            }
            None => drop(self.stream.read_to_end(&mut reply.body)?),
        }
        Ok(reply)
    }

    fn chunks(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let length = self.line()?;
            let length = usize::from_str_radix(&length, 16).map_err(io::Error::other)?;
            let mut chunk = vec![0; length];
            self.stream.read_exact(&mut chunk)?;
            self.line()?;
            if length == 0 {
                return Ok(body);
            }
            body.extend(chunk);
        }
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        if self.stream.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(line.trim_end().to_owned())
    }
}
