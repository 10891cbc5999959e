//! Where the binary is.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

/// The root of the workspace.
pub(crate) fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// A command that runs the binary and sees none of our own settings.
pub(crate) fn homeward() -> Command {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    let mut command = Command::new(BINARY.get_or_init(locate));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("HOMEWARD_") {
            command.env_remove(name);
        }
    }
    command
}

fn locate() -> PathBuf {
    std::env::var_os("HOMEWARD_BIN").map_or_else(build, PathBuf::from)
}

/// The folder that this test was built into, such as `target/debug`.
fn built() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().and_then(Path::parent).unwrap().to_owned()
}

/// Where everything lies that is made and not kept.
pub(crate) fn target() -> PathBuf {
    built().parent().unwrap().to_owned()
}

/// Builds the binary into the folder that this test was built into.
fn build() -> PathBuf {
    let folder = built();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(workspace()).args(["build", "--quiet", "-p", "homeward"]);
    cargo.arg("--target-dir").arg(target());
    if folder.ends_with("release") {
        cargo.arg("--release");
    }
    assert!(cargo.status().unwrap().success(), "homeward does not build");
    folder.join("homeward")
}
