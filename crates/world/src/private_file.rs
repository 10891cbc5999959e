//! Files that only their owner may read, such as those with secrets.

use std::{
    fs::{self, OpenOptions},
    io::{self, ErrorKind, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt, fchown},
    path::Path,
};

/// Replaces the whole of `path` or nothing of it. The file keeps its owner: an administrator who
/// replaces it must not take it away from the server.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let partial = path.with_extension("partial");
    let replaced = write_partial(path, &partial, bytes).and_then(|()| fs::rename(&partial, path));
    if replaced.is_err() {
        let _ = fs::remove_file(&partial);
    }
    replaced?;
    // The name must be durable as well as the content.
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    fs::File::open(parent.unwrap_or(Path::new(".")))?.sync_all()
}

fn write_partial(path: &Path, partial: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file =
        OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(partial)?;
    file.write_all(bytes)?;
    if let Ok(replaced) = fs::metadata(path)
        && replaced.uid() != file.metadata()?.uid()
    {
        fchown(&file, Some(replaced.uid()), Some(replaced.gid()))?;
    }
    file.sync_all()
}

/// The content of `path`; None when there is no such file.
pub fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
