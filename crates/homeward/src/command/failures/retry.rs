//! `homeward failures retry`: retries messages by identifier, or all that match, as a job of the
//! server.

use std::{process::ExitCode, time::Duration};

use app::messages::bulk_retry::{JobState, RetryJob};
use clap::Args;
use domain::identifier::MessageId;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use serde_json::json;

use super::{super::argument, Filter, handle};
use crate::{
    command::serve::Signals,
    output::{Output, format_count},
    session::{Remote, Session},
};

const POLL_INTERVAL: Duration = Duration::from_millis(200);

#[derive(Debug, Args)]
pub(crate) struct Retry {
    /// Such as msg_acme_42; one or several
    #[arg(value_parser = argument::parse_message_id, value_name = "ID", required_unless_present = "all")]
    #[arg(conflicts_with_all = ["all", "merchant", "kind", "status", "from", "to", "detach"])]
    ids: Vec<MessageId>,
    /// All messages that match the other options, or simply all
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    filter: Filter,
    /// Also messages that a newer message has superseded
    #[arg(long)]
    force: bool,
    /// With --all: print the job and return without waiting for its end
    #[arg(long)]
    detach: bool,
    #[command(flatten)]
    pub(super) remote: Remote,
}

impl Retry {
    pub(super) async fn run(
        &self,
        session: &mut Session,
        output: Output,
    ) -> anyhow::Result<ExitCode> {
        if !self.all {
            return handle::retry(session, output, &self.ids, self.force).await;
        }
        anyhow::ensure!(
            !(self.detach && session.is_own()),
            "no server is running, and the job would end with this command: omit --detach"
        );
        // First, so that Ctrl-C cancels the job from its start.
        let signals = Signals::listen()?;
        let request = self.filter.request("/admin/failures/retry");
        let request = request.with("force", self.force.then_some(true));
        let job: RetryJob = session.post(request.as_str(), &json!({})).await?;
        if self.detach {
            output.print(&job, || {
                format!("Job {} retries {}.", job.id, format_count(count(job.total), "message"))
            });
            return Ok(ExitCode::SUCCESS);
        }
        let job = follow(session, job, signals).await?;
        output.print(&job, || describe(&job));
        Ok(if job.state == JobState::Done { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// Shows the progress of the job until it ends. A signal cancels it.
async fn follow(
    session: &mut Session,
    mut job: RetryJob,
    mut signals: Signals,
) -> anyhow::Result<RetryJob> {
    let style = ProgressStyle::with_template("{wide_bar} {human_pos}/{human_len}  {eta} to go")?;
    let bar = ProgressBar::new(count(job.total)).with_style(style);
    let path = format!("/admin/failures/retry/{}", job.id);
    while job.state == JobState::Running {
        tokio::select! {
            () = signals.wait() => {
                let _: RetryJob = session.delete(&path).await?;
                // It may be in the middle of a page, which it completes.
                tokio::time::sleep(POLL_INTERVAL).await;
            }
            () = tokio::time::sleep(POLL_INTERVAL) => (),
        }
        job = session.get(&path).await?;
        bar.set_position(count(job.retried + job.skipped));
    }
    bar.finish_and_clear();
    Ok(job)
}

fn describe(job: &RetryJob) -> String {
    if job.total == 0 {
        return "No message in the failure queue matches.".to_owned();
    }
    format!(
        "{}: {} of {} retried, {} skipped.",
        job.state.name(),
        HumanCount(count(job.retried)),
        HumanCount(count(job.total)),
        HumanCount(count(job.skipped)),
    )
}

fn count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
