//! What packages need and the binary itself knows: completions for shells, man pages, and the
//! description of the API.

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

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

/// `homeward openapi`
#[derive(Debug, Args)]
pub(crate) struct Openapi {
    /// Instead write the JSON Schema of each kind of message to merchants to this folder
    #[arg(long, value_name = "DIR")]
    schemas: Option<PathBuf>,
}

impl Openapi {
    /// Prints the description of the API, as `/openapi.json` has it, or writes the schemas.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        if let Some(dir) = &self.schemas {
            return write_schemas(dir)
                .with_context(|| format!("{} cannot be written", dir.display()));
        }
        let mut out = io::stdout();
        serde_json::to_writer_pretty(&out, &web::api_description())?;
        Ok(writeln!(out)?)
    }
}

fn write_schemas(dir: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(dir)?;
    for (kind, schema) in web::message_schemas() {
        let text = serde_json::to_string_pretty(&schema)?;
        std::fs::write(dir.join(format!("{kind}.schema.json")), text + "\n")?;
    }
    Ok(())
}
