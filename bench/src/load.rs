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
    orders::drafts::Numbers,
    orders::{Generator, Requests},
    process::{MachineTime, memory_mib, processor_seconds},
    report::number,
    server::Server,
    storage::Storage,
    window::{Until, Window},
};

/// At least this many orders differ in more than their numbers.
const DIFFERENT_ORDERS: usize = 4_096;
/// One message in so many is followed by an update of its orders, each with a refund.
pub(crate) const UPDATED_ONE_IN: usize = 10;

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
    /// Processor time of the whole machine per order: with the database and this load.
    pub(crate) machine_us_per_order: f64,
    pub(crate) memory_before_mib: f64,
    pub(crate) memory_after_mib: f64,
}

/// The server under load.
pub(crate) struct Target<'a> {
    pub(crate) server: &'a Server,
    pub(crate) storage: &'a Storage,
    /// A token of each merchant, all of the same length. Each message is of the next merchant.
    pub(crate) tokens: &'a [String],
}

/// Publishes orders, numbered after the `stored` ones, and updates of them. Measures the rate.
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
    let machine = MachineTime::start()?;
    let window = Window::from_now(options);
    let running = systems.iter_mut().map(|system| system.publish(Until::EndOf(window)));
    let mut waits: Vec<Duration> = try_join_all(running).await?.into_iter().flatten().collect();
    let (memory_after_mib, used_after_s) = (memory_mib(pid)?, processor_seconds(pid)?);
    let sent: usize = systems.iter().map(|system| system.sent).sum();
    let machine_us_per_order = machine.us_per(sent)?;

    let (expected, actual) = (numbers.next(), target.storage.orders_stored().await?);
    if actual != expected {
        bail!("{expected} orders should be stored, but {actual} are");
    }
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
        machine_us_per_order,
        memory_before_mib,
        memory_after_mib,
    })
}

/// Publishes orders until there are `last`. `numbers` counts them.
pub(crate) async fn fill(
    target: &Target<'_>,
    numbers: &Numbers,
    last: u64,
    seed: u64,
) -> anyhow::Result<()> {
    let shape = Shape { orders_per_message: 100, connections: 16 };
    let mut generator = Generator::new(seed);
    let mut systems = open_systems(target, shape, numbers, &mut generator).await?;
    let running = systems.iter_mut().map(|system| system.publish(Until::Number(last)));
    try_join_all(running).await?;
    Ok(())
}

/// Opens the connections and creates the messages of each.
async fn open_systems<'a>(
    target: &Target<'a>,
    shape: Shape,
    numbers: &Numbers,
    generator: &mut Generator,
) -> anyhow::Result<Vec<System<'a>>> {
    let address = &target.server.address;
    let token = target.tokens.first().context("there is no token")?;
    let more = format!("api-version: 3\r\nauthorization: Bearer {token}\r\n");
    let head = |length| post_head(address, "/returns_portal_orders", &more, length);
    let token_position = head(1_000).find(token.as_str()).context("no token in the head")?;
    let Shape { orders_per_message, connections } = shape;
    let messages = DIFFERENT_ORDERS.div_ceil(orders_per_message * connections);
    let mut systems = Vec::with_capacity(connections);
    for position in 0..connections {
        let requests = |_| generator.requests(orders_per_message, head);
        systems.push(System {
            messages: (0..messages).map(requests).collect(),
            connection: Connection::open(address).await?,
            numbers: numbers.clone(),
            tokens: target.tokens,
            next_token: position,
            token_position,
            sent: 0,
        });
    }
    Ok(systems)
}

struct System<'a> {
    messages: Vec<Requests>,
    connection: Connection,
    numbers: Numbers,
    tokens: &'a [String],
    next_token: usize,
    token_position: usize,
    /// How many orders were sent, updates included.
    sent: usize,
}

impl System<'_> {
    /// Publishes orders. Returns the latency of each message in the measured time.
    async fn publish(&mut self, until: Until) -> anyhow::Result<Vec<Duration>> {
        let mut waits = Vec::new();
        let mut checked = [false, false];
        for number in 0.. {
            let position = number % self.messages.len();
            let Some(message) = self.messages.get_mut(position) else { break };
            let is_done = match until {
                Until::EndOf(window) => Instant::now() >= window.end,
                Until::Number(last) => self.numbers.next() >= last,
            };
            if is_done {
                break;
            }
            let token = self.tokens.get(self.next_token % self.tokens.len());
            let token = token.context("there is no token")?;
            self.next_token += 1;
            let first = self.numbers.take(message.first.orders());
            let is_updated =
                matches!(until, Until::EndOf(_)) && number % UPDATED_ONE_IN == UPDATED_ONE_IN - 1;
            let drafts = [Some(&mut message.first), is_updated.then_some(&mut message.update)];
            let expected = ["created", "updated"].into_iter().zip(&mut checked);
            for (draft, (result, is_checked)) in drafts.into_iter().flatten().zip(expected) {
                draft.replace(self.token_position, token);
                draft.set_numbers(first);
                let sent = Instant::now();
                let response = self.connection.exchange(draft.bytes()).await?;
                let received = Instant::now();
                self.sent += draft.orders();
                if let Until::EndOf(window) = until
                    && window.contains(received)
                {
                    waits.push(received - sent);
                }
                if !*is_checked {
                    check(response.body, draft.orders(), result)?;
                    *is_checked = true;
                }
            }
        }
        Ok(waits)
    }
}

/// Every order must have this result, without warnings, which cost time.
fn check(response: &[u8], orders: usize, expected: &str) -> anyhow::Result<()> {
    let response: Value = serde_json::from_slice(response)?;
    let results = response.get("orders").and_then(Value::as_array).context("no results")?;
    let is_expected = |order: &Value| order.get("result").is_some_and(|result| result == expected);
    let has_no_warnings =
        response.get("warnings").and_then(Value::as_array).is_some_and(Vec::is_empty);
    if results.len() != orders || !results.iter().all(is_expected) || !has_no_warnings {
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
