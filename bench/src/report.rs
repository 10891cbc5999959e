//! What people and machines get to see: progress on standard error, results on standard output.

use std::{io::Write, time::Duration};

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

/// Shows that something is going on, until the value is dropped.
pub(crate) fn step(words: &str) -> Step {
    let bar = ProgressBar::new_spinner().with_message(words.to_owned());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(500));
    Step(bar)
}

/// Tells a person something that is not a result.
pub(crate) fn note(words: &str) {
    let _ = writeln!(std::io::stderr(), "{words}");
}

/// Prints `results` as JSON, or `words` for a person.
pub(crate) fn print(results: &impl Serialize, words: &str, as_json: bool) -> anyhow::Result<()> {
    let json = if as_json { Some(serde_json::to_string_pretty(results)?) } else { None };
    // A reader that has gone away, as in `| head`, is no failure of ours.
    let _ = writeln!(std::io::stdout(), "{}", json.as_deref().unwrap_or(words));
    Ok(())
}

pub(crate) struct Step(ProgressBar);

impl Step {
    /// Ends it with a line that stays.
    pub(crate) fn done(self, words: &str) {
        self.0.suspend(|| note(words));
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Rows under a heading, in columns as wide as their widest cell; numbers stand to the right.
pub(crate) fn table<const COLUMNS: usize>(
    heading: [&str; COLUMNS],
    rows: &[[String; COLUMNS]],
) -> String {
    let mut all = vec![heading.map(str::to_owned)];
    all.extend_from_slice(rows);
    let width = |column: usize| {
        let cells = all.iter().filter_map(|row| row.get(column));
        cells.map(String::len).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..COLUMNS).map(width).collect();
    let line = |row: &[String; COLUMNS]| {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$}"));
        cells.collect::<Vec<_>>().join("  ")
    };
    all.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[expect(clippy::cast_precision_loss, clippy::as_conversions, reason = "counts are below 2^52")]
pub(crate) fn number(count: usize) -> f64 {
    count as f64
}

/// A rate without its fraction, in groups of three digits.
pub(crate) fn thousands(rate: f64) -> String {
    let digits = format!("{rate:.0}");
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [["sqlite", "12,345"].map(str::to_owned), ["b", "1"].map(str::to_owned)];
        let expected = " store    rate\nsqlite  12,345\n     b       1";
        assert_eq!(table(["store", "rate"], &rows), expected);
    }

    #[test]
    fn digits_stand_in_threes() {
        assert_eq!([999.6, 12.0, 1_234_567.0].map(thousands), ["1,000", "12", "1,234,567"]);
    }
}
