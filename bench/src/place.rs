//! Where one run keeps its data: a directory under `target/` (a real disk, which the system's
//! temporary directory may not be) and, for PostgreSQL, a database of its own. Both go away with
//! the value, unless they are to be kept.

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
}

impl Engine {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres(_) => "postgres",
        }
    }
}

pub(crate) struct Place {
    directory: TempDir,
    database: Option<Database>,
}

impl Place {
    pub(crate) async fn new(engine: &Engine, keep: bool) -> anyhow::Result<Self> {
        fs::create_dir_all("target").context("target/ cannot be made")?;
        let directory = tempfile::Builder::new()
            .prefix("bench-")
            .disable_cleanup(keep)
            .tempdir_in("target")
            .context("no directory for the data")?;
        let database = match engine {
            Engine::Sqlite => None,
            Engine::Postgres(server) => Some(Database::new(server, keep).await?),
        };
        Ok(Self { directory, database })
    }

    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// As the server's `--store` wants it.
    pub(crate) fn store(&self) -> &str {
        self.database.as_ref().map_or("sqlite", |database| &database.url)
    }

    pub(crate) fn sqlite_file(&self) -> PathBuf {
        self.directory().join("homeward.db")
    }

    /// Has PostgreSQL do now what it would do of its own accord within the next minute, after so much was stored at
    /// once: it would be measured with everything else.
    pub(crate) async fn settle(&self) -> anyhow::Result<()> {
        if let Some(database) = &self.database {
            connect(&database.url).await?.batch_execute("VACUUM ANALYZE").await?;
        }
        Ok(())
    }

    /// How many orders the database holds.
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

/// A connection whose messages are carried in the background for as long as it lives.
pub(crate) async fn connect(url: &str) -> anyhow::Result<tokio_postgres::Client> {
    let (client, connection) =
        tokio_postgres::connect(url, NoTls).await.context("PostgreSQL does not answer")?;
    tokio::spawn(connection);
    Ok(client)
}

struct Database {
    server: String,
    name: String,
    url: String,
    keep: bool,
}

impl Database {
    async fn new(server: &str, keep: bool) -> anyhow::Result<Self> {
        let number = DATABASES.fetch_add(1, Ordering::Relaxed);
        let name = format!("homeward_bench_{}_{number}", std::process::id());
        let url = with_database(server, &name)?;
        let client = connect(server).await?;
        client.batch_execute(&format!("CREATE DATABASE {name}")).await?;
        Ok(Self { server: server.to_owned(), name, url, keep })
    }
}

impl Drop for Database {
    /// On a thread and a runtime of its own, because a drop cannot wait for the one it is in.
    fn drop(&mut self) {
        if self.keep {
            return;
        }
        let (server, name) = (self.server.clone(), self.name.clone());
        let dropping = std::thread::spawn(move || -> anyhow::Result<()> {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async {
                let client = connect(&server).await?;
                let sql = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
                Ok(client.batch_execute(&sql).await?)
            })
        });
        // Nobody is left to tell; the name says whose database it was.
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
        bail!("the address of PostgreSQL must begin with postgres://");
    };
    let host = rest.split_once('/').map_or(rest, |(host, _)| host);
    Ok(format!("{scheme}://{host}/{name}{options}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_database_of_an_address_is_replaced() {
        let replaced = |url| with_database(url, "new").unwrap();
        assert_eq!(replaced("postgres://me:x@host:1/old"), "postgres://me:x@host:1/new");
        assert_eq!(replaced("postgres://host"), "postgres://host/new");
        assert_eq!(replaced("postgres://host/old?a=b"), "postgres://host/new?a=b");
    }
}
