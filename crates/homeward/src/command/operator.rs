//! `homeward operator`: the people who log in to the console.

use std::path::PathBuf;

use app::access::operators::{OperatorLogin, OperatorView};
use clap::Subcommand;
use domain::{
    access::operator::{OperatorName, Role},
    identifier::MerchantId,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::argument;
use crate::{
    output::{Output, format_table},
    session::{Remote, RemoteCommand, Session},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Operator {
    /// Add a person who can log in to the console
    Add {
        #[arg(value_parser = OperatorName::parse)]
        name: OperatorName,
        /// `operator` can see everything, `warehouse` only the receiving pages, `merchant` only
        /// what belongs to one merchant
        #[arg(long, value_parser = parse_role)]
        role: Role,
        /// The merchant of a person with the role `merchant`
        #[arg(long, required_if_eq("role", "merchant"), value_parser = MerchantId::parse)]
        merchant: Option<MerchantId>,
        #[command(flatten)]
        password: PasswordSource,
        #[command(flatten)]
        remote: Remote,
    },
    /// List the people who can log in
    List {
        #[command(flatten)]
        remote: Remote,
    },
    /// Change a person's password and end their sessions
    Password {
        #[arg(value_parser = OperatorName::parse)]
        name: OperatorName,
        #[command(flatten)]
        password: PasswordSource,
        #[command(flatten)]
        remote: Remote,
    },
    /// Disable a person and end their sessions
    Disable {
        #[arg(value_parser = OperatorName::parse)]
        name: OperatorName,
        #[command(flatten)]
        remote: Remote,
    },
    /// Enable a disabled person
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
    /// The first line of this file, or of standard input for `-`; without it a password is
    /// generated and printed once
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
}

impl PasswordSource {
    fn add_to(&self, mut body: Value) -> anyhow::Result<Value> {
        let password = self.password_file.as_deref().map(argument::read_first_line).transpose()?;
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

fn parse_role(text: &str) -> Result<Role, String> {
    Role::parse(text).ok_or_else(|| "the roles are operator, warehouse and merchant".to_owned())
}

impl RemoteCommand for Operator {
    type Done = ();

    fn remote(&self) -> &Remote {
        match self {
            Self::Add { remote, .. }
            | Self::List { remote }
            | Self::Password { remote, .. }
            | Self::Disable { remote, .. }
            | Self::Enable { remote, .. } => remote,
        }
    }

    async fn execute(self, session: &mut Session, output: Output) -> anyhow::Result<()> {
        match self {
            Self::Add { name, role, merchant, password, .. } => {
                let person = json!({ "operator": name, "role": role, "merchant": merchant });
                let body = password.add_to(person)?;
                let added: OperatorLogin = session.post("/admin/operators", &body).await?;
                output.print(&added, || format_login(&added));
            }
            Self::List { .. } => {
                let operators: Operators = session.get("/admin/operators").await?;
                output.print(&operators, || format_list(&operators));
            }
            Self::Password { name, password, .. } => {
                let path = format!("/admin/operators/{name}/password");
                let login: OperatorLogin =
                    session.post(&path, &password.add_to(json!({}))?).await?;
                output.print(&login, || format_login(&login));
            }
            Self::Disable { name, .. } => set_disabled(session, output, &name, true).await?,
            Self::Enable { name, .. } => set_disabled(session, output, &name, false).await?,
        }
        Ok(())
    }
}

fn format_login(login: &OperatorLogin) -> String {
    let OperatorLogin { operator, role, password } = login;
    let text = format!("{operator} can log in to /console with the role {}.", role.name());
    match password {
        Some(password) => {
            format!("{text}\nKeep the password; it is not shown again.\npassword  {password}")
        }
        None => text,
    }
}

fn format_list(operators: &Operators) -> String {
    let row = |operator: &OperatorView| {
        let state = if operator.disabled_at.is_some() { "disabled" } else { "enabled" };
        let since = operator.created_at.to_string();
        let merchant = operator.merchant.as_ref().map_or("", MerchantId::as_str);
        let cells = [operator.operator.as_str(), operator.role.name(), merchant, state, &since];
        cells.map(str::to_owned).to_vec()
    };
    let rows: Vec<_> = operators.operators.iter().map(row).collect();
    format_table(&["NAME", "ROLE", "MERCHANT", "STATE", "SINCE"], &rows)
}

async fn set_disabled(
    session: &mut Session,
    output: Output,
    name: &OperatorName,
    disabled: bool,
) -> anyhow::Result<()> {
    let path = format!("/admin/operators/{name}");
    let operator: OperatorView = session.patch(&path, &json!({ "disabled": disabled })).await?;
    output.print(&operator, || {
        format!("{name} is {}.", if disabled { "disabled" } else { "enabled" })
    });
    Ok(())
}
