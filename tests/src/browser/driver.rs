//! The program that drives browsers: one `chromedriver` for the whole run, on a free port.
//!
//! It and every browser that it starts are of one process group with one folder for their files, so
//! that nothing of them outlives the tests, however these end.

use std::{
    fs::File,
    io::{ErrorKind, Write as _},
    os::unix::process::CommandExt,
    path::PathBuf,
    process::{Child, Command},
    sync::OnceLock,
    time::Duration,
};

use crate::harness::{eventually, server::start_guardian};

/// How long a test waits for anything in a browser.
pub(super) const WAIT_MAX: Duration = Duration::from_secs(20);

pub(super) struct Driver {
    /// Host and port, where it is told what to do.
    pub(super) address: String,
    _process: Child,
    _guardian: Child,
}

/// The driver, or nothing when there is none on this machine.
pub(super) fn start_driver() -> Option<&'static Driver> {
    static DRIVER: OnceLock<Option<Driver>> = OnceLock::new();
    DRIVER.get_or_init(start).as_ref()
}

fn start() -> Option<Driver> {
    let folder = tempfile::tempdir().unwrap().keep();
    let log = folder.join("chromedriver.log");
    let process = Command::new("chromedriver")
        .arg("--port=0")
        .env("TMPDIR", &folder)
        .stdout(File::create(&log).unwrap())
        .stderr(File::create(folder.join("errors.log")).unwrap())
        .process_group(0)
        .spawn();
    let process = match process {
        Ok(process) => process,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            std::fs::remove_dir_all(folder).unwrap();
            skipped("chromedriver", "no page is opened in a browser");
            return None;
        }
        Err(error) => panic!("chromedriver: {error}"),
    };
    let guardian = start_guardian(&format!("-{}", process.id()), &folder);
    let port = eventually("chromedriver starts", || port(&log));
    Some(Driver { address: format!("127.0.0.1:{port}"), _process: process, _guardian: guardian })
}

/// The port, once the driver has told it: "was started successfully on port 41234."
fn port(log: &PathBuf) -> Option<u16> {
    let said = std::fs::read_to_string(log).ok()?;
    let (_, after) = said.split_once("successfully on port ")?;
    after.split_once('.')?.0.parse().ok()
}

/// Says aloud, even where the output of tests is not shown, that something is not tested. In CI it
/// is a failure.
pub(super) fn skipped(missing: &str, consequence: &str) {
    let install = "run tests/browser-tools to install what is needed";
    assert!(
        std::env::var_os("CI").is_none(),
        "CI must test pages: {missing} is missing; {install}"
    );
    let words = format!("\nNOT TESTED: {missing} is missing, so {consequence}; {install}\n");
    std::io::stderr().write_all(words.as_bytes()).unwrap();
}
