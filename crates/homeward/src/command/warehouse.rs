//! `homeward warehouse`: the warehouses of the platform.

use std::path::PathBuf;

use clap::Subcommand;
use domain::warehouse::{
    return_routes::{ReturnRoute, ReturnRoutes},
    settings::Warehouse as WarehouseView,
};
use serde::{Deserialize, Serialize};

use super::{argument::encode_segment, policy::read_json};
use crate::{
    output::{Output, format_table},
    session::{Remote, RemoteCommand, Session},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Warehouse {
    /// List the warehouses
    List {
        #[command(flatten)]
        remote: Remote,
    },
    /// Add a warehouse, or replace all settings of one
    Set {
        identifier: String,
        /// The settings as JSON: a file, or - for standard input
        file: PathBuf,
        #[command(flatten)]
        remote: Remote,
    },
    /// Show which warehouse returns go to
    Routes {
        #[command(flatten)]
        remote: Remote,
    },
    /// Set which warehouse returns go to: replaces the whole table
    SetRoutes {
        /// The table as JSON: a file, or - for standard input
        file: PathBuf,
        #[command(flatten)]
        remote: Remote,
    },
    /// Remove a warehouse
    Remove {
        identifier: String,
        #[command(flatten)]
        remote: Remote,
    },
}

#[derive(Serialize, Deserialize)]
struct Warehouses {
    warehouses: Vec<WarehouseView>,
}

impl RemoteCommand for Warehouse {
    type Done = ();

    fn remote(&self) -> &Remote {
        match self {
            Self::List { remote }
            | Self::Set { remote, .. }
            | Self::Routes { remote }
            | Self::SetRoutes { remote, .. }
            | Self::Remove { remote, .. } => remote,
        }
    }

    async fn execute(self, session: &mut Session, output: Output) -> anyhow::Result<()> {
        match self {
            Self::List { .. } => {
                let warehouses: Warehouses = session.get("/admin/warehouses").await?;
                output.print(&warehouses, || format_list(&warehouses));
            }
            Self::Set { identifier, file, .. } => {
                let path = path_of(&identifier);
                let warehouse: WarehouseView = session.put(&path, &read_json(&file)?).await?;
                output.print(&warehouse, || format!("The warehouse {identifier} is set."));
            }
            Self::Routes { .. } => {
                let routes: ReturnRoutes = session.get("/admin/return_routes").await?;
                output.print(&routes, || format_routes(&routes));
            }
            Self::SetRoutes { file, .. } => {
                let path = "/admin/return_routes";
                let routes: ReturnRoutes = session.put(path, &read_json(&file)?).await?;
                output.print(&routes, || format_routes(&routes));
            }
            Self::Remove { identifier, .. } => {
                let removed: WarehouseView = session.delete(&path_of(&identifier)).await?;
                output.print(&removed, || format!("The warehouse {identifier} is removed."));
            }
        }
        Ok(())
    }
}

fn path_of(identifier: &str) -> String {
    format!("/admin/warehouses/{}", encode_segment(identifier))
}

fn format_routes(routes: &ReturnRoutes) -> String {
    let any = || "any".to_owned();
    let row = |route: &ReturnRoute| {
        let method = route.return_method.map(|method| method.name().to_owned());
        vec![
            route.merchant.clone().unwrap_or_else(any),
            route.country.clone().unwrap_or_else(any),
            method.unwrap_or_else(any),
            route.warehouse.clone(),
        ]
    };
    if routes.routes.is_empty() {
        return "None: labels have the merchant's return address.".to_owned();
    }
    let rows: Vec<_> = routes.routes.iter().map(row).collect();
    format_table(&["MERCHANT", "COUNTRY", "METHOD", "WAREHOUSE"], &rows)
}

fn format_list(warehouses: &Warehouses) -> String {
    let row = |warehouse: &WarehouseView| {
        let settings = &warehouse.settings;
        let city = settings.address.as_ref().map(|address| address.address.city.clone());
        let cells = [
            Some(warehouse.identifier.clone()),
            settings.external_identifier.clone(),
            settings.stock_transfer_identifier.clone(),
            city,
            settings.time_zone.clone(),
        ];
        cells.map(Option::unwrap_or_default).to_vec()
    };
    if warehouses.warehouses.is_empty() {
        return "None.".to_owned();
    }
    let rows: Vec<_> = warehouses.warehouses.iter().map(row).collect();
    format_table(&["IDENTIFIER", "EXTERNAL", "STOCK TRANSFER", "CITY", "TIME ZONE"], &rows)
}
