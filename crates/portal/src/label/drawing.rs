//! Modules, the black and white cells of a code, drawn as one SVG path.
//!
//! The path has whole numbers in a `viewBox` of whole numbers, so a printer draws it as sharp as
//! it can. Around the cells stays the quiet zone without which no scanner finds a code. Colours
//! and how a screen smooths edges come from the style sheet.

use std::fmt::Write as _;

use askama::{Template, filters::HtmlSafe};

/// One code as a picture that also says in words what it is.
#[derive(Clone, Debug, Template)]
#[template(path = "label/drawing.html", whitespace = "minimize")]
pub(super) struct Drawing {
    /// How the style sheet calls it.
    class: &'static str,
    /// What a screen reader says.
    title: String,
    /// The share of the label's inner width that it takes, in percent, where that is fixed.
    share: Option<String>,
    columns: usize,
    rows: usize,
    path: String,
}

/// White cells that a code needs around it.
pub(super) struct QuietZone {
    pub(super) beside: usize,
    pub(super) above: usize,
}

impl HtmlSafe for Drawing {}

impl Drawing {
    /// Draws `rows` of cells, of which the true ones are black.
    pub(super) fn new(class: &'static str, rows: &[Vec<bool>], quiet: &QuietZone) -> Self {
        let mut path = String::new();
        for (row, y) in rows.iter().zip(quiet.above..) {
            let mut x = quiet.beside;
            for run in row.chunk_by(|left, right| left == right) {
                let width = run.len();
                if run.first() == Some(&true) {
                    write!(path, "M{x} {y}h{width}v1h-{width}z")
                        .expect("writing to a string does not fail");
                }
                x += width;
            }
        }
        let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
        Self {
            class,
            title: String::new(),
            share: None,
            columns: columns + 2 * quiet.beside,
            rows: rows.len() + 2 * quiet.above,
            path,
        }
    }

    /// The same drawing, with the words that stand for it.
    pub(super) fn with_title(self, title: impl Into<String>) -> Self {
        Self { title: title.into(), ..self }
    }

    /// The same drawing, `percent` of the label's inner width wide.
    pub(super) fn with_width_percent(self, percent: f64) -> Self {
        Self { share: Some(format!("{percent:.3}")), ..self }
    }

    /// The cells with their quiet zone, read back from the path.
    #[cfg(test)]
    pub(super) fn cells(&self) -> Vec<Vec<bool>> {
        let mut cells = vec![vec![false; self.columns]; self.rows];
        for rectangle in self.path.split('M').skip(1) {
            let numbers: Vec<usize> = rectangle
                .split(|character: char| !character.is_ascii_digit())
                .filter_map(|number| number.parse().ok())
                .collect();
            let [x, y, width, 1, back] = numbers[..] else { panic!("{rectangle}") };
            assert_eq!(width, back);
            cells[y][x..x + width].fill(true);
        }
        cells
    }
}
