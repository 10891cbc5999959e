//! `homeward message`: messages to merchants, and their attempts.

use app::messages::message_log::{
    AttemptView, MessageState, MessageView, MessageWithAttempts, Messages,
};
use clap::{Args, Subcommand, builder::PossibleValuesParser};
use domain::{
    identifier::{MerchantId, MessageId},
    json as pretty_json,
    messages::kind::MessageKind,
};
use jiff::Timestamp;
use serde_json::json;

use super::argument::{self, PathAndQuery};
use crate::{
    config::Config,
    output::{Output, format_table, print_note},
    session::{Remote, Session},
};

/// The server returns at most this many at once.
pub(super) const PAGE_MAX: usize = 500;
const RESPONSE_CHARACTERS_MAX: usize = 100;

#[derive(Debug, Subcommand)]
pub(crate) enum Message {
    /// List a merchant's messages, newest first
    List(List),
    /// Show a message: its body and every attempt to deliver it
    Show {
        /// Such as msg_acme_42
        #[arg(value_parser = argument::parse_message_id)]
        id: MessageId,
        #[command(flatten)]
        remote: Remote,
    },
    /// Print a curl command that sends a message, signed for five minutes
    Curl {
        /// Such as msg_acme_42
        #[arg(value_parser = argument::parse_message_id)]
        id: MessageId,
        #[command(flatten)]
        remote: Remote,
    },
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// The merchant, such as acme
    #[arg(value_parser = MerchantId::parse)]
    merchant: MerchantId,
    /// Only messages in this state
    #[arg(long)]
    #[arg(value_parser = PossibleValuesParser::new(["waiting", "delivered", "failed", "discarded"]))]
    state: Option<String>,
    /// Only this kind of message
    #[arg(long, value_parser = argument::parse_kind)]
    kind: Option<MessageKind>,
    /// Only messages about this reference, such as the identifier of an RMA
    #[arg(long = "ref", value_name = "REF")]
    reference: Option<String>,
    /// Only messages that were created at this time or later, such as 2026-02-14T16:00:00Z
    #[arg(long, value_name = "TIME", value_parser = argument::parse_time)]
    from: Option<Timestamp>,
    /// Only messages that were created at this time or earlier
    #[arg(long, value_name = "TIME", value_parser = argument::parse_time)]
    to: Option<Timestamp>,
    /// Number of messages to show
    #[arg(long, default_value_t = 50, value_name = "N")]
    limit: usize,
    #[command(flatten)]
    remote: Remote,
}

impl Message {
    pub(crate) async fn run(self, config: &Config, output: Output) -> anyhow::Result<()> {
        let remote = match &self {
            Self::List(List { remote, .. })
            | Self::Show { remote, .. }
            | Self::Curl { remote, .. } => remote,
        };
        Session::run(config, remote, async |session| match &self {
            Self::List(list) => list.run(session, output).await,
            Self::Show { id, .. } => show(session, output, id).await,
            Self::Curl { id, .. } => {
                let path = format!("/admin/messages/{id}/curl");
                let command = session.get_text(&path, "text/plain").await?;
                output.print(&json!({ "command": command }), || command.clone());
                Ok(())
            }
        })
        .await
    }
}

impl List {
    async fn run(&self, session: &mut Session, output: Output) -> anyhow::Result<()> {
        let request = PathAndQuery::new("/admin/messages")
            .with("merchant", Some(&self.merchant))
            .with("state", self.state.as_ref())
            .with("kind", self.kind)
            .with("ref", self.reference.as_ref())
            .with("from", self.from)
            .with("to", self.to);
        let mut found = Messages { messages: Vec::new(), next: None };
        // A page may be shorter than the limit although there are more.
        while found.messages.len() < self.limit {
            let room = (self.limit - found.messages.len()).min(PAGE_MAX);
            let request =
                request.clone().with("before", found.next.take()).with("limit", Some(room));
            let page: Messages = session.get(request.as_str()).await?;
            found.messages.extend(page.messages);
            found.next = page.next;
            if found.next.is_none() {
                break;
            }
        }
        output.print(&found, || format_list(&found));
        if found.next.is_some() && !output.json {
            print_note("There may be more: raise --limit to see them.");
        }
        Ok(())
    }
}

/// Shows a message. `homeward failures` uses it too.
pub(super) async fn show(
    session: &mut Session,
    output: Output,
    id: &MessageId,
) -> anyhow::Result<()> {
    let detail: MessageWithAttempts = session.get(&format!("/admin/messages/{id}")).await?;
    output.print(&detail, || describe(&detail));
    Ok(())
}

fn format_list(found: &Messages) -> String {
    let row = |message: &MessageView| {
        vec![
            message.id.clone(),
            message.kind.to_string(),
            message.reference.clone(),
            message.sequence.to_string(),
            state_name(message.state).to_owned(),
            message.created_at.to_string(),
            message.due_at.map(|at| at.to_string()).unwrap_or_default(),
        ]
    };
    if found.messages.is_empty() {
        return "None.".to_owned();
    }
    let rows: Vec<_> = found.messages.iter().map(row).collect();
    format_table(&["MESSAGE", "KIND", "REF", "SEQUENCE", "STATE", "CREATED", "DUE"], &rows)
}

pub(super) fn state_name(state: MessageState) -> &'static str {
    match state {
        MessageState::Waiting => "waiting",
        MessageState::Delivered => "delivered",
        MessageState::Failed => "failed",
        MessageState::Discarded => "discarded",
    }
}

fn describe(detail: &MessageWithAttempts) -> String {
    let message = &detail.message;
    let mut fields = vec![
        ("message", message.id.clone()),
        ("merchant", message.merchant.clone()),
        ("kind", message.kind.to_string()),
        ("ref", message.reference.clone()),
        ("sequence", message.sequence.to_string()),
        ("state", state_name(message.state).to_owned()),
        ("created", message.created_at.to_string()),
    ];
    fields.extend(message.due_at.map(|at| ("due", at.to_string())));
    fields.extend(message.discard_reason.clone().map(|reason| ("reason", reason)));
    let line = |(name, value): &(&str, String)| format!("{name:8}  {value}");
    let fields: Vec<_> = fields.iter().map(line).collect();
    let attempts = if detail.attempts.is_empty() {
        "No attempts yet.".to_owned()
    } else {
        format_attempts(&detail.attempts)
    };
    let body = pretty_json::pretty(&detail.body);
    format!("{}\n\n{attempts}\n\n{body}", fields.join("\n"))
}

fn format_attempts(attempts: &[AttemptView]) -> String {
    let row = |attempt: &AttemptView| {
        let answer = attempt.answer.as_deref().unwrap_or_default();
        vec![
            attempt.at.to_string(),
            format!("{}.{}", attempt.cycle, attempt.attempt),
            attempt.status.map_or_else(|| "-".to_owned(), |status| status.to_string()),
            format!("{:.1}", attempt.latency_ms),
            attempt.error.clone().unwrap_or_default(),
            answer.chars().take(RESPONSE_CHARACTERS_MAX).collect(),
        ]
    };
    let rows: Vec<_> = attempts.iter().map(row).collect();
    format_table(&["AT", "ATTEMPT", "STATUS", "MS", "ERROR", "RESPONSE"], &rows)
}
