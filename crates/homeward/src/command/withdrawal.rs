//! `homeward withdrawal`: checks the acknowledgements of withdrawals.

use std::{path::PathBuf, process::ExitCode};

use anyhow::{Context, ensure};
use app::withdrawal::acknowledgement::DocumentCheck;
use clap::Subcommand;
use hyper::Method;

use crate::{
    output::Output,
    session::{Remote, RemoteCommand, Session},
};

/// Far more than an acknowledgement of the largest order.
const DOCUMENT_MAX_BYTES: u64 = 8 * 1024 * 1024;

#[derive(Debug, Subcommand)]
pub(crate) enum Withdrawal {
    /// Check that an acknowledgement is what was recorded; exits with 1 if it is not
    ///
    /// The document must be the file as the shopper downloaded it or got it by mail. A single
    /// changed byte is noticed, in the document and in the database.
    Verify {
        /// The acknowledgement, a JSON file
        file: PathBuf,
        #[command(flatten)]
        remote: Remote,
    },
}

impl RemoteCommand for Withdrawal {
    type Done = ExitCode;

    fn remote(&self) -> &Remote {
        let Self::Verify { remote, .. } = self;
        remote
    }

    async fn execute(self, session: &mut Session, output: Output) -> anyhow::Result<ExitCode> {
        let Self::Verify { file, .. } = self;
        let unreadable = || format!("{} cannot be read", file.display());
        let size = std::fs::metadata(&file).with_context(unreadable)?.len();
        ensure!(size <= DOCUMENT_MAX_BYTES, "{} is too large", file.display());
        let document = std::fs::read(&file).with_context(unreadable)?;
        let path = "/admin/withdrawals/check";
        let sent = session.send_bytes(Method::POST, path, "application/json", document.into());
        let check: DocumentCheck = sent.await?.json()?;
        output.print(&check, || describe(&check));
        Ok(if check.genuine { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

fn describe(check: &DocumentCheck) -> String {
    match &check.withdrawal_identifier {
        Some(id) if check.genuine => format!("{id} is what was recorded."),
        _ => {
            let problems = check.problems.iter().map(|problem| format!("\n- {problem}"));
            format!("This is not a valid acknowledgement:{}", problems.collect::<String>())
        }
    }
}
