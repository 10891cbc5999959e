//! Nodes share the counts of the rate limit, so that it holds for all of them together.
//!
//! Four times a second a node sends what it has counted to all others, through the database's
//! notifications: nothing is stored. A node without others sends nothing.

use std::{net::IpAddr, time::Duration};

use boxed::boxed;
use store::{LastingFailure, Store, StoreError};
use tokio_util::sync::CancellationToken;

use crate::Web;

const EVERY: Duration = Duration::from_millis(250);
/// How often the nodes are counted, in rounds of sharing.
const COUNT_NODES_EVERY: u32 = 20;
/// As many counts as surely fit into one notification.
const SENT_AT_ONCE: usize = 120;
/// The first word of a notification.
const MARK: &str = "counts:";

/// Shares counts until `stop`. Does nothing when no other node can use the store.
#[boxed]
pub async fn run(web: Web, stop: CancellationToken) {
    // A store that fails now is shared: one of its own has no clock to ask.
    if matches!(web.app.store.shared_clock_us().await, Ok(None)) {
        return;
    }
    let sender = web.app.world.readable::<12>();
    tokio::join!(send(&web, &sender, &stop), receive(&web, &sender, &stop));
}

async fn send(web: &Web, sender: &str, stop: &CancellationToken) {
    let failures = LastingFailure::new("sharing the counts of the rate limit", "will retry");
    let mut round: u32 = 0;
    while stop.run_until_cancelled(tokio::time::sleep(EVERY)).await.is_some() {
        match send_once(web, sender, round).await {
            // Its success says nothing about the database.
            Ok(Round::Idle) => (),
            sent => failures.note(&sent),
        }
        round = round.wrapping_add(1);
    }
}

/// Whether a round of sharing used the database.
enum Round {
    Idle,
    Sent,
}

async fn send_once(web: &Web, sender: &str, round: u32) -> Result<Round, StoreError> {
    let store: &Store = &web.app.store;
    let mut done = Round::Idle;
    if round.is_multiple_of(COUNT_NODES_EVERY) {
        web.rate_limit.set_nodes(u32::try_from(store.count_nodes().await?).unwrap_or(1));
        done = Round::Sent;
    }
    for some in web.rate_limit.take_news().chunks(SENT_AT_ONCE) {
        let counts: Vec<String> =
            some.iter().map(|(address, count)| format!(" {address}={count}")).collect();
        let text = format!("{MARK}{sender}{}", counts.concat());
        store.notify(&text).await?;
        done = Round::Sent;
    }
    Ok(done)
}

/// Receives what other nodes have counted; listens again when the connection is lost.
async fn receive(web: &Web, sender: &str, stop: &CancellationToken) {
    let failures = LastingFailure::new("listening to the counts of other nodes", "retrying in 1 s");
    while !stop.is_cancelled() {
        let listening = web.app.store.listen().await;
        failures.note(&listening);
        if let Ok(mut texts) = listening {
            while let Some(Some(text)) = stop.run_until_cancelled(texts.recv()).await {
                add_counts(web, sender, &text);
            }
        }
        stop.run_until_cancelled(tokio::time::sleep(Duration::from_secs(1))).await;
    }
}

fn add_counts(web: &Web, sender: &str, text: &str) {
    let mut words = text.split(' ');
    let from = words.next().and_then(|word| word.strip_prefix(MARK));
    if from.is_none_or(|from| from == sender) {
        return;
    }
    for word in words {
        let count = word.split_once('=').and_then(|(address, count)| {
            Some((address.parse::<IpAddr>().ok()?, count.parse::<u32>().ok()?))
        });
        if let Some((address, count)) = count {
            web.rate_limit.add(address, count, web.started.elapsed());
        }
    }
}
