//! Merchants' systems that publish orders as fast as the server accepts them.
//!
//! Each connection sends its next message after the response to the last one. Responses within the
//! measured time count. Requests under way at its end are awaited too, so that everything sent is
//! also stored.

use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use futures_util::future::try_join_all;
use serde::Serialize;
use serde_json::Value;

use crate::{
    http::{Connection, post_head},
    options::Options,
    orders::{Draft, Generator, Numbers},
    process::{memory_mib, processor_seconds},
    report::number,
    server::Server,
    storage::Storage,
    window::{Until, Window},
};

/// At least this many orders differ in more than their numbers.
const DIFFERENT_ORDERS: usize = 4_096;

/// The size of messages and the number of connections.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Shape {
    pub(crate) orders_per_message: usize,
    pub(crate) connections: usize,
}

/// The results of a load.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct IntakeRate {
    #[serde(flatten)]
    pub(crate) shape: Shape,
    pub(crate) orders_per_second: f64,
    pub(crate) messages_per_second: f64,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    pub(crate) max_ms: f64,
    /// Processor time of the server's process per order, of all threads together.
    pub(crate) processor_us_per_order: f64,
    pub(crate) memory_before_mib: f64,
    pub(crate) memory_after_mib: f64,
}

/// The server under load.
pub(crate) struct Target<'a> {
    pub(crate) server: &'a Server,
    pub(crate) storage: &'a Storage,
    pub(crate) token: &'a str,
}

/// Publishes orders, numbered after the `stored` ones, and measures the rate.
pub(crate) async fn measure(
    target: &Target<'_>,
    shape: Shape,
    stored: u64,
    options: &Options,
) -> anyhow::Result<IntakeRate> {
    let numbers = Numbers::starting_at(stored);
    let mut generator = Generator::new(options.seed);
    let mut systems = open_systems(target, shape, &numbers, &mut generator).await?;
    let pid = target.server.pid();
    let (memory_before_mib, used_before_s) = (memory_mib(pid)?, processor_seconds(pid)?);
    let window = Window::from_now(options);
    let running = systems.iter_mut().map(|system| system.publish(Until::EndOf(window)));
    let mut waits: Vec<Duration> = try_join_all(running).await?.into_iter().flatten().collect();
    let (memory_after_mib, used_after_s) = (memory_mib(pid)?, processor_seconds(pid)?);

    let (expected, actual) = (numbers.next(), target.storage.orders_stored().await?);
    if actual != expected {
        bail!("{expected} orders should be stored, but {actual} are");
    }
    let sent = usize::try_from(expected - stored)?;
    waits.sort_unstable();
    let messages_per_second = number(waits.len()) / f64::from(options.seconds);
    Ok(IntakeRate {
        shape,
        orders_per_second: messages_per_second * number(shape.orders_per_message),
        messages_per_second,
        p50_ms: percentile_ms(&waits, 50)?,
        p99_ms: percentile_ms(&waits, 99)?,
        max_ms: percentile_ms(&waits, 100)?,
        processor_us_per_order: (used_after_s - used_before_s) * 1e6 / number(sent),
        memory_before_mib,
        memory_after_mib,
    })
}

/// Publishes orders, each with its own shopper, until there are `last`. `numbers` counts them.
pub(crate) async fn fill(
    target: &Target<'_>,
    numbers: &Numbers,
    last: u64,
    seed: u64,
) -> anyhow::Result<()> {
    let shape = Shape { orders_per_message: 100, connections: 16 };
    let mut generator = Generator::with_own_shoppers(seed);
    let mut systems = open_systems(target, shape, numbers, &mut generator).await?;
    let running = systems.iter_mut().map(|system| system.publish(Until::Number(last)));
    try_join_all(running).await?;
    Ok(())
}

/// Opens the connections and creates the messages of each.
async fn open_systems(
    target: &Target<'_>,
    shape: Shape,
    numbers: &Numbers,
    generator: &mut Generator,
) -> anyhow::Result<Vec<System>> {
    let address = &target.server.address;
    let more = format!("authorization: Bearer {}\r\napi-version: 3\r\n", target.token);
    let head = |length| post_head(address, "/returns_portal_orders", &more, length);
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
    /// Publishes orders. Returns the latency of each message in the measured time.
    async fn publish(&mut self, until: Until) -> anyhow::Result<Vec<Duration>> {
        let mut waits = Vec::new();
        let mut is_checked = false;
        loop {
            for message in &mut self.messages {
                let sent = Instant::now();
                let is_done = match until {
                    Until::EndOf(window) => sent >= window.end,
                    Until::Number(last) => self.numbers.next() >= last,
                };
                if is_done {
                    return Ok(waits);
                }
                message.set_numbers(self.numbers.take(message.orders()));
                let response = self.connection.exchange(message.bytes()).await?;
                let received = Instant::now();
                if let Until::EndOf(window) = until
                    && window.contains(received)
                {
                    waits.push(received - sent);
                }
                if !is_checked {
                    check(response.body, message.orders())?;
                    is_checked = true;
                }
            }
        }
    }
}

/// Every order must be new and without warnings, which cost time.
fn check(response: &[u8], orders: usize) -> anyhow::Result<()> {
    let response: Value = serde_json::from_slice(response)?;
    let results = response.get("orders").and_then(Value::as_array).context("no results")?;
    let is_new = |order: &Value| order.get("result").is_some_and(|result| result == "created");
    let has_no_warnings =
        response.get("warnings").and_then(Value::as_array).is_some_and(Vec::is_empty);
    if results.len() != orders || !results.iter().all(is_new) || !has_no_warnings {
        bail!("the response is not as expected: {response}");
    }
    Ok(())
}

/// The percentile of the sorted `waits`, in milliseconds.
pub(crate) fn percentile_ms(waits: &[Duration], percent: usize) -> anyhow::Result<f64> {
    let position = (waits.len() * percent).div_ceil(100).saturating_sub(1);
    let wait = waits.get(position).context("there was no response in the measured time")?;
    Ok(wait.as_secs_f64() * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_one_of_the_waits() {
        let waits: Vec<_> = (1..=200).map(Duration::from_millis).collect();
        let at = |percent| percentile_ms(&waits, percent).unwrap();
        let text = [50, 99, 100].map(|percent| format!("{:.0}", at(percent)));
        assert_eq!(text, ["100", "198", "200"]);
        assert!(percentile_ms(&[], 50).is_err());
    }
}
