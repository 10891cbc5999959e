//! A data directory, and commands run on it.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use serde_json::Value;
use tempfile::TempDir;

use super::{
    binary::homeward,
    postgres::{Database, OwnSchema, chosen, is_on_citus},
};

/// A place for an installation. It is removed when it is no longer used.
#[derive(Clone, Debug)]
pub(crate) struct Home {
    root: Arc<TempDir>,
    /// The value of `--store`.
    store: String,
    variables: Vec<(&'static str, String)>,
    /// Keeps the schema for as long as the place is used.
    _schema: Option<Arc<OwnSchema>>,
}

/// What a command did.
#[derive(Clone, Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// A merchant and the credentials of its client.
#[derive(Clone, Debug)]
pub(crate) struct Merchant {
    pub(crate) id: String,
    pub(crate) client_id: String,
    pub(crate) client_secret: String,
}

/// A key file for nodes that share a database.
pub(crate) const SHARED_KEY: &str = "testkeys BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=\n";

impl Home {
    /// For a test that any database will do for: on the one that `TEST_STORE` names.
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let Some(database) = chosen() else { return Self::sqlite() };
        let name = format!("home_{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let schema = database.schema(&name).expect("TEST_STORE needs the address of its database");
        let home = Self::on(&schema.address);
        Self { _schema: Some(Arc::new(OwnSchema(schema))), ..home }
    }

    /// For a test that is about SQLite or its files.
    pub(crate) fn sqlite() -> Self {
        Self::on("sqlite")
    }

    /// A data directory whose store is at this address.
    pub(crate) fn on(store: &str) -> Self {
        let root = Arc::new(tempfile::tempdir().unwrap());
        Self { root, store: store.to_owned(), variables: Vec::new(), _schema: None }
    }

    /// Runs a test on a schema of its own, if there is such a database to test with.
    pub(crate) fn test_on(database: &Database, schema: &str, test: impl FnOnce(&Self)) {
        if let Some(schema) = database.schema(schema) {
            test(&Self::on(&schema.address));
        }
    }

    /// The name of its database in the status.
    pub(crate) fn engine(&self) -> &'static str {
        match self.store.as_str() {
            "sqlite" => "sqlite",
            address if is_on_citus(address) => "citus",
            _ => "postgres",
        }
    }

    /// The same place, with a variable in the environment of every command.
    pub(crate) fn with_variable(mut self, name: &'static str, value: &str) -> Self {
        self.variables.push((name, value.to_owned()));
        self
    }

    /// A folder for files beside the data directory.
    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    pub(crate) fn data_dir(&self) -> PathBuf {
        self.root().join("data")
    }

    /// Writes a file beside the data directory.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root().join(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    /// The binary, told where its data is and nothing else.
    pub(crate) fn command<I: AsRef<std::ffi::OsStr>>(&self, arguments: &[I]) -> Command {
        let mut command = homeward();
        command.current_dir(self.root()).stdin(Stdio::null());
        command.arg("--data-dir").arg(self.data_dir()).args(["--store", &self.store]);
        command.args(arguments).envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(&mut self.command(arguments))
    }

    /// Runs a command that must succeed, with `--json`.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let ran = self.run(&[&["--json"], arguments].concat());
        assert_eq!(ran.code, Some(0), "{arguments:?}: {}", ran.err);
        serde_json::from_str(&ran.out).unwrap()
    }

    /// Adds a merchant; its name begins with `name` and is no other's.
    pub(crate) fn merchant(&self, name: &str) -> Merchant {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let id = format!("{name}-{}", COUNT.fetch_add(1, Ordering::Relaxed));
        self.add_merchant(&id)
    }

    /// Creates what commands other than `serve` need: on SQLite they refuse a new directory.
    pub(crate) fn install(&self) {
        if self.engine() == "sqlite" && !self.data_dir().exists() {
            self.json(&["migrate"]);
        }
    }

    pub(crate) fn add_merchant(&self, id: &str) -> Merchant {
        self.install();
        let added = self.json(&["merchant", "add", id, "--name", "A merchant"]);
        Merchant::read(id, &added)
    }
}

impl Merchant {
    /// The merchant `id` with the credentials in the response that added it.
    pub(crate) fn read(id: &str, added: &Value) -> Self {
        Self {
            id: id.to_owned(),
            client_id: text(&added["client_id"]),
            client_secret: text(&added["client_secret"]),
        }
    }
}

impl Ran {
    pub(crate) fn of(command: &mut Command) -> Self {
        let output = command.output().unwrap();
        let words = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { code: output.status.code(), out: words(&output.stdout), err: words(&output.stderr) }
    }
}

/// The text of a JSON string.
pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}
