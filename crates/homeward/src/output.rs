//! What commands print: data on standard output, everything else on standard error.

use std::io::Write;

use serde::Serialize;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    pub(crate) json: bool,
}

impl Output {
    /// Prints `value` as JSON, or `words` for a person.
    pub(crate) fn data(self, value: &impl Serialize, words: impl FnOnce() -> String) {
        let text = if self.json {
            serde_json::to_string_pretty(value).unwrap_or_else(|error| error.to_string())
        } else {
            words()
        };
        // A reader that has gone away, as in `| head`, is no failure of ours.
        let _ = writeln!(std::io::stdout(), "{text}");
    }
}

/// Tells a person something that is not data.
pub(crate) fn note(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Tells a person what went wrong, with every cause.
pub(crate) fn problem(error: &anyhow::Error) {
    note(&format!("homeward: {error:#}"));
}

/// Rows under a heading, in columns as wide as their widest cell.
pub(crate) fn table(heading: &[&str], rows: &[Vec<String>]) -> String {
    let heading: Vec<String> = heading.iter().map(|cell| (*cell).to_owned()).collect();
    let all = || std::iter::once(&heading).chain(rows);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows =
            [vec!["acme".to_owned(), "Acme".to_owned()], vec!["b".to_owned(), String::new()]];
        assert_eq!(table(&["id", "name"], &rows), "id    name\nacme  Acme\nb");
    }
}
