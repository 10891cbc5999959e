//! Two servers on one PostgreSQL database are restarted in turn, as for an upgrade, while systems
//! call them. A client that repeats at the other server what the first did not answer notices
//! nothing, and neither does the merchant whose messages go out meanwhile.

use std::{
    collections::BTreeMap,
    net::TcpStream,
    sync::{
        RwLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

use sim::Running;

use super::load::drained;
use crate::{
    harness::{
        eventually,
        home::{Home, SHARED_KEY, text},
        http::{Connection, Reply, Request},
        postgres::{CITUS, Database, POSTGRES},
        samples::message,
        server::{Server, publication},
        stage::{QUICK, Stage},
    },
    returns::scene::{request, sample_order},
};

const WORKERS: usize = 4;
/// Returns that are started before, between and after the restarts.
const RETURNS_BETWEEN: usize = 12;
/// At worst both kept connections are old, and one server is away. Then the next one answers.
const TRIES_MAX: usize = 4;

/// Where the servers are now, as a load balancer knows it.
type Addresses = RwLock<[String; 2]>;

/// A client that keeps a connection to each server, takes them by turns, and goes to the other one
/// with what was not answered.
struct Client<'a> {
    addresses: &'a Addresses,
    connections: [Option<Connection<TcpStream>>; 2],
    turn: usize,
    tries: usize,
    requests: usize,
}

impl<'a> Client<'a> {
    fn new(addresses: &'a Addresses) -> Self {
        Self { addresses, connections: [None, None], turn: 0, tries: 0, requests: 0 }
    }

    /// The answer, which is never that a server is unavailable.
    fn send(&mut self, request: &Request) -> Reply {
        self.requests += 1;
        for _ in 0..TRIES_MAX {
            self.turn += 1;
            self.tries += 1;
            let reply = self.try_at(self.turn % 2, request);
            if let Some(reply) = reply.filter(|reply| reply.status != 503) {
                return reply;
            }
        }
        panic!("no server answered in {TRIES_MAX} tries: {request:?}");
    }

    /// None when the server is away, or goes away before it answers.
    fn try_at(&mut self, node: usize, request: &Request) -> Option<Reply> {
        let address = self.addresses.read().unwrap()[node].clone();
        let kept = self.connections[node].take();
        let mut connection = kept.or_else(|| Connection::open(&address).ok())?;
        let reply = connection.send(request).ok()?;
        if reply.header("Connection") != Some("close") {
            self.connections[node] = Some(connection);
        }
        Some(reply)
    }

    /// Publishes an order and returns a unit of it. The identifier of the return.
    fn return_one(&mut self, token: &str, order: &str) -> String {
        let published = self.send(&publication(token, message(&[sample_order(order)])));
        assert_eq!(published.status, 200, "{}", published.said());
        let body = request("mail-back", &[(order, "tee", 1)]).to_string();
        let start = Request::post("/returns").bearer(token).header("Idempotency-Key", order);
        let started = self.send(&start.json(body));
        assert_eq!(started.status, 201, "{}", started.said());
        text(&started.json()["rma_identifier"])
    }
}

/// How far the clients are, and whether they go on.
#[derive(Default)]
struct Progress {
    returns: AtomicUsize,
    stop: AtomicBool,
}

impl Progress {
    /// Waits until the clients have started some more returns.
    fn wait_for_more(&self) {
        let wanted = self.returns.load(Ordering::Relaxed) + RETURNS_BETWEEN;
        eventually("clients work", || {
            (self.returns.load(Ordering::Relaxed) >= wanted).then_some(())
        });
    }
}

/// What all clients did: the return that was accepted for each order, and the repeated tries.
#[derive(Default)]
struct Done {
    returns: BTreeMap<String, String>,
    requests: usize,
    repeated: usize,
}

impl Done {
    fn and(mut self, other: Self) -> Self {
        self.returns.extend(other.returns);
        Self {
            requests: self.requests + other.requests,
            repeated: self.repeated + other.repeated,
            ..self
        }
    }
}

#[test]
fn a_rolling_restart_is_noticed_by_no_client_that_tries_again() {
    restart_under_load(&POSTGRES);
}

#[test]
fn on_citus_a_rolling_restart_is_noticed_by_no_client_that_tries_again() {
    restart_under_load(&CITUS);
}

fn restart_under_load(database: &Database) {
    let Some(schema) = database.schema("rolling") else { return };
    let homes = [Home::on(&schema.address), Home::on(&schema.address)];
    let key = homes[0].file("shared.key", SHARED_KEY);
    let shared = ["--secret-key-file", key.to_str().unwrap()];
    let mut nodes = homes.map(|home| home.serve(&[&QUICK[..], &shared].concat()));
    let (Stage { tenant, .. }, running) = Stage::with_receiver(&nodes[0]);

    let done = work_during_restarts(&tenant.token, &mut nodes);

    assert!(done.repeated > 0, "the restarts were in the middle of the work");
    for node in &nodes {
        judge(&Stage { server: node, tenant: tenant.clone() }, &running, &done);
    }
    let (count, Done { requests, repeated, .. }) = (done.returns.len(), done);
    eprintln!("{count} returns by {requests} requests, {repeated} more tries");
}

/// Restarts one server after the other while the clients work.
fn work_during_restarts(token: &str, nodes: &mut [Server; 2]) -> Done {
    let addresses = RwLock::new([0, 1].map(|node: usize| nodes[node].address.clone()));
    let progress = Progress::default();
    thread::scope(|scope| {
        let start = |worker| {
            let (client, progress) = (Client::new(&addresses), &progress);
            scope.spawn(move || work(worker, client, token, progress))
        };
        let working: Vec<_> = (0..WORKERS).map(start).collect();
        for (place, node) in nodes.iter_mut().enumerate() {
            progress.wait_for_more();
            node.stop();
            progress.wait_for_more();
            node.restart();
            addresses.write().unwrap()[place].clone_from(&node.address);
        }
        progress.wait_for_more();
        progress.stop.store(true, Ordering::Relaxed);
        let all = working.into_iter().map(|worker| worker.join().unwrap());
        all.fold(Done::default(), Done::and)
    })
}

/// Returns one order after the other until it is told to stop, and counts them.
fn work(worker: usize, mut client: Client<'_>, token: &str, progress: &Progress) -> Done {
    let mut returns = BTreeMap::new();
    while !progress.stop.load(Ordering::Relaxed) {
        let order = format!("O-{worker}-{}", returns.len());
        let rma = client.return_one(token, &order);
        returns.insert(order, rma);
        progress.returns.fetch_add(1, Ordering::Relaxed);
    }
    let Client { requests, tries, .. } = client;
    Done { returns, requests, repeated: tries - requests }
}

/// Each order and each return is there, every message has arrived once, and in order.
fn judge(stage: &Stage<'_>, running: &Running, done: &Done) {
    for (order, rma) in &done.returns {
        assert_eq!(stage.server.order(&stage.token, order).status, 200, "{order}");
        let shown = stage.show_return(rma);
        assert_eq!(shown["items"][0]["order_identifier"], *order, "{shown}");
        stage.wait_for_label(rma);
    }
    drained(&[stage], running, || ());
    let summary = running.merchant().summary();
    assert_eq!(summary.violation_count, 0, "{:?}", summary.violations);
    // One when it starts, and one when it has a label.
    let told = u64::try_from(2 * done.returns.len()).unwrap();
    let counted = (summary.accepted_ids, summary.accepted_again, summary.bad_signatures);
    assert_eq!(counted, (told, 0, 0), "each arrives once");
}
