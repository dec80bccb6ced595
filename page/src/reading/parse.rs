//! Runs the parser over a page, within its limits.
//!
//! A page is normally fed to the tokenizer as it is. If it seems to have tags with thousands of attributes, it
//! is fed again by [`attributes`], which bounds them. Start at [`run`].

use super::attributes::{self, Silence};
use super::feeder::Feeder;
use super::limits::{PageLimits, ParseNotes};
use super::sink::{MAX_ATTRIBUTES, Scratch, cut};

/// Runs the parser over `html`.
pub(super) fn run(html: &str, limits: &PageLimits) -> (Scratch, ParseNotes) {
    let html_kept = cut(html, limits.max_bytes);
    let left_out = html.len() - html_kept.len();
    let mut feeder = Feeder::new(html_kept, limits);
    if feed(&mut feeder) {
        return feeder.finish(left_out, 0);
    }
    let mut feeder = Feeder::new(html_kept, limits);
    let cut_tags = attributes::feed(&mut feeder, MAX_ATTRIBUTES);
    feeder.finish(left_out, cut_tags)
}

/// Like [`run`], but always the careful way, with at most `most` attributes per tag; also returns the number of
/// tags cut.
#[cfg(test)]
pub(super) fn run_carefully(html: &str, limits: &PageLimits, most: usize) -> (Scratch, ParseNotes, u32) {
    let mut feeder = Feeder::new(html, limits);
    let cut_tags = attributes::feed(&mut feeder, most);
    let (scratch, notes) = feeder.finish(0, cut_tags);
    (scratch, notes, cut_tags)
}

/// Feeds the page. Returns false as soon as it seems to have tags with very many attributes.
fn feed(feeder: &mut Feeder) -> bool {
    let mut silence = Silence::default();
    while !feeder.is_stopped() {
        let came = feeder.came();
        let chunk = feeder.pass_chunk();
        let something_came = feeder.came() != came;
        if silence.is_suspicious(chunk, something_came) || feeder.is_toiling() {
            return false;
        }
    }
    true
}
