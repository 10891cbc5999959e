//! The connection to PostgreSQL is lost during a commit that succeeds. The caller gets an error,
//! and what was committed is sent all the same.

use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use serde_json::json;

use crate::harness::stage::{QUICK, Stage, accepted};
use crate::harness::{eventually, home::Home, http::Reply, postgres::POSTGRES, server::Server};

/// Passes connections on to a database server.
struct Proxy {
    /// The address of the database through the proxy.
    database: String,
    /// Whether the next response to a commit is lost, and the connection with it.
    loses_next: Arc<AtomicBool>,
}

impl Proxy {
    fn start(database: &str) -> Self {
        let (before, rest) = database.split_once("127.0.0.1:").expect("a server on this machine");
        let (port, rest) = rest.split_once('/').unwrap();
        let server = SocketAddr::from(([127, 0, 0, 1], port.parse().unwrap()));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let database = format!("{before}{}/{rest}", listener.local_addr().unwrap());
        let loses_next = Arc::new(AtomicBool::new(false));
        let lose = Arc::clone(&loses_next);
        thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client.unwrap(), TcpStream::connect(server).unwrap());
                let (mut requests, mut to_server) =
                    (client.try_clone().unwrap(), server.try_clone().unwrap());
                thread::spawn(move || io::copy(&mut requests, &mut to_server));
                let lose = Arc::clone(&lose);
                thread::spawn(move || pass_responses(server, client, &lose));
            }
        });
        Self { database, loses_next }
    }

    /// Runs `change`, whose commit gets no response.
    fn lose_commit(&self, change: impl FnOnce() -> Reply) -> Reply {
        self.loses_next.store(true, Ordering::SeqCst);
        let reply = change();
        eventually("a commit is lost", || (!self.loses_next.load(Ordering::SeqCst)).then_some(()));
        reply
    }
}

fn pass_responses(mut server: TcpStream, mut client: TcpStream, lose: &AtomicBool) {
    let mut piece = vec![0; 1 << 16];
    while let Ok(length @ 1..) = server.read(&mut piece) {
        let response = &piece[..length];
        let commits = response.windows(7).any(|it| it == b"COMMIT\0");
        if commits && lose.swap(false, Ordering::SeqCst) {
            break;
        }
        if client.write_all(response).is_err() {
            break;
        }
    }
    for stream in [server, client] {
        let _ = stream.shutdown(std::net::Shutdown::Both);
    }
}

fn start() -> Option<(Proxy, Server)> {
    let schema = POSTGRES.schema("lost_commits")?;
    let proxy = Proxy::start(&schema.address);
    let server = Home::on(&proxy.database).serve(&QUICK);
    Some((proxy, server))
}

#[test]
fn messages_are_sent_again_although_the_commit_that_put_them_back_got_no_response() {
    let Some((proxy, server)) = start() else { return };
    let (stage, running, ids) = Stage::with_failures(&server, 2);

    let retry = format!("/admin/messages/{}/retry", ids[0]);
    let reply = proxy.lose_commit(|| stage.post(&retry));
    assert_eq!(reply.status, 500, "{}", reply.said());
    stage.until(&ids[0], "delivered");

    let retry_all = format!("/admin/failures/retry?merchant={}", stage.merchant.id);
    proxy.lose_commit(|| stage.post(&retry_all));
    stage.until(&ids[1], "delivered");
    accepted(&running, 2);

    let selection = json!({ "references": ["lane-0"] });
    proxy.lose_commit(|| stage.call("POST", "/messages/replay", &selection));
    eventually("a message is replayed", || {
        (running.merchant().summary().accepted_again == 1).then_some(())
    });
}
