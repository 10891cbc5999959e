//! Servers of PostgreSQL that a test starts and stops: a primary with a synchronous standby, and
//! a coordinator of Citus with two workers.

use std::{
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use tempfile::TempDir;

use super::{eventually, postgres::read_text, server::signal};

/// A primary and its standby. Stopped when the test ends.
pub(crate) struct Pair {
    servers: Servers,
    primary_port: u16,
    standby_port: u16,
}

impl Pair {
    /// None, with a message, when the programs of PostgreSQL are not on this machine.
    pub(crate) fn start() -> Option<Self> {
        let servers = Servers::find()?;
        let (primary_port, standby_port) = (free_port(), free_port());
        servers.create("primary");
        servers.launch("primary", primary_port, "");
        let (port, standby) = (primary_port.to_string(), servers.data("standby"));
        let copy = ["-h", "127.0.0.1", "-p", &port, "-U", "postgres", "-R", "-X", "stream"];
        servers.run("pg_basebackup", &[&copy[..], &["-c", "fast", "-D", &standby]].concat());
        servers.launch("standby", standby_port, "");
        // From now on a commit is acknowledged when it is on both.
        let primary = address(primary_port);
        read_text(&primary, "ALTER SYSTEM SET synchronous_standby_names = '*'");
        read_text(&primary, "SELECT pg_reload_conf()::text");
        eventually("the standby is synchronous", || {
            let states = "SELECT coalesce(max(sync_state), '') FROM pg_stat_replication";
            (read_text(&primary, states) == "sync").then_some(())
        });
        Some(Self { servers, primary_port, standby_port })
    }

    /// The address that a node is configured with.
    pub(crate) fn address(&self) -> String {
        let Self { primary_port, standby_port, .. } = self;
        format!(
            "postgres://postgres@127.0.0.1:{primary_port},127.0.0.1:{standby_port}/postgres\
             ?target_session_attrs=read-write"
        )
    }

    /// Kills the primary without warning, and makes the standby the primary.
    pub(crate) fn fail_over(&self) {
        let pid_file = Path::new(&self.servers.data("primary")).join("postmaster.pid");
        let pid = fs::read_to_string(pid_file).unwrap();
        signal("-KILL", pid.lines().next().unwrap().parse().unwrap());
        let standby = self.servers.data("standby");
        self.servers.run("pg_ctl", &["-D", &standby, "-w", "-s", "promote"]);
    }
}

/// A coordinator of Citus and its workers. Stopped when the test ends.
pub(crate) struct Distributed {
    servers: Servers,
    coordinator_port: u16,
    workers: Vec<CitusWorker>,
}

pub(crate) struct CitusWorker {
    name: &'static str,
    port: u16,
}

impl Distributed {
    /// None when Citus is not to be tested here.
    pub(crate) fn start() -> Option<Self> {
        std::env::var_os("TEST_CITUS_URL")?;
        let servers = Servers::find()?;
        let coordinator_port = free_port();
        let workers = ["worker1", "worker2"].map(|name| CitusWorker { name, port: free_port() });
        let it = Self { servers, coordinator_port, workers: workers.into() };
        it.launch("coordinator", coordinator_port);
        read_text(
            &it.address(),
            &format!("SELECT citus_set_coordinator_host('127.0.0.1', {coordinator_port})::text"),
        );
        for CitusWorker { name, port } in &it.workers {
            it.launch(name, *port);
            let sql = format!("SELECT citus_add_node('127.0.0.1', {port})::text");
            read_text(&it.address(), &sql);
        }
        // Few shards, because the schema has all of them.
        read_text(&it.address(), "ALTER DATABASE postgres SET citus.shard_count = 4");
        Some(it)
    }

    pub(crate) fn address(&self) -> String {
        address(self.coordinator_port)
    }

    pub(crate) fn workers(&self) -> &[CitusWorker] {
        &self.workers
    }

    /// Stops a worker at once, without a checkpoint and whatever it is doing.
    pub(crate) fn stop(&self, worker: &CitusWorker) {
        let data = self.servers.data(worker.name);
        self.servers.run("pg_ctl", &["-D", &data, "-m", "immediate", "-s", "stop"]);
    }

    pub(crate) fn restart(&self, worker: &CitusWorker) {
        self.servers.launch(worker.name, worker.port, CITUS_SETTINGS);
    }

    fn launch(&self, name: &str, port: u16) {
        self.servers.create(name);
        self.servers.launch(name, port, CITUS_SETTINGS);
        read_text(&address(port), "CREATE EXTENSION citus");
    }
}

const CITUS_SETTINGS: &str = "-c shared_preload_libraries=citus -c max_prepared_transactions=100";

/// Where the servers are. Removed with them when the test ends.
struct Servers {
    programs: PathBuf,
    folder: TempDir,
}

impl Servers {
    fn find() -> Option<Self> {
        let Some(programs) = find_programs() else {
            eprintln!("skipped: initdb, pg_ctl and pg_basebackup of PostgreSQL are not installed");
            return None;
        };
        let servers = Self { programs, folder: tempfile::tempdir().unwrap() };
        // PostgreSQL refuses to run as root.
        if is_root() {
            let owned = Command::new("chown").arg("postgres").arg(servers.folder.path()).output();
            assert!(owned.unwrap().status.success());
        }
        Some(servers)
    }

    fn data(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn create(&self, name: &str) {
        self.run("initdb", &["-D", &self.data(name), "-U", "postgres", "-A", "trust"]);
    }

    fn launch(&self, name: &str, port: u16, settings: &str) {
        let (data, log) = (self.data(name), self.data(&format!("{name}.log")));
        let socket = self.folder.path().display();
        let options = format!("-p {port} -k {socket} -c listen_addresses=127.0.0.1 {settings}");
        self.run("pg_ctl", &["-D", &data, "-w", "-s", "-l", &log, "-o", &options, "start"]);
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        let Output { status, stderr, .. } = self.command(program, arguments).output().unwrap();
        assert!(status.success(), "{program}: {}", String::from_utf8_lossy(&stderr));
    }

    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let program = self.programs.join(program);
        let mut command = if is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        command.current_dir("/").args(arguments);
        command
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        let folders = fs::read_dir(self.folder.path()).into_iter().flatten().flatten();
        for folder in folders.map(|folder| folder.path()).filter(|path| path.is_dir()) {
            let data = folder.display().to_string();
            let _ = self.command("pg_ctl", &["-D", &data, "-m", "immediate", "stop"]).output();
        }
    }
}

fn address(port: u16) -> String {
    format!("postgres://postgres@127.0.0.1:{port}/postgres")
}

fn find_programs() -> Option<PathBuf> {
    let folders = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<_> = folders.map(|folder| folder.path().join("bin")).collect();
    folders.extend(std::env::var_os("PATH").iter().flat_map(std::env::split_paths));
    let has_all = |folder: &PathBuf| {
        ["initdb", "pg_ctl", "pg_basebackup"].iter().all(|program| folder.join(program).exists())
    };
    folders.into_iter().find(has_all)
}

fn is_root() -> bool {
    let who = Command::new("id").arg("-u").output().unwrap();
    String::from_utf8_lossy(&who.stdout).trim() == "0"
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
