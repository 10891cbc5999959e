//! A PostgreSQL primary with a synchronous standby, both started by the test.

use std::{
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use tempfile::TempDir;

use super::{eventually, postgres::read_text, server::signal};

/// Stopped when the test ends.
pub(crate) struct Pair {
    programs: PathBuf,
    primary_port: u16,
    standby_port: u16,
    folder: TempDir,
}

impl Pair {
    /// None, with a message, when the programs of PostgreSQL are not on this machine.
    pub(crate) fn start() -> Option<Self> {
        let Some(programs) = find_programs() else {
            eprintln!("skipped: initdb, pg_ctl and pg_basebackup of PostgreSQL are not installed");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let (primary_port, standby_port) = (free_port(), free_port());
        let pair = Self { programs, primary_port, standby_port, folder };
        pair.give_to_postgres();
        let data = pair.data("primary");
        pair.run("initdb", &["-D", &data, "-U", "postgres", "-A", "trust"]);
        pair.launch("primary", primary_port);
        let (port, standby) = (primary_port.to_string(), pair.data("standby"));
        let copy = ["-h", "127.0.0.1", "-p", &port, "-U", "postgres", "-R", "-X", "stream"];
        pair.run("pg_basebackup", &[&copy[..], &["-c", "fast", "-D", &standby]].concat());
        pair.launch("standby", standby_port);
        // From now on a commit is acknowledged when it is on both.
        read_text(&pair.primary(), "ALTER SYSTEM SET synchronous_standby_names = '*'");
        read_text(&pair.primary(), "SELECT pg_reload_conf()::text");
        eventually("the standby is synchronous", || {
            let states = "SELECT coalesce(max(sync_state), '') FROM pg_stat_replication";
            (read_text(&pair.primary(), states) == "sync").then_some(())
        });
        Some(pair)
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
        let pid_file = Path::new(&self.data("primary")).join("postmaster.pid");
        let pid = fs::read_to_string(pid_file).unwrap();
        signal("-KILL", pid.lines().next().unwrap().parse().unwrap());
        self.run("pg_ctl", &["-D", &self.data("standby"), "-w", "-s", "promote"]);
    }

    fn primary(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.primary_port)
    }

    fn data(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn launch(&self, name: &str, port: u16) {
        let (data, log) = (self.data(name), self.data(&format!("{name}.log")));
        let socket = self.folder.path().display();
        let options = format!("-p {port} -k {socket} -c listen_addresses=127.0.0.1");
        self.run("pg_ctl", &["-D", &data, "-w", "-s", "-l", &log, "-o", &options, "start"]);
    }

    /// PostgreSQL refuses to run as root.
    fn give_to_postgres(&self) {
        if is_root() {
            let owned = Command::new("chown").arg("postgres").arg(self.folder.path()).output();
            assert!(owned.unwrap().status.success());
        }
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

impl Drop for Pair {
    fn drop(&mut self) {
        for name in ["primary", "standby"] {
            let data = self.data(name);
            let _ = self.command("pg_ctl", &["-D", &data, "-m", "immediate", "stop"]).output();
        }
    }
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
