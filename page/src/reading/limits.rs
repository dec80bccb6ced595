//! Limits on how much of a page is read, and notes on what they cut.

/// The least depth limit: the parser makes `html`, `body` and table rows by itself.
pub(super) const LEAST_DEPTH: usize = 16;

/// How much of a page is parsed. Beyond any of these limits the tree is coarser, and [`ParseNotes`] records it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageLimits {
    /// Bytes of HTML (as UTF-8). The rest is left out.
    pub max_bytes: usize,
    /// Nodes made while parsing, comments included. The rest is left out.
    pub max_nodes: usize,
    /// Depth of elements below the document, where `html` is 1; at least 16. Deeper elements become siblings.
    pub max_depth: usize,
}

impl Default for PageLimits {
    /// 20 MB of HTML, 1,000,000 nodes, 512 levels (as browsers).
    fn default() -> Self {
        Self { max_bytes: 20_000_000, max_nodes: 1_000_000, max_depth: 512 }
    }
}

/// The parts of a page that were cut by the limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParseNotes {
    /// Bytes of HTML beyond `max_bytes`, or not reached because another limit ended the parse.
    pub unread_bytes: usize,
    /// Whether `max_nodes` ended the parse.
    pub node_limit: bool,
    /// Number of elements nested deeper than `max_depth`, which became siblings (or, rarely, were left out).
    pub too_deep: u32,
    /// Strings that were cut or left out: attribute values over 64 KiB, attributes beyond the 256th of an
    /// element, and all strings once they exceed four times the page's size.
    pub cut_strings: u32,
}

impl ParseNotes {
    /// Whether the tree differs from what the HTML standard's parser makes of the whole page.
    pub fn is_coarse(&self) -> bool {
        *self != Self::default()
    }
}
