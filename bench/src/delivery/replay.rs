//! The effect of replays on live messages: of the merchants that replay, and of all others.
//!
//! Two merchants get their old messages again, over and over while the live messages are measured.
//! The replays are jobs of the product; only where messages go is the benchmark's own.

use std::time::{Duration, Instant};

use app::{
    App,
    core::scope::RequestScope,
    merchants::add_merchant::{NewMerchant, add_merchant},
    messages::{
        bulk_retry::JobState,
        replay::{cancel_replay, find_replay, start_replay},
    },
};
use domain::{
    identifier::{ClientId, MerchantId},
    merchants::merchant::MerchantSettings,
    messages::replay::ReplaySelection,
    random::SeededRandom,
};
use futures_util::future::try_join_all;
use serde::Serialize;
use tokio::{
    task::JoinHandle,
    time::{sleep, sleep_until},
};
use tokio_util::sync::CancellationToken;

use super::{
    Latency, MERCHANTS, MESSAGES_PER_COMMIT, QUIET_PER_SECOND, Sent,
    engine::Running,
    messages::{merchant_of, old_message},
    sink::Sink,
};
use crate::{
    benchmark::{Benchmark, Run},
    report,
};

/// The merchants that replay are the first ones.
const REPLAYING: usize = 2;
/// Old messages about each thing.
const MESSAGES_PER_THING: usize = 4;
const OLD_PER_COMMIT: usize = 1_000;
/// Rounds without and with replays, in turn.
const ROUNDS: usize = 7;
const POLL_INTERVAL: Duration = Duration::from_millis(20);

#[derive(Debug, clap::Args)]
pub(crate) struct Replay {
    /// Old messages that are sent again, of two merchants together
    #[arg(long, default_value_t = 20_000)]
    messages: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct ReplayResults {
    store: &'static str,
    messages: usize,
    without: LiveLatency,
    during: LiveLatency,
    /// Of the merchants that replay, and of the others.
    p99_ratio_of_replaying: f64,
    p99_ratio_of_others: f64,
    replayed_per_second: f64,
    failed_attempts: i64,
}

/// From the start of the commit, which replays may delay as well, to the arrival.
#[derive(Debug, Serialize)]
struct LiveLatency {
    replaying: Latency,
    others: Latency,
}

impl LiveLatency {
    /// Of several rounds, since the machine has bad seconds.
    fn median(rounds: &[Self]) -> Self {
        let of = |group: fn(&Self) -> Latency| {
            let rounds: Vec<Latency> = rounds.iter().map(group).collect();
            Latency {
                p50_ms: median(&rounds, |it| it.p50_ms),
                p99_ms: median(&rounds, |it| it.p99_ms),
            }
        };
        Self { replaying: of(|it| it.replaying), others: of(|it| it.others) }
    }
}

fn median(rounds: &[Latency], part: fn(&Latency) -> f64) -> f64 {
    let mut all: Vec<f64> = rounds.iter().map(part).collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or_default()
}

impl Benchmark for Replay {
    type Results = ReplayResults;

    async fn measure(&self, run: Run<'_>) -> anyhow::Result<ReplayResults> {
        let Run { engine, options, .. } = run;
        let sink = Sink::start()?;
        let running = Running::start(engine, &sink, options.keep).await?;
        let app = running.app();
        let step =
            report::start_step(&format!("{} old messages ({})", self.messages, engine.name()));
        for number in 0..REPLAYING {
            let merchant = merchant_of(number * MESSAGES_PER_COMMIT);
            self.add_history(&app, &running, &merchant).await?;
        }
        running.wait_until_done().await?;
        running.settle().await?;
        // Live messages are newer.
        let old = ReplaySelection { to: Some(app.world.now()), ..ReplaySelection::default() };
        running.warm_up().await?;
        drop(step);
        let step = report::start_step(&format!("{ROUNDS} rounds without and during replays"));
        let (mut without, mut during) = (Vec::new(), Vec::new());
        let (mut replayed, mut seconds) = (0, 0.0);
        for _ in 0..ROUNDS {
            without.push(measure_live(&running, &sink, options.seconds).await?);
            let started = Instant::now();
            let end = CancellationToken::new();
            let replays: Vec<JoinHandle<anyhow::Result<i64>>> = (0..REPLAYING)
                .map(|number| merchant_of(number * MESSAGES_PER_COMMIT))
                .map(|merchant| keep_replaying(app.clone(), merchant, old.clone(), end.clone()))
                .map(tokio::spawn)
                .collect();
            during.push(measure_live(&running, &sink, options.seconds).await?);
            end.cancel();
            for replay in replays {
                replayed += usize::try_from(replay.await??)?;
            }
            seconds += started.elapsed().as_secs_f64();
            running.wait_until_done().await?;
        }
        drop(step);
        let (without, during) = (LiveLatency::median(&without), LiveLatency::median(&during));
        let failed_attempts = running.failed_attempts().await?;
        running.stop().await;
        Ok(ReplayResults {
            store: engine.name(),
            messages: self.messages,
            p99_ratio_of_replaying: during.replaying.p99_ms / without.replaying.p99_ms,
            p99_ratio_of_others: during.others.p99_ms / without.others.p99_ms,
            without,
            during,
            replayed_per_second: report::number(replayed) / seconds,
            failed_attempts,
        })
    }

    fn describe(all: &[ReplayResults]) -> String {
        all.iter().map(describe).collect::<Vec<_>>().join("\n")
    }
}

impl Replay {
    /// Adds a merchant whose share of the old messages is delivered.
    async fn add_history(
        &self,
        app: &App,
        running: &Running,
        merchant: &MerchantId,
    ) -> anyhow::Result<()> {
        let client = ClientId::new(&MerchantId::platform(), "bench");
        let new = NewMerchant {
            id: merchant.clone(),
            name: merchant.to_string(),
            settings: MerchantSettings::default(),
        };
        add_merchant(build_scope(app, &client, None), &new).await?;
        let share = self.messages / REPLAYING;
        for first in (0..share).step_by(OLD_PER_COMMIT) {
            let numbers = first..share.min(first + OLD_PER_COMMIT);
            let now_us = running.now_us();
            let old = numbers.map(|it| old_message(merchant, it, MESSAGES_PER_THING, now_us));
            running.commit_messages(old.collect()).await?;
        }
        Ok(())
    }
}

fn build_scope<'a>(
    app: &'a App,
    client: &'a ClientId,
    merchant: Option<&'a MerchantId>,
) -> RequestScope<'a> {
    RequestScope { app, client, address: None, merchant, idempotency: None, request: None }
}

/// Replays the old messages of a merchant, again and again until `end`. Returns their number.
async fn keep_replaying(
    app: App,
    merchant: MerchantId,
    old: ReplaySelection,
    end: CancellationToken,
) -> anyhow::Result<i64> {
    let client = ClientId::new(&MerchantId::platform(), "bench");
    let mut replayed = 0;
    loop {
        let job = start_replay(build_scope(&app, &client, Some(&merchant)), old.clone()).await?;
        loop {
            sleep(POLL_INTERVAL).await;
            let job = find_replay(&app, &merchant, &job.id)?;
            if end.is_cancelled() {
                let scope = build_scope(&app, &client, Some(&merchant));
                return Ok(replayed + cancel_replay(scope, &job.id).await?.replayed);
            }
            match job.state {
                JobState::Running => (),
                JobState::Done => {
                    replayed += job.replayed;
                    break;
                }
                JobState::Cancelled | JobState::Failed => anyhow::bail!("a replay failed"),
            }
        }
    }
}

/// Commits live messages at random times, as they come in life: some meet each other also without
/// a replay. Half of them are for the merchants that replay.
async fn measure_live(running: &Running, sink: &Sink, seconds: u32) -> anyhow::Result<LiveLatency> {
    sink.record_arrivals();
    let start = Instant::now();
    let mut random = SeededRandom::new(1);
    let live = (0..usize::try_from(seconds * QUIET_PER_SECOND)?).map(|turn| {
        let (group, of_group) = (turn % 2, turn / 2);
        let (first, merchants) =
            if group == 0 { (0, REPLAYING) } else { (REPLAYING, MERCHANTS - REPLAYING) };
        let merchant = first + of_group % merchants;
        let number = (of_group / merchants * MERCHANTS + merchant) * MESSAGES_PER_COMMIT;
        let at_us = random.between(0, i64::from(seconds) * 1_000_000);
        let at = start + Duration::from_micros(at_us.unsigned_abs());
        async move {
            sleep_until(at.into()).await;
            let at = Instant::now();
            let id = running.commit(number, 1).await?;
            anyhow::Ok((group, Sent { id, at }))
        }
    });
    let committed = try_join_all(live).await?;
    sleep(Duration::from_secs(1)).await;
    let arrived = sink.take_arrivals();
    let (replaying, others): (Vec<_>, Vec<_>) =
        committed.into_iter().partition(|(group, _)| *group == 0);
    let latency = |sent: Vec<(usize, Sent)>| {
        let sent: Vec<Sent> = sent.into_iter().map(|(_, sent)| sent).collect();
        Latency::of(&sent, &arrived)
    };
    Ok(LiveLatency { replaying: latency(replaying), others: latency(others) })
}

fn describe(results: &ReplayResults) -> String {
    let ReplayResults { store, messages, without, during, .. } = results;
    let group = |name: &str, [without, during]: [Latency; 2], ratio: f64| {
        format!(
            "\n  {name}: p50 {:.2} and {:.2} ms, p99 {:.2} and {:.2} ms (x {ratio:.2})",
            without.p50_ms, during.p50_ms, without.p99_ms, during.p99_ms,
        )
    };
    format!(
        "{store}: live messages from the start of their commit to arrival, without and during replays of {messages} \
         messages, median of {ROUNDS} rounds{}{}\n  {:.0} messages/s are sent again, failed attempts: {}",
        group(
            "merchants that replay",
            [without.replaying, during.replaying],
            results.p99_ratio_of_replaying
        ),
        group("other merchants", [without.others, during.others], results.p99_ratio_of_others),
        results.replayed_per_second,
        results.failed_attempts,
    )
}
