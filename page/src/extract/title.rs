//! The title: the headline without the site's name.
//!
//! Of the page's `h1`s the one is chosen that shares most words with the page's titles. If it ends with the
//! metadata's headline (its rest is a kicker, unless the document's title has the kicker, too) or has the same
//! letters, the metadata's spelling is taken, else the `h1`: what readers see beats what search engines are
//! told. A page without an `h1` gives the headline of its metadata, with the site's name cut off.

use std::collections::BTreeSet;

use super::metadata::{Finding, Metadata};
use crate::Page;
use crate::contribution::labels::words;

/// Separators between a headline and a site's name.
const SEPARATORS: [&str; 8] = [" | ", " - ", " – ", " — ", " :: ", " · ", " » ", " « "];
/// Marks that also separate them without spaces.
const MARKS: [char; 6] = ['|', '｜', 'ㅣ', '│', '·', '_'];
/// Longest headline, in bytes.
const MAX_TITLE: usize = 400;
/// Most `h1`s that are read: on pages with hundreds of them none is the headline.
const MAX_H1: usize = 20;

pub(super) fn title(page: &Page, metadata: &Metadata) -> Option<Finding<String>> {
    let cut = |text: &String| without_site(text.as_str(), metadata.site_name.as_deref(), page.url.host());
    let og = metadata.og_title.as_ref().map(cut);
    let headline = metadata.headline.clone();
    let found = |value: String, witness, confidence| Some(Finding { value, witness, confidence });
    let Some(h1) = h1(page, metadata) else {
        return headline
            .and_then(|text| found(text, "json-ld", 0.8))
            .or_else(|| found(metadata.meta_headline.clone()?, "meta", 0.8))
            .or_else(|| found(og?, "opengraph", 0.75))
            .or_else(|| found(page.title.as_ref().map(cut)?, "title", 0.6));
    };
    let document = page.title.as_deref().map(letters).unwrap_or_default();
    let section = metadata.section.as_ref().map(|section| letters(&section.value));
    let long = letters(&h1);
    let is_right = |text: &String| {
        let short = letters(text);
        let is_kicker = |kicker| !document.contains(&long) || section.as_deref() == Some(kicker);
        !short.is_empty()
            && long.strip_suffix(&short).is_some_and(|kicker| kicker.is_empty() || is_kicker(kicker))
    };
    let own = || {
        let headline = headline.clone().filter(|text| !names_site(text, metadata))?;
        let is_for_search = document.contains(&long) && og.as_deref().is_some_and(|og| is_same(og, &long));
        let differs = !document.contains(&letters(&headline)) && !long.starts_with(&letters(&headline));
        (is_for_search && differs).then_some(headline)
    };
    let of_headline = headline.clone().filter(is_right).and_then(|text| found(text, "json-ld", 0.95));
    let of_share = || og.clone().filter(is_right).and_then(|text| found(text, "opengraph", 0.95));
    of_headline
        .or_else(|| found(own()?, "json-ld", 0.6))
        .or_else(of_share)
        .or_else(|| found(h1.clone(), "h1", 0.8))
}

/// Whether a share title is the headline with these letters; some share titles end at the first quotation mark.
fn is_same(share_title: &str, long: &str) -> bool {
    let short = letters(share_title);
    short.len() * 3 >= long.len() && long.starts_with(&short)
}

/// Whether a headline is a slogan, that is, contains the site's name.
fn names_site(headline: &str, metadata: &Metadata) -> bool {
    let site = metadata.site_name.as_deref().map(letters).filter(|name| !name.is_empty());
    let headline = letters(headline);
    site.is_some_and(|site| headline.contains(&site)) || metadata.site.is_own(&headline)
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
    // Some old pages have their masthead as the only `h1`.
    let is_headline = |text: &String| {
        (1..=MAX_TITLE).contains(&text.len())
            && !is_site(text, metadata.site_name.as_deref(), page.url.host())
    };
    let texts: Vec<String> = h1s.map(text).filter(is_headline).collect();
    let shared = |text: &str| BTreeSet::from_iter(words(text)).intersection(&said).count();
    let is_told = metadata.headline.is_some() || metadata.og_title.is_some();
    let texts: Vec<String> = texts.into_iter().filter(|text| !is_told || shared(text) > 0).collect();
    // Of equals the first.
    texts.into_iter().rev().max_by_key(|text| shared(text))
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether a text is the site's name: the declared one, or letters of its host.
fn is_site(text: &str, site_name: Option<&str>, host: &str) -> bool {
    let text = letters(text);
    !text.is_empty() && (site_name.map(letters).as_ref() == Some(&text) || letters(host).contains(&text))
}

/// Cuts the site's name off either end of a title: its known name, or else the shorter part at the end. Of
/// three or more parts (site, sections, headline) the longest is the headline.
fn without_site(title: &str, site_name: Option<&str>, host: &str) -> String {
    let is_site = |part: &str| is_site(part, site_name, host) || is_domain(part);
    if let Some(start) = site_name.and_then(|name| behind_mark(title, name)) {
        return start.to_owned();
    }
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

/// The part of a title before a mark without spaces and the site's name.
fn behind_mark<'t>(title: &'t str, site_name: &str) -> Option<&'t str> {
    let start = title.trim_end().strip_suffix(site_name.trim()).filter(|_| !site_name.trim().is_empty())?;
    let mark = start.chars().next_back().filter(|mark| MARKS.contains(mark))?;
    let start = start.strip_suffix(mark)?.trim_end();
    (!start.is_empty()).then_some(start)
}

/// Whether a text is a domain name: "Example.com".
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
        let found = title(&page, &Metadata::new(&page, crate::time::Timestamp(0))).unwrap();
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
        check("폭풍이 해안을 강타ㅣ일보", Some("일보"), "폭풍이 해안을 강타");
        check("Storm hits The Post", Some("The Post"), "Storm hits The Post");
    }

    #[track_caller]
    fn of(head: &str, h1: &str, expected: &str, witness: &str) {
        let page = crate::testing::page(&format!("<head>{head}</head><h1>{h1}</h1>"));
        let found = title(&page, &Metadata::new(&page, crate::time::Timestamp(0))).unwrap();
        assert_eq!((found.value.as_str(), found.witness), (expected, witness));
    }

    fn head(document: &str, share: &str, headline: &str) -> String {
        format!(
            "<title>{document}</title><meta property=og:title content='{share}'><meta property=og:site_name content='The Post'>\
             <meta property=article:section content=Opinion>\
             <script type=application/ld+json>{{\"@type\":\"NewsArticle\",\"headline\":\"{headline}\"}}</script>"
        )
    }

    #[test]
    fn kickers_are_cut_off() {
        let storm = "Storm hits the coast";
        of(&head(storm, storm, storm), "Weather: Storm hits the coast", storm, "json-ld");
        let both = "Weather: Storm hits the coast";
        of(&head(both, storm, "Storm"), both, both, "h1");
        // The section's name is a kicker even if the document's title has it, too.
        let opinion = "Opinion | Storm hits the coast";
        of(&head(opinion, opinion, storm), opinion, storm, "json-ld");
    }

    #[test]
    fn a_headline_of_the_publishers_own_beats_what_search_engines_are_told() {
        let told = "Storm: These towns are hit";
        let own = "The night the sea came in";
        of(&head(told, told, own), told, own, "json-ld");
        // The headline loses if the share title is the editors' choice, if it is itself made for search
        // engines, or if it is a slogan.
        of(&head(told, "Waves of ten metres", own), told, told, "h1");
        of(&head(own, told, own), told, told, "opengraph");
        of(&head(told, told, "The Post: all news"), told, told, "opengraph");
    }
}
