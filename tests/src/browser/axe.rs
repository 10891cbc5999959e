//! axe-core, which knows what keeps people from using a page.
//!
//! `tests/browser-tools` puts its script beside the build; `AXE_CORE` names another place.

use std::{path::PathBuf, sync::OnceLock};

use serde_json::{Value, json};

use super::{driver::skipped, session::Session};
use crate::harness::binary::target;

/// Every violation in a line of its own, with the elements it is about.
const RUN: &str = "return axe.run(document, Object.assign({ resultTypes: ['violations'] },
  arguments[0])).then((found) => found.violations.map((violation) => [violation.id, violation.help,
    ...violation.nodes.map((node) => `${node.html}: ${node.failureSummary}`)].join('\\n  ')));";

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rules {
    All,
    /// What another theme can change.
    Colors,
}

/// A page that has the script in it.
pub(super) struct Examiner<'a> {
    session: &'a Session,
}

/// The script, or nothing when it was not fetched.
pub(super) fn source() -> Option<&'static str> {
    static SOURCE: OnceLock<Option<String>> = OnceLock::new();
    let read = || {
        let file = std::env::var_os("AXE_CORE").map(PathBuf::from);
        let file = file.unwrap_or_else(|| target().join("axe-core/axe.min.js"));
        let source = std::fs::read_to_string(file).ok();
        if source.is_none() {
            skipped("axe-core", "nobody looks at whether everybody can use the pages");
        }
        source
    };
    SOURCE.get_or_init(read).as_deref()
}

impl<'a> Examiner<'a> {
    pub(super) fn of(session: &'a Session) -> Option<Self> {
        session.script(source()?, &[]);
        Some(Self { session })
    }

    /// Fails when something keeps anybody from using the page as it looks now.
    pub(super) fn assert_nothing_found(&self, look: &str, rules: Rules) {
        let options = match rules {
            Rules::All => json!({}),
            Rules::Colors => json!({ "runOnly": ["color-contrast"] }),
        };
        let found = self.session.script(RUN, &[options]);
        let found = found.as_array().unwrap().iter().filter_map(Value::as_str);
        let found: Vec<&str> = found.collect();
        assert!(found.is_empty(), "{look}:\n{}", found.join("\n"));
    }
}
