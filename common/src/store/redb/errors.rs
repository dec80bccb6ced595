//! What failures of the file mean to the caller.

use std::any::Any;
use std::io::ErrorKind;
use std::sync::OnceLock;

use crate::store::error::StoreError;

/// What the file answers after one of its writes failed, whatever is asked.
const FAILED_BEFORE: &str = "an earlier write to the store's file failed";

/// The error that a failure of the file means to the caller.
fn meaning(error: ::redb::Error) -> StoreError {
    match error {
        ::redb::Error::Io(error) => match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                StoreError::Full(format!("cannot write the store's file: {error}"))
            }
            ErrorKind::ReadOnlyFilesystem => {
                StoreError::Refused(format!("cannot write the store's file: {error}"))
            }
            // A page lies behind the end of the file.
            ErrorKind::UnexpectedEof => StoreError::Damaged(error.to_string()),
            _ => StoreError::Unavailable(format!("the store's file: {error}")),
        },
        ::redb::Error::PreviousIo => StoreError::Refused(FAILED_BEFORE.to_owned()),
        error => StoreError::Damaged(error.to_string()),
    }
}

/// Whether an error only says that an earlier call failed.
pub(super) fn is_consequence(error: &StoreError) -> bool {
    matches!(error, StoreError::Refused(text) if text == FAILED_BEFORE)
}

/// Whether the file can be used again only after it was opened again.
pub(super) fn is_lasting(error: &StoreError) -> bool {
    matches!(error, StoreError::Full(_) | StoreError::Damaged(_)) || is_consequence(error)
}

/// The first failure after which the file must be opened again.
#[derive(Default)]
pub(super) struct Failure(OnceLock<StoreError>);

impl Failure {
    /// The failure, if there was one.
    pub(super) fn cause(&self) -> Option<StoreError> {
        self.0.get().cloned()
    }

    /// Remembers a failure that lasts. A consequence of it is replaced by its cause.
    pub(super) fn note(&self, error: StoreError) -> StoreError {
        if is_consequence(&error)
            && let Some(cause) = self.0.get()
        {
            return cause.clone();
        }
        if is_lasting(&error) {
            // Only the first one is the cause.
            drop(self.0.set(error.clone()));
        }
        error
    }
}

/// Only this program writes the file, and checks what it writes: what cannot be read was damaged since.
pub(super) fn of_file(error: StoreError) -> StoreError {
    match error {
        StoreError::Corrupt(what) => StoreError::Damaged(what),
        error => error,
    }
}

/// What a panic of the database means: it does not expect damaged pages. Its words help only its developers.
pub(super) fn damaged(panic: &(dyn Any + Send)) -> StoreError {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    tracing::debug!(panic = text.unwrap_or_default(), "the database met a damaged page");
    StoreError::Damaged("a page of it makes no sense".to_owned())
}

macro_rules! store_errors {
    ($($error:ident),*) => {
        $(impl From<::redb::$error> for StoreError {
            fn from(error: ::redb::$error) -> StoreError {
                meaning(error.into())
            }
        })*
    };
}
store_errors!(StorageError, TableError, TransactionError, CommitError, SetDurabilityError);
