//! A receiver accepts every message and loses some of them: reconciliation finds exactly what is
//! lost, and a replay brings it back.
//!
//! `MESSAGES` says how many messages there are (1,000). The long run is
//! `MESSAGES=20000 cargo test -p tests forgetful_receiver -- --nocapture`.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use domain::random::SeededRandom;
use serde_json::{Value, json};

use super::reconciliation::{as_lines, reconcile, sha256};
use crate::{
    harness::{
        home::text,
        http::Request,
        read_number,
        received::ReceivedRequest,
        server::Server,
        stage::{Stage, servers},
        within,
    },
    returns::scene::{request, sample_order},
};

const MESSAGES: usize = 1_000;
const LOST_PERCENT: u64 = 5;
const SEED: u64 = 21;
/// What one request may contain: orders, and events of carriers.
const AT_ONCE: usize = 500;
const ENDS_WITHIN: Duration = Duration::from_secs(300);
/// What a carrier reports about a parcel, in order. Each is a message about its return.
const STEPS: [&str; 4] = ["label_created", "accepted", "in_transit", "delivered"];

/// Kind and reference.
type Thing = (String, String);

/// What a receiver knows of a thing: the sequence of its newest message, and the hash of its body.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    sequence: u64,
    hash: String,
}

/// A merchant's server that responds with 200 to everything.
struct Receiver {
    url: String,
    memory: Arc<Mutex<Memory>>,
}

struct Memory {
    random: SeededRandom,
    /// What arrived, whether or not it was lost later.
    arrived: BTreeMap<Thing, State>,
    held: BTreeMap<Thing, State>,
    ids: BTreeSet<String>,
    lost: usize,
    /// The messages that came again as replays.
    replayed: BTreeSet<String>,
}

impl Receiver {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let memory = Arc::new(Mutex::new(Memory {
            random: SeededRandom::new(SEED),
            arrived: BTreeMap::new(),
            held: BTreeMap::new(),
            ids: BTreeSet::new(),
            lost: 0,
            replayed: BTreeSet::new(),
        }));
        let shared = Arc::clone(&memory);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let memory = Arc::clone(&shared);
                thread::spawn(move || serve(&stream, &memory));
            }
        });
        Self { url, memory }
    }

    fn look<T>(&self, look: impl FnOnce(&Memory) -> T) -> T {
        look(&self.memory.lock().unwrap())
    }

    /// The things whose newest message is lost, and whether they are not held at all.
    fn list_lost(&self) -> BTreeMap<Thing, &'static str> {
        self.look(|memory| {
            let lost =
                memory.arrived.iter().filter_map(|(thing, newest)| match memory.held.get(thing) {
                    None => Some((thing.clone(), "missing")),
                    Some(held) if held != newest => Some((thing.clone(), "older")),
                    Some(_) => None,
                });
            lost.collect()
        })
    }

    /// What is held, by turns with the sequence and with the hash.
    fn list_held(&self) -> String {
        let entry = |(position, ((kind, reference), state)): (usize, (&Thing, &State))| {
            let mut entry = json!({ "kind": kind, "reference": reference });
            if position % 2 == 0 {
                entry["sequence"] = json!(state.sequence);
            } else {
                entry["hash"] = json!(state.hash);
            }
            entry
        };
        let held = self.look(|it| it.held.iter().enumerate().map(entry).collect::<Vec<_>>());
        as_lines(&held)
    }
}

fn serve(stream: &TcpStream, memory: &Mutex<Memory>) {
    let mut reader = BufReader::new(stream);
    let mut writer = stream;
    while let Some(call) = ReceivedRequest::read(&mut reader) {
        memory.lock().unwrap().receive(&call);
        if writer.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").is_err() {
            return;
        }
    }
}

impl Memory {
    fn receive(&mut self, call: &ReceivedRequest) {
        let body: Value = serde_json::from_slice(&call.body).unwrap();
        let reference = body.get("rma_identifier").unwrap_or(&body["identifier"]);
        let thing = (call.headers["x-service-event"].clone(), text(reference));
        let sequence = call.headers["x-service-sequence"].parse().unwrap();
        let state = State { sequence, hash: sha256(str::from_utf8(&call.body).unwrap()) };
        let id = &call.headers["webhook-id"];
        let is_new = self.ids.insert(id.clone());
        if call.headers.contains_key("x-service-replay") {
            self.replayed.insert(id.clone());
            return keep_newer(&mut self.held, &thing, &state);
        }
        keep_newer(&mut self.arrived, &thing, &state);
        if is_new && self.random.percent(LOST_PERCENT) {
            self.lost += 1;
        } else if is_new {
            keep_newer(&mut self.held, &thing, &state);
        }
    }
}

fn keep_newer(known: &mut BTreeMap<Thing, State>, thing: &Thing, state: &State) {
    if known.get(thing).is_none_or(|it| it.sequence <= state.sequence) {
        known.insert(thing.clone(), state.clone());
    }
}

/// Starts a return of each of so many orders, and returns their identifiers.
fn start_returns(stage: &Stage<'_>, count: usize) -> Vec<String> {
    let orders: Vec<Value> = (0..count).map(|it| sample_order(&format!("O-{it}"))).collect();
    for orders in orders.chunks(AT_ONCE) {
        stage.publish(orders);
    }
    let mut connection = stage.server.connect();
    let start = |number: usize| {
        let body = request("mail-back", &[(&format!("O-{number}"), "mug", 1)]).to_string();
        let reply = connection.send(&Request::post("/returns").bearer(&stage.token).json(body));
        let reply = reply.unwrap();
        assert_eq!(reply.status, 201, "{}", reply.said());
        text(&reply.json()["rma_identifier"])
    };
    (0..count).map(start).collect()
}

/// Moves each return on by some of the steps. Returns how many steps were made.
fn move_on(stage: &Stage<'_>, returns: &[String]) -> usize {
    let mut random = SeededRandom::new(SEED + 1);
    let ends: Vec<usize> = returns.iter().map(|_| random.index(STEPS.len() + 1)).collect();
    for (position, step) in STEPS.into_iter().enumerate() {
        let moving = returns.iter().zip(&ends).filter(|(_, end)| **end > position);
        let events = moving.map(|(rma, _)| {
            let mut event = json!({ "type": step, "rma_identifier": rma });
            if step == "label_created" {
                event["tracking_number"] = json!(format!("{rma}-1"));
            }
            event
        });
        for events in events.collect::<Vec<_>>().chunks(AT_ONCE) {
            let body = json!({ "events": events }).to_string();
            let request = Request::post("/carrier_events").bearer(&stage.admin).json(body);
            let reply = stage.server.send(&request);
            assert_eq!(reply.status, 200, "{}", reply.said());
            for result in reply.json()["results"].as_array().unwrap() {
                assert_eq!(result["result"], "applied", "{step}: {result}");
            }
        }
    }
    ends.iter().sum()
}

/// Waits until a job is done, and returns it.
fn wait_for_replay(stage: &Stage<'_>, job: &Value) -> Value {
    let target = format!("/replays/{}", text(&job["id"]));
    within(ENDS_WITHIN, "the replay is done", || {
        let job = stage.call("GET", &target, &json!({})).json();
        (job["state"] == "done").then_some(job)
    })
}

#[test]
fn what_a_receiver_forgets_is_reported_exactly_and_a_replay_brings_it_back() {
    for server in servers() {
        recover(server, read_number("MESSAGES", MESSAGES));
    }
}

fn recover(server: &Server, messages: usize) {
    let begun = Instant::now();
    let stage = Stage::with(server, "forgetful", &json!({ "carrier": "external" }));
    let receiver = Receiver::start();
    stage.point_to(&receiver.url, &json!({ "type": "none" }));
    // A return has three messages on average. One message in ten is of another kind.
    let returns = start_returns(&stage, messages * 3 / 10);
    let mut sent = returns.len() + move_on(&stage, &returns);
    for unit in 0..messages / 10 {
        stage.test_of("inventory_receipt", &format!("LP-{unit}"), 1);
        sent += 1;
    }
    within(ENDS_WITHIN, "every message arrives", || {
        (receiver.look(|it| it.ids.len()) == sent).then_some(())
    });
    let lost = receiver.list_lost();
    let things = receiver.look(|it| it.arrived.len());
    assert!(lost.values().any(|it| *it == "missing") && lost.values().any(|it| *it == "older"));

    // What was just delivered is still waiting until its outcome is stored.
    let (reported, summary) = within(ENDS_WITHIN, "every outcome is stored", || {
        let (reported, summary) = reconcile(&stage, "", &receiver.list_held());
        reported.iter().all(|it| it["state"] == "finished").then_some((reported, summary))
    });

    check_report(&receiver, &lost, &reported);
    assert_eq!(summary["equal"], things - lost.len());
    let begun_replay = Instant::now();
    let references: Vec<&Value> = reported.iter().map(|it| &it["reference"]).collect();
    let job = stage.call("POST", "/messages/replay", &json!({ "references": references })).json();
    let done = wait_for_replay(&stage, &job);

    assert_eq!((&done["examined"], &done["skipped"]), (&json!(lost.len()), &json!(0)), "{done}");
    assert_eq!(done["replayed"], receiver.look(|it| it.replayed.len()), "{done}");
    receiver.look(|it| assert_eq!(it.held, it.arrived));
    let (reported, summary) = reconcile(&stage, "", &receiver.list_held());
    assert_eq!((reported, &summary["equal"]), (Vec::new(), &json!(things)));
    eprintln!(
        "{sent} messages about {things} things, {} of them lost: {} things differed, {} messages \
         sent again in {:.1} s; {:.1} s in all",
        receiver.look(|it| it.lost),
        lost.len(),
        done["replayed"],
        begun_replay.elapsed().as_secs_f64(),
        begun.elapsed().as_secs_f64(),
    );
}

/// Exactly the lost things are reported, with what is lost of them.
fn check_report(receiver: &Receiver, lost: &BTreeMap<Thing, &str>, reported: &[Value]) {
    let thing = |it: &Value| (text(&it["kind"]), text(&it["reference"]));
    let found: BTreeMap<Thing, String> =
        reported.iter().map(|it| (thing(it), text(&it["result"]))).collect();
    let expected = lost.iter().map(|(thing, result)| (thing.clone(), (*result).to_owned()));
    assert_eq!(found, expected.collect());
    assert_eq!(reported.len(), lost.len());
    for it in reported {
        let newest = receiver.look(|memory| memory.arrived[&thing(it)].clone());
        assert_eq!((&it["sequence"], text(&it["hash"])), (&json!(newest.sequence), newest.hash));
    }
}
