//! Labels that head nothing because they name the site.
//!
//! Near the top of a page, the site's name often looks like the strongest heading. It is recognised by its text
//! (it spells the domain that most links lead to) or by its target (an image or heading that links to the root).

use rustc_hash::FxHashMap;

use super::labels::Label;
use super::rank::Rank;
use super::rules::OutlineParams;
use super::skeleton::{NONE, Skeleton};
use super::tags::TagKind;
use crate::Page;
use crate::reading::Site;

/// The part of the page's labels, in per cent, in which the site's name is looked for.
const TOP: usize = 30;
/// Shortest name that is compared with the domain, in letters.
const LEAST: usize = 3;
/// The same for a host that is only part of the site, such as `news.example.org`.
const LEAST_HOST_LETTERS: usize = 8;

/// Among this many labels at the top of a page, those that link to places in it only help to skip its menus.
const FIRST: usize = 5;

/// Whether each label is barred from heading others because it names the site or a place in the page.
pub(super) fn barred_labels(
    page: &Page,
    skeleton: &Skeleton,
    labels: &[Label],
    ranks: &[Rank],
    params: &OutlineParams,
) -> Vec<bool> {
    let mut barred = vec![false; labels.len()];
    if !params.site_name {
        return barred;
    }
    let host = host_of_site(page, labels);
    let domain = Site::of_host(&host).as_str().to_owned();
    let top = labels.len() * TOP / 100;
    for (i, label) in labels.iter().enumerate().take(top.max(1)) {
        let href = label.link.and_then(|link| page.tree.attr(link, "href"));
        let is_set_off = label.is_image || ranks[i] <= 60 || label.words > 1;
        barred[i] = (is_set_off && href.is_some_and(|href| is_root(href, &host)))
            || spells(page, label, &domain, LEAST)
            || spells(page, label, &host, LEAST_HOST_LETTERS);
    }
    // Links to places in the page ("skip to content") are not headings either.
    for (i, label) in labels.iter().enumerate().filter(|(i, _)| ranks[*i] >= super::rank::LINK) {
        let href = label.link.and_then(|link| page.tree.attr(link, "href")).unwrap_or_default().trim();
        let leads_here = href.split_once('#').is_some_and(|(path, place)| is_here(path) && !place.is_empty());
        barred[i] |= leads_here && (i < FIRST || !in_item(skeleton, label.element));
    }
    barred
}

/// Whether one of the innermost elements is a list item: such links may be entries of a menu.
fn in_item(skeleton: &Skeleton, element: u32) -> bool {
    let above = |&element: &u32| Some(skeleton.get(element).parent).filter(|&parent| parent != NONE);
    let mut chain = std::iter::successors(Some(element), above).take(4);
    chain.any(|element| skeleton.get(element).kind == TagKind::Item)
}

fn is_here(path: &str) -> bool {
    matches!(path, "" | "index.html")
}

/// The most frequent host in links, without its `www.`; the page's own if there is none.
fn host_of_site(page: &Page, labels: &[Label]) -> String {
    let mut counts: FxHashMap<&str, u32> = FxHashMap::default();
    for label in labels.iter().filter(|label| label.target != NONE) {
        if let Some(host) = label.link.and_then(|link| page.tree.attr(link, "href")).and_then(host) {
            *counts.entry(host).or_default() += 1;
        }
    }
    let best = counts.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(a.0)));
    let host = best.map_or_else(|| page.url.host(), |(host, _)| host);
    host.trim_start_matches("www.").to_ascii_lowercase()
}

fn host(href: &str) -> Option<&str> {
    let (_, rest) = href.trim().split_once("//")?;
    let end = rest.find(['/', '?', '#', ':']).unwrap_or(rest.len());
    Some(&rest[..end]).filter(|host| !host.is_empty())
}

fn is_root(href: &str, site: &str) -> bool {
    let href = href.trim();
    let path = match href.split_once("//") {
        Some((_, rest)) => {
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            // Other hosts are sections of the site.
            if host.trim_start_matches("www.") != site {
                return false;
            }
            path
        }
        None => href,
    };
    matches!(path, "" | "/" | "./" | "index.html" | "/index.html" | "index.htm" | "/index.htm" | "index.php")
        && !href.is_empty()
}

/// Whether the domain begins with the letters and digits of the label.
fn spells(page: &Page, label: &Label, domain: &str, least: usize) -> bool {
    let mut rest = domain.bytes();
    let mut letters = 0;
    for leaf in label.lo..label.hi {
        for letter in page.leaves.text(leaf as usize).bytes().filter(|&letter| letter != b' ') {
            if !letter.is_ascii_alphanumeric() && letter != b'.' {
                continue;
            }
            if rest.next() != Some(letter.to_ascii_lowercase()) {
                return false;
            }
            letters += 1;
        }
    }
    let name = domain.split('.').next().unwrap_or_default().len();
    letters >= least && letters * 2 >= name
}
