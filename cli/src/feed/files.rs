//! Reads the files one after another, on a thread that may block.

use newslode_common::warc::{Found, Reader, Why};
use newslode_page::time::Timestamp;
use tokio::sync::mpsc::Sender;

use super::capture::{Capture, Skip};
use super::feeding::Feeding;

/// What the reader came to.
pub(super) enum Step {
    /// A record: a page, or the reason why it is none.
    Record {
        found: Result<Box<Capture>, Skip>,
        /// Bytes of all files that were read so far.
        bytes: u64,
    },
    /// A file that cannot be read to its end, and why.
    Problem(String),
}

/// Reads all records of all files, or until nobody listens any more. A file that breaks off does not keep
/// the others from being read.
pub(super) fn read(feeding: &Feeding, now: Timestamp, to: &Sender<Step>) {
    let mut before = 0;
    for file in &feeding.files {
        let mut reader = match Reader::open(file, feeding.limits()) {
            Ok(reader) => reader,
            Err(error) => {
                if to.blocking_send(Step::Problem(error.to_string())).is_err() {
                    return;
                }
                continue;
            }
        };
        while let Some(next) = reader.next() {
            let bytes = before + reader.bytes_read();
            let step = match next {
                Ok(Found::Record(record)) => {
                    Step::Record { found: Capture::of(record, feeding, now).map(Box::new), bytes }
                }
                Ok(Found::Skipped(skipped)) => {
                    let skip = match skipped.why {
                        Why::TooLarge(_) => Skip::TooLarge,
                        Why::Header | Why::Length | Why::Stray => Skip::Broken,
                    };
                    let (file, offset, why) = (file.display(), skipped.offset, skipped.why);
                    tracing::info!(%file, offset, %why, "a record is passed over");
                    Step::Record { found: Err(skip), bytes }
                }
                Err(error) => Step::Problem(error.to_string()),
            };
            if to.blocking_send(step).is_err() {
                return;
            }
        }
        before += reader.bytes_read();
    }
}
