//! The exclusive lock on a data directory: one process at a time owns it.
//!
//! The operating system releases the lock when the process ends, however it ends.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read, Seek, Write},
    path::{Path, PathBuf},
};

/// Held for as long as the process uses the directory.
#[derive(Debug)]
pub struct DirectoryLock {
    _file: File,
}

#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("{} is in use by process {holder}", directory.display())]
    InUse { directory: PathBuf, holder: String },
    #[error("{} cannot be locked: {cause}", path.display())]
    Io { path: PathBuf, cause: io::Error },
}

impl DirectoryLock {
    /// Takes the lock of `directory`, or reports the process that holds it.
    pub fn take(directory: &Path) -> Result<Self, LockError> {
        let path = directory.join("lock");
        let io = |cause| LockError::Io { path: path.clone(), cause };
        let mut file = OpenOptions::new()
            .create(true)
            .read(true)
            .write(true)
            .truncate(false)
            .open(&path)
            .map_err(io)?;
        match file.try_lock() {
            Ok(()) => {
                let mut write = || {
                    file.set_len(0)?;
                    file.rewind()?;
                    write!(file, "{}", std::process::id())
                };
                write().map_err(io)?;
                Ok(Self { _file: file })
            }
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                file.read_to_string(&mut holder).map_err(io)?;
                Err(LockError::InUse { directory: directory.to_owned(), holder })
            }
            Err(TryLockError::Error(cause)) => Err(io(cause)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_owner_learns_the_process_of_the_first() {
        let directory = tempfile::tempdir().unwrap();
        let first = DirectoryLock::take(directory.path()).unwrap();
        let refused = DirectoryLock::take(directory.path()).unwrap_err();
        assert!(refused.to_string().ends_with(&format!("process {}", std::process::id())));
        drop(first);
        DirectoryLock::take(directory.path()).unwrap();
    }
}
