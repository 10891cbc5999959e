//! Settings that are refused, and where they were set: with a variable or in a line of the file. A
//! person who typed a flag knows.

use std::{collections::BTreeSet, fmt, path::Path};

/// A setting that cannot be used.
#[derive(Debug)]
pub(crate) struct SettingError {
    /// As in the file, such as `mail.from`.
    name: &'static str,
    /// Continues a sentence that begins with the name.
    problem: String,
}

impl fmt::Display for SettingError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.name, self.problem)
    }
}

impl std::error::Error for SettingError {}

/// The error that `name` cannot be used: `name` and `problem` are one sentence.
pub(super) fn refuse(name: &'static str, problem: impl Into<String>) -> anyhow::Error {
    SettingError { name, problem: problem.into() }.into()
}

/// The settings that have flags and variables, by what was used to set them.
#[derive(Clone, Debug, Default)]
pub(crate) struct SettingSources {
    pub(crate) flags: BTreeSet<String>,
    pub(crate) variables: BTreeSet<String>,
}

/// The variable that sets `name`.
pub(crate) fn variable_name(name: &str) -> String {
    format!("HOMEWARD_{}", name.to_uppercase())
}

/// Adds to an error about a setting where that was set.
pub(super) fn add_origin(
    error: anyhow::Error,
    sources: &SettingSources,
    file: Option<&Path>,
) -> anyhow::Error {
    let Some(SettingError { name, .. }) = error.downcast_ref() else { return error };
    let name = *name;
    if sources.flags.contains(name) {
        return error;
    }
    if sources.variables.contains(name) {
        return error.context(format!("the variable {} cannot be used", variable_name(name)));
    }
    let Some(file) = file else { return error };
    let text = std::fs::read_to_string(file).unwrap_or_default();
    match find_line(&text, name) {
        Some(line) => error.context(format!("{}, line {line}", file.display())),
        None => error.context(file.display().to_string()),
    }
}

/// The number of the line that sets `name`.
fn find_line(text: &str, name: &str) -> Option<usize> {
    let (wanted_table, key) = name.split_once('.').unwrap_or(("", name));
    let mut table = "";
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(header) = line.strip_prefix('[') {
            table = header.trim_end_matches(']').trim();
        }
        let is_key = |(before, _): (&str, &str)| before.trim() == key;
        if table == wanted_table && line.split_once('=').is_some_and(is_key) {
            return Some(index + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_by_its_table_and_key() {
        let text = "# listen = \"a\"\nlisten = \"b\"\n\n[mail]\nhost = \"c\"\n listen=\"d\"\n";
        assert_eq!(find_line(text, "listen"), Some(2));
        assert_eq!(find_line(text, "mail.host"), Some(5));
        assert_eq!(find_line(text, "mail.listen"), Some(6));
        assert_eq!(find_line(text, "host"), None);
        assert_eq!(find_line(text, "mail.from"), None);
    }

    #[test]
    fn an_error_names_where_its_setting_was_set() {
        let say = |sources: &SettingSources, file: Option<&Path>| {
            format!("{:#}", add_origin(refuse("listen", "must be set"), sources, file))
        };
        let set = |name: &str| BTreeSet::from([name.to_owned()]);
        let mut sources = SettingSources { variables: set("listen"), ..Default::default() };
        assert_eq!(
            say(&sources, None),
            "the variable HOMEWARD_LISTEN cannot be used: listen must be set"
        );
        sources.flags = set("listen");
        assert_eq!(say(&sources, None), "listen must be set");
    }
}
