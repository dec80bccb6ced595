//! Counts the contribution of a page to its site's state: labels with their roles, pairs, terms, links, lists.
//!
//! There are two sources. The hierarchy says which labels head others and which are instances of groups; the
//! page's links tell where labels lead and which links are next to them. If a link has several leaves, its
//! whole text is a label, and so is each leaf.
//!
//! Invariants: a pure function of page and hierarchy; lists are sorted as [`Contribution`] demands; a hostile
//! page adds a bounded number of bytes. Start at [`contribution`].

use crate::contribution::{Contribution, FiledUse, LinkUse, PairUse, url_id};
use crate::hierarchy::Hierarchy;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::contribution::labels::LabelKeys;
use crate::contribution::terms;
use crate::reading::Page;

mod anchors;
pub(super) mod lists;
pub(super) mod outline;
pub(super) mod paths;
mod uses;

use anchors::{Anchor, page_anchors};
use outline::LabelOutline;
use uses::LabelUses;

/// Most bytes of labels, of pairs, of links and of lists, each. A front page of 2,000 links has some 200 KB.
pub(super) const MAX_BYTES: usize = 2 << 20;

/// Most stories that a page files: enough to see what only this page shows, and some 2 KB of cells per page.
pub(super) const MAX_STORIES: usize = 60;

/// The contribution of a page to its site's state.
///
/// ```
/// use newslode_page::contribution::{PairUse, Role};
/// use newslode_page::{Page, Params, contribution, hierarchy};
///
/// let url = "https://news.example.org/".parse()?;
/// let html = "<html lang=en><h2>Arts</h2><ul><li><a href=/film>Film</a><li><a href=/jazz>Jazz</a></ul>";
/// let page = Page::parse(&url, None, html.as_bytes());
/// let found = contribution(&page, &hierarchy(&page, &Params::default()));
///
/// // Labels are known by language and stems; "Arts" heads the others.
/// assert_eq!((found.labels[0].key.as_str(), found.labels[0].form.as_str()), ("en:art", "Arts"));
/// assert_eq!(found.labels[0].roles, [Role::Any, Role::Header]);
/// let pair = PairUse { broader: "en:art".into(), narrower: "en:film".into(), level: 1 };
/// assert_eq!(found.pairs[0], pair);
/// assert_eq!(found.links[0].target.as_str(), "https://news.example.org/film");
/// # Ok::<(), newslode_page::reading::CanonicalUrlError>(())
/// ```
#[must_use]
pub fn contribution(page: &Page, hierarchy: &Hierarchy) -> Contribution {
    bounded_contribution(page, hierarchy).0
}

/// The contribution, and whether parts were left out because there was too much.
pub(crate) fn bounded_contribution(page: &Page, hierarchy: &Hierarchy) -> (Contribution, bool) {
    let keys = LabelKeys::new(page.language.as_deref());
    let outline = LabelOutline::new(hierarchy, &keys);
    let anchors = page_anchors(page, &keys);
    let mut uses = LabelUses::default();
    uses.add_outline(&outline, hierarchy);
    uses.add_anchors(page, &anchors, &keys);

    let mut labels = uses.labels();
    let mut pairs = outline.pairs();
    let mut links = link_uses(page, &anchors, &outline);
    let terms = terms::terms(page);
    let mut is_cut = truncate_to_bytes(&mut labels, |label| label.key.len() + label.form.len());
    is_cut |= truncate_to_bytes(&mut pairs, |pair: &PairUse| pair.broader.len() + pair.narrower.len());
    is_cut |= truncate_to_bytes(&mut links, |link| {
        link.target.as_str().len() + link.label.as_ref().map_or(0, String::len)
    });
    is_cut |= terms.len() >= terms::MAX_TERMS;
    let (mut lists, mut nested) = lists::label_lists(page, &anchors);
    let (directories, nested_in_urls) = paths::directories_in_urls(page, &anchors, &keys);
    nested.extend(nested_in_urls);
    nested.sort_unstable();
    nested.dedup();
    is_cut |= truncate_to_bytes(&mut lists, |list| list.labels.iter().map(String::len).sum());
    let language = page.language.clone();
    let filed = Some(filed_stories(page, &anchors));
    (Contribution { language, labels, pairs, terms, links, lists, filed, nested, directories }, is_cut)
}

/// The first [`MAX_STORIES`] stories of the page.
fn filed_stories(page: &Page, anchors: &[Anchor]) -> FiledUse {
    let mut stories: Vec<String> = Vec::new();
    for anchor in anchors.iter().filter(|anchor| anchor.is_story() && anchor.inside && !anchor.is_empty(page))
    {
        if let Some(id) = anchor.target.as_ref().map(url_id).filter(|id| !stories.contains(id)) {
            stories.push(id);
        }
        if stories.len() == MAX_STORIES {
            break;
        }
    }
    stories.sort_unstable();
    FiledUse { page: url_id(&page.url), stories }
}

/// Keeps the first entries that fit into [`MAX_BYTES`]; true if some were dropped.
fn truncate_to_bytes<T>(entries: &mut Vec<T>, bytes: impl Fn(&T) -> usize) -> bool {
    let mut bytes_left = MAX_BYTES;
    let fits = |entry: &T| {
        let rest = bytes_left.checked_sub(bytes(entry));
        bytes_left = rest.unwrap_or(0);
        rest.is_some()
    };
    let n_fitting = entries.iter().map(fits).take_while(|fits| *fits).count();
    let is_cut = n_fitting < entries.len();
    entries.truncate(n_fitting);
    is_cut
}

/// Each target once, at its first link, with the label of the first link that has text.
fn link_uses(page: &Page, anchors: &[Anchor], outline: &LabelOutline) -> Vec<LinkUse> {
    let mut idx_by_target: FxHashMap<&str, usize> = FxHashMap::default();
    let mut links: Vec<LinkUse> = Vec::new();
    let mut has_text: FxHashSet<usize> = FxHashSet::default();
    for anchor in anchors {
        let Some(target) = anchor.target.as_ref().filter(|target| **target != page.url) else { continue };
        let in_group = anchor.leaves.clone().any(|leaf| outline.is_in_group(leaf));
        let at = *idx_by_target.entry(target.as_str()).or_insert(links.len());
        match links.get_mut(at) {
            Some(link) => {
                link.in_group |= in_group;
                // An image before its caption has no label, so the caption gives it. After a story's title,
                // which is no label, "comments" below it gives none.
                if link.label.is_none() && !has_text.contains(&at) {
                    link.label.clone_from(&anchor.key);
                }
            }
            None => links.push(LinkUse {
                target: target.clone(),
                label: anchor.key.clone(),
                in_group,
                inside: anchor.inside,
            }),
        }
        if anchor.words > 0 {
            has_text.insert(at);
        }
    }
    links
}

#[cfg(test)]
mod tests;
