//! The server is killed without warning, again and again on the same data, while messages come in.
//!
//! The verifier knows only what a client knows: what was answered. Every order answered with 200
//! must be there, whole and equal; the orders of one message are all there or none; nothing of
//! a message answered with 422 is there. A message that got no answer may have been stored or
//! not, and sending it again with its `Idempotency-Key` gives the answer it would have had.
//!
//! `HOMEWARD_CRASH_ROUNDS` says how often (5 when absent). The long run is
//! `HOMEWARD_CRASH_ROUNDS=100 cargo test -p tests crash -- --nocapture`.

mod messages;

use std::{
    hash::{BuildHasher, RandomState},
    thread,
    time::{Duration, Instant},
};

use messages::{Fate, Sent};

use crate::harness::{
    home::Home,
    http::{Connection, Reply, Request},
    postgres::{CITUS, POSTGRES},
    server::Server,
};

const WORKERS: usize = 4;
const KILL_AFTER_MAX_MS: u64 = 200;
/// How many messages of earlier rounds are looked at again in each round.
const LOOK_BACK: usize = 40;

fn rounds() -> usize {
    let rounds = std::env::var("HOMEWARD_CRASH_ROUNDS");
    rounds.map_or(5, |rounds| rounds.parse().expect("HOMEWARD_CRASH_ROUNDS must be a number"))
}

/// A number below `limit` that nobody chose.
fn dice(limit: u64) -> u64 {
    RandomState::new().hash_one(limit) % limit
}

#[test]
fn on_sqlite_every_acknowledged_order_survives() {
    survive(&Home::sqlite());
}

#[test]
fn on_postgres_every_acknowledged_order_survives() {
    Home::test_on(&POSTGRES, "crash", survive);
}

#[test]
fn on_citus_every_acknowledged_order_survives() {
    Home::test_on(&CITUS, "crash", survive);
}

fn survive(home: &Home) {
    let begun = Instant::now();
    let mut server = home.serve(&[]);
    let token = server.token(&server.merchant("crash"));
    let mut history: Vec<Sent> = Vec::new();
    let (mut unanswered, mut stored_unanswered) = (0, 0);
    for round in 0..rounds() {
        let mut sent = storm(&mut server, &token, round, &mut history);
        server.restart();
        let mut client = Client::of(&server, &token);
        for message in &mut sent {
            let open = message.may_be.is_some();
            let stored = client.verify(message);
            unanswered += usize::from(open);
            stored_unanswered += usize::from(open && stored);
        }
        for _ in 0..LOOK_BACK.min(history.len()) {
            let place = usize::try_from(dice(u64::try_from(history.len()).unwrap())).unwrap();
            client.verify(&mut history[place]);
        }
        history.append(&mut sent);
    }
    let mut client = Client::of(&server, &token);
    let orders =
        history.iter_mut().map(|message| if client.verify(message) { message.orders } else { 0 });
    let orders: usize = orders.sum();
    eprintln!(
        "{} rounds in {:.1} s: {} messages, {orders} orders held, {unanswered} messages \
         unanswered of which {stored_unanswered} were stored",
        rounds(),
        begun.elapsed().as_secs_f64(),
        history.len(),
    );
    server.stop();
}

/// Sends messages from several workers until the server is dead. Each worker may also send newer
/// snapshots of the messages of earlier rounds that it is handed.
fn storm(server: &mut Server, token: &str, round: usize, history: &mut Vec<Sent>) -> Vec<Sent> {
    let known = history.split_off(history.len().saturating_sub(WORKERS * 10));
    let mut shares: Vec<Vec<Sent>> = (0..WORKERS).map(|_| Vec::new()).collect();
    for (place, message) in known.into_iter().enumerate() {
        shares[place % WORKERS].push(message);
    }
    let address = server.address.clone();
    thread::scope(|scope| {
        let working: Vec<_> = shares
            .into_iter()
            .enumerate()
            .map(|(worker, share)| {
                let address = &address;
                scope.spawn(move || work(address, token, &format!("r{round}w{worker}"), share))
            })
            .collect();
        thread::sleep(Duration::from_millis(1 + dice(KILL_AFTER_MAX_MS)));
        server.kill9();
        working.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    })
}

/// Sends one message after the other until there is no answer.
fn work(address: &str, token: &str, name: &str, mut messages: Vec<Sent>) -> Vec<Sent> {
    let Ok(mut connection) = Connection::open(address) else { return messages };
    for number in 0.. {
        let again = !messages.is_empty() && dice(4) == 0;
        let place = if again {
            usize::try_from(dice(u64::try_from(messages.len()).unwrap())).unwrap()
        } else {
            let orders = usize::try_from(1 + dice(20)).unwrap();
            messages.push(Sent::new(format!("{name}m{number}"), orders, dice(6) == 0));
            messages.len() - 1
        };
        let message = &mut messages[place];
        let (request, version) = message.next(token);
        let Ok(reply) = connection.send(&request) else {
            message.may_be = Some(version);
            break;
        };
        message.answered(&reply, version);
    }
    messages
}

/// Reads back what the server holds.
struct Client<'a> {
    connection: Connection<std::net::TcpStream>,
    token: &'a str,
}

impl<'a> Client<'a> {
    fn of(server: &Server, token: &'a str) -> Self {
        Self { connection: server.connect(), token }
    }

    fn send(&mut self, request: &Request) -> Reply {
        self.connection.send(request).unwrap()
    }

    /// Whether the message is stored, after holding it against what was answered.
    fn verify(&mut self, message: &mut Sent) -> bool {
        let fates: Vec<Fate> = (0..message.orders)
            .map(|place| {
                let target = format!("/orders/{}", message.identifier(place));
                let reply = self.send(&Request::get(&target).bearer(self.token));
                message.fate(place, &reply)
            })
            .collect();
        let first = fates[0];
        assert!(fates.iter().all(|fate| *fate == first), "{message:?} is torn: {fates:?}");
        assert!(message.allows(first), "{message:?} is {first:?}");
        if let Some(version) = message.may_be.take() {
            let reply = self.send(&message.request(self.token, version));
            message.answered(&reply, version);
        }
        first != Fate::Absent
    }
}
