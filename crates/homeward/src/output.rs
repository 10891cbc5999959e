//! The output of commands: data on standard output, everything else on standard error.

use std::io::Write;

use domain::json;
use indicatif::HumanCount;
use serde::Serialize;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    pub(crate) json: bool,
}

impl Output {
    /// Prints `value` as JSON, or `text` for a person.
    pub(crate) fn print(self, value: &impl Serialize, text: impl FnOnce() -> String) {
        let text = if self.json {
            let text = serde_json::to_string(value).unwrap_or_else(|error| error.to_string());
            json::pretty(&text)
        } else {
            replace_controls(&text())
        };
        // A reader that has closed its end, as `| head` does, is not an error.
        let _ = writeln!(std::io::stdout(), "{text}");
    }
}

/// Replaces control characters, which a terminal would obey. Texts of other systems may contain
/// them.
fn replace_controls(text: &str) -> String {
    let shown =
        |letter: char| if letter.is_control() && letter != '\n' { '\u{fffd}' } else { letter };
    text.chars().map(shown).collect()
}

/// A number of things, such as `1 order` or `2,500 orders`.
pub(crate) fn format_count(count: impl TryInto<u64>, noun: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", HumanCount(count))
}

/// Prints something that is not data.
pub(crate) fn print_note(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Prints an error with all its causes.
pub(crate) fn print_error(error: &anyhow::Error) {
    print_note(&format!("homeward: {error:#}"));
}

/// Rows under a heading, in columns as wide as their widest cell.
pub(crate) fn format_table(heading: &[&str], rows: &[Vec<String>]) -> String {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| one_line(cell)).collect()).collect();
    let heading: Vec<String> = heading.iter().map(|cell| (*cell).to_owned()).collect();
    let all = || std::iter::once(&heading).chain(&rows);
    let widths: Vec<usize> = (0..heading.len())
        .map(|column| {
            let cells = all().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        })
        .collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    all().map(line).collect::<Vec<_>>().join("\n")
}

fn one_line(cell: &str) -> String {
    cell.replace(['\r', '\n'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_not_several() {
        let texts = [0, 1, 2, 2_500_u64].map(|count| format_count(count, "order"));
        assert_eq!(texts, ["0 orders", "1 order", "2 orders", "2,500 orders"]);
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows =
            [vec!["acme".to_owned(), "Acme".to_owned()], vec!["b".to_owned(), String::new()]];
        assert_eq!(format_table(&["id", "name"], &rows), "id    name\nacme  Acme\nb");
    }

    #[test]
    fn foreign_text_neither_breaks_a_table_nor_controls_a_terminal() {
        let rows = [vec!["a\nb".to_owned(), "\u{1b}[2J".to_owned()]];
        assert_eq!(replace_controls(&format_table(&["1", "2"], &rows)), "1    2\na b  \u{fffd}[2J");
    }
}
