//! Draws the black and white cells of a code as one SVG path.
//!
//! The path and its `viewBox` have whole numbers, so a printer draws sharp edges. Around the cells
//! is the quiet zone, without which scanners do not find a code. The style sheet sets the colors
//! and how screens smooth the edges.

use std::fmt::Write as _;

use askama::{Template, filters::HtmlSafe};

/// A code as a picture with a text alternative.
#[derive(Clone, Debug, Template)]
#[template(path = "label/drawing.html", whitespace = "minimize")]
pub(super) struct Drawing {
    /// Its class in the style sheet.
    class: &'static str,
    /// The text for screen readers.
    title: String,
    /// Its width in percent of the label's inner width, if fixed.
    width_percent: Option<String>,
    columns: usize,
    rows: usize,
    path: String,
}

/// The number of white cells that a code needs around it.
pub(super) struct QuietZone {
    pub(super) beside: usize,
    pub(super) above: usize,
}

impl HtmlSafe for Drawing {}

impl Drawing {
    /// Draws rows of cells; true is black.
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
            width_percent: None,
            columns: columns + 2 * quiet.beside,
            rows: rows.len() + 2 * quiet.above,
            path,
        }
    }

    /// Sets the text alternative.
    pub(super) fn with_title(self, title: impl Into<String>) -> Self {
        Self { title: title.into(), ..self }
    }

    /// Sets the width in percent of the label's inner width.
    pub(super) fn with_width_percent(self, percent: f64) -> Self {
        Self { width_percent: Some(format!("{percent:.3}")), ..self }
    }

    /// The cells with the quiet zone, parsed from the path.
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
