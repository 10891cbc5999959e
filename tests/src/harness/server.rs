//! A server process.

use std::{
    fs::{File, OpenOptions},
    io::Read,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use serde_json::{Value, json};

use super::{
    eventually,
    home::{Home, Merchant, text},
    http::{Connection, Reply, Request},
    within,
};

/// Several servers that start at the same time on Citus wait for each other's migrations.
const STARTS_WITHIN: Duration = Duration::from_secs(120);

/// `homeward serve` on a data directory. It is killed when the test is done with it.
pub(crate) struct Server {
    pub(crate) home: Home,
    arguments: Vec<String>,
    process: Option<Process>,
    /// Host and port, where plain HTTP is spoken.
    pub(crate) address: String,
}

struct Process {
    child: Child,
    guardian: Child,
}

impl Home {
    /// A server on a free port, with a rate limit that nobody reaches unless `arguments` say so.
    pub(crate) fn serve(&self, arguments: &[&str]) -> Server {
        let mut all = arguments.to_vec();
        for (flag, value) in [("--listen", "127.0.0.1:0"), ("--rate-limit-per-minute", "1000000")] {
            // A flag that stands twice would be an error.
            if !arguments.contains(&flag) {
                all.extend([flag, value]);
            }
        }
        Server::start(self, &all)
    }
}

impl Server {
    pub(crate) fn start(home: &Home, arguments: &[&str]) -> Self {
        let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        let mut server =
            Self { home: home.clone(), arguments, process: None, address: String::new() };
        server.restart();
        server
    }

    /// Starts the server again on its data directory. It may listen on another port.
    pub(crate) fn restart(&mut self) {
        self.kill9();
        let log = OpenOptions::new().create(true).append(true).open(self.log_file()).unwrap();
        let mut command = self.home.command(&["serve"]);
        let child = command.args(&self.arguments).stderr(log).spawn().unwrap();
        let pid = child.id();
        self.process =
            Some(Process { guardian: start_guardian(&pid.to_string(), self.home.root()), child });
        let file = self.home.data_dir().join("server.json");
        self.address = within(STARTS_WITHIN, "the server starts", || {
            let ended = self.process.as_mut().and_then(|it| it.child.try_wait().unwrap());
            assert!(ended.is_none(), "the server ended: {}", self.log());
            let server: Value = serde_json::from_str(&std::fs::read_to_string(&file).ok()?).ok()?;
            let address = text(&server["local_address"]).replace("http://", "");
            (server["pid"] == pid).then_some(address)
        });
        // It listens before it answers, and hears signals only when it answers.
        let alive = self.connect().send(&Request::get("/healthz"));
        assert_eq!(alive.unwrap().status, 200);
    }

    pub(crate) fn pid(&self) -> u32 {
        self.process.as_ref().unwrap().child.id()
    }

    /// The memory of the server, in MiB.
    pub(crate) fn memory_mib(&self) -> u64 {
        self.read_memory("VmRSS:")
    }

    /// The most memory that the server has had, in MiB.
    pub(crate) fn memory_peak_mib(&self) -> u64 {
        self.read_memory("VmHWM:")
    }

    fn read_memory(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
    }

    /// Ends the server without any warning.
    pub(crate) fn kill9(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.guardian.kill().unwrap();
            process.guardian.wait().unwrap();
            process.child.kill().unwrap();
            process.child.wait().unwrap();
        }
    }

    /// Asks the server to end, as a service manager does.
    pub(crate) fn terminate(&self) {
        signal("-TERM", self.pid());
    }

    /// Waits for the end of a server that was asked to.
    pub(crate) fn ended(&mut self) -> Option<i32> {
        let mut process = self.process.take().unwrap();
        process.guardian.kill().unwrap();
        process.guardian.wait().unwrap();
        eventually("the server ends", || process.child.try_wait().unwrap()).code()
    }

    pub(crate) fn stop(&mut self) {
        self.terminate();
        assert_eq!(self.ended(), Some(0), "{}", self.log());
    }

    fn log_file(&self) -> PathBuf {
        self.home.root().join("server.log")
    }

    /// What the server wrote to standard error.
    pub(crate) fn log(&self) -> String {
        let mut text = String::new();
        File::open(self.log_file()).unwrap().read_to_string(&mut text).unwrap();
        text
    }

    pub(crate) fn connect(&self) -> Connection<std::net::TcpStream> {
        Connection::open(&self.address).unwrap()
    }

    pub(crate) fn send(&self, request: &Request) -> Reply {
        self.connect().send(request).unwrap_or_else(|error| panic!("{error}: {request:?}"))
    }

    /// Adds a merchant of its own for a test.
    pub(crate) fn merchant(&self, name: &str) -> Merchant {
        self.home.merchant(name)
    }

    pub(crate) fn token(&self, merchant: &Merchant) -> String {
        self.token_for(&merchant.client_id, &merchant.client_secret, None)
    }

    /// A token that may do no more than `scope`.
    pub(crate) fn narrow_token(&self, merchant: &Merchant, scope: &str) -> String {
        self.token_for(&merchant.client_id, &merchant.client_secret, Some(scope))
    }

    /// A token of the operator's tools.
    pub(crate) fn admin_token(&self) -> String {
        let file = self.home.data_dir().join("admin.json");
        let admin: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        self.token_for(&text(&admin["client_id"]), &text(&admin["client_secret"]), None)
    }

    fn token_for(&self, client_id: &str, client_secret: &str, scope: Option<&str>) -> String {
        let body = json!({
            "grant_type": "client_credentials",
            "client_id": client_id,
            "client_secret": client_secret,
            "scope": scope,
        });
        let reply = self.send(&Request::post("/oauth/token").json(body.to_string()));
        assert_eq!(reply.status, 200, "{}", reply.said());
        text(&reply.json()["access_token"])
    }

    /// Publishes a message of orders.
    pub(crate) fn publish(&self, token: &str, message: &str) -> Reply {
        self.send(&publication(token, message))
    }

    pub(crate) fn order(&self, token: &str, identifier: &str) -> Reply {
        self.send(&Request::get(&format!("/orders/{identifier}")).bearer(token))
    }
}

/// Sends a signal such as `-TERM`.
pub(crate) fn signal(name: &str, pid: u32) {
    let sent = Command::new("kill").args([name, &pid.to_string()]).status().unwrap();
    assert!(sent.success(), "{name} to {pid}");
}

/// The request that publishes orders.
pub(crate) fn publication(token: &str, message: impl Into<Vec<u8>>) -> Request {
    Request::post("/returns_portal_orders").bearer(token).header("Api-Version", "3").json(message)
}

/// Ends a process, or all of a group when its number stands behind a minus, and removes its files
/// when the test process is gone without having done so: what tests share is never dropped.
pub(crate) fn start_guardian(process: &str, folder: &Path) -> Child {
    // Who was just killed may still hold a file for a moment.
    let script = "read -r _; kill -9 \"$1\"; \
                  for _ in 1 2 3; do rm -rf \"$2\" && break; sleep 1; done";
    Command::new("sh")
        .args(["-c", script, "guardian", process])
        .arg(folder)
        // An interruption from the keyboard is not for it: it is there to clean up afterwards.
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

impl Drop for Server {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the server said: {}", self.log());
        }
        self.kill9();
    }
}
