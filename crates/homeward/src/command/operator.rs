//! `homeward operator`: the people who log in to the console.

use std::path::PathBuf;

use app::access::operators::{Login, OperatorView};
use clap::Subcommand;
use domain::access::operator::{OperatorName, Role};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::argument;
use crate::{
    config::Config,
    output::{Output, table},
    session::{Remote, Session},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Operator {
    /// Add a person who may log in to the console
    Add {
        #[arg(value_parser = OperatorName::parse)]
        name: OperatorName,
        /// What the person may see: `operator` everything, `warehouse` what arrives
        #[arg(long, value_parser = role)]
        role: Role,
        #[command(flatten)]
        password: PasswordSource,
        #[command(flatten)]
        remote: Remote,
    },
    /// List everybody who may log in
    List {
        #[command(flatten)]
        remote: Remote,
    },
    /// Give a person another password and end its sessions
    Password {
        #[arg(value_parser = OperatorName::parse)]
        name: OperatorName,
        #[command(flatten)]
        password: PasswordSource,
        #[command(flatten)]
        remote: Remote,
    },
    /// Refuse a person and end its sessions
    Disable {
        #[arg(value_parser = OperatorName::parse)]
        name: OperatorName,
        #[command(flatten)]
        remote: Remote,
    },
    /// Admit a disabled person again
    Enable {
        #[arg(value_parser = OperatorName::parse)]
        name: OperatorName,
        #[command(flatten)]
        remote: Remote,
    },
}

/// Where the password comes from.
#[derive(Debug, clap::Args)]
pub(crate) struct PasswordSource {
    /// The first line of this file, or of standard input for `-`; without it a password is made up
    /// and printed once
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
}

impl PasswordSource {
    fn put_into(&self, mut body: Value) -> anyhow::Result<Value> {
        let password = self.password_file.as_deref().map(argument::first_line).transpose()?;
        if let (Some(password), Some(fields)) = (password, body.as_object_mut()) {
            fields.insert("password".to_owned(), password.into());
        }
        Ok(body)
    }
}

#[derive(Serialize, Deserialize)]
struct Operators {
    operators: Vec<OperatorView>,
}

fn role(text: &str) -> Result<Role, String> {
    Role::parse(text).ok_or_else(|| "the roles are operator and warehouse".to_owned())
}

impl Operator {
    pub(crate) async fn run(self, config: &Config, output: Output) -> anyhow::Result<()> {
        let mut session = Session::open(config, self.remote()).await?;
        let done = self.with(&mut session, output).await;
        session.close().await;
        done
    }

    fn remote(&self) -> &Remote {
        match self {
            Self::Add { remote, .. }
            | Self::List { remote }
            | Self::Password { remote, .. }
            | Self::Disable { remote, .. }
            | Self::Enable { remote, .. } => remote,
        }
    }

    async fn with(self, session: &mut Session, output: Output) -> anyhow::Result<()> {
        match self {
            Self::Add { name, role, password, .. } => {
                let body = password.put_into(json!({ "operator": name, "role": role }))?;
                let added: Login = session.post("/admin/operators", &body).await?;
                output.data(&added, || login_words(&added));
            }
            Self::List { .. } => {
                let found: Operators = session.get("/admin/operators").await?;
                output.data(&found, || list_words(&found));
            }
            Self::Password { name, password, .. } => {
                let path = format!("/admin/operators/{name}/password");
                let login: Login = session.post(&path, &password.put_into(json!({}))?).await?;
                output.data(&login, || login_words(&login));
            }
            Self::Disable { name, .. } => set(session, output, &name, true).await?,
            Self::Enable { name, .. } => set(session, output, &name, false).await?,
        }
        Ok(())
    }
}

fn login_words(login: &Login) -> String {
    let Login { operator, role, password } = login;
    let who = format!("{operator} may log in to /console with the role {}.", role.name());
    match password {
        Some(password) => {
            format!("{who}\nKeep the password; it is not shown again.\npassword  {password}")
        }
        None => who,
    }
}

fn list_words(found: &Operators) -> String {
    let row = |operator: &OperatorView| {
        let state = if operator.disabled_at.is_some() { "disabled" } else { "enabled" };
        let since = operator.created_at.to_string();
        let cells = [operator.operator.as_str(), operator.role.name(), state, &since];
        cells.map(str::to_owned).to_vec()
    };
    let rows: Vec<_> = found.operators.iter().map(row).collect();
    table(&["NAME", "ROLE", "STATE", "SINCE"], &rows)
}

async fn set(
    session: &mut Session,
    output: Output,
    name: &OperatorName,
    disabled: bool,
) -> anyhow::Result<()> {
    let path = format!("/admin/operators/{name}");
    let operator: OperatorView = session.patch(&path, &json!({ "disabled": disabled })).await?;
    output.data(&operator, || {
        format!("{name} is {}.", if disabled { "disabled" } else { "enabled" })
    });
    Ok(())
}
