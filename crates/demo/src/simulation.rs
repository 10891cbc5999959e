//! The demo lives: what is due is done, and what the merchant's server hears has its consequences.
//!
//! At first the time is half a year ago. While the history is made nobody waits: the clock is set ahead to what comes
//! next, and once everything that follows from it is settled, to what comes after that. From then on the clock runs by
//! itself, and things are done when their time has come.

use std::{io::Write, path::PathBuf, time::Duration};

use app::{
    App, exchanges::exchange_orders::settle_exchange_orders,
    returns::carrier_events::issue_simulated_labels,
};
use domain::messages::kind::MessageKind;
use futures_util::future::join_all;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;
use server::demo::{Demo, WHOLE};
use sim::{CALLS_MAX, CallQuery};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::{
    DAY_US,
    action::Deed,
    actors::Hands,
    incidents::{STAGED, programme},
    messages::{Heard, heard},
    reactions::{fulfilment, reactions},
    sample_orders,
    schedule::Memory,
    state::State,
};

/// How long the history is.
pub(crate) const HISTORY_US: i64 = 183 * DAY_US;

/// How often somebody looks whether anything is due.
const LOOK_EVERY: Duration = Duration::from_millis(100);
const SAVE_EVERY: Duration = Duration::from_secs(3);
const SETTLED_EVERY: Duration = Duration::from_millis(2);
/// How long a message may take that is owed to a server that works, and to one that does not.
const PATIENCE: Duration = Duration::from_secs(1);
const OUTAGE_PATIENCE: Duration = Duration::from_millis(40);

pub(crate) struct Life {
    pub(crate) hands: Hands,
    pub(crate) app: App,
    pub(crate) demo: Demo,
    pub(crate) memory: Memory,
    pub(crate) state: State,
    pub(crate) data_dir: PathBuf,
    /// How fast time passes once the history is made.
    pub(crate) speed: u32,
    /// The last call to the merchant's server that was looked at.
    pub(crate) cursor: u64,
    pub(crate) bar: ProgressBar,
}

/// The progress of the history, for a terminal.
pub(crate) fn progress_bar(shown: bool) -> anyhow::Result<ProgressBar> {
    if !shown {
        return Ok(ProgressBar::hidden());
    }
    let style = "  Living through six months  {bar:32} {percent:>3} %";
    Ok(ProgressBar::new(u64::from(WHOLE)).with_style(ProgressStyle::with_template(style)?))
}

/// What a demo begins with.
pub(crate) fn first_deeds(born_us: i64) -> Memory {
    let begun_us = born_us - HISTORY_US;
    let mut memory = Memory::default();
    let day = begun_us.div_euclid(DAY_US) + 1;
    memory.queue.extend([(day * DAY_US, Deed::Day { day })]);
    memory.queue.extend(programme(begun_us, born_us));
    for position in 0..sample_orders::count() {
        let at = |before_us: i64, shipped| (born_us - before_us, Deed::Try { position, shipped });
        memory.queue.extend([
            at(sample_orders::PLACED_BEFORE_US, false),
            at(sample_orders::SHIPPED_BEFORE_US, true),
        ]);
    }
    memory
}

impl Life {
    /// Lives until `stop`, and writes down what was still to be done.
    pub(crate) async fn run(mut self, stop: CancellationToken) {
        if !self.state.complete {
            let begun = Instant::now();
            if stop.run_until_cancelled(self.make_history()).await.is_none() {
                return;
            }
            self.bar.finish_and_clear();
            let seconds = begun.elapsed().as_secs_f32();
            let _ = writeln!(std::io::stderr(), "  The history is made, in {seconds:.1} s.");
            self.state.complete = true;
            self.save();
        }
        self.demo.set_made(WHOLE);
        self.demo.pace().set_speed(self.speed);
        let mut saved = Instant::now();
        while stop.run_until_cancelled(sleep(LOOK_EVERY)).await.is_some() {
            self.listen();
            let now_us = self.demo.pace().now_us();
            let due = self.memory.queue.take_due(now_us);
            self.perform(due).await;
            if saved.elapsed() >= SAVE_EVERY {
                self.save();
                saved = Instant::now();
            }
        }
        self.listen();
        self.save();
    }

    async fn make_history(&mut self) {
        let born_us = self.state.born_us;
        loop {
            let due = self.memory.queue.take_due(born_us - 1);
            let Some(&(last_us, _)) = due.last() else { break };
            self.demo.pace().set_ahead(last_us);
            self.perform(due).await;
            self.settle().await;
            self.listen();
            self.show_progress(last_us);
        }
        self.demo.pace().set_ahead(self.app.world.holding_us());
    }

    fn show_progress(&self, now_us: i64) {
        let lived_us = now_us - (self.state.born_us - HISTORY_US);
        let made = u32::try_from(lived_us * i64::from(WHOLE) / HISTORY_US).unwrap_or(0);
        self.demo.set_made(made.min(WHOLE - 1));
        self.bar.set_position(u64::from(made));
    }

    /// Does everything that is due. Orders are published together, and before anybody returns them.
    async fn perform(&mut self, due: Vec<(i64, Deed)>) {
        let hands = &self.hands;
        let orders: Vec<Value> = due.iter().filter_map(|(_, deed)| hands.order(deed)).collect();
        if !orders.is_empty()
            && let Err(error) = hands.api.merchant.publish(&orders).await
        {
            tracing::warn!("orders of the demo are refused: {error:#}");
            if !self.state.complete {
                self.demo.complain(format!("{error:#}"));
            }
        }
        let done = join_all(due.into_iter().map(|(at_us, deed)| hands.act(at_us, deed))).await;
        for next in done {
            match next {
                Ok(next) => self.memory.queue.extend(next),
                // People in a demo make mistakes, too: a return that comes too late is refused.
                Err(error) => tracing::debug!("something in the demo did not work: {error:#}"),
            }
        }
    }

    /// Hears what came to the merchant's server since the last time.
    fn listen(&mut self) {
        loop {
            let query = CallQuery {
                after: Some(self.cursor),
                limit: Some(CALLS_MAX),
                ..CallQuery::default()
            };
            let page = self.hands.merchant.calls(&query);
            for call in &page.calls {
                if let Some(heard) = heard(call) {
                    self.react(heard, call.at.as_microsecond());
                }
            }
            self.cursor = page.cursor;
            if !page.more {
                return;
            }
        }
    }

    fn react(&mut self, heard: Heard, at_us: i64) {
        let next = match heard {
            Heard::Return(told) if told.order().starts_with(STAGED) => Vec::new(),
            Heard::Return(told) => {
                let known = self.memory.returns.entry(told.rma_identifier.clone()).or_default();
                reactions(&told, known, at_us)
            }
            Heard::Exchange { body, identifier } => fulfilment(&body, &identifier, at_us),
        };
        self.memory.queue.extend(next);
    }

    /// Waits until labels are made, exchange orders placed, and the merchant told of everything.
    async fn settle(&self) {
        let begun = Instant::now();
        loop {
            let labels = issue_simulated_labels(&self.app).await.unwrap_or(0);
            let exchanges = settle_exchange_orders(&self.app).await.unwrap_or(0);
            if labels == 0 && exchanges == 0 && self.told() >= self.owed().await {
                return;
            }
            let outage = !self.hands.merchant.behaviors().is_empty();
            let patience = if outage { OUTAGE_PATIENCE } else { PATIENCE };
            if begun.elapsed() > patience {
                return;
            }
            sleep(SETTLED_EVERY).await;
        }
    }

    /// How many messages the merchant's server has seen.
    fn told(&self) -> u64 {
        let kinds = self.hands.merchant.summary().kinds;
        let messages = kinds.iter().filter(|(kind, _)| **kind != MessageKind::ExchangeVariants);
        messages.map(|(_, of_kind)| of_kind.distinct_ids).sum()
    }

    /// How many messages the merchant was ever owed: they are numbered.
    async fn owed(&self) -> u64 {
        let newest = self.hands.api.merchant.get("/messages?limit=1").await.unwrap_or_default();
        let id = newest.pointer("/messages/0/id").and_then(Value::as_str).unwrap_or_default();
        id.rsplit('_').next().and_then(|number| number.parse().ok()).unwrap_or(0)
    }

    fn save(&mut self) {
        self.state.ahead_us = self.demo.pace().now_us() - self.app.world.holding_us();
        let saved = self.memory.write(&self.data_dir);
        if let Err(error) = saved.and_then(|()| self.state.write(&self.data_dir)) {
            tracing::warn!("what the demo is about to do is not written down: {error:#}");
        }
    }
}
