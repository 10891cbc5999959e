//! The bare limit of returns: the rows of a return, written by a loop without the product.
//!
//! The bodies are the product's own, created beforehand from orders of the benchmark. Only the keys
//! are new for each return. Each return has its own transaction, or several share one.

use std::{collections::BTreeMap, path::Path, time::Instant};

use anyhow::Context;
use domain::{
    json,
    merchants::merchant::MerchantSettings,
    orders::order_message::{OrderReadContext as Reading, read_order},
    returns::{
        Resolution, ReturnMethod,
        identifier::RmaId,
        message::RmaMessage,
        policy::Policy,
        request::{ReturnItem, ReturnRequest},
        start::{OrderContext, StartContext, start},
    },
    time::from_micros,
};
use futures_util::future::{join_all, try_join_all};
use rusqlite::params;
use tokio_postgres::types::ToSql;

use crate::{
    benchmark::Run,
    limit::sqlite,
    orders::{Generator, Numbers},
    report::{number, start_step, thousands},
    server::{self, MERCHANT},
    storage::{Engine, Storage, connect},
    window::Window,
};

/// After this number the bodies repeat.
const DIFFERENT_RETURNS: usize = 256;
/// The numbers of connections to measure on PostgreSQL.
const CONNECTIONS: [usize; 3] = [1, 4, 8];

const LEDGER: &str =
    "INSERT INTO ledgers (merchant_id, order_id, version, body) VALUES ($1, $2, 1, $3)";
const RETURN: &str = "INSERT INTO returns (merchant_id, rma_id, version, created_us, status, body)
     VALUES ($1, $2, 1, 1, 'CREATED', $3)";
const LABEL: &str = "INSERT INTO label_requests (merchant_id, rma_id, requested_us, carrier)
     VALUES ($1, $2, 1, 'external')";
const COUNTER: &str = "INSERT INTO message_counters (merchant_id, last) VALUES ($1, 1)
     ON CONFLICT (merchant_id) DO UPDATE SET last = message_counters.last + 1";
const MESSAGE: &str = "INSERT INTO messages
         (merchant_id, message_id, kind, reference, sequence, created_us, body)
     SELECT $1, last, 'rma', $2, 1, 1, $3 FROM message_counters WHERE merchant_id = $1";
const DELIVERY: &str = "INSERT INTO deliveries
         (merchant_id, kind, message_id, lane, cycle, attempt, due_us)
     SELECT $1, 'rma', last, 1, 1, 1, 1 FROM message_counters WHERE merchant_id = $1";

/// The bodies that the product stores for a return.
#[derive(Clone)]
struct Bodies {
    ledger: String,
    rma: String,
    message: Vec<u8>,
}

/// Measures how many returns per second a bare loop starts, with `group` in each transaction.
pub(super) async fn measure_best(run: Run<'_>, group: usize) -> anyhow::Result<f64> {
    let Run { engine, options, .. } = run;
    let text = format!("{}: bare loop, {group} return(s) per transaction", engine.name());
    let progress = start_step(&text);
    let bodies = create_bodies(options.seed)?;
    let connection_counts: &[usize] = match engine {
        Engine::Sqlite => &[1],
        Engine::Postgres(_) => &CONNECTIONS,
    };
    let mut best: f64 = 0.0;
    for &connections in connection_counts {
        let storage = Storage::new(engine, options.keep).await?;
        server::migrate(run.binary()?, &storage)?;
        let window = Window::from_now(options);
        let numbers = Numbers::default();
        let loops = (0..connections).map(|_| Loop {
            bodies: bodies.clone(),
            numbers: numbers.clone(),
            group,
            window,
        });
        let counted = match engine {
            Engine::Sqlite => {
                let (path, mut loops) = (storage.sqlite_file(), loops.collect::<Vec<_>>());
                let only = loops.pop().context("no loop")?;
                tokio::task::spawn_blocking(move || only.on_sqlite(&path)).await??
            }
            Engine::Postgres(_) => {
                let counted = try_join_all(loops.map(|it| it.on_postgres(storage.store()))).await?;
                counted.into_iter().sum()
            }
        };
        best = best.max(number(counted) / f64::from(options.seconds));
    }
    progress.done(&format!("{text}: {} returns/s", thousands(best)));
    Ok(best)
}

struct Loop {
    bodies: Vec<Bodies>,
    numbers: Numbers,
    group: usize,
    window: Window,
}

impl Loop {
    fn next(&self) -> anyhow::Result<(String, String, &Bodies)> {
        let number = self.numbers.take(1);
        let position = usize::try_from(number)? % DIFFERENT_RETURNS;
        let bodies = self.bodies.get(position).context("no bodies")?;
        let rma_id = RmaId::from_random((number << 8).to_be_bytes()).to_string();
        Ok((format!("ORD-{number:010}"), rma_id, bodies))
    }

    fn on_sqlite(&self, path: &Path) -> anyhow::Result<usize> {
        let mut counted = 0;
        sqlite::write_while(path, |connection| {
            if Instant::now() >= self.window.end {
                return Ok(false);
            }
            connection.execute_batch("BEGIN IMMEDIATE")?;
            for _ in 0..self.group {
                let (order_id, rma_id, bodies) = self.next()?;
                let run = |sql: &str, values: &[&dyn rusqlite::ToSql]| {
                    connection.prepare_cached(sql)?.execute(values).map(|_| ())
                };
                run(LEDGER, params![MERCHANT, order_id, bodies.ledger])?;
                run(RETURN, params![MERCHANT, rma_id, bodies.rma])?;
                run(LABEL, params![MERCHANT, rma_id])?;
                run(COUNTER, params![MERCHANT])?;
                run(MESSAGE, params![MERCHANT, rma_id, bodies.message])?;
                run(DELIVERY, params![MERCHANT])?;
            }
            connection.execute_batch("COMMIT")?;
            if self.window.contains(Instant::now()) {
                counted += self.group;
            }
            Ok(true)
        })?;
        Ok(counted)
    }

    async fn on_postgres(self, url: &str) -> anyhow::Result<usize> {
        let client = connect(url).await?;
        let all = [LEDGER, RETURN, LABEL, COUNTER, MESSAGE, DELIVERY];
        let prepared = try_join_all(all.map(|sql| client.prepare(sql))).await?;
        let mut counted = 0;
        while Instant::now() < self.window.end {
            let mut returns = Vec::with_capacity(self.group);
            for _ in 0..self.group {
                returns.push(self.next()?);
            }
            let mut sent = Vec::new();
            for (order_id, rma_id, bodies) in &returns {
                let values: [Vec<&(dyn ToSql + Sync)>; 6] = [
                    vec![&MERCHANT, order_id, &bodies.ledger],
                    vec![&MERCHANT, rma_id, &bodies.rma],
                    vec![&MERCHANT, rma_id],
                    vec![&MERCHANT],
                    vec![&MERCHANT, rma_id, &bodies.message],
                    vec![&MERCHANT],
                ];
                for (statement, values) in prepared.iter().zip(values) {
                    let client = &client;
                    sent.push(async move { client.execute(statement, &values).await });
                }
            }
            // Everything in one burst.
            let burst = futures_util::future::join3(
                client.batch_execute("BEGIN"),
                join_all(sent),
                client.batch_execute("COMMIT"),
            );
            let (started, done, committed) = burst.await;
            started?;
            done.into_iter().collect::<Result<Vec<_>, _>>()?;
            committed?;
            if self.window.contains(Instant::now()) {
                counted += self.group;
            }
        }
        Ok(counted)
    }
}

fn create_bodies(seed: u64) -> anyhow::Result<Vec<Bodies>> {
    let mut generator = Generator::new(seed);
    (0..DIFFERENT_RETURNS).map(|_| start_return(generator.row().body())).collect()
}

/// What the product stores for a return of the first unit of an order.
fn start_return(order: &[u8]) -> anyhow::Result<Bodies> {
    let now = from_micros(0).context("no time")?;
    let document = json::parse(order)?;
    let (read, _) = read_order(&document, &Reading { now, strict: false })
        .map_err(|faults| anyhow::anyhow!(faults.summary()))?;
    let order = read.order;
    let now = order.updated_at;
    let first = order.items.first().context("an order has no lines")?;
    let request = ReturnRequest {
        email: Some(order.customer.email.clone()),
        return_method: ReturnMethod::MailBack,
        items: vec![ReturnItem {
            order_identifier: order.identifier.clone(),
            order_line_item_identifier: first.identifier.clone(),
            quantity: 1,
            return_reason: "too_small".to_owned(),
            resolution: Resolution::Refund,
            exchange_sku: None,
            fallback: None,
        }],
        gift: None,
    };
    let id = order.identifier.clone();
    let known = OrderContext {
        order,
        ledger: domain::returns::ledger::Ledger::default(),
        original_order_identifier: None,
        exchanged: false,
        variants: BTreeMap::new(),
    };
    let orders = BTreeMap::from([(id, known)]);
    let basis = StartContext {
        request: &request,
        orders: &orders,
        policy: &Policy::default(),
        policy_version: 1,
        settings: MerchantSettings::default(),
        now,
    };
    let started = start(&basis, RmaId::from_random([7; 8]))
        .map_err(|refused| anyhow::anyhow!("the return is refused: {refused:?}"))?;
    let ledger = started.ledgers.values().next().context("no ledger")?;
    Ok(Bodies {
        ledger: serde_json::to_string(ledger)?,
        rma: serde_json::to_string(&started.rma)?,
        message: serde_json::to_vec(&RmaMessage::of(&started.rma))?,
    })
}
