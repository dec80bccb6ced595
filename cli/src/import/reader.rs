//! Reads the files one after another, on a thread that may block.

use newslode_common::warc::{Found, Reader, Why};
use newslode_page::time::Timestamp;
use tokio::sync::mpsc::Sender;

use super::capture::{Capture, Skip};
use super::plan::ImportPlan;
use super::recorded::RecordedFile;

/// What the reader found next.
pub(super) enum ReadEvent {
    /// A file begins; its name.
    File(String),
    /// A record: a page, or the reason why it is none.
    Record {
        found: Result<Box<Capture>, Skip>,
        /// Bytes of all files that were read so far.
        bytes: u64,
    },
    /// A file that says what may be done with the pages of its origin. Its record comes next.
    Rights(Box<RecordedFile>),
    /// Why a file cannot be read to its end.
    Problem(String),
}

/// Reads all records of all files, or until nobody listens any more. A file that breaks off does not keep
/// the others from being read.
pub(super) fn read_files(plan: &ImportPlan, now: Timestamp, to: &Sender<ReadEvent>) {
    let mut before = 0;
    for file in &plan.files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if to.blocking_send(ReadEvent::File(name)).is_err() {
            return;
        }
        let mut reader = match Reader::open(file, plan.limits()) {
            Ok(reader) => reader,
            Err(error) => {
                if to.blocking_send(ReadEvent::Problem(error.to_string())).is_err() {
                    return;
                }
                continue;
            }
        };
        while let Some(next) = reader.next() {
            let bytes = before + reader.bytes_read();
            let event = match next {
                Ok(Found::Record(record)) => {
                    if let Some(file) = RecordedFile::of_record(&record, plan, now)
                        && to.blocking_send(ReadEvent::Rights(Box::new(file))).is_err()
                    {
                        return;
                    }
                    ReadEvent::Record { found: Capture::of_record(record, plan, now).map(Box::new), bytes }
                }
                Ok(Found::Skipped(skipped)) => {
                    let skip = match skipped.why {
                        Why::TooLarge(_) => Skip::TooLarge,
                        Why::Header | Why::Length | Why::Stray | Why::Packing => Skip::Broken,
                    };
                    let (file, offset, why) = (file.display(), skipped.offset, skipped.why);
                    tracing::info!(%file, offset, %why, "a record is passed over");
                    ReadEvent::Record { found: Err(skip), bytes }
                }
                Err(error) => ReadEvent::Problem(error.to_string()),
            };
            if to.blocking_send(event).is_err() {
                return;
            }
        }
        before += reader.bytes_read();
    }
}
