//! The first page: how things are. Its figures are a part of their own, which a script asks for again when
//! something changed.

use std::convert::Infallible;

use app::core::overview::{FAILURES_MAX, Overview, load_overview};
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
    chart::Chart,
    frame::{Frame, Section, bare_page, page},
    words::{address, moment, number},
};
use crate::access::visit::{Operator, Watcher};
use server::{Web, error::ApiError, guard::Stopping};

/// How often a watcher is told at most, and at least: another node may have changed something.
const TOLD_AT_MOST_EVERY: Duration = Duration::from_secs(2);
const TOLD_AT_LEAST_EVERY: Duration = Duration::from_secs(30);
/// After this a watcher has to ask again, and to be somebody who still may.
const WATCHED_MAX: Duration = Duration::from_secs(5 * 60);

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/console", get(show))
        .route("/console/figures", get(figures))
        .route("/console/events", get(events))
}

#[derive(Template)]
#[template(path = "core/overview.html", whitespace = "minimize")]
struct Page<'a> {
    frame: Frame<'a>,
    figures: Figures,
}

/// Everything of the page that changes.
#[derive(Template)]
#[template(path = "core/figures.html", whitespace = "minimize")]
struct Figures {
    at: String,
    tiles: Vec<Tile>,
    returns: Chart,
    orders: Chart,
    days: Vec<DayRow>,
    answers: Vec<AnswerRow>,
    failing: Vec<FailingRow>,
    troubled: Vec<TroubledRow>,
}

/// A number that says how things are.
struct Tile {
    words: &'static str,
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

struct AnswerRow {
    status: String,
    /// good, warn or bad.
    look: &'static str,
    attempts: String,
    /// Of all attempts, in thousandths.
    share: i64,
}

struct FailingRow {
    merchant: String,
    kind: &'static str,
    failures: String,
    link: String,
}

struct TroubledRow {
    merchant: String,
    kind: &'static str,
    breaker: &'static str,
    waiting: String,
}

impl Figures {
    fn new(found: &Overview) -> Self {
        let days = found.days.iter().rev().map(|day| DayRow {
            day: day.begins.strftime("%-d %b %Y").to_string(),
            started: number(day.started),
            closed: number(day.closed),
            orders: number(day.orders),
        });
        let failing = found.failing.iter().map(|it| FailingRow {
            failures: at_least(it.failures),
            link: address(
                "/console/failures",
                &[("merchant", &it.merchant), ("kind", it.kind.name())],
            ),
            merchant: it.merchant.clone(),
            kind: it.kind.name(),
        });
        let troubled = found.troubled.iter().map(|it| TroubledRow {
            merchant: it.merchant.clone(),
            kind: it.kind.name(),
            breaker: it.breaker,
            waiting: number(i64::try_from(it.waiting).unwrap_or(i64::MAX)),
        });
        Self {
            at: moment(&found.at),
            tiles: tiles(found),
            returns: by_day(found, |day| vec![day.started, day.closed]),
            orders: by_day(found, |day| vec![day.orders]),
            days: days.collect(),
            answers: answer_rows(&found.answers),
            failing: failing.collect(),
            troubled: troubled.collect(),
        }
    }
}

fn at_least(failures: i64) -> String {
    let more = if failures >= FAILURES_MAX { "+" } else { "" };
    format!("{}{more}", number(failures))
}

fn by_day(
    found: &Overview,
    values: impl Fn(&app::core::overview::DayFigures) -> Vec<i64>,
) -> Chart {
    let last = found.days.len().saturating_sub(1);
    let groups: Vec<_> = found
        .days
        .iter()
        .enumerate()
        .map(|(position, day)| {
            let told = (last - position).is_multiple_of(7);
            (values(day), told.then(|| day.begins.strftime("%-d %b").to_string()))
        })
        .collect();
    Chart::new(&groups)
}

fn tiles(found: &Overview) -> Vec<Tile> {
    let sum = |value: fn(&app::core::overview::DayFigures) -> i64| {
        found.days.iter().map(value).sum::<i64>()
    };
    let today = found.days.last();
    let so_far = |today: Option<i64>| format!("{} today", number(today.unwrap_or(0)));
    let attempts: i64 = found.answers.iter().map(|(_, attempts)| attempts).sum();
    let failures: i64 = found.failing.iter().map(|it| it.failures).sum();
    let many = found.failing.iter().any(|it| it.failures >= FAILURES_MAX);
    let tile = |words, figure, hint, bad| Tile { words, figure, hint, bad };
    vec![
        tile(
            "Returns started",
            number(sum(|day| day.started)),
            so_far(today.map(|day| day.started)),
            false,
        ),
        tile(
            "Returns closed",
            number(sum(|day| day.closed)),
            so_far(today.map(|day| day.closed)),
            false,
        ),
        tile(
            "Orders taken in",
            number(sum(|day| day.orders)),
            so_far(today.map(|day| day.orders)),
            false,
        ),
        tile("Messages tried", number(attempts), "in 24 hours".to_owned(), false),
        tile("Half within", time(found.p50_us), "commit to answer".to_owned(), false),
        tile("99 % within", time(found.p99_us), "commit to answer".to_owned(), false),
        tile(
            "Failure queue",
            format!("{}{}", number(failures), if many { "+" } else { "" }),
            if failures == 0 { "nothing is stuck" } else { "wait for you" }.to_owned(),
            failures > 0,
        ),
    ]
}

/// A span of time as people read it.
fn time(us: i64) -> String {
    match us {
        0 => "–".to_owned(),
        ..=999_999 => format!("{} ms", number((us + 999) / 1_000)),
        1_000_000..=59_999_999 => format!("{}.{} s", us / 1_000_000, us / 100_000 % 10),
        10_800_000_000.. => format!("{} h", number(us / 3_600_000_000)),
        60_000_000.. => format!("{} min", number(us / 60_000_000)),
    }
}

fn answer_rows(answers: &[(i64, i64)]) -> Vec<AnswerRow> {
    let all = answers.iter().map(|(_, attempts)| attempts).sum::<i64>().max(1);
    let row = |(status, attempts): &(i64, i64)| AnswerRow {
        status: if *status == 0 { "no answer".to_owned() } else { status.to_string() },
        look: match status {
            200..=299 => "good",
            300..=499 => "warn",
            _ => "bad",
        },
        attempts: number(*attempts),
        // Something is never nothing.
        share: (attempts * 1_000 / all).max(4),
    };
    answers.iter().map(row).collect()
}

async fn show(
    State(web): State<Web>,
    Operator { visitor, .. }: Operator,
) -> Result<Response, ApiError> {
    let figures = Figures::new(&load_overview(&web.app).await?);
    let frame = Frame::new(&visitor, Section::Overview, "Overview");
    Ok(page(&visitor, StatusCode::OK, &Page { frame, figures }))
}

async fn figures(State(web): State<Web>, _: Watcher) -> Result<Response, ApiError> {
    Ok(bare_page(StatusCode::OK, &Figures::new(&load_overview(&web.app).await?)))
}

/// Tells a page, as long as it listens, that something changed and it had better ask again.
async fn events(
    State(web): State<Web>,
    _: Watcher,
    Extension(Stopping(stopping)): Extension<Stopping>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let begun = Instant::now();
    let first = (web.app.store.changes(), begun);
    let stream = unfold(first, move |(known, told)| {
        let (web, stopping) = (web.clone(), stopping.clone());
        async move {
            loop {
                stopping.run_until_cancelled(sleep(TOLD_AT_MOST_EVERY)).await?;
                let changes = web.app.store.changes();
                if begun.elapsed() > WATCHED_MAX {
                    return None;
                }
                if changes != known || told.elapsed() >= TOLD_AT_LEAST_EVERY {
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
