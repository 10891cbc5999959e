//! One address that opens thousands of connections and uses them as little as it can. Clients at
//! other addresses must not notice.

use std::{
    io::Write,
    net::{Ipv4Addr, SocketAddr, TcpStream},
    time::Duration,
};

use tokio::{net::TcpSocket, runtime::Runtime};

use crate::harness::{
    home::Home,
    http::{Connection, Request},
    server::Server,
};

const CONNECTIONS: usize = 5_000;
/// Much shorter than the time after which an unused connection is closed.
const PATIENCE: Duration = Duration::from_secs(15);

/// What a connection of the flood sends before it stops.
#[derive(Clone, Copy, Debug)]
enum Misuse {
    /// Nothing at all.
    Idle,
    /// The beginning of a header.
    HalfAHeader,
    /// The beginning of a body.
    HalfABody,
    /// Requests for much more than it reads, which is nothing.
    NeverReads,
}

impl Misuse {
    fn bytes(self) -> Vec<u8> {
        match self {
            Self::Idle => Vec::new(),
            Self::HalfAHeader => b"GET /healthz HTTP/1.1\r\nHost: home".to_vec(),
            Self::HalfABody => {
                let token =
                    Request::post("/oauth/token").header("Content-Type", "application/json");
                [token.announcing(500).as_bytes(), b"{"].concat()
            }
            Self::NeverReads => Request::get("/openapi.json").bytes().repeat(50),
        }
    }
}

/// Whether the server has closed the connection.
fn is_closed(stream: &TcpStream) -> bool {
    match stream.peek(&mut [0]) {
        Ok(read) => read == 0,
        Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
    }
}

/// Opens the connections from 127.0.0.1, and keeps what the server leaves open. What it closes is
/// dropped when the process has no descriptors left.
fn flood(server: &Server, misuse: Misuse) -> Vec<TcpStream> {
    let address: SocketAddr = server.address.parse().unwrap();
    let (mut open, bytes) = (Vec::new(), misuse.bytes());
    for _ in 0..CONNECTIONS {
        let Ok(mut stream) = TcpStream::connect_timeout(&address, PATIENCE) else {
            open.retain(|stream| !is_closed(stream));
            continue;
        };
        stream.set_nonblocking(true).unwrap();
        // The server may have closed it already, or may not read any more.
        drop(stream.write(&bytes));
        open.push(stream);
    }
    open
}

/// A connection of a client at this address.
fn connect_from(from: Ipv4Addr, server: &Server) -> Connection<TcpStream> {
    let runtime = Runtime::new().unwrap();
    let connecting = async {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((from, 0).into()).unwrap();
        socket.connect(server.address.parse().unwrap()).await.unwrap().into_std().unwrap()
    };
    let stream = runtime.block_on(connecting);
    stream.set_nonblocking(false).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    Connection::over(stream)
}

#[test]
fn thousands_of_connections_from_one_address_leave_others_unaffected() {
    for misuse in [Misuse::Idle, Misuse::HalfAHeader, Misuse::HalfABody, Misuse::NeverReads] {
        let server = Home::new().serve(&[]);
        let held = flood(&server, misuse);

        for _ in 0..5 {
            let mut other = connect_from(Ipv4Addr::new(127, 0, 0, 2), &server);
            for target in ["/healthz", "/readyz", "/openapi.json"] {
                let reply = other.send(&Request::get(target));
                assert_eq!(reply.unwrap().status, 200, "{misuse:?}: {target}");
            }
        }
        drop(held);
    }
}

#[test]
fn a_trusted_proxy_may_open_as_many_connections_as_it_needs() {
    let server = Home::new().serve(&["--trusted-proxies", "127.0.0.1"]);
    let mut held: Vec<_> = (0..600).map(|_| server.connect()).collect();
    for connection in &mut held {
        assert_eq!(connection.send(&Request::get("/healthz")).unwrap().status, 200);
    }
}
