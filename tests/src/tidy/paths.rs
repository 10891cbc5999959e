//! What the documents name: the files and folders exist.

use std::path::{Path, PathBuf};

use super::files::files;
use crate::harness::binary::workspace;

const FOLDERS: [&str; 4] = ["crates", "tests", "docs", "bench"];

/// The documents at the top of the workspace and in `docs`.
fn documents() -> Vec<(PathBuf, String)> {
    let mut all = files("", &[".md"]);
    all.retain(|(path, _)| path.components().count() == 1 || path.starts_with("docs"));
    assert!(all.len() >= 8, "{}", all.len());
    all
}

/// The text in backticks, outside of blocks of code.
fn quoted(text: &str) -> Vec<&str> {
    let outside: Vec<&str> = text.split("```").step_by(2).collect();
    outside.iter().flat_map(|part| part.split('`').skip(1).step_by(2)).collect()
}

/// The targets of links to files.
fn link_targets(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let is_file = |it: &&str| !it.is_empty() && !it.contains("://") && !it.starts_with('#');
    targets.filter(is_file).map(|it| it.split('#').next().unwrap_or(it)).collect()
}

/// Whether text in backticks names a file or folder of the workspace: it begins with a folder of
/// the workspace or of a crate, or ends like a source file.
fn is_path(text: &str) -> bool {
    let is_one_word = !text.contains([' ', '*', '{', '<', ':']);
    let first = text.split('/').next().unwrap_or_default();
    let in_folder = text.contains('/') && FOLDERS.contains(&first);
    is_one_word
        && (in_folder
            || text.contains("/src/")
            || Path::new(text).extension().is_some_and(|it| it == "rs"))
}

/// Whether a path exists, seen from the workspace, from `crates` or from below the sources of any
/// crate.
fn exists(path: &str, sources: &[PathBuf]) -> bool {
    let root = workspace();
    root.join(path).exists()
        || root.join("crates").join(path).exists()
        || sources.iter().any(|source| source.ends_with(path))
}

#[test]
fn paths_and_links_are_recognized() {
    let text =
        "`a/src/b.rs`, `b.rs` and [c](docs/c.md#d), [e](#f), `GET /docs/x`\n```\n`g.rs`\n```";
    let paths: Vec<&str> = quoted(text).into_iter().filter(|it| is_path(it)).collect();
    assert_eq!(paths, ["a/src/b.rs", "b.rs"]);
    assert_eq!(link_targets(text), ["docs/c.md"]);
}

#[test]
fn every_file_that_a_document_names_exists() {
    let sources = FOLDERS.map(|folder| files(folder, &[".rs"])).concat();
    let sources: Vec<PathBuf> = sources.into_iter().map(|(path, _)| path).collect();
    let (mut count, mut missing) = (0, Vec::new());
    for (document, text) in documents() {
        let folder = workspace().join(document.parent().unwrap_or(Path::new("")));
        let links = link_targets(&text);
        let broken = links.iter().filter(|it| !folder.join(it).exists());
        let paths: Vec<&str> = quoted(&text).into_iter().filter(|it| is_path(it)).collect();
        let absent = paths.iter().filter(|it| !exists(it, &sources));
        count += links.len() + paths.len();
        missing.extend(broken.chain(absent).map(|it| format!("{}: {it}", document.display())));
    }
    assert!(count > 80, "only {count} paths were found");
    assert!(missing.is_empty(), "these do not exist:\n{}", missing.join("\n"));
}
