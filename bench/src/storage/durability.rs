//! What a commit of the measured PostgreSQL means.
//!
//! A server that does not wait for the disk is several times as fast, and may lose what it
//! acknowledged. Its rates say nothing about the product, so it is refused.

use anyhow::bail;

use crate::{
    report::print_note,
    storage::{Engine, connect},
};

const SETTINGS: [&str; 3] = ["fsync", "synchronous_commit", "full_page_writes"];

struct Setting {
    name: &'static str,
    value: String,
}

/// Prints the settings of a PostgreSQL server, and fails if it does not wait for the disk.
pub(crate) async fn check(engine: &Engine) -> anyhow::Result<()> {
    let (url, has_workers) = match engine {
        Engine::Sqlite => return Ok(()),
        Engine::Postgres(url) => (url, false),
        Engine::Citus(url) => (url, true),
    };
    let client = connect(url).await?;
    let version: String = client.query_one("SHOW server_version", &[]).await?.get(0);
    let mut settings = Vec::new();
    for name in SETTINGS {
        let value = client.query_one(&format!("SHOW {name}"), &[]).await?.get(0);
        settings.push(Setting { name, value });
        if has_workers {
            let sql = format!("SELECT result FROM run_command_on_workers('SHOW {name}')");
            let rows = client.query(&sql, &[]).await?;
            settings.extend(rows.iter().map(|row| Setting { name, value: row.get(0) }));
        }
    }
    if let Some(name) = find_unsafe(&settings) {
        bail!("{name} is off, so the server may lose what it acknowledged: turn it on");
    }
    let each = settings.iter().map(|it| format!("{} {}", it.name, it.value));
    print_note(&format!("PostgreSQL {version}: {}", each.collect::<Vec<_>>().join(", ")));
    Ok(())
}

fn find_unsafe(settings: &[Setting]) -> Option<&'static str> {
    settings.iter().find(|it| it.value == "off").map(|it| it.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_does_not_wait_for_the_disk_is_refused() {
        let of = |values: [&str; 3]| {
            let settings = SETTINGS.iter().zip(values);
            let settings: Vec<Setting> =
                settings.map(|(name, value)| Setting { name, value: value.to_owned() }).collect();
            find_unsafe(&settings)
        };
        assert_eq!(of(["on", "on", "on"]), None);
        assert_eq!(of(["on", "remote_apply", "on"]), None);
        assert_eq!(of(["off", "on", "on"]), Some("fsync"));
        assert_eq!(of(["on", "off", "on"]), Some("synchronous_commit"));
        assert_eq!(of(["on", "on", "off"]), Some("full_page_writes"));
    }
}
