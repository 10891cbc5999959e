//! Where files are: few entries in each crate, and the same folder names in all of them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::files::source_folders;

const ENTRIES_MAX: usize = 20;

/// The areas of the service. A crate that has something of an area has it in this folder.
const AREAS: [&str; 12] = [
    "orders",
    "returns",
    "exchanges",
    "warehouse",
    "withdrawal",
    "carriers",
    "messages",
    "money",
    "merchants",
    "access",
    "core",
    "background",
];

/// The crates that are divided by area, and the folders that each has besides.
const DIVIDED: [(&str, &[&str]); 6] = [
    ("crates/domain", &["json", "reader", "samples"]),
    ("crates/store", &["conformance", "engine"]),
    ("crates/app", &["tests"]),
    ("crates/api", &["docs"]),
    ("crates/console", &[]),
    ("tests", &["harness", "tidy", "browser", "commands", "console", "demo", "portal"]),
];

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn no_crate_has_more_than_20_entries_in_its_source_folder() {
    for folder in source_folders() {
        let count = entries(&folder).len();
        assert!(count <= ENTRIES_MAX, "{} has {count} entries", folder.display());
    }
}

#[test]
fn crates_are_divided_by_the_same_areas() {
    for (name, own) in DIVIDED {
        let folder = crate::harness::binary::workspace().join(name).join("src");
        let folders: Vec<PathBuf> = entries(&folder).into_iter().filter(|it| it.is_dir()).collect();
        for folder in &folders {
            let name = folder.file_name().unwrap().to_str().unwrap();
            let known = AREAS.contains(&name) || own.contains(&name);
            assert!(known, "{} is not the name of an area", folder.display());
        }
        let areas = folders.iter().filter(|folder| AREAS.iter().any(|area| folder.ends_with(area)));
        assert!(areas.count() >= 5, "{} is hardly divided by area", folder.display());
    }
}
