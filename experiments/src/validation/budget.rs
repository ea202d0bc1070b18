//! A budget of one attempt, spent on disk before the attempt is made.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// One attempt at an effect. The file's existence is the spent budget; nothing ever removes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    file: PathBuf,
}

impl Budget {
    /// The budget that `file` stands for.
    pub fn new(file: impl Into<PathBuf>) -> Self {
        Self { file: file.into() }
    }

    /// Whether the attempt was counted already, or that can't be told.
    pub fn is_spent(&self) -> bool {
        !matches!(self.file.try_exists(), Ok(false))
    }

    /// Counts the attempt, noting what it was for. The attempt may be made only after this
    /// returned: the file and its name are on disk then.
    ///
    /// # Errors
    ///
    /// [`BudgetError::Spent`] if the file exists, whoever made it, and [`BudgetError::NotCounted`]
    /// if it can't be written. The budget counts as spent in both cases.
    pub fn spend(&self, note: &str) -> Result<(), BudgetError> {
        let mut file = match OpenOptions::new().write(true).create_new(true).open(&self.file) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(BudgetError::Spent);
            }
            Err(error) => return Err(BudgetError::NotCounted(error.to_string())),
        };
        file.write_all(note.as_bytes())
            .and_then(|()| file.sync_all())
            .and_then(|()| File::open(directory(&self.file))?.sync_all())
            .map_err(|error| BudgetError::NotCounted(error.to_string()))
    }
}

/// Why an attempt was not counted, and so must not be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BudgetError {
    /// The one attempt was counted before.
    #[error(
        "the budget of one attempt is spent; look at the target before you start a new budget file"
    )]
    Spent,
    /// The count could not be made durable.
    #[error("the attempt could not be counted on disk: {0}")]
    NotCounted(String),
}

fn directory(file: &Path) -> &Path {
    match file.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}
