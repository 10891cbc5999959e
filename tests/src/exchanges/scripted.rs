//! A merchant's server that answers whatever a test wants, also what no simulated merchant would
//! say.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

/// It answers until the process ends.
pub(super) struct Scripted {
    address: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Scripted {
    /// A server that answers a request, given as its first line, with this status and body; with
    /// status 0 it closes the connection instead.
    pub(super) fn answering(
        answer: impl Fn(&str) -> (u16, String) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (answer, heard) = (Arc::new(answer), Arc::clone(&requests));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (answer, heard) = (Arc::clone(&answer), Arc::clone(&heard));
                thread::spawn(move || {
                    drop(serve(&stream.unwrap(), |request| {
                        heard.lock().unwrap().push(request.to_owned());
                        answer(request)
                    }));
                });
            }
        });
        Self { address, requests }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The first lines of the requests so far.
    pub(super) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

fn serve(mut stream: &TcpStream, answer: impl Fn(&str) -> (u16, String)) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first)?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if line.trim_end().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap();
        }
    }
    reader.read_exact(&mut vec![0; length])?;
    let (status, body) = answer(first.trim_end());
    if status == 0 {
        return Ok(());
    }
    write!(
        stream,
        "HTTP/1.1 {status} Said\r\nContent-Type: application/json\r\nConnection: close\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}
