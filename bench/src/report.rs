//! The output: progress on standard error, results on standard output.

use std::{io::Write, time::Duration};

use domain::currency::group_digits;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

/// Shows a spinner until the value is dropped.
pub(crate) fn start_step(text: &str) -> Step {
    let bar = ProgressBar::new_spinner().with_message(text.to_owned());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(500));
    Step(bar)
}

/// Prints something that is not a result.
pub(crate) fn print_note(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Prints `results` as JSON, or `text` for people.
pub(crate) fn print(results: &impl Serialize, text: &str, as_json: bool) -> anyhow::Result<()> {
    let json = if as_json { Some(serde_json::to_string_pretty(results)?) } else { None };
    // A reader that has closed its end, as `| head` does, is not an error.
    let _ = writeln!(std::io::stdout(), "{}", json.as_deref().unwrap_or(text));
    Ok(())
}

pub(crate) struct Step(ProgressBar);

impl Step {
    /// Ends the step and prints a line.
    pub(crate) fn done(self, text: &str) {
        self.0.suspend(|| print_note(text));
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Rows under a heading, in right-aligned columns as wide as their widest cell.
pub(crate) fn format_table<const COLUMNS: usize>(
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
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::as_conversions,
    reason = "rates are positive and below 2^52"
)]
pub(crate) fn thousands(rate: f64) -> String {
    group_digits(rate.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [["sqlite", "12,345"].map(str::to_owned), ["b", "1"].map(str::to_owned)];
        let expected = " store    rate\nsqlite  12,345\n     b       1";
        assert_eq!(format_table(["store", "rate"], &rows), expected);
    }

    #[test]
    fn digits_are_grouped_in_threes() {
        assert_eq!([999.6, 12.0, 1_234_567.0].map(thousands), ["1,000", "12", "1,234,567"]);
    }
}
