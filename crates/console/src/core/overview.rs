//! The overview: how orders, returns and messages are doing. A script reloads its figures after a
//! change.

use std::convert::Infallible;

use app::core::overview::{DayFigures, FAILURES_MAX, Overview, StatusCount, load_overview};
use askama::Template;
use axum::{
    Router,
    extract::{Extension, State},
    http::StatusCode,
    response::{
        Response,
        sse::{Event, Sse},
    },
    routing::get,
};
use futures_util::stream::{Stream, unfold};
use tokio::time::{Duration, Instant, sleep};

use super::{
    chart::{BarGroup, Chart},
    format::{format_duration, format_number, format_time},
    frame::{Frame, Section, render_bare_page, render_page},
    urls::add_query,
};
use crate::{
    access::visit::{Operator, Watcher},
    messages::labels::kind_label,
};
use server::{Web, error::ApiError, guard::Stopping};

/// A page is notified at most this often, and at least this often, because another node may have
/// changed something.
const NOTIFIED_AT_MOST_EVERY: Duration = Duration::from_secs(2);
const NOTIFIED_AT_LEAST_EVERY: Duration = Duration::from_secs(30);
/// After this time a page has to connect again, and its session is checked again.
const CONNECTED_MAX: Duration = Duration::from_secs(5 * 60);

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/console", get(show))
        .route("/console/figures", get(show_figures))
        .route("/console/events", get(stream_events))
}

#[derive(Template)]
#[template(path = "core/overview.html", whitespace = "minimize")]
struct OverviewPage<'a> {
    frame: Frame<'a>,
    figures: Figures,
}

/// The part of the page that changes.
#[derive(Template)]
#[template(path = "core/figures.html", whitespace = "minimize")]
struct Figures {
    at: String,
    tiles: Vec<Tile>,
    returns: Chart,
    orders: Chart,
    days: Vec<DayRow>,
    responses: Vec<ResponseRow>,
    failures: Vec<FailureCountRow>,
    failing_endpoints: Vec<FailingEndpointRow>,
}

/// A number with a label.
struct Tile {
    label: &'static str,
    figure: String,
    hint: String,
    bad: bool,
}

struct DayRow {
    day: String,
    started: String,
    closed: String,
    orders: String,
}

struct ResponseRow {
    status: String,
    /// good, warn or bad.
    class: &'static str,
    attempts: String,
    /// Of all attempts, in thousandths.
    share: i64,
}

struct FailureCountRow {
    merchant: String,
    kind: &'static str,
    failures: String,
    url: String,
}

struct FailingEndpointRow {
    merchant: String,
    kind: &'static str,
    breaker: &'static str,
    waiting: String,
}

impl Figures {
    fn new(overview: &Overview) -> Self {
        let days = overview.days.iter().rev().map(|day| DayRow {
            day: day.begins.strftime("%-d %b %Y").to_string(),
            started: format_number(day.started),
            closed: format_number(day.closed),
            orders: format_number(day.orders),
        });
        let failures = overview.failing.iter().map(|it| FailureCountRow {
            failures: format_failures(it.failures, it.failures >= FAILURES_MAX),
            url: add_query(
                "/console/failures",
                &[("merchant", &it.merchant), ("kind", it.kind.name())],
            ),
            merchant: it.merchant.clone(),
            kind: kind_label(it.kind),
        });
        let failing_endpoints = overview.degraded.iter().map(|it| FailingEndpointRow {
            merchant: it.merchant.clone(),
            kind: kind_label(it.kind),
            breaker: it.breaker,
            waiting: format_number(i64::try_from(it.waiting).unwrap_or(i64::MAX)),
        });
        Self {
            at: format_time(&overview.at),
            tiles: activity_tiles(&overview.days)
                .into_iter()
                .chain(delivery_tiles(overview))
                .collect(),
            returns: chart_by_day(&overview.days, |day| vec![day.started, day.closed]),
            orders: chart_by_day(&overview.days, |day| vec![day.orders]),
            days: days.collect(),
            responses: response_rows(&overview.responses),
            failures: failures.collect(),
            failing_endpoints: failing_endpoints.collect(),
        }
    }
}

/// A plus sign means that there are more failures than were counted.
fn format_failures(failures: i64, has_more: bool) -> String {
    format!("{}{}", format_number(failures), if has_more { "+" } else { "" })
}

/// A chart with a label for every seventh day, counted back from today.
fn chart_by_day(days: &[DayFigures], values: impl Fn(&DayFigures) -> Vec<i64>) -> Chart {
    let last = days.len().saturating_sub(1);
    let group = |(position, day): (usize, &DayFigures)| {
        let has_label = (last - position).is_multiple_of(7);
        let label = has_label.then(|| day.begins.strftime("%-d %b").to_string());
        BarGroup { values: values(day), label }
    };
    let groups: Vec<BarGroup> = days.iter().enumerate().map(group).collect();
    Chart::new(&groups)
}

/// Orders and returns of all days, and of today.
fn activity_tiles(days: &[DayFigures]) -> Vec<Tile> {
    let tile = |label, value: fn(&DayFigures) -> i64| Tile {
        label,
        figure: format_number(days.iter().map(value).sum()),
        hint: format!("{} today", format_number(days.last().map_or(0, value))),
        bad: false,
    };
    vec![
        tile("Returns started", |day| day.started),
        tile("Returns closed", |day| day.closed),
        tile("Orders received", |day| day.orders),
    ]
}

fn delivery_tiles(overview: &Overview) -> Vec<Tile> {
    let attempts: i64 = overview.responses.iter().map(|it| it.attempts).sum();
    let failures: i64 = overview.failing.iter().map(|it| it.failures).sum();
    let has_more = overview.failing.iter().any(|it| it.failures >= FAILURES_MAX);
    let tile =
        |label, figure, hint: &str| Tile { label, figure, hint: hint.to_owned(), bad: false };
    vec![
        tile("Delivery attempts", format_number(attempts), "last 24 hours"),
        tile("Median delivery time", format_duration(overview.p50_us), "commit to response"),
        tile("Slowest 1 %", format_duration(overview.p99_us), "or longer"),
        Tile {
            bad: failures > 0,
            ..tile(
                "Failure queue",
                format_failures(failures, has_more),
                if failures == 0 { "no failed messages" } else { "need attention" },
            )
        },
    ]
}

fn response_rows(counts: &[StatusCount]) -> Vec<ResponseRow> {
    let all = counts.iter().map(|it| it.attempts).sum::<i64>().max(1);
    let row = |count: &StatusCount| ResponseRow {
        status: match count.status {
            0 => "no response".to_owned(),
            status => status.to_string(),
        },
        class: match count.status {
            200..=299 => "good",
            300..=499 => "warn",
            _ => "bad",
        },
        attempts: format_number(count.attempts),
        // A small share must stay visible.
        share: (count.attempts * 1_000 / all).max(4),
    };
    counts.iter().map(row).collect()
}

async fn show(
    State(web): State<Web>,
    Operator { visitor, .. }: Operator,
) -> Result<Response, ApiError> {
    let figures = Figures::new(&load_overview(&web.app).await?);
    let frame = Frame::new(&visitor, Section::Overview, "Overview");
    Ok(render_page(&visitor, StatusCode::OK, &OverviewPage { frame, figures }))
}

async fn show_figures(State(web): State<Web>, _: Watcher) -> Result<Response, ApiError> {
    Ok(render_bare_page(StatusCode::OK, &Figures::new(&load_overview(&web.app).await?)))
}

/// Notifies an open page that something changed, so that it reloads its figures.
async fn stream_events(
    State(web): State<Web>,
    _: Watcher,
    Extension(Stopping(stopping)): Extension<Stopping>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let connected = Instant::now();
    let start = (web.app.store.changes(), connected);
    let stream = unfold(start, move |(last_changes, notified)| {
        let (web, stopping) = (web.clone(), stopping.clone());
        async move {
            loop {
                stopping.run_until_cancelled(sleep(NOTIFIED_AT_MOST_EVERY)).await?;
                let changes = web.app.store.changes();
                if connected.elapsed() > CONNECTED_MAX {
                    return None;
                }
                if changes != last_changes || notified.elapsed() >= NOTIFIED_AT_LEAST_EVERY {
                    let event = Event::default().event("changed").data("figures");
                    return Some((Ok(event), (changes, Instant::now())));
                }
            }
        }
    });
    Sse::new(stream)
}

#[cfg(test)]
mod tests;
