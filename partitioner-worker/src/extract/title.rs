//! The headline, without the site's name.
//!
//! Of the `h1`s the one that shares most words with the page's titles. Where its letters end with the
//! headline of the metadata (a kicker is glued to it, unless the document's title has the kicker too) or are
//! the same, the metadata's form is taken, else the `h1` itself: what readers see goes before what search
//! engines are told. Of a page without one the headline of its metadata, cut free of the site's name.

use std::collections::BTreeSet;

use super::metadata::{Found, Metadata};
use crate::Page;
use crate::labels::words;

/// Between a headline and a site's name.
const SEPARATORS: [&str; 8] = [" | ", " - ", " – ", " — ", " :: ", " · ", " » ", " « "];
/// Characters of a headline at most.
const MAX_TITLE: usize = 400;
/// `h1`s that are looked at: pages of hundreds have none that is a headline.
const MAX_H1: usize = 20;

pub(super) fn title(page: &Page, metadata: &Metadata) -> Option<Found<String>> {
    let cut = |text: &String| without_site(text.as_str(), metadata.site_name.as_deref(), page.url.host());
    let og = metadata.og_title.as_ref().map(cut);
    let headline = metadata.headline.clone();
    let found = |value: String, witness, confidence| Some(Found { value, witness, confidence });
    let Some(h1) = h1(page, metadata) else {
        return headline
            .and_then(|text| found(text, "json-ld", 0.8))
            .or_else(|| found(og?, "opengraph", 0.75))
            .or_else(|| found(page.title.as_ref().map(cut)?, "title", 0.6));
    };
    let said = [(headline, "json-ld"), (og, "opengraph")];
    let document = page.title.as_deref().map(letters).unwrap_or_default();
    let long = letters(&h1);
    let is_right = |text: &String| {
        let short = letters(text);
        let is_end = long.ends_with(&short) && !document.contains(&long);
        !short.is_empty() && (long == short || is_end)
    };
    let agreed = said.into_iter().find_map(|(text, witness)| Some((text.filter(is_right)?, witness)));
    match agreed {
        Some((text, witness)) => found(text, witness, 0.95),
        None => found(h1, "h1", 0.8),
    }
}

fn h1(page: &Page, metadata: &Metadata) -> Option<String> {
    let tree = &page.tree;
    let said: BTreeSet<String> = [&page.title, &metadata.og_title, &metadata.headline]
        .into_iter()
        .flatten()
        .flat_map(|text| words(text))
        .collect();
    let text = |node| {
        let leaves = page.leaves.range_under(tree, node);
        let texts: Vec<&str> =
            leaves.filter(|&i| !page.leaves.get(i).is_image).map(|i| page.leaves.text(i)).collect();
        texts.join(" ")
    };
    let h1s = tree.node_ids().filter(|&node| tree.tag(node) == Some("h1")).take(MAX_H1);
    // Old pages give their masthead the only `h1`.
    let is_headline = |text: &String| {
        (1..=MAX_TITLE).contains(&text.len())
            && !is_site(text, metadata.site_name.as_deref(), page.url.host())
    };
    let texts: Vec<String> = h1s.map(text).filter(is_headline).collect();
    let shared = |text: &str| words(text).collect::<BTreeSet<_>>().intersection(&said).count();
    let is_told = metadata.headline.is_some() || metadata.og_title.is_some();
    let texts: Vec<String> = texts.into_iter().filter(|text| !is_told || shared(text) > 0).collect();
    // Of equals the first.
    texts.into_iter().rev().max_by_key(|text| shared(text))
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether a text is the site's name: the one it says, or letters of its host.
fn is_site(text: &str, site_name: Option<&str>, host: &str) -> bool {
    let text = letters(text);
    !text.is_empty() && (site_name.map(letters).as_ref() == Some(&text) || letters(host).contains(&text))
}

/// Cuts a site's name off either end: one that is known as such, or else the shorter part at the end; of many
/// parts (a site, its sections, a headline) the longest is the headline.
fn without_site(title: &str, site_name: Option<&str>, host: &str) -> String {
    let is_site = |part: &str| is_site(part, site_name, host) || is_domain(part);
    let trail: Vec<&str> = title.split(" | ").collect();
    if trail.len() >= 3 {
        let longest = trail.iter().rev().max_by_key(|part| part.len()).copied().unwrap_or(title);
        return longest.trim().to_owned();
    }
    let last = SEPARATORS.iter().filter_map(|mark| title.rsplit_once(mark)).min_by_key(|(_, end)| end.len());
    let starts = SEPARATORS.iter().chain(&[": "]);
    let first = starts.filter_map(|mark| title.split_once(mark)).min_by_key(|(start, _)| start.len());
    if let Some((_, rest)) = first.filter(|(start, _)| is_site(start)) {
        return rest.trim().to_owned();
    }
    match last {
        Some((start, end))
            if is_site(end) || end.split_whitespace().count() <= 3 && start.len() > 2 * end.len() =>
        {
            start.trim().to_owned()
        }
        _ => title.trim().to_owned(),
    }
}

/// Whether a text is a name of the web: "Example.com".
fn is_domain(text: &str) -> bool {
    let text = text.trim();
    let end = text.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase());
    !text.contains(' ')
        && end.is_some_and(|end| ["com", "net", "org", "de", "fr", "es", "it"].contains(&end.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(title: &str, site: Option<&str>, expected: &str) {
        assert_eq!(without_site(title, site, "www.daily.example"), expected, "{title}");
    }

    #[test]
    fn a_masthead_is_no_headline() {
        let page = crate::testing::page(
            "<title>Storm hits the coast - Example</title><h1><a href=/>Example</a></h1><h3>Storm hits the coast</h3>",
        );
        let found = title(&page, &Metadata::of(&page, newslode_common::time::Timestamp(0))).unwrap();
        assert_eq!((found.value.as_str(), found.witness), ("Storm hits the coast", "title"));
    }

    #[test]
    fn the_sites_name_is_cut_off() {
        check("Storm hits the coast | The Post", Some("The Post"), "Storm hits the coast");
        check("The Post - Storm hits the coast", Some("The Post"), "Storm hits the coast");
        check("Storm hits – Daily", None, "Storm hits");
        check("A storm of the century hits - News", None, "A storm of the century hits");
        check(
            "Rise and fall - rise and fall again and on",
            None,
            "Rise and fall - rise and fall again and on",
        );
        check("Plain", None, "Plain");
        check("Example.com: Storm hits the coast", None, "Storm hits the coast");
        check("EX NEWS | Weather | Storm hits the coast", None, "Storm hits the coast");
        check("Storm: it hits", None, "Storm: it hits");
    }
}
