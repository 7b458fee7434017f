//! A directory for a server's data, which outlives the server but not the test.

use std::path::{Path, PathBuf};

/// A directory of its own for one test; removed when dropped.
#[derive(Debug)]
pub struct DataDir {
    dir: tempfile::TempDir,
}

impl DataDir {
    /// Makes an empty directory.
    ///
    /// # Panics
    /// When the system's directory for temporary files cannot be written.
    #[expect(clippy::new_without_default, reason = "making a directory is no default value")]
    pub fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("sabir-test-").tempdir();
        Self { dir: dir.unwrap_or_else(|error| panic!("no directory for the test: {error}")) }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The path of a file or directory in it, made or not.
    pub fn join(&self, name: impl AsRef<Path>) -> PathBuf {
        self.path().join(name)
    }

    /// Writes a file in it, and gives its path.
    ///
    /// # Panics
    /// When the file cannot be written.
    pub fn write(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.join(name);
        if let Err(error) = std::fs::write(&path, content) {
            panic!("cannot write {}: {error}", path.display());
        }
        path
    }
}
