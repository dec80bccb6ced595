//! The switches and numbers of the outline method.

use serde::{Deserialize, Serialize};

/// Which kinds of evidence the outline method uses, and its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OutlineParams {
    /// Running text that markup splits is one label.
    pub merge: bool,
    /// Class names are read for words of headings and of what stands beside them.
    pub words: bool,
    /// Siblings that are alike never head one another.
    pub like_siblings: bool,
    /// Headings of one style head what follows each.
    pub following: bool,
    /// A lone label first in its box heads the rest.
    pub lone_first: bool,
    /// A repeated box is a record, which its strongest label heads.
    pub records: bool,
    /// A single label before a list heads it.
    pub label_and_list: bool,
    /// Later parts with labels of the heading's own style are its equals.
    pub peers: bool,
    /// Styles are judged over the whole page in a second pass.
    pub votes: bool,
    /// The first of like siblings may lead in all of them.
    pub lead_in: bool,
    /// Labels head the panels of tabs.
    pub tabs: bool,
    /// The site's name and links to its root head nothing.
    pub site_name: bool,
    /// Neighbours with one target are one record.
    pub same_target: bool,
    /// Header cells head columns or rows.
    pub tables: bool,
    /// Labels without letters or digits take no part in structure.
    pub decoration: bool,
    /// A link or picture that leads nowhere and recurs heads nothing.
    pub generic: bool,
    /// Largest share of the page, in per cent, that one label heads.
    pub overreach: u32,
    /// Most leaves of a record.
    pub record_leaves: u32,
    /// How likely a block must be to begin where one is taken to begin, in thousandths.
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
            same_target: true,
            tables: true,
            decoration: true,
            generic: true,
            overreach: 35,
            record_leaves: 25,
            block_permille: 200,
        }
    }
}

impl OutlineParams {
    /// What differs from the default, as stable text.
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
            same_target,
            tables,
            decoration,
            generic,
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
            ("same_target", same_target),
            ("tables", tables),
            ("decoration", decoration),
            ("generic", generic),
        ];
        let off: Vec<&str> = switches.iter().filter(|(_, is_on)| !**is_on).map(|(name, _)| *name).collect();
        format!(
            "overreach={overreach} record_leaves={record_leaves} blocks={block_permille} off={}",
            off.join(",")
        )
    }
}
