//! Keeps a second process off the file.

use sabir_engine::store::StoreError;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// A lock on a file beside the database, which the operating system gives back when the process
/// ends, however it ends.
#[derive(Debug)]
pub(super) struct FileLock {
    _file: File,
}

impl FileLock {
    pub(super) fn take(database: &Path) -> Result<Self, StoreError> {
        let path = beside(database);
        let failed = |error: std::io::Error| {
            StoreError::new(format_args!("cannot lock {}: {error}", path.display()))
        };
        let mut file = options().open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(held(database, &mut file)),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        // For whoever finds it locked.
        file.set_len(0).map_err(failed)?;
        write!(file, "{}", std::process::id()).map_err(failed)?;
        Ok(Self { _file: file })
    }
}

/// A file that only its owner may read: the database holds the credentials of webhooks.
pub(super) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn beside(database: &Path) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push(".lock");
    path.into()
}

fn held(database: &Path, file: &mut File) -> StoreError {
    let mut holder = String::new();
    let holder = match file.read_to_string(&mut holder) {
        Ok(_) if !holder.is_empty() => format!("process {holder}"),
        _ => "another process".into(),
    };
    StoreError::new(format_args!(
        "{} is in use by {holder}; only one process at a time can serve from a SQLite file",
        database.display()
    ))
}
