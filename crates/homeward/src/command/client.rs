//! `homeward client`: the API credentials of systems.

use app::access::{add_client::ClientCredentials, change_client::ClientView};
use clap::Subcommand;
use domain::identifier::{ClientId, MerchantId};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    output::{Output, format_table},
    session::{Remote, RemoteCommand, Session},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Client {
    /// Add a client and print its credentials, which are shown only once
    Add {
        /// What the client is, such as "carrier gateway"
        #[arg(long)]
        name: String,
        /// The merchant that the system belongs to; without it, a system of the platform
        #[arg(long, value_parser = MerchantId::parse)]
        merchant: Option<MerchantId>,
        /// Its scopes, separated by spaces. For a merchant's client: orders:write returns:write
        /// asns:write drop_ship:write read (default: these) merchant:admin. For the platform's:
        /// carrier:write warehouse:write admin metrics
        #[arg(long)]
        scope: Option<String>,
        #[command(flatten)]
        remote: Remote,
    },
    /// List the clients of a merchant, or of the platform
    List {
        #[arg(long, value_parser = MerchantId::parse)]
        merchant: Option<MerchantId>,
        #[command(flatten)]
        remote: Remote,
    },
    /// Disable a client and revoke its tokens
    Disable {
        #[arg(value_parser = parse_client_id)]
        client_id: ClientId,
        #[command(flatten)]
        remote: Remote,
    },
    /// Enable a disabled client
    Enable {
        #[arg(value_parser = parse_client_id)]
        client_id: ClientId,
        #[command(flatten)]
        remote: Remote,
    },
}

#[derive(Serialize, Deserialize)]
pub(super) struct Clients {
    pub(super) clients: Vec<ClientView>,
}

impl RemoteCommand for Client {
    type Done = ();

    fn remote(&self) -> &Remote {
        match self {
            Self::Add { remote, .. }
            | Self::List { remote, .. }
            | Self::Disable { remote, .. }
            | Self::Enable { remote, .. } => remote,
        }
    }

    async fn execute(self, session: &mut Session, output: Output) -> anyhow::Result<()> {
        match self {
            Self::Add { name, merchant, scope, .. } => {
                let mut body = json!({ "name": name, "merchant": merchant });
                if let (Some(scope), Some(fields)) = (scope, body.as_object_mut()) {
                    fields.insert("scope".to_owned(), scope.into());
                }
                let added: ClientCredentials = session.post("/admin/clients", &body).await?;
                output.print(&added, || format_credentials(&added));
            }
            Self::List { merchant, .. } => {
                let query = merchant.map(|it| format!("?merchant={it}")).unwrap_or_default();
                let clients: Clients = session.get(&format!("/admin/clients{query}")).await?;
                output.print(&clients, || format_list(&clients));
            }
            Self::Disable { client_id, .. } => {
                set_disabled(session, output, &client_id, true).await?;
            }
            Self::Enable { client_id, .. } => {
                set_disabled(session, output, &client_id, false).await?;
            }
        }
        Ok(())
    }
}

pub(crate) fn parse_client_id(text: &str) -> Result<ClientId, String> {
    ClientId::parse(text).ok_or_else(|| "not a client such as acme.k7w2mq9d4x".to_owned())
}

pub(crate) fn format_credentials(credentials: &ClientCredentials) -> String {
    format!(
        "Keep the secret; it is not shown again.\n\
         client_id      {}\nclient_secret  {}\nscope          {}",
        credentials.client_id, credentials.client_secret, credentials.scope
    )
}

fn format_list(clients: &Clients) -> String {
    let row = |client: &ClientView| {
        let state = if client.disabled_at.is_some() { "disabled" } else { "enabled" };
        let secrets = client.secrets_created_at.len().to_string();
        let cells = [client.client_id.as_str(), state, &secrets, &client.scope, &client.name];
        cells.map(str::to_owned).to_vec()
    };
    let rows: Vec<_> = clients.clients.iter().map(row).collect();
    format_table(&["CLIENT", "STATE", "SECRETS", "SCOPE", "NAME"], &rows)
}

async fn set_disabled(
    session: &mut Session,
    output: Output,
    client_id: &ClientId,
    disabled: bool,
) -> anyhow::Result<()> {
    let path = format!("/admin/clients/{client_id}");
    let client: ClientView = session.patch(&path, &json!({ "disabled": disabled })).await?;
    output.print(&client, || {
        let state = if disabled { "disabled" } else { "enabled" };
        format!("{} ({}) is {state}.", client.client_id, client.name)
    });
    Ok(())
}
