//! Runs the demo: does the actions that are due, and schedules what follows from the messages to
//! the merchant's server.
//!
//! At first the demo's clock shows a time six months ago. While the history is created nothing
//! waits: the clock is set to the time of the next actions and, when everything that follows from
//! them is done, to the time after that. Then the clock runs, and actions are done when they are
//! due.

use std::{io::Write, path::PathBuf, time::Duration};

use app::{
    App, exchanges::exchange_orders::settle_exchange_orders,
    returns::carrier_events::issue_simulated_labels,
};
use domain::messages::kind::MessageKind;
use futures_util::future::join_all;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;
use server::demo::{COMPLETE, DemoStatus};
use sim::{CALLS_MAX, CallQuery};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::{
    DAY_US,
    action::{Action, Scheduled},
    actors::Actors,
    api::Caller,
    incidents::{STAGED_PREFIX, plan_incidents},
    messages::{MerchantMessage, read_message},
    reactions::{plan_fulfillment, plan_reactions},
    sample_orders,
    schedule::Schedule,
    setup::{connect_carrier, connect_mailbox},
    state::State,
};

/// How long the history is.
pub(crate) const HISTORY_US: i64 = 183 * DAY_US;

const POLL_INTERVAL: Duration = Duration::from_millis(100);
const SAVE_INTERVAL: Duration = Duration::from_secs(3);
const SETTLED_POLL_INTERVAL: Duration = Duration::from_millis(2);
/// How long to wait for the delivery of messages, and how long during an outage.
const DELIVERY_TIME_MAX: Duration = Duration::from_secs(1);
const OUTAGE_DELIVERY_TIME_MAX: Duration = Duration::from_millis(40);

pub(crate) struct Simulation {
    pub(crate) actors: Actors,
    pub(crate) operator: Caller,
    pub(crate) app: App,
    pub(crate) status: DemoStatus,
    pub(crate) schedule: Schedule,
    pub(crate) state: State,
    pub(crate) data_dir: PathBuf,
    /// How fast time passes once the history is complete.
    pub(crate) speed: u32,
    /// The last call to the merchant's server that was read.
    pub(crate) cursor: u64,
    /// Where mails go once the history is complete.
    pub(crate) mailbox_port: u16,
    pub(crate) bar: ProgressBar,
}

/// The progress of the history, for a terminal.
pub(crate) fn progress_bar(shown: bool) -> anyhow::Result<ProgressBar> {
    if !shown {
        return Ok(ProgressBar::hidden());
    }
    let style = "  Creating six months of history  {bar:32} {percent:>3} %";
    Ok(ProgressBar::new(u64::from(COMPLETE)).with_style(ProgressStyle::with_template(style)?))
}

/// The schedule of a new demo.
pub(crate) fn initial_schedule(first_start_us: i64) -> Schedule {
    let history_start_us = first_start_us - HISTORY_US;
    let mut schedule = Schedule::default();
    let day = history_start_us.div_euclid(DAY_US) + 1;
    schedule.queue.extend([Action::Day { day }.at(day * DAY_US)]);
    schedule.queue.extend(plan_incidents(history_start_us, first_start_us));
    for position in 0..sample_orders::count() {
        let placed = Action::SampleOrder { position, shipped: false };
        let shipped = Action::SampleOrder { position, shipped: true };
        schedule.queue.extend([
            placed.at(first_start_us - sample_orders::PLACED_BEFORE_US),
            shipped.at(first_start_us - sample_orders::SHIPPED_BEFORE_US),
        ]);
    }
    schedule
}

impl Simulation {
    /// Runs until `stop`, and saves the schedule.
    pub(crate) async fn run(mut self, stop: CancellationToken) {
        if !self.state.complete {
            let started = Instant::now();
            if stop.run_until_cancelled(self.create_history()).await.is_none() {
                return;
            }
            self.bar.finish_and_clear();
            let seconds = started.elapsed().as_secs_f32();
            let _ = writeln!(std::io::stderr(), "  The history was created in {seconds:.1} s.");
            self.state.complete = true;
            self.save();
        }
        if let Err(error) = connect_carrier(&self.operator, &self.actors.carrier.api_url()).await {
            tracing::warn!("connecting the carrier of the demo failed, labels are late: {error:#}");
        }
        if let Err(error) = connect_mailbox(&self.operator, self.mailbox_port).await {
            tracing::warn!("connecting the mailbox of the demo failed, it stays empty: {error:#}");
        }
        self.status.set_progress(COMPLETE);
        self.status.pace().set_speed(self.speed);
        let mut saved = Instant::now();
        while stop.run_until_cancelled(sleep(POLL_INTERVAL)).await.is_some() {
            self.read_calls();
            let now_us = self.status.pace().now_us();
            let due = self.schedule.queue.take_due(now_us);
            self.perform(due).await;
            if saved.elapsed() >= SAVE_INTERVAL {
                self.save();
                saved = Instant::now();
            }
        }
        self.read_calls();
        self.save();
    }

    async fn create_history(&mut self) {
        let first_start_us = self.state.first_start_us;
        loop {
            let due = self.schedule.queue.take_due(first_start_us - 1);
            let Some(last_us) = due.last().map(|last| last.due_us) else { break };
            self.status.pace().set_ahead(last_us);
            self.perform(due).await;
            self.settle().await;
            self.read_calls();
            self.show_progress(last_us);
        }
        self.status.pace().set_ahead(self.app.world.wall_clock_us());
    }

    fn show_progress(&self, now_us: i64) {
        let passed_us = now_us - (self.state.first_start_us - HISTORY_US);
        let progress = u32::try_from(passed_us * i64::from(COMPLETE) / HISTORY_US).unwrap_or(0);
        self.status.set_progress(progress.min(COMPLETE - 1));
        self.bar.set_position(u64::from(progress));
    }

    /// Does the actions that are due. Orders are published together, before they are returned.
    async fn perform(&mut self, due: Vec<Scheduled>) {
        let actors = &self.actors;
        let orders = keep_latest(due.iter().filter_map(|it| actors.build_order(&it.action)));
        if !orders.is_empty()
            && let Err(error) = actors.api.merchant.publish(&orders).await
        {
            tracing::warn!("publishing orders of the demo failed, skipping them: {error:#}");
            if !self.state.complete {
                self.status.report_problem(format!("{error:#}"));
            }
        }
        let results = due.into_iter().map(|it| actors.act(it.due_us, it.action));
        for result in join_all(results).await {
            match result {
                Ok(next) => self.schedule.queue.extend(next),
                // Some failures are part of the demo: a return after the deadline is refused.
                Err(error) => tracing::debug!("an action of the demo failed: {error:#}"),
            }
        }
    }

    /// Reads the calls to the merchant's server since the last time.
    fn read_calls(&mut self) {
        loop {
            let query = CallQuery {
                after: Some(self.cursor),
                limit: Some(CALLS_MAX),
                ..CallQuery::default()
            };
            let page = self.actors.merchant.calls(&query);
            for call in &page.calls {
                if let Some(message) = read_message(call) {
                    self.react(message, call.at.as_microsecond());
                }
            }
            self.cursor = page.cursor;
            if !page.more {
                return;
            }
        }
    }

    fn react(&mut self, message: MerchantMessage, at_us: i64) {
        let next = match message {
            MerchantMessage::Return(message) if message.order().starts_with(STAGED_PREFIX) => {
                Vec::new()
            }
            MerchantMessage::Return(message) => {
                let returns = &mut self.schedule.returns;
                let progress = returns.entry(message.rma_identifier.clone()).or_default();
                plan_reactions(&message, progress, at_us)
            }
            // The same order is requested again if the response to the first request was late.
            MerchantMessage::Exchange { identifier, .. }
                if self.schedule.queue.plans_exchange(&identifier) =>
            {
                Vec::new()
            }
            MerchantMessage::Exchange { body, identifier } => {
                plan_fulfillment(&body, &identifier, at_us)
            }
        };
        self.schedule.queue.extend(next);
    }

    /// Waits until labels are issued, exchange orders placed, and messages delivered.
    async fn settle(&self) {
        let started = Instant::now();
        loop {
            let labels = issue_simulated_labels(&self.app).await.unwrap_or(0);
            let exchanges = settle_exchange_orders(&self.app).await.unwrap_or(0);
            let is_idle = labels == 0 && exchanges == 0;
            if is_idle && self.count_received() >= self.count_enqueued().await {
                return;
            }
            let is_outage = !self.actors.merchant.behaviors().is_empty();
            let time_max = if is_outage { OUTAGE_DELIVERY_TIME_MAX } else { DELIVERY_TIME_MAX };
            if started.elapsed() > time_max {
                return;
            }
            sleep(SETTLED_POLL_INTERVAL).await;
        }
    }

    /// How many messages the merchant's server has received.
    fn count_received(&self) -> u64 {
        let kinds = self.actors.merchant.summary().kinds;
        let messages = kinds.iter().filter(|(kind, _)| **kind != MessageKind::ExchangeVariants);
        messages.map(|(_, of_kind)| of_kind.distinct_ids).sum()
    }

    /// How many messages were ever enqueued for the merchant: they are numbered.
    async fn count_enqueued(&self) -> u64 {
        let newest = self.actors.api.merchant.get("/messages?limit=1").await.unwrap_or_default();
        let id = newest.pointer("/messages/0/id").and_then(Value::as_str).unwrap_or_default();
        id.rsplit('_').next().and_then(|number| number.parse().ok()).unwrap_or(0)
    }

    fn save(&mut self) {
        self.state.ahead_us = self.status.pace().now_us() - self.app.world.wall_clock_us();
        let saved = self.schedule.write(&self.data_dir);
        if let Err(error) = saved.and_then(|()| self.state.write(&self.data_dir)) {
            tracing::warn!("saving the state of the demo failed, will retry: {error:#}");
        }
    }
}

/// The latest version of each order, in the order of time. A message must not have an order twice,
/// and at a high speed it has the orders of hours.
fn keep_latest(orders: impl Iterator<Item = Value>) -> Vec<Value> {
    let mut latest: Vec<Value> = Vec::new();
    for order in orders {
        latest.retain(|earlier| earlier.get("identifier") != order.get("identifier"));
        latest.push(order);
    }
    latest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn orders_that_are_published_together_have_numbers_of_their_own() {
        let order =
            |identifier: &str, status: &str| json!({ "identifier": identifier, "status": status });
        let due = [order("EX-1", "Created"), order("AC-1", "Created"), order("EX-1", "Shipped")];
        assert_eq!(
            keep_latest(due.into_iter()),
            [order("AC-1", "Created"), order("EX-1", "Shipped")]
        );
    }

    #[test]
    fn an_exchange_order_that_is_requested_twice_is_planned_once() {
        let body = json!({ "items": [{ "product_identifier": "P-1" }] });
        let mut schedule = Schedule::default();
        assert!(!schedule.queue.plans_exchange("EX-1"));
        schedule.queue.extend(plan_fulfillment(&body, "EX-1", 0));
        assert!(schedule.queue.plans_exchange("EX-1"));
        assert!(!schedule.queue.plans_exchange("EX-2"));
    }
}
