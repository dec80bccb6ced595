//! Runs the parser over a page, within its limits.
//!
//! A page is normally fed to the tokenizer as it is. If it seems to have tags with thousands of attributes, it
//! is fed again by [`attributes`], which bounds them. Start at [`parse`].

use super::attributes::{self, AttributeWatch};
use super::feeder::Feeder;
use super::limits::{PageLimits, ParseNotes};
use super::sink::{MAX_ATTRIBUTES, Scratch, truncate};

/// Runs the parser over `html`.
pub(super) fn parse(html: &str, limits: &PageLimits) -> (Scratch, ParseNotes) {
    let html_kept = truncate(html, limits.max_bytes);
    let left_out = html.len() - html_kept.len();
    let mut feeder = Feeder::new(html_kept, limits);
    if feed_plainly(&mut feeder) {
        return feeder.finish(left_out, 0);
    }
    let mut feeder = Feeder::new(html_kept, limits);
    let cut_tags = attributes::feed_bounded(&mut feeder, MAX_ATTRIBUTES);
    feeder.finish(left_out, cut_tags)
}

/// Like [`parse`], but always the careful way, with at most `most` attributes per tag; also returns the number of
/// tags cut.
#[cfg(test)]
pub(super) fn parse_carefully(html: &str, limits: &PageLimits, most: usize) -> (Scratch, ParseNotes, u32) {
    let mut feeder = Feeder::new(html, limits);
    let cut_tags = attributes::feed_bounded(&mut feeder, most);
    let (scratch, notes) = feeder.finish(0, cut_tags);
    (scratch, notes, cut_tags)
}

/// Feeds the page. Returns false as soon as it seems to have tags with very many attributes.
fn feed_plainly(feeder: &mut Feeder) -> bool {
    let mut watch = AttributeWatch::default();
    while !feeder.is_stopped() {
        let output = feeder.output_count();
        let chunk = feeder.pass_chunk();
        let has_output = feeder.output_count() != output;
        if watch.is_suspicious(chunk, has_output) || feeder.is_too_costly() {
            return false;
        }
    }
    true
}
