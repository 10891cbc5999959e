//! `homeward shopper`: the data of a shopper, to hand out and to erase.

use anyhow::ensure;
use app::orders::{
    erase_shopper::{ErasedItem, ShopperErasure},
    shopper_data::{ExportedItem, ShopperExport},
};
use clap::Subcommand;
use domain::identifier::MerchantId;
use serde_json::json;

use super::message::state_name;
use crate::{
    output::{Output, format_count, print_note},
    session::{Remote, RemoteCommand, Session},
};

const EXAMPLES: &str = "Examples:
  homeward shopper export dana@example.com --json > dana.json
  homeward shopper erase dana@example.com --merchant acme
  homeward shopper erase dana@example.com --force --reason \"demanded by the authority\"";

#[derive(Debug, Subcommand)]
#[command(after_help = EXAMPLES)]
pub(crate) enum Shopper {
    /// Print everything that is stored about a shopper
    Export {
        /// The shopper's e-mail address
        email: String,
        #[command(flatten)]
        at: At,
        #[command(flatten)]
        remote: Remote,
    },
    /// Erase what is stored about a shopper; goods, amounts and times stay
    Erase {
        /// The shopper's e-mail address
        email: String,
        #[command(flatten)]
        at: At,
        /// Also if something is not finished; needs a reason
        #[arg(long, requires = "reason")]
        force: bool,
        /// Why it is forced; the audit trail has it
        #[arg(long, requires = "force", value_name = "TEXT")]
        reason: Option<String>,
        #[command(flatten)]
        remote: Remote,
    },
}

/// Where the shopper bought.
#[derive(Debug, clap::Args)]
pub(crate) struct At {
    /// Only at this merchant; without it at all merchants
    #[arg(long, value_parser = MerchantId::parse)]
    merchant: Option<MerchantId>,
}

impl RemoteCommand for Shopper {
    type Done = ();

    fn remote(&self) -> &Remote {
        match self {
            Self::Export { remote, .. } | Self::Erase { remote, .. } => remote,
        }
    }

    async fn execute(self, session: &mut Session, output: Output) -> anyhow::Result<()> {
        match self {
            Self::Export { email, at, .. } => {
                let export = read_export(session, &email, &at).await?;
                output.print(&export, || format_export(&export));
            }
            Self::Erase { email, at, reason, .. } => {
                let erasure = erase_all(session, &email, &at, reason.as_deref()).await?;
                output.print(&erasure, || format_erasure(&erasure));
                if !output.json && !erasure.messages.is_empty() {
                    print_note(
                        "The merchants have the messages that were delivered: they must erase their \
                         copies themselves. Backups keep the data until they expire.",
                    );
                }
            }
        }
        Ok(())
    }
}

async fn read_export(session: &mut Session, email: &str, at: &At) -> anyhow::Result<ShopperExport> {
    let mut all: Option<ShopperExport> = None;
    let mut after: Option<String> = None;
    loop {
        let body = json!({ "email": email, "merchant": at.merchant, "after": after });
        let page: ShopperExport = session.post("/admin/shoppers/export", &body).await?;
        after.clone_from(&page.next);
        match &mut all {
            None => all = Some(page),
            Some(all) => {
                all.orders.extend(page.orders);
                all.returns.extend(page.returns);
                all.drop_ship_orders.extend(page.drop_ship_orders);
                all.withdrawals.extend(page.withdrawals);
                all.messages.extend(page.messages);
                all.next = None;
            }
        }
        if let (None, Some(all)) = (&after, all.take()) {
            return Ok(ShopperExport { next: None, ..all });
        }
    }
}

async fn erase_all(
    session: &mut Session,
    email: &str,
    at: &At,
    reason: Option<&str>,
) -> anyhow::Result<ShopperErasure> {
    let body = json!({ "email": email, "merchant": at.merchant, "force_reason": reason });
    let mut all = ShopperErasure::default();
    loop {
        let step: ShopperErasure = session.post("/admin/shoppers/erase", &body).await?;
        let erased_some = !step.orders.is_empty();
        all.orders.extend(step.orders);
        all.returns.extend(step.returns);
        all.drop_ship_orders.extend(step.drop_ship_orders);
        all.messages.extend(step.messages);
        all.complete = step.complete;
        if step.complete {
            return Ok(all);
        }
        ensure!(erased_some, "the server erased nothing more, but is not finished: see its log");
    }
}

fn format_export(export: &ShopperExport) -> String {
    let mut lines = Vec::new();
    let mut add = |title: &str, items: &[ExportedItem]| {
        for it in items {
            lines.push(format!("{title} {} of {}", it.identifier, it.merchant));
            let data = serde_json::to_string_pretty(&it.data).unwrap_or_default();
            lines.push(data);
        }
    };
    add("Order", &export.orders);
    add("Return", &export.returns);
    add("Drop-ship order", &export.drop_ship_orders);
    add("Withdrawal", &export.withdrawals);
    for message in &export.messages {
        lines.push(format!(
            "Message {} about {} of {}",
            message.id, message.reference, message.created_at
        ));
    }
    if lines.is_empty() {
        return "Nothing is stored about this shopper.".to_owned();
    }
    lines.join("\n")
}

/// One line for the items of a kind, if there are any.
fn format_erased(items: &[ErasedItem], kind: &str) -> Option<String> {
    let name = |it: &ErasedItem| format!("{}/{}", it.merchant, it.identifier);
    let names = items.iter().map(name).collect::<Vec<_>>().join(", ");
    let count = format_count(items.len(), kind);
    (!items.is_empty()).then(|| format!("Erased {count}: {names}"))
}

fn format_erasure(erasure: &ShopperErasure) -> String {
    let ShopperErasure { orders, returns, drop_ship_orders, messages, .. } = erasure;
    if orders.is_empty() && returns.is_empty() && drop_ship_orders.is_empty() {
        return "Nothing is stored about this shopper.".to_owned();
    }
    let mut lines: Vec<String> = [
        format_erased(orders, "order"),
        format_erased(returns, "return"),
        format_erased(drop_ship_orders, "drop-ship order"),
    ]
    .into_iter()
    .flatten()
    .collect();
    for message in messages {
        let state = state_name(message.state);
        lines.push(format!("Message {} about {}: {state}", message.id, message.reference));
    }
    lines.join("\n")
}
