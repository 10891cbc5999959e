//! The files of the workspace, as the other rules read them.

use std::{fs, path::PathBuf};

use crate::harness::binary::workspace;

/// A file with its path relative to the workspace.
pub(super) type SourceFile = (PathBuf, String);

/// All files below `folder` whose name ends in one of `endings`.
pub(super) fn files(folder: &str, endings: &[&str]) -> Vec<SourceFile> {
    let mut found = Vec::new();
    let mut folders = vec![workspace().join(folder)];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                folders.extend((name != "target" && !name.starts_with('.')).then_some(path));
            } else if endings.iter().any(|ending| name.ends_with(ending)) {
                let relative = path.strip_prefix(workspace()).unwrap().to_owned();
                // A file may be renamed while the tests run.
                found.extend(fs::read_to_string(&path).ok().map(|text| (relative, text)));
            }
        }
    }
    found.sort();
    found
}

pub(super) fn sources() -> Vec<SourceFile> {
    let all = ["crates", "bench", "tests"].map(|folder| files(folder, &[".rs"])).concat();
    assert!(all.len() > 100, "{}", all.len());
    all
}

/// The lines that are not comments.
pub(super) fn code_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim_start().starts_with("//"))
}

/// The folder with the sources of each crate.
pub(super) fn source_folders() -> Vec<PathBuf> {
    let crates = fs::read_dir(workspace().join("crates")).unwrap();
    let crates = crates.map(|entry| entry.unwrap().path());
    let all = crates.chain([workspace().join("bench"), workspace().join("tests")]);
    let mut all: Vec<PathBuf> = all.map(|path| path.join("src")).collect();
    all.retain(|path| path.is_dir());
    all.sort();
    assert!(all.len() > 8, "{all:?}");
    all
}
