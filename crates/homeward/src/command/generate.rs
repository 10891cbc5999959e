//! What packages need and the binary itself knows: completions for shells, man pages, and the
//! description of the API.

use std::{io, path::PathBuf};

use anyhow::Context;
use clap::Args;
use clap_complete::Shell;

/// `homeward completions bash`
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell to complete commands in
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self, mut cli: clap::Command) {
        clap_complete::generate(self.shell, &mut cli, "homeward", &mut io::stdout());
    }
}

/// `homeward man-pages DIR`
#[derive(Debug, Args)]
pub(crate) struct ManPages {
    /// Where the pages are written
    dir: PathBuf,
}

impl ManPages {
    pub(crate) fn run(&self, cli: clap::Command) -> anyhow::Result<()> {
        let dir = &self.dir;
        let written =
            std::fs::create_dir_all(dir).and_then(|()| clap_mangen::generate_to(cli, dir));
        written.with_context(|| format!("{} cannot be written", dir.display()))
    }
}

/// Prints the description of the API, as `/openapi.json` has it.
pub(crate) fn print_openapi() -> anyhow::Result<()> {
    serde_json::to_writer_pretty(io::stdout(), &web::api_description())?;
    Ok(())
}
