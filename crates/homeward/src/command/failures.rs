//! `homeward failures`: messages that failed all attempts.

mod handle;
mod retry;

use std::process::ExitCode;

use app::messages::failure_queue::{FailedMessage, FailurePage};
use clap::{Args, Subcommand};
use domain::{
    identifier::{MerchantId, MessageId},
    messages::kind::MessageKind,
};
use jiff::Timestamp;

use super::{
    argument::{self, PathAndQuery},
    message::{PAGE_MAX, show},
};
use crate::{
    output::{Output, format_table, print_note},
    session::{Remote, RemoteCommand, Session},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Failures {
    /// List the failure queue, oldest first
    List {
        #[command(flatten)]
        filter: Filter,
        /// Number of messages to show
        #[arg(long, default_value_t = 50, value_name = "N")]
        limit: usize,
        #[command(flatten)]
        remote: Remote,
    },
    /// Show a message: its body and every attempt to deliver it
    Show {
        /// Such as msg_acme_42
        #[arg(value_parser = argument::parse_message_id)]
        id: MessageId,
        #[command(flatten)]
        remote: Remote,
    },
    /// Retry messages with all their attempts: those named, or all that match
    #[command(override_usage = "homeward failures retry [OPTIONS] <ID>...\n       \
        homeward failures retry [OPTIONS] --all")]
    Retry(retry::Retry),
    /// Remove messages from the failure queue permanently
    Discard {
        /// Such as msg_acme_42; one or several
        #[arg(value_parser = argument::parse_message_id, required = true, value_name = "ID")]
        ids: Vec<MessageId>,
        /// The reason, which is kept with the message
        #[arg(long, value_name = "TEXT")]
        reason: String,
        #[command(flatten)]
        remote: Remote,
    },
}

/// Which failures are meant. All conditions must match.
#[derive(Debug, Args)]
pub(crate) struct Filter {
    /// Only this merchant's
    #[arg(long, value_parser = MerchantId::parse)]
    merchant: Option<MerchantId>,
    /// Only this kind of message
    #[arg(long, value_parser = argument::parse_kind)]
    kind: Option<MessageKind>,
    /// Only those with this status in the last response; 0 for no response
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=599))]
    status: Option<u16>,
    /// Failed at this time or later, such as 2026-02-14T16:00:00Z
    #[arg(long, value_name = "TIME", value_parser = argument::parse_time)]
    from: Option<Timestamp>,
    /// Failed at this time or earlier
    #[arg(long, value_name = "TIME", value_parser = argument::parse_time)]
    to: Option<Timestamp>,
}

impl Filter {
    /// The request for the failures that match.
    fn request(&self, path: &str) -> PathAndQuery {
        PathAndQuery::new(path)
            .with("merchant", self.merchant.as_ref())
            .with("kind", self.kind)
            .with("status", self.status)
            .with("from", self.from)
            .with("to", self.to)
    }
}

impl RemoteCommand for Failures {
    type Done = ExitCode;

    fn remote(&self) -> &Remote {
        match self {
            Self::List { remote, .. }
            | Self::Show { remote, .. }
            | Self::Retry(retry::Retry { remote, .. })
            | Self::Discard { remote, .. } => remote,
        }
    }

    async fn execute(self, session: &mut Session, output: Output) -> anyhow::Result<ExitCode> {
        match self {
            Self::List { filter, limit, .. } => list(session, output, &filter, limit).await?,
            Self::Show { id, .. } => show(session, output, &id).await?,
            Self::Retry(retry) => return retry.run(session, output).await,
            Self::Discard { ids, reason, .. } => {
                return handle::discard(session, output, &ids, &reason).await;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

async fn list(
    session: &mut Session,
    output: Output,
    filter: &Filter,
    limit: usize,
) -> anyhow::Result<()> {
    let request = filter.request("/admin/failures");
    let mut found = FailurePage { failures: Vec::new(), next: None };
    while found.failures.len() < limit {
        let room = (limit - found.failures.len()).min(PAGE_MAX);
        let request = request.clone().with("after", found.next.take()).with("limit", Some(room));
        let page: FailurePage = session.get(request.as_str()).await?;
        found.failures.extend(page.failures);
        found.next = page.next;
        if found.next.is_none() {
            break;
        }
    }
    output.print(&found, || describe(&found));
    if found.next.is_some() && !output.json {
        print_note("There may be more: raise --limit to see them.");
    }
    Ok(())
}

fn describe(found: &FailurePage) -> String {
    let row = |failure: &FailedMessage| {
        let superseded = if failure.superseded { "superseded" } else { "" };
        vec![
            failure.id.clone(),
            failure.kind.to_string(),
            failure.reference.clone(),
            failure.failed_at.to_string(),
            failure.status.map_or_else(|| "-".to_owned(), |status| status.to_string()),
            failure.error.clone().unwrap_or_default(),
            superseded.to_owned(),
        ]
    };
    if found.failures.is_empty() {
        return "None.".to_owned();
    }
    let rows: Vec<_> = found.failures.iter().map(row).collect();
    format_table(&["MESSAGE", "KIND", "REF", "FAILED", "STATUS", "ERROR", "NOTE"], &rows)
}
