//! Bounds the attributes of one tag before the tokenizer sees them.
//!
//! html5ever compares each attribute's name with all earlier names of its tag, so a tag with a million
//! attributes would take hours. Finding where such a tag ends does not need the tokenizer, but only the
//! tokenizer knows whether a `<` opens a tag at all (it may be part of a comment, a script or a value). So
//! [`feed_bounded`] passes the text in pieces that begin with `<` and watches the output: the tokenizer emits text at
//! once, tags and comments when they close. A piece is a tag if it follows text, looks like a tag, and produced
//! no output while [`TagScan`] counted too many attributes; its remaining attributes are left out. This is too
//! slow for every page; [`AttributeWatch`] finds the pages that need it.
//! Invariant: a page none of whose tags has more than `most` attributes is fed unchanged.

use super::feeder::Feeder;

/// A page is suspicious once more than this many attributes may have begun since the tokenizer's last output. A
/// few comments, scripts in attributes and embedded images reach it, too.
const SUSPICIOUS: usize = 4_096;

/// Counts possible attributes while the tokenizer emits nothing.
#[derive(Debug, Default)]
pub(super) struct AttributeWatch {
    attributes: usize,
}

impl AttributeWatch {
    /// Whether the page must be fed again by [`feed_bounded`]. Call it after each chunk; `has_output` tells whether
    /// the chunk produced output.
    pub(super) fn is_suspicious(&mut self, chunk: &str, has_output: bool) -> bool {
        self.attributes = if has_output { 0 } else { self.attributes + may_begin(chunk.as_bytes()) };
        self.attributes > SUSPICIOUS
    }
}

/// An upper bound on the attributes that begin in this part of a tag: each follows white space, a slash, or a
/// quoted value, which follows an equals sign.
fn may_begin(bytes: &[u8]) -> usize {
    let is_counted = |(i, byte): (usize, &u8)| match byte {
        b'/' | b'=' => true,
        byte if is_space(*byte) => i == 0 || !is_space(bytes[i - 1]),
        _ => false,
    };
    bytes.iter().enumerate().filter(|&at| is_counted(at)).count()
}

/// Feeds the whole page, leaving out all but about `most` attributes of each tag. Returns the number of tags
/// cut.
pub(super) fn feed_bounded(feeder: &mut Feeder, most: usize) -> u32 {
    let bytes = feeder.html().as_bytes();
    let (mut cut_tags, mut is_first) = (0, true);
    // The open tag, if any, and the output count when its `<` had been passed.
    let (mut tag, mut output_before): (Option<TagScan>, u32) = (None, 0);
    while !feeder.is_stopped() {
        let end = feeder.at() + bytes[feeder.at()..].iter().position(|&b| b == b'<').unwrap_or(bytes.len());
        let end = end.min(bytes.len());
        let excess = tag.as_mut().and_then(|tag| tag.excess(&bytes[feeder.at()..end], most));
        // Too many attributes, if it is a tag. Pass the text up to the first one too many; if the tokenizer still has
        // emitted nothing, it is inside a tag, and the other attributes are left out.
        if let (Some(excess), Some(mut open)) = (excess, tag) {
            feeder.pass(feeder.at() + excess);
            if feeder.output_count() == output_before {
                cut_tags += 1;
                feeder.skip(open.scan_to_end(&bytes[feeder.at()..]));
                tag = None;
                continue;
            }
        }
        feeder.pass(end);
        if feeder.at() == bytes.len() {
            break;
        }
        let is_text = is_first || feeder.output_count() != output_before;
        let output = feeder.output_count();
        feeder.pass(end + 1);
        // Text that the tokenizer held back until it knew it was text comes out with the next `<`.
        if is_text || feeder.output_count() != output {
            tag = looks_like_tag(&bytes[end + 1..]).then(TagScan::default);
        } else if let Some(tag) = &mut tag {
            tag.step(b'<');
        }
        (is_first, output_before) = (false, feeder.output_count());
    }
    cut_tags
}

fn looks_like_tag(after: &[u8]) -> bool {
    after.strip_prefix(b"/").unwrap_or(after).first().is_some_and(u8::is_ascii_alphabetic)
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

/// The standard's states inside a tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum TagState {
    #[default]
    Open,
    TagName,
    BeforeName,
    Name,
    AfterName,
    BeforeValue,
    Quoted(u8),
    Unquoted,
    AfterQuoted,
    Slash,
    Closed,
}

/// Scans a tag, starting after its `<`.
#[derive(Clone, Copy, Debug, Default)]
struct TagScan {
    state: TagState,
    attributes: usize,
}

impl TagScan {
    /// Scans `bytes`; returns the place where the attribute after the first `most` begins.
    fn excess(&mut self, bytes: &[u8], most: usize) -> Option<usize> {
        bytes.iter().position(|&byte| {
            self.step(byte);
            self.attributes > most
        })
    }

    /// Scans on to the end of the tag and returns the place in `bytes` from which feeding resumes: at the `>`,
    /// or at the `/` of `/>`. The first byte has been scanned already.
    fn scan_to_end(&mut self, bytes: &[u8]) -> usize {
        let rest = bytes.get(1..).unwrap_or_default();
        let mut before = self.state;
        let closing = rest.iter().position(|&byte| {
            before = self.state;
            self.step(byte);
            self.state == TagState::Closed
        });
        match closing {
            Some(at) => at + 1 - usize::from(before == TagState::Slash),
            None => bytes.len(),
        }
    }

    fn step(&mut self, byte: u8) {
        use TagState::{
            AfterName, AfterQuoted, BeforeName, BeforeValue, Closed, Name, Open, Quoted, Slash, TagName,
            Unquoted,
        };
        self.state = match (self.state, byte) {
            (Closed, _) => Closed,
            (Open, _) => TagName,
            (Quoted(quote), byte) => {
                if byte == quote {
                    AfterQuoted
                } else {
                    Quoted(quote)
                }
            }
            (_, b'>') => Closed,
            (Unquoted, byte) => {
                if is_space(byte) {
                    BeforeName
                } else {
                    Unquoted
                }
            }
            (BeforeValue, quote @ (b'"' | b'\'')) => Quoted(quote),
            (BeforeValue, byte) => {
                if is_space(byte) {
                    BeforeValue
                } else {
                    Unquoted
                }
            }
            (_, b'/') => Slash,
            (Name, byte) if is_space(byte) => AfterName,
            (Name | AfterName, b'=') => BeforeValue,
            (AfterName, byte) if is_space(byte) => AfterName,
            (_, byte) if is_space(byte) => BeforeName,
            (TagName, _) => TagName,
            (Name, _) => Name,
            (BeforeName | AfterName | AfterQuoted | Slash, _) => {
                self.attributes += 1;
                Name
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::reading::tests::{markup, written};
    use crate::reading::{PageLimits, PageTree};

    fn around(inner: &str) -> String {
        format!("<html><head></head><body>{inner}</body></html>")
    }

    /// Expects this tree when the page is fed the careful way with at most two attributes per tag.
    #[track_caller]
    fn check(html: &str, expected: &str) {
        let (tree, _) = PageTree::parse_carefully(html, &PageLimits::default(), 2);
        assert_eq!(written(&tree), expected, "{html}");
    }

    #[test]
    fn what_is_over_is_left_out_up_to_the_end_of_the_tag() {
        check("<p a b>x", &around("<p a= b=>x</p>"));
        check("<p a b c d=1 e='>' f=\">\">x<i>y", &around("<p a= b=>x<i>y</i></p>"));
        check("<p a=1/b=2 c/>x", &around("<p a=1/b=2 c=>x</p>"));
        check("<p a=''b=''c=''>x</p c d e f>y", &around("<p a= b=>x</p>y"));
        check("<<p a b c <d>x", &around("&lt;<p a= b=>x</p>"));
        check("<svg><g a b c d/><g>x", &around("<svg><g a= b=></g><g>x</g></svg>"));
        check("<p a b c", &around(""));
    }

    #[test]
    fn what_is_no_tag_is_not_cut() {
        check("x<!-- <p a b c> -->y", &around("xy"));
        check("<p title='<b a b c d>'>x", &around("<p title=<b a b c d>>x</p>"));
        check("<textarea><p a b c></textarea>x", &around("<textarea>&lt;p a b c></textarea>x"));
        check("1 <2 a b c", &around("1 &lt;2 a b c"));
        check("<textarea></text a b c</textarea a b c d>x", &around("<textarea>&lt;/text a b c</textarea>x"));
    }

    proptest! {
        #[test]
        fn other_pages_are_what_they_are(html in markup(), most in 2usize..5) {
            let plain = PageTree::parse(&html, &PageLimits::default());
            let (careful, cut_tags) = PageTree::parse_carefully(&html, &PageLimits::default(), most);
            prop_assert_eq!(cut_tags, 0);
            prop_assert_eq!(written(&plain), written(&careful));
        }
    }
}
