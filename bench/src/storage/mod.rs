//! The data of one run: a directory under `target/` (on a real disk, which the system's temporary
//! directory may not be) and, for PostgreSQL, a database, or a schema of the database that Citus
//! distributes. Both are removed with the value, unless they are kept.

pub(crate) mod durability;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

use anyhow::{Context, bail};
use tempfile::TempDir;
use tokio_postgres::NoTls;

static DATABASES: AtomicU32 = AtomicU32::new(0);

#[derive(Clone, Debug)]
pub(crate) enum Engine {
    Sqlite,
    /// With the address of any database on the server.
    Postgres(String),
    /// With the address of the database that has the extension.
    Citus(String),
}

impl Engine {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres(_) => "postgres",
            Self::Citus(_) => "citus",
        }
    }
}

pub(crate) struct Storage {
    directory: TempDir,
    database: Option<Database>,
}

impl Storage {
    pub(crate) async fn new(engine: &Engine, keep: bool) -> anyhow::Result<Self> {
        fs::create_dir_all("target").context("target/ cannot be created")?;
        let directory = tempfile::Builder::new()
            .prefix("bench-")
            .disable_cleanup(keep)
            .tempdir_in("target")
            .context("the data directory cannot be created")?;
        let database = match engine {
            Engine::Sqlite => None,
            Engine::Postgres(server) => Some(Database::new(server, keep).await?),
            Engine::Citus(server) => Some(Database::new_schema(server, keep).await?),
        };
        Ok(Self { directory, database })
    }

    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// The value of the server's `--store`.
    pub(crate) fn store(&self) -> &str {
        self.database.as_ref().map_or("sqlite", |database| &database.url)
    }

    pub(crate) fn sqlite_file(&self) -> PathBuf {
        self.directory().join("homeward.db")
    }

    /// Makes PostgreSQL vacuum now. It would do so within the next minute, and be measured too.
    pub(crate) async fn settle(&self) -> anyhow::Result<()> {
        if let Some(database) = &self.database {
            connect(&database.url).await?.batch_execute("VACUUM ANALYZE").await?;
        }
        Ok(())
    }

    /// How many orders are in the database.
    pub(crate) async fn orders_stored(&self) -> anyhow::Result<u64> {
        let sql = "SELECT count(*) FROM orders";
        let count: i64 = match &self.database {
            None => rusqlite::Connection::open(self.sqlite_file())?
                .query_row(sql, [], |row| row.get(0))?,
            Some(database) => connect(&database.url).await?.query_one(sql, &[]).await?.get(0),
        };
        Ok(count.try_into()?)
    }
}

/// Connects. A background task serves the connection for as long as the client exists.
pub(crate) async fn connect(url: &str) -> anyhow::Result<tokio_postgres::Client> {
    let (client, connection) =
        tokio_postgres::connect(url, NoTls).await.context("PostgreSQL does not respond")?;
    tokio::spawn(connection);
    Ok(client)
}

struct Database {
    server: String,
    url: String,
    /// The statement that removes it.
    removal: String,
    keep: bool,
}

impl Database {
    async fn new(server: &str, keep: bool) -> anyhow::Result<Self> {
        let name = new_name();
        let url = with_database(server, &name)?;
        connect(server).await?.batch_execute(&format!("CREATE DATABASE {name}")).await?;
        let removal = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
        Ok(Self { server: server.to_owned(), url, removal, keep })
    }

    async fn new_schema(server: &str, keep: bool) -> anyhow::Result<Self> {
        let name = new_name();
        connect(server).await?.batch_execute(&format!("CREATE SCHEMA {name}")).await?;
        let join = if server.contains('?') { '&' } else { '?' };
        let url = format!("{server}{join}options=-csearch_path%3D{name}");
        let removal = format!("DROP SCHEMA IF EXISTS {name} CASCADE");
        Ok(Self { server: server.to_owned(), url, removal, keep })
    }
}

fn new_name() -> String {
    let number = DATABASES.fetch_add(1, Ordering::Relaxed);
    format!("homeward_bench_{}_{number}", std::process::id())
}

impl Drop for Database {
    /// On its own thread and runtime, because a drop cannot wait for the current one.
    fn drop(&mut self) {
        if self.keep {
            return;
        }
        let (server, removal) = (self.server.clone(), self.removal.clone());
        let dropping = std::thread::spawn(move || -> anyhow::Result<()> {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async { Ok(connect(&server).await?.batch_execute(&removal).await?) })
        });
        // A failure has no consequences. The name of the database shows where it comes from.
        let _ = dropping.join();
    }
}

/// The address `url` with another database in it.
fn with_database(url: &str, name: &str) -> anyhow::Result<String> {
    let (address, options) = match url.split_once('?') {
        Some((address, options)) => (address, format!("?{options}")),
        None => (url, String::new()),
    };
    let Some((scheme, rest)) = address.split_once("://") else {
        bail!("the address of PostgreSQL must start with postgres://");
    };
    let host = rest.split_once('/').map_or(rest, |(host, _)| host);
    Ok(format!("{scheme}://{host}/{name}{options}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_database_of_an_address_is_replaced() {
        let replace = |url| with_database(url, "new").unwrap();
        assert_eq!(replace("postgres://me:x@host:1/old"), "postgres://me:x@host:1/new");
        assert_eq!(replace("postgres://host"), "postgres://host/new");
        assert_eq!(replace("postgres://host/old?a=b"), "postgres://host/new?a=b");
    }
}
