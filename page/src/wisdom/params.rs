//! The parameters of WISDOM: every number that changes which blocks are found.
//!
//! `paper` follows the print, `default` is what users get. Shares are whole per cents, so that parameters
//! compare exactly.

use serde::{Deserialize, Serialize};

/// One search for blocks: k-MIB and what its finds are widened by (`[W §3.2.2, §3.3]`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchParams {
    /// k: skeleton nodes at most.
    pub most: usize,
    /// ST in per cent: a node whose children share the feature this evenly is not searched further.
    pub evenness: u32,
    /// Whether a find that fails the type constraint is searched further instead of given up.
    pub search_on: bool,
    /// DSTM: whether fitting siblings of a skeleton node are merged with it.
    pub siblings: bool,
    /// k of k-CSTM: at so many ancestors with siblings these are merged, too.
    pub collateral: usize,
}

/// Parameters of WISDOM.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WisdomParams {
    /// The preset these come from.
    pub name: String,
    /// The search for article blocks, by CLEN.
    pub article: SearchParams,
    /// An article block's CII is above this, in per cent.
    pub least_cii: u32,
    /// The search for TOC blocks, by API.
    pub toc: SearchParams,
    /// A TOC block's anchors have on average an API above this, in per cent.
    pub least_api: u32,
    /// The search for TOC blocks by ALEN, where API says too little.
    pub fallback: SearchParams,
    /// It is taken if more than this many per cent of the meaningful anchors have API 0.
    pub most_without_api: u32,
    /// An anchor is meaningful if its text has at least so many characters.
    pub least_anchor: u32,
    /// ε in per cent: an entropy below it counts as it in 1/EN.
    pub least_entropy: u32,
    /// Whether texts are children of their element, like elements; else they are its own.
    pub texts_are_children: bool,
    /// Whether elements without any text count as children where evenness is judged.
    pub empty_count: bool,
    /// Whether a term adds to API how much more of it the linked page holds than others (log_n of it)
    /// instead of 1/EN, a page of the site that is not known being taken to hold what its anchor says.
    pub lift: bool,
    /// Whether the anchors of a page that lead to the same page say what all of them say.
    pub by_target: bool,
    /// An article block has at most so many per cent of its text in anchors.
    pub most_linked: u32,
    /// A node merged with a find of an article has at least so many per cent of the find's CII.
    pub least_alike: u32,
    /// Whether condensing leaves a node as it is that directly holds half of its text.
    pub keep_lines: bool,
    /// Whether condensing leaves a node as it is whose children share the feature evenly.
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
    /// The print: k = 1, ST = 0.8, TC = (0.8, 1.25), DSTM and 1-CSTM; by ALEN with ST = 0.9 and no
    /// expansion where most anchors have no API.
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
