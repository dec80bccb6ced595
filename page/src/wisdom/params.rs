//! The parameters of WISDOM: every number that changes which blocks are found.
//!
//! `paper` follows the print; `default` is what users get. Shares are whole per cents, so that parameters
//! compare exactly.

use serde::{Deserialize, Serialize};

/// One search for blocks: k-MIB and the expansion of its finds (`[W §3.2.2, §3.3]`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchParams {
    /// k: largest number of skeleton nodes.
    pub most: usize,
    /// ST in per cent: a node whose children share the feature this evenly is not searched further.
    pub evenness: u32,
    /// Whether a find that fails the type constraint is searched further instead of given up.
    pub search_on: bool,
    /// DSTM: whether fitting siblings of a skeleton node are merged with it.
    pub siblings: bool,
    /// k of k-CSTM: the number of ancestors with siblings whose siblings are merged, too.
    pub collateral: usize,
}

/// Parameters of WISDOM.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WisdomParams {
    /// The preset that these parameters come from.
    pub name: String,
    /// The search for article blocks, by CLEN.
    pub article: SearchParams,
    /// An article block must have a CII above this, in per cent.
    pub least_cii: u32,
    /// The search for TOC blocks, by API.
    pub toc: SearchParams,
    /// The anchors of a TOC block must have a mean API above this, in per cent.
    pub least_api: u32,
    /// The search for TOC blocks by ALEN, used where too few anchors have an API.
    pub fallback: SearchParams,
    /// The fallback is used if more than this share of the meaningful anchors has API 0, in per cent.
    pub most_without_api: u32,
    /// An anchor is meaningful if its text has at least this many characters.
    pub least_anchor: u32,
    /// ε in per cent: the least entropy in 1/EN; smaller ones count as ε.
    pub least_entropy: u32,
    /// Whether texts are children of their element, like elements; otherwise they belong to the element itself.
    pub texts_are_children: bool,
    /// Whether elements without text count as children when evenness is measured.
    pub empty_count: bool,
    /// Whether a term adds to API its lift on the linked page (log_n of how much more of it that page holds than
    /// others do) instead of 1/EN. A linked page that is not known is taken to hold the words of its anchor.
    pub lift: bool,
    /// Whether the texts of all anchors to the same page count for each of them.
    pub by_target: bool,
    /// Largest share of an article block's text that is in anchors, in per cent.
    pub most_linked: u32,
    /// Least CII of a node merged with an article's find, in per cent of the find's CII.
    pub least_alike: u32,
    /// Whether condensing keeps a whole node if it directly holds half of its text.
    pub keep_lines: bool,
    /// Whether condensing keeps a whole node if its children share the feature evenly.
    pub keep_even: bool,
}

impl Default for WisdomParams {
    fn default() -> WisdomParams {
        let paper = WisdomParams::paper();
        WisdomParams {
            name: "default".into(),
            article: SearchParams { evenness: 70, search_on: true, ..paper.article },
            least_cii: 30,
            toc: SearchParams { most: 1000, search_on: true, ..paper.toc },
            least_api: 100,
            most_without_api: 95,
            texts_are_children: true,
            empty_count: false,
            lift: true,
            by_target: true,
            most_linked: 50,
            least_alike: 80,
            keep_lines: true,
            ..paper
        }
    }
}

impl WisdomParams {
    /// As printed: k = 1, ST = 0.8, TC = (0.8, 1.25), DSTM and 1-CSTM. Where most anchors have no API: by ALEN with
    /// ST = 0.9 and without expansion.
    #[must_use]
    pub fn paper() -> WisdomParams {
        let search = SearchParams { most: 1, evenness: 80, search_on: false, siblings: true, collateral: 1 };
        WisdomParams {
            name: "paper".into(),
            article: search,
            least_cii: 20,
            toc: search,
            least_api: 125,
            fallback: SearchParams { evenness: 90, siblings: false, collateral: 0, ..search },
            most_without_api: 50,
            least_anchor: 5,
            least_entropy: 1,
            texts_are_children: false,
            empty_count: true,
            lift: false,
            by_target: false,
            most_linked: 100,
            least_alike: 0,
            keep_lines: false,
            keep_even: false,
        }
    }
}
