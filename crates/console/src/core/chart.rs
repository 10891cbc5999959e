//! Bar charts. Positions are in the chart's own units, and colors are classes of the style sheet.

use super::format::format_number;

/// The size of the chart.
pub(crate) const WIDTH: i64 = 640;
pub(crate) const HEIGHT: i64 = 180;
/// Space for the numbers beside the bars, and for the labels below them.
pub(crate) const BESIDE: i64 = 64;
const BELOW: i64 = 26;
const ABOVE: i64 = 10;
/// The width of the widest label.
const LABEL_WIDTH: i64 = 60;

/// A chart with groups of bars. See `templates/core/chart.html`.
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    pub(crate) bars: Vec<Bar>,
    pub(crate) grid_lines: Vec<GridLine>,
    pub(crate) labels: Vec<GroupLabel>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bar {
    pub(crate) x: i64,
    pub(crate) y: i64,
    pub(crate) width: i64,
    pub(crate) height: i64,
    /// The series that it belongs to, from 0.
    pub(crate) series: usize,
}

/// A horizontal line with the number that it marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GridLine {
    pub(crate) y: i64,
    pub(crate) number: String,
}

/// A label below the middle of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GroupLabel {
    pub(crate) x: i64,
    pub(crate) text: String,
}

/// The values of all series at one position of the axis.
pub(crate) struct BarGroup {
    pub(crate) values: Vec<i64>,
    pub(crate) label: Option<String>,
}

impl Chart {
    pub(crate) fn new(groups: &[BarGroup]) -> Self {
        let highest = groups.iter().flat_map(|it| &it.values).copied().max().unwrap_or(0);
        let top = round_up(highest);
        let count = i64::try_from(groups.len()).unwrap_or(i64::MAX).max(1);
        let (floor, span) = (HEIGHT - BELOW, HEIGHT - BELOW - ABOVE);
        let left = |group: i64| BESIDE + group * (WIDTH - BESIDE) / count;
        let mut chart = Self { bars: Vec::new(), grid_lines: Vec::new(), labels: Vec::new() };
        for (position, BarGroup { values, label }) in (0..).zip(groups) {
            let (from, to) = (left(position), left(position + 1));
            let bars = i64::try_from(values.len()).unwrap_or(i64::MAX).max(1);
            let width = ((to - from) * 4 / 5 / bars).max(1);
            for (series, value) in values.iter().enumerate() {
                let height = value.saturating_mul(span) / top;
                // A small number must stay visible.
                let height = if *value > 0 { height.max(1) } else { 0 };
                let x = from + width * i64::try_from(series).unwrap_or(0);
                chart.bars.push(Bar { x, y: floor - height, width, height, series });
            }
            let x = i64::midpoint(from, to).min(WIDTH - LABEL_WIDTH / 2);
            chart.labels.extend(label.iter().map(|text| GroupLabel { x, text: text.clone() }));
        }
        for half in [0, 1, 2] {
            let number = format_number(top * half / 2);
            chart.grid_lines.push(GridLine { y: floor - span * half / 2, number });
        }
        chart
    }
}

/// The next even number with one digit other than zero, for the highest grid line.
fn round_up(highest: i64) -> i64 {
    let mut step: i64 = 2;
    while step.saturating_mul(10) <= highest {
        step = step.saturating_mul(10);
    }
    (highest.max(1) + step - 1) / step * step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_line_is_a_round_number() {
        let cases = [(0, 2), (1, 2), (2, 2), (3, 4), (19, 20), (21, 40), (199, 200), (201, 400)];
        for (highest, top) in cases {
            assert_eq!(round_up(highest), top, "{highest}");
        }
        assert!(round_up(i64::MAX / 4) >= i64::MAX / 4);
    }

    #[test]
    fn bars_start_at_the_floor_and_stay_inside() {
        let groups = [
            BarGroup { values: vec![4, 0], label: Some("1 Feb".to_owned()) },
            BarGroup { values: vec![2, 1], label: None },
        ];
        let chart = Chart::new(&groups);

        assert_eq!(chart.bars.len(), 4);
        for bar in &chart.bars {
            assert_eq!(bar.y + bar.height, HEIGHT - BELOW);
            assert!(bar.x >= BESIDE && bar.x + bar.width <= WIDTH && bar.y >= ABOVE, "{bar:?}");
        }
        assert_eq!(chart.bars[0].height, HEIGHT - BELOW - ABOVE);
        assert_eq!(chart.bars[1].height, 0);
        assert_eq!(chart.labels, [GroupLabel { x: 208, text: "1 Feb".to_owned() }]);
    }

    #[test]
    fn an_empty_chart_has_no_bars() {
        assert!(Chart::new(&[]).bars.is_empty());
    }
}
