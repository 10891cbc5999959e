//! Where settings come from: flags, the environment, a file, and the defaults, in this order.

use serde_json::json;

use super::assert_refused;
use crate::harness::{
    binary::homeward,
    home::{Home, Ran},
    http::Request,
    server::Server,
};

/// The rate limit in force, which stands for any other setting.
fn limit(server: &Server) -> String {
    let reply = server.send(&Request::get("/orders/A"));
    reply.header("RateLimit-Limit").unwrap().to_owned()
}

#[test]
fn a_flag_wins_over_a_variable_and_a_variable_over_the_file() {
    let home = Home::new();
    home.file(
        "homeward.toml",
        "listen = \"127.0.0.1:0\"\nenvironment = \"production\"\nlog_format = \"json\"\n",
    );
    let from_file = Server::start(&home, &["--config", "homeward.toml"]);
    assert_eq!(limit(&from_file), "5000");
    let log = from_file.log();
    let first: serde_json::Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    assert_eq!(first["level"], "INFO", "{log}");
    drop(from_file);

    let home = home
        .with_variable("HOMEWARD_CONFIG", "homeward.toml")
        .with_variable("HOMEWARD_RATE_LIMIT_PER_MINUTE", "77");
    let from_variable = Server::start(&home, &[]);
    assert_eq!(limit(&from_variable), "77");
    drop(from_variable);

    let from_flag = Server::start(&home, &["--rate-limit-per-minute", "88"]);
    assert_eq!(limit(&from_flag), "88");
}

#[test]
fn the_data_directory_may_come_from_a_variable_or_a_file() {
    let home = Home::sqlite();
    let merchant = home.add_merchant("acme");
    let file = format!("data_dir = {}", json!(home.data_dir()));
    let file = home.file("homeward.toml", file);
    let list = |ran: Ran| -> serde_json::Value { serde_json::from_str(&ran.out).unwrap() };

    let mut by_variable = homeward();
    by_variable.env("HOMEWARD_DATA_DIR", home.data_dir()).args(["--json", "merchant", "list"]);
    let mut by_file = homeward();
    by_file.arg("--config").arg(file).args(["--json", "merchant", "list"]);

    for mut command in [by_variable, by_file] {
        let found = list(Ran::of(&mut command));
        assert_eq!(found["merchants"][0]["merchant"], merchant.id);
    }
}

#[test]
fn settings_that_cannot_be_meant_are_refused() {
    let home = Home::new();
    home.file("misspelt.toml", "lisen = \"127.0.0.1:0\"\n");
    let ran = home.run(&["--config", "misspelt.toml", "serve"]);
    assert_eq!(ran.code, Some(1));
    let begins = "homeward: misspelt.toml is not a valid configuration: ";
    assert!(ran.err.starts_with(begins) && ran.err.contains("lisen"), "{}", ran.err);

    let ran = home.run(&["--config", "none.toml", "serve"]);
    assert!(ran.err.starts_with("homeward: none.toml cannot be read: "), "{}", ran.err);
    let ran = home.run(&["--listen", "here", "serve"]);
    assert!(
        ran.err.starts_with(
            "homeward: listen must be ADDRESS:PORT, such as 127.0.0.1:8080, not here: "
        ),
        "{}",
        ran.err
    );
    for (flag, value, why) in [
        (
            "--rate-limit-per-minute",
            "0",
            "rate_limit_per_minute must be from 1 to 4294967295, not 0",
        ),
        ("--retry-base-ms", "0", "retry_base_ms must be from 1 to 86400000, not 0"),
        ("--retry-factor", "0", "retry_factor must be from 1 to 100, not 0"),
        ("--delivery-timeout-ms", "0", "delivery_timeout_ms must be from 1 to 600000, not 0"),
        ("--drain-seconds", "3601", "drain_seconds must be from 0 to 3600, not 3601"),
    ] {
        assert_refused(&home.run(&[flag, value, "serve"]), why);
    }
    let ran = Home::on("mysql://x").run(&["serve"]);
    let why = "store must be sqlite or an address that starts with postgres://";
    assert_refused(&ran, why);
    assert_eq!(home.run(&["--no-such-flag", "serve"]).code, Some(2));
    assert!(!home.data_dir().exists(), "nothing was begun");
}

#[test]
fn plain_http_is_not_opened_to_the_network() {
    let home = Home::new();
    for address in ["0.0.0.0:0", "[::]:0"] {
        let ran = home.run(&["--listen", address, "serve"]);
        let why = format!(
            "plain HTTP would be open to the network at {address}: either give a TLS certificate \
             and its key (tls_cert, tls_key), or declare the proxy in front that speaks TLS \
             (trusted_proxies); without either, listen on a loopback address such as 127.0.0.1"
        );
        assert_eq!(ran.code, Some(1));
        assert!(ran.err.ends_with(&format!("homeward: {why}\n")), "{}", ran.err);
    }
    let behind_a_proxy = ["--listen", "0.0.0.0:0", "--trusted-proxies", "10.0.0.0/8"];
    let server = Server::start(&home, &behind_a_proxy);
    assert!(server.address.starts_with("127.0.0.1:"), "commands have a port of their own");
    home.add_merchant("acme");
}

#[test]
fn a_store_that_cannot_be_reached_is_told_without_its_password() {
    let home = Home::on("postgres://user:secret-word@127.0.0.1:1/none");
    let ran = home.run(&["--listen", "127.0.0.1:0", "serve"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("opening the store"), "{}", ran.err);
    assert!(!ran.err.contains("secret-word"), "{}", ran.err);
}

#[test]
fn a_variable_that_is_empty_is_not_set() {
    let mut home = Home::sqlite();
    for name in [
        "HOMEWARD_CONFIG",
        "HOMEWARD_LISTEN",
        "HOMEWARD_RATE_LIMIT_PER_MINUTE",
        "HOMEWARD_TRUSTED_PROXIES",
        "HOMEWARD_TLS_CERT",
        "HOMEWARD_TLS13",
        "HOMEWARD_LOG_FORMAT",
        "HOMEWARD_SERVER",
        "HOMEWARD_TOKEN",
    ] {
        home = home.with_variable(name, "");
    }

    let server = Server::start(&home, &["--listen", "127.0.0.1:0"]);

    assert_eq!(limit(&server), "2500");
    assert_eq!(home.json(&["merchant", "list"])["merchants"], json!([]));
}

#[test]
fn a_setting_that_is_refused_is_named_with_where_it_was_set() {
    let home = Home::sqlite();
    home.file("a.toml", "# The port\n\ntrusted_proxies = [\"proxy.example\"]\n");
    let ran = home.run(&["--config", "a.toml", "serve"]);
    let begins = "homeward: a.toml, line 3: trusted_proxies must be networks such as 10.0.0.0/8, \
                  not proxy.example: ";
    assert!(ran.err.starts_with(begins), "{}", ran.err);

    let variable = home.clone().with_variable("HOMEWARD_DRAIN_SECONDS", "9999");
    let why = "the variable HOMEWARD_DRAIN_SECONDS cannot be used: drain_seconds must be from 0 \
               to 3600, not 9999";
    assert_refused(&variable.run(&["serve"]), why);
    let variable = home.with_variable("HOMEWARD_RETENTION_DAYS", "many");
    let ran = variable.run(&["serve"]);
    let tip = "tip: the value is that of the variable HOMEWARD_RETENTION_DAYS";
    assert!(ran.err.contains(tip), "{}", ran.err);
    // A flag that is missing has no value.
    let ran = Home::sqlite().run(&["merchant", "list", "--server", "http://127.0.0.1:1"]);
    assert!(ran.err.contains("--token") && !ran.err.contains("tip:"), "{}", ran.err);
}
