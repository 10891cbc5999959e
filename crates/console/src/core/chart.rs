//! Bars in a chart, drawn here: positions are numbers in the picture's own measure, looks are classes.

/// The measure of the picture.
pub(crate) const WIDTH: i64 = 640;
pub(crate) const HEIGHT: i64 = 180;
/// Room for the numbers beside the bars, and for the words below them.
pub(crate) const BESIDE: i64 = 64;
const BELOW: i64 = 26;
const ABOVE: i64 = 10;
/// The width of the widest word.
const WORD: i64 = 60;

/// A chart with a group of bars for each place on its axis. See `templates/core/chart.html`.
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    pub(crate) bars: Vec<Bar>,
    /// Lines across, with the number that they stand for.
    pub(crate) lines: Vec<(i64, String)>,
    /// Words below, by the middle of their group.
    pub(crate) words: Vec<(i64, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bar {
    pub(crate) x: i64,
    pub(crate) y: i64,
    pub(crate) width: i64,
    pub(crate) height: i64,
    /// Which series it belongs to, from 0.
    pub(crate) series: usize,
}

impl Chart {
    /// `groups` has the values of all series at each place, and what is written below it, if anything.
    pub(crate) fn new(groups: &[(Vec<i64>, Option<String>)]) -> Self {
        let highest = groups.iter().flat_map(|(values, _)| values).copied().max().unwrap_or(0);
        let top = round_up(highest);
        let places = i64::try_from(groups.len()).unwrap_or(i64::MAX).max(1);
        let (floor, span) = (HEIGHT - BELOW, HEIGHT - BELOW - ABOVE);
        let left = |place: i64| BESIDE + place * (WIDTH - BESIDE) / places;
        let mut chart = Self { bars: Vec::new(), lines: Vec::new(), words: Vec::new() };
        for (place, (values, words)) in (0..).zip(groups) {
            let (from, to) = (left(place), left(place + 1));
            let count = i64::try_from(values.len()).unwrap_or(i64::MAX).max(1);
            let width = ((to - from) * 4 / 5 / count).max(1);
            for (series, value) in values.iter().enumerate() {
                let height = value.saturating_mul(span) / top;
                // Something is never nothing.
                let height = if *value > 0 { height.max(1) } else { 0 };
                let x = from + width * i64::try_from(series).unwrap_or(0);
                chart.bars.push(Bar { x, y: floor - height, width, height, series });
            }
            let middle = i64::midpoint(from, to).min(WIDTH - WORD / 2);
            chart.words.extend(words.iter().map(|words| (middle, words.clone())));
        }
        for part in [0, 1, 2] {
            chart.lines.push((floor - span * part / 2, super::words::number(top * part / 2)));
        }
        chart
    }
}

/// The next even number with one digit other than zero: what the highest line stands for.
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
    fn bars_stand_on_the_floor_and_stay_inside() {
        let groups = [(vec![4, 0], Some("1 Feb".to_owned())), (vec![2, 1], None)];
        let chart = Chart::new(&groups);

        assert_eq!(chart.bars.len(), 4);
        for bar in &chart.bars {
            assert_eq!(bar.y + bar.height, HEIGHT - BELOW);
            assert!(bar.x >= BESIDE && bar.x + bar.width <= WIDTH && bar.y >= ABOVE, "{bar:?}");
        }
        assert_eq!(chart.bars[0].height, HEIGHT - BELOW - ABOVE);
        assert_eq!(chart.bars[1].height, 0);
        assert_eq!(chart.words, [(208, "1 Feb".to_owned())]);
    }

    #[test]
    fn a_chart_of_nothing_has_no_bars() {
        assert!(Chart::new(&[]).bars.is_empty());
    }
}
