//! What failures of the file mean to the caller.

use crate::store::error::StoreError;

/// The error that a failure of the file means to the caller.
fn meaning(error: ::redb::Error) -> StoreError {
    use std::io::ErrorKind;
    match error {
        ::redb::Error::Io(error) => match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::ReadOnlyFilesystem => {
                StoreError::Refused(format!("cannot write the store's file: {error}"))
            }
            _ => StoreError::Unavailable(format!("the store's file: {error}")),
        },
        ::redb::Error::PreviousIo => {
            StoreError::Refused("the store's file failed before; start again to check it".to_owned())
        }
        error => StoreError::Corrupt(error.to_string()),
    }
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
