//! How prose is written: lines of at most 100 columns, and plain words.

use super::files::{SourceFile, files, sources};

const COLUMNS_MAX: usize = 100;

/// Words and phrases that have a plainer replacement, each with it.
const REPLACED: [(&str, &str); 27] = [
    ("somebody", "a person, a client, another request"),
    ("nobody", "no one, or name who"),
    ("whoever", "the person or client who"),
    ("everybody", "everyone, or name who"),
    ("mend", "fix"),
    ("mends", "fixes"),
    ("mended", "fixed"),
    ("suffer", "fail, be slowed"),
    ("suffers", "fails, is slowed"),
    ("kin", "similar"),
    ("tells of", "reports"),
    ("told", "reported, notified, shown"),
    ("to be had", "available, in stock"),
    ("a while longer", "until the next attempt"),
    ("goes on", "continues"),
    ("go on", "continue"),
    ("made up", "generated, sample"),
    ("spoke", "applied"),
    ("comes to", "amounts to, is"),
    ("has run out", "expired"),
    ("tries", "attempts"),
    ("used up", "exhausted, failed"),
    ("must not stand twice", "must be unique"),
    ("handed over", "enqueued, passed"),
    ("cancelled by", "canceled by"),
    ("colour", "color"),
    ("behaviour", "behavior"),
];

/// The lines of a Markdown document that are prose: no tables, links, images, headings or code.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut in_code = false;
    text.lines().enumerate().filter(move |(_, line)| {
        let line = line.trim_start();
        if line.starts_with("```") {
            in_code = !in_code;
            return false;
        }
        let special = ["|", "![", "[", "<", "    "].iter().any(|it| line.starts_with(it));
        !in_code && !special
    })
}

fn is_too_wide(line: &str) -> bool {
    let is_link = line.contains("](") || line.contains("://");
    line.chars().count() > COLUMNS_MAX && !is_link
}

fn documents() -> Vec<SourceFile> {
    let all = files("", &[".md"]);
    assert!(all.len() >= 8, "{}", all.len());
    all
}

#[test]
fn comments_and_prose_have_at_most_100_columns() {
    let mut wide = Vec::new();
    for (path, text) in sources() {
        for (number, line) in text.lines().enumerate() {
            if line.trim_start().starts_with("//") && is_too_wide(line) {
                wide.push(format!("{}:{}", path.display(), number + 1));
            }
        }
    }
    for (path, text) in documents() {
        for (number, line) in prose(&text) {
            if is_too_wide(line) {
                wide.push(format!("{}:{}", path.display(), number + 1));
            }
        }
    }
    assert!(wide.is_empty(), "wider than {COLUMNS_MAX} columns:\n{}", wide.join("\n"));
}

/// Whether `text` has `phrase` as whole words, whatever their case.
fn names(text: &str, phrase: &str) -> bool {
    let text = text.to_lowercase();
    // A part of an address or an identifier is not a word.
    let letter_at =
        |it: Option<char>| it.is_some_and(|it| it.is_alphanumeric() || "_/".contains(it));
    text.match_indices(phrase).any(|(start, _)| {
        let before = text[..start].chars().next_back();
        let after = text[start + phrase.len()..].chars().next();
        !letter_at(before) && !letter_at(after)
    })
}

/// Without what is quoted as code: identifiers and literals of the contract keep their spelling.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

fn assert_plain(texts: impl Iterator<Item = (String, String)>) {
    let mut wrong = Vec::new();
    for (place, line) in texts {
        let line = without_code(&line);
        for (phrase, better) in REPLACED {
            if names(&line, phrase) {
                wrong.push(format!("{place}: {phrase:?} (better: {better}): {}", line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} places:\n{}", wrong.len(), wrong.join("\n"));
}

fn lines(all: Vec<SourceFile>) -> impl Iterator<Item = (String, String)> {
    all.into_iter().flat_map(|(path, text)| {
        let place = move |(number, line): (usize, &str)| {
            (format!("{}:{}", path.display(), number + 1), line.to_owned())
        };
        text.lines().enumerate().map(place).collect::<Vec<_>>()
    })
}

#[test]
fn documents_use_plain_words() {
    let prose = documents().into_iter().flat_map(|(path, text)| {
        let place = |(number, line): (usize, &str)| {
            (format!("{}:{}", path.display(), number + 1), line.to_owned())
        };
        prose(&text).map(place).collect::<Vec<_>>()
    });
    assert_plain(prose);
}

#[test]
fn pages_use_plain_words() {
    let pages = files("crates", &[".html"]);
    assert!(pages.len() > 50, "{}", pages.len());
    assert_plain(lines(pages).filter(|(_, line)| !line.contains("{#")));
    let english = files("crates/portal/src", &["english.rs"]);
    assert_eq!(english.len(), 1, "what shoppers read in English is in one file");
    assert_plain(lines(english));
}

#[test]
fn commands_use_plain_words() {
    let commands = files("crates/homeward/src", &[".rs"]);
    // Help texts are doc comments, and what commands print is in strings.
    let read = lines(commands).filter(|(_, line)| {
        let line = line.trim_start();
        line.starts_with("///") || line.contains('"')
    });
    assert_plain(read);
}
