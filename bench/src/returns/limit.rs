//! The bare limit of returns: the rows of a return, written by a loop without the product.
//!
//! The bodies are the product's own, created beforehand from orders of the benchmark. Only the keys
//! are new for each return. Each return has its own transaction, or several share one.

use std::{collections::BTreeMap, path::Path, time::Instant};

use anyhow::Context;
use domain::{
    json,
    merchants::merchant::MerchantSettings,
    orders::order_message::{OrderReadContext as Reading, RefundCheck, read_order},
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
use serde::Serialize;
use tokio_postgres::types::ToSql;

use crate::{
    benchmark::Run,
    limit::{postgres::SESSION, sqlite},
    orders::drafts::Numbers,
    orders::{Generator, SCATTER},
    process::MachineTime,
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
const EVENT: &str =
    "INSERT INTO return_events (merchant_id, rma_id, number, at_us, actor, cause, body)
     VALUES ($1, $2, 1, $3, 'client bench.1', '', $4)";
const RETURN: &str = "INSERT INTO returns
         (merchant_id, rma_id, version, created_us, status, currency, owed_cents, body)
     VALUES ($1, $2, 1, $3, 'CREATED', 'USD', $4, $5)";
const POSTING: &str =
    "INSERT INTO postings (merchant_id, at_us, rma_id, number, currency, promised,
         refunds, gift_cards, exchanges, goods, tax, shipping, fees, bonus, absorbed, written_off)
     VALUES ($1, $3, $2, 1, 'USD', -CAST($4 AS BIGINT), 0, 0, 0, $4, 0, 0, 0, 0, 0, 0)";
const LABEL: &str = "INSERT INTO label_requests (merchant_id, rma_id, requested_us, carrier)
     VALUES ($1, $2, $3, 'external')";
/// One row for each transaction; the product has one for each committer.
const DAY_COUNT: &str = "INSERT INTO day_counts (merchant_id, day_us, what, slot, number)
     VALUES ($1, 0, 'returns_started', 0, $2)
     ON CONFLICT (merchant_id, day_us, what, slot) DO UPDATE
         SET number = day_counts.number + excluded.number";
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
    owed_cents: i64,
}

/// The rate of a bare loop.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct BareReturns {
    pub(super) returns_per_second: f64,
    /// Processor time of the whole machine.
    pub(super) machine_us_per_return: f64,
}

/// A return to write.
struct NewReturn<'a> {
    order_id: String,
    rma_id: String,
    at_us: i64,
    bodies: &'a Bodies,
}

/// Measures how many returns per second a bare loop starts, with `group` in each transaction.
pub(super) async fn measure_best(run: Run<'_>, group: usize) -> anyhow::Result<BareReturns> {
    let Run { engine, options, .. } = run;
    let text = format!("{}: bare loop, {group} return(s) per transaction", engine.name());
    let progress = start_step(&text);
    let bodies = create_bodies(options.seed)?;
    let connection_counts: &[usize] = match engine {
        Engine::Sqlite => &[1],
        Engine::Postgres(_) | Engine::Citus(_) => &CONNECTIONS,
    };
    let mut best = BareReturns::default();
    for &connections in connection_counts {
        let storage = Storage::new(engine, options.keep).await?;
        server::migrate(run.binary()?, &storage)?;
        let machine = MachineTime::start()?;
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
            Engine::Postgres(_) | Engine::Citus(_) => {
                let counted = try_join_all(loops.map(|it| it.on_postgres(storage.store()))).await?;
                counted.into_iter().sum()
            }
        };
        let measured = BareReturns {
            returns_per_second: number(counted) / f64::from(options.seconds),
            machine_us_per_return: machine.us_per(usize::try_from(numbers.next())?)?,
        };
        if measured.returns_per_second > best.returns_per_second {
            best = measured;
        }
    }
    progress.done(&format!("{text}: {} returns/s", thousands(best.returns_per_second)));
    Ok(best)
}

struct Loop {
    bodies: Vec<Bodies>,
    numbers: Numbers,
    group: usize,
    window: Window,
}

impl Loop {
    fn next(&self) -> anyhow::Result<NewReturn<'_>> {
        let number = self.numbers.take(1);
        let position = usize::try_from(number)? % DIFFERENT_RETURNS;
        let bodies = self.bodies.get(position).context("no bodies")?;
        // Identifiers are random, like the product's.
        let rma_id = RmaId::from_random(number.wrapping_mul(SCATTER).to_be_bytes()).to_string();
        let order_id = format!("ORD-{number:010}");
        Ok(NewReturn { order_id, rma_id, at_us: i64::try_from(number)?, bodies })
    }

    fn on_sqlite(&self, path: &Path) -> anyhow::Result<usize> {
        let mut counted = 0;
        sqlite::write_while(path, |connection| {
            if Instant::now() >= self.window.end {
                return Ok(false);
            }
            connection.execute_batch("BEGIN IMMEDIATE")?;
            for _ in 0..self.group {
                let NewReturn { order_id, rma_id, at_us, bodies } = self.next()?;
                let run = |sql: &str, values: &[&dyn rusqlite::ToSql]| {
                    connection.prepare_cached(sql)?.execute(values).map(|_| ())
                };
                run(LEDGER, params![MERCHANT, order_id, bodies.ledger])?;
                run(EVENT, params![MERCHANT, rma_id, at_us, bodies.rma])?;
                run(RETURN, params![MERCHANT, rma_id, at_us, bodies.owed_cents, bodies.rma])?;
                run(POSTING, params![MERCHANT, rma_id, at_us, bodies.owed_cents])?;
                run(LABEL, params![MERCHANT, rma_id, at_us])?;
                run(COUNTER, params![MERCHANT])?;
                run(MESSAGE, params![MERCHANT, rma_id, bodies.message])?;
                run(DELIVERY, params![MERCHANT])?;
            }
            let returns = i64::try_from(self.group)?;
            connection.prepare_cached(DAY_COUNT)?.execute(params![MERCHANT, returns])?;
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
        client.batch_execute(SESSION).await?;
        let all = [LEDGER, EVENT, RETURN, POSTING, LABEL, COUNTER, MESSAGE, DELIVERY];
        let day_count = client.prepare(DAY_COUNT).await?;
        let number_of_returns = i64::try_from(self.group)?;
        let prepared = try_join_all(all.map(|sql| client.prepare(sql))).await?;
        let mut counted = 0;
        while Instant::now() < self.window.end {
            let mut returns = Vec::with_capacity(self.group);
            for _ in 0..self.group {
                returns.push(self.next()?);
            }
            let mut sent = Vec::new();
            for NewReturn { order_id, rma_id, at_us, bodies } in &returns {
                let values: [Vec<&(dyn ToSql + Sync)>; 8] = [
                    vec![&MERCHANT, order_id, &bodies.ledger],
                    vec![&MERCHANT, rma_id, at_us, &bodies.rma],
                    vec![&MERCHANT, rma_id, at_us, &bodies.owed_cents, &bodies.rma],
                    vec![&MERCHANT, rma_id, at_us, &bodies.owed_cents],
                    vec![&MERCHANT, rma_id, at_us],
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
            let counted_values: [&(dyn ToSql + Sync); 2] = [&MERCHANT, &number_of_returns];
            let burst = futures_util::future::join4(
                client.batch_execute("BEGIN"),
                join_all(sent),
                client.execute(&day_count, &counted_values),
                client.batch_execute("COMMIT"),
            );
            let (started, done, day_counted, committed) = burst.await;
            started?;
            done.into_iter().collect::<Result<Vec<_>, _>>()?;
            day_counted?;
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
    let (read, _) =
        read_order(&document, &Reading { now, strict: false, refunds: RefundCheck::All })
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
            fallback_sku: None,
        }],
        gift: None,
        language: None,
        parcel_count: 1,
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
        owed_cents: started.quote.total_cents,
    })
}
