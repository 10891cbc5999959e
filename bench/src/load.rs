//! Merchants' systems that publish orders as fast as the server takes them.
//!
//! Each connection sends its next message when the last one was answered. What is answered within the
//! measured time counts; what was under way at its end is still waited for, so that everything
//! sent is also stored.

use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use futures_util::future::try_join_all;
use serde::Serialize;
use serde_json::Value;

use crate::{
    Options,
    http::{Connection, head},
    limit::Until,
    orders::{Draft, Generator, Numbers},
    place::Place,
    process::{memory_mib, processor_seconds},
    report::number,
    server::Server,
};

/// There are at least so many different orders, apart from their numbers.
const DIFFERENT_ORDERS: usize = 4_096;

/// What is sent, and over how many connections.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Shape {
    pub(crate) orders_per_message: usize,
    pub(crate) connections: usize,
}

/// What came of it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Measured {
    #[serde(flatten)]
    pub(crate) shape: Shape,
    pub(crate) orders_per_second: f64,
    pub(crate) messages_per_second: f64,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    pub(crate) max_ms: f64,
    /// What the server's process used for an order, at all its threads together.
    pub(crate) processor_us_per_order: f64,
    pub(crate) memory_before_mib: f64,
    pub(crate) memory_after_mib: f64,
}

/// The time that is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) begin: Instant,
    pub(crate) end: Instant,
}

impl Window {
    /// From the end of the warm-up on.
    pub(crate) fn from_now(options: &Options) -> Self {
        let begin = Instant::now() + Duration::from_secs(options.warm_up_seconds.into());
        Self { begin, end: begin + Duration::from_secs(options.seconds.into()) }
    }

    pub(crate) fn contains(self, moment: Instant) -> bool {
        (self.begin..self.end).contains(&moment)
    }
}

/// A server to put under load.
pub(crate) struct Target<'a> {
    pub(crate) server: &'a Server,
    pub(crate) place: &'a Place,
    pub(crate) token: &'a str,
}

/// Publishes orders, numbered after the `stored` ones that are there, and tells how fast that went.
pub(crate) async fn measure(
    target: &Target<'_>,
    shape: Shape,
    stored: u64,
    options: &Options,
) -> anyhow::Result<Measured> {
    let numbers = Numbers::starting_at(stored);
    let mut generator = Generator::new(options.seed);
    let mut systems = systems(target, shape, &numbers, &mut generator).await?;
    let pid = target.server.pid();
    let (memory_before_mib, used_before_s) = (memory_mib(pid)?, processor_seconds(pid)?);
    let window = Window::from_now(options);
    let running = systems.iter_mut().map(|system| system.publish(Until::EndOf(window)));
    let mut waits: Vec<Duration> = try_join_all(running).await?.into_iter().flatten().collect();
    let (memory_after_mib, used_after_s) = (memory_mib(pid)?, processor_seconds(pid)?);

    let (expected, found) = (numbers.next(), target.place.orders_stored().await?);
    if found != expected {
        bail!("{expected} orders should be stored, but {found} are");
    }
    let sent = usize::try_from(expected - stored)?;
    waits.sort_unstable();
    let messages_per_second = number(waits.len()) / f64::from(options.seconds);
    Ok(Measured {
        shape,
        orders_per_second: messages_per_second * number(shape.orders_per_message),
        messages_per_second,
        p50_ms: milliseconds(&waits, 50)?,
        p99_ms: milliseconds(&waits, 99)?,
        max_ms: milliseconds(&waits, 100)?,
        processor_us_per_order: (used_after_s - used_before_s) * 1e6 / number(sent),
        memory_before_mib,
        memory_after_mib,
    })
}

/// Publishes orders, each of a shopper of its own, until there are `last`; `numbers` tells how many there are.
pub(crate) async fn fill(
    target: &Target<'_>,
    numbers: &Numbers,
    last: u64,
    seed: u64,
) -> anyhow::Result<()> {
    let shape = Shape { orders_per_message: 100, connections: 16 };
    let mut generator = Generator::with_own_shoppers(seed);
    let mut systems = systems(target, shape, numbers, &mut generator).await?;
    let running = systems.iter_mut().map(|system| system.publish(Until::Number(last)));
    try_join_all(running).await?;
    Ok(())
}

/// One for each connection, with its messages ready to be sent.
async fn systems(
    target: &Target<'_>,
    shape: Shape,
    numbers: &Numbers,
    generator: &mut Generator,
) -> anyhow::Result<Vec<System>> {
    let address = &target.server.address;
    let more = format!("authorization: Bearer {}\r\napi-version: 3\r\n", target.token);
    let head = |length| head(address, "/returns_portal_orders", &more, length);
    let Shape { orders_per_message, connections } = shape;
    let messages = DIFFERENT_ORDERS.div_ceil(orders_per_message * connections);
    let mut systems = Vec::with_capacity(connections);
    for _ in 0..connections {
        let request = |_| generator.request(orders_per_message, head);
        systems.push(System {
            messages: (0..messages).map(request).collect(),
            connection: Connection::open(address).await?,
            numbers: numbers.clone(),
        });
    }
    Ok(systems)
}

struct System {
    messages: Vec<Draft>,
    connection: Connection,
    numbers: Numbers,
}

impl System {
    /// How long each message of the measured time took.
    async fn publish(&mut self, until: Until) -> anyhow::Result<Vec<Duration>> {
        let mut waits = Vec::new();
        let mut looked_at = false;
        loop {
            for message in &mut self.messages {
                let sent = Instant::now();
                let enough = match until {
                    Until::EndOf(window) => sent >= window.end,
                    Until::Number(last) => self.numbers.next() >= last,
                };
                if enough {
                    return Ok(waits);
                }
                message.number(self.numbers.take(message.orders()));
                let answer = self.connection.exchange(message.bytes()).await?;
                let answered = Instant::now();
                if let Until::EndOf(window) = until
                    && window.contains(answered)
                {
                    waits.push(answered - sent);
                }
                if !looked_at {
                    check(answer.body, message.orders())?;
                    looked_at = true;
                }
            }
        }
    }
}

/// Every order must be new, and none give rise to a warning: warnings cost time.
fn check(answer: &[u8], orders: usize) -> anyhow::Result<()> {
    let answer: Value = serde_json::from_slice(answer)?;
    let results = answer.get("orders").and_then(Value::as_array).context("no results")?;
    let is_new = |order: &Value| order.get("result").is_some_and(|result| result == "created");
    let silent = answer.get("warnings").and_then(Value::as_array).is_some_and(Vec::is_empty);
    if results.len() != orders || !results.iter().all(is_new) || !silent {
        bail!("not as it should be: {answer}");
    }
    Ok(())
}

/// The wait that `percent` of the sorted `waits` do not exceed.
pub(crate) fn milliseconds(waits: &[Duration], percent: usize) -> anyhow::Result<f64> {
    let place = (waits.len() * percent).div_ceil(100).saturating_sub(1);
    let wait = waits.get(place).context("nothing was answered in the measured time")?;
    Ok(wait.as_secs_f64() * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_one_of_the_waits() {
        let waits: Vec<_> = (1..=200).map(Duration::from_millis).collect();
        let at = |percent| milliseconds(&waits, percent).unwrap();
        let words = [50, 99, 100].map(|percent| format!("{:.0}", at(percent)));
        assert_eq!(words, ["100", "198", "200"]);
        assert!(milliseconds(&[], 50).is_err());
    }
}
