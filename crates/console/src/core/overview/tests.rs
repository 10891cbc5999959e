//! The figures, as pages show them.

use app::core::overview::{DAYS, DegradedEndpoint, FailingEndpoint, StatusCount};
use domain::messages::kind::MessageKind;
use jiff::Timestamp;

use super::*;

fn sample() -> Overview {
    let day = |position: i64| DayFigures {
        begins: Timestamp::from_second(1_770_000_000 + position * 86_400).unwrap(),
        orders: position * 10,
        started: position,
        closed: position / 2,
    };
    Overview {
        at: "2026-02-14T16:02:10Z".parse().unwrap(),
        days: (0..DAYS).map(day).collect(),
        responses: [(0, 1), (200, 9_900), (503, 99)]
            .map(|(status, attempts)| StatusCount { status, attempts })
            .to_vec(),
        p50_us: 12_000,
        p99_us: 2_345_000,
        failing: vec![FailingEndpoint {
            merchant: "acme".to_owned(),
            kind: MessageKind::Rma,
            failures: FAILURES_MAX,
        }],
        degraded: vec![DegradedEndpoint {
            merchant: "<script>".to_owned(),
            kind: MessageKind::Rma,
            breaker: "throttled",
            waiting: 1_234,
        }],
    }
}

#[test]
fn the_figures_name_the_failures_and_link_to_them() {
    let html = Figures::new(&sample()).render().unwrap();

    for text in ["1,000+", "2.3 s", "12 ms", "10,000", "no response", "1,234", "Throttled"] {
        assert!(html.contains(text), "{text}: {html}");
    }
    assert_eq!(html.matches("<td>Return</td>").count(), 2, "{html}");
    assert!(html.contains("/console/failures?merchant=acme&#38;kind=rma"), "{html}");
    assert!(!html.contains("<script>") && !html.contains("style="), "{html}");
}

#[test]
fn every_day_of_the_charts_is_in_the_table_too() {
    let figures = Figures::new(&sample());

    assert_eq!(figures.days.len(), 30);
    assert_eq!((figures.returns.bars.len(), figures.orders.bars.len()), (60, 30));
    assert_eq!(figures.days[0].orders, "290", "newest first");
    assert_eq!(figures.returns.labels.len(), 5);
}
