//! Dead letters as people read them.

use newslode_common::broker::DeadLetter;
use newslode_page::neutral::for_log;
use serde::Serialize;

/// Number of bytes that a list shows of a body.
const CUT: usize = 200;

/// A dead letter as a list shows it.
#[derive(Serialize)]
pub(crate) struct ListedLetter {
    pub(crate) id: String,
    pub(crate) why: String,
    pub(crate) who: String,
    pub(crate) at: String,
    pub(crate) what: String,
    pub(crate) bytes: usize,
}

impl ListedLetter {
    pub(crate) fn new(letter: &DeadLetter) -> ListedLetter {
        ListedLetter {
            id: letter.id.clone(),
            why: letter.reason.clone(),
            who: letter.by.clone(),
            at: time_text(letter.at),
            what: printable(&letter.body[..letter.body.len().min(CUT)]),
            bytes: letter.body.len(),
        }
    }
}

/// A body as one line of text. Most are not text.
pub(crate) fn printable(bytes: &[u8]) -> String {
    for_log(&String::from_utf8_lossy(bytes)).into_owned()
}

fn time_text(at: u64) -> String {
    i64::try_from(at)
        .ok()
        .and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok())
        .filter(|_| at > 0)
        .map_or_else(|| "at an unknown time".into(), |time| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}
