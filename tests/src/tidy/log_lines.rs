//! What the log says: every warning and error ends with its cause.

use super::files::files;

/// Lines that have no cause besides themselves, each with the reason.
const WITHOUT_CAUSE: [(&str, &str); 1] = [(
    "dropping {} connections that did not finish in time",
    "the time limit of the shutdown is the cause",
)];

/// What each call of `tracing::warn!` and `tracing::error!` in `text` logs: its arguments.
fn logged(text: &str) -> Vec<&str> {
    let starts = ["tracing::warn!(", "tracing::error!("];
    let mut found = Vec::new();
    for start in starts {
        for (position, _) in text.match_indices(start) {
            let rest = &text[position + start.len()..];
            found.push(rest[..arguments_end(rest)].trim());
        }
    }
    found
}

/// Where the parenthesis closes that was opened before `text`.
fn arguments_end(text: &str) -> usize {
    let (mut depth, mut in_string, mut is_escaped) = (0_i32, false, false);
    for (position, letter) in text.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => in_string = !in_string,
            '(' if !in_string => depth += 1,
            ')' if !in_string && depth == 0 => return position,
            ')' if !in_string => depth -= 1,
            _ => (),
        }
    }
    text.len()
}

/// Whether the line ends with a value after a colon. Fields would be printed behind the text, so
/// there are none.
fn ends_with_cause(arguments: &str) -> bool {
    let text = arguments.strip_prefix('"').and_then(|rest| rest.split('"').next());
    text.is_some_and(|text| {
        let cause = text.rsplit(": ").next().filter(|cause| cause.len() < text.len());
        cause.is_some_and(|it| it.starts_with('{') && it.ends_with('}') && !it.contains(' '))
    })
}

#[test]
fn a_cause_at_the_end_is_recognized() {
    let all = logged(concat!(
        "tracing::wa",
        "rn!(\"it (a) failed, will retry: {}\", causes(&error));",
        "tracing::er",
        "ror!(\n    \"it failed, \\\n will retry: {error:#}\"\n);",
        "tracing::er",
        "ror!(%error, \"it failed\");",
        "tracing::er",
        "ror!(merchant, \"it failed: {error}\");",
        "tracing::wa",
        "rn!(\"{error} happened\");",
    ));
    let with_cause = all.iter().filter(|it| ends_with_cause(it)).count();
    assert_eq!((all.len(), with_cause), (5, 2), "{all:?}");
}

#[test]
fn every_warning_and_error_in_the_log_ends_with_its_cause() {
    let (mut count, mut wrong) = (0, Vec::new());
    for (path, text) in files("crates", &[".rs"]) {
        for arguments in logged(&text) {
            count += 1;
            let is_excepted = WITHOUT_CAUSE.iter().any(|(line, _)| arguments.contains(line));
            if !is_excepted && !ends_with_cause(arguments) {
                wrong.push(format!("{}: {arguments}", path.display()));
            }
        }
    }
    assert!(count > 20, "only {count} log lines were found");
    assert!(
        wrong.is_empty(),
        "say what failed, what happens now, the cause:\n{}",
        wrong.join("\n")
    );
}
