//! The switches and numbers of the outline method.

use serde::{Deserialize, Serialize};

/// Which kinds of evidence the outline method uses, and its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OutlineParams {
    /// Running text that markup splits is one label.
    pub merge: bool,
    /// Class names are searched for words for headings and for texts beside headings.
    pub words: bool,
    /// Similar siblings never head one another.
    pub like_siblings: bool,
    /// Headings of one style each head what follows them.
    pub following: bool,
    /// A lone label first in its box heads the rest.
    pub lone_first: bool,
    /// A repeated box is a record, which its strongest label heads.
    pub records: bool,
    /// A single label before a list heads it.
    pub label_and_list: bool,
    /// Later parts with labels of the heading's own style are its equals.
    pub peers: bool,
    /// A second pass uses how each style behaves on the whole page.
    pub votes: bool,
    /// Boxes without a heading continue the headed box before them.
    pub lead_in: bool,
    /// Tabs head their panels.
    pub tabs: bool,
    /// The site's name and links to its root head nothing.
    pub site_name: bool,
    /// Header cells head columns or rows.
    pub tables: bool,
    /// Labels without letters or digits take no part in structure.
    pub decoration: bool,
    /// Learnt trees choose each label's head, by what the rules say and what else is shown.
    pub heads: bool,
    /// Largest share of the page that one label may head, in per cent.
    pub overreach: u32,
    /// Most leaves of a record.
    pub record_leaves: u32,
    /// Least likelihood, in thousandths, at which a block begins.
    pub block_permille: u32,
}

impl Default for OutlineParams {
    fn default() -> OutlineParams {
        OutlineParams {
            merge: true,
            words: true,
            like_siblings: true,
            following: true,
            lone_first: true,
            records: true,
            label_and_list: true,
            peers: true,
            votes: true,
            lead_in: true,
            tabs: true,
            site_name: true,
            tables: true,
            decoration: true,
            heads: true,
            overreach: 35,
            record_leaves: 25,
            block_permille: 200,
        }
    }
}

impl OutlineParams {
    /// The numbers and the switches that are off, as stable text.
    pub(crate) fn digest(&self) -> String {
        let OutlineParams {
            merge,
            words,
            like_siblings,
            following,
            lone_first,
            records,
            label_and_list,
            peers,
            votes,
            lead_in,
            tabs,
            site_name,
            tables,
            decoration,
            heads,
            overreach,
            record_leaves,
            block_permille,
        } = self;
        let switches = [
            ("merge", merge),
            ("words", words),
            ("like_siblings", like_siblings),
            ("following", following),
            ("lone_first", lone_first),
            ("records", records),
            ("label_and_list", label_and_list),
            ("peers", peers),
            ("votes", votes),
            ("lead_in", lead_in),
            ("tabs", tabs),
            ("site_name", site_name),
            ("tables", tables),
            ("decoration", decoration),
            ("heads", heads),
        ];
        let off: Vec<&str> = switches.iter().filter(|(_, is_on)| !**is_on).map(|(name, _)| *name).collect();
        format!(
            "overreach={overreach} record_leaves={record_leaves} blocks={block_permille} off={}",
            off.join(",")
        )
    }
}
