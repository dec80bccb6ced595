//! The slots of a page: what it says of its own place in the site, grouped by where it says it.
//!
//! A slot is one way to name a section or tag: links at one path of elements, a meta name, a field of JSON-LD, a
//! property of microdata, a level of directories in the address, or a family of class names. Which slots of a site really
//! name places is not decided here, because it takes other pages: a menu, a byline and a list of tags look alike on one
//! page. So everything short is kept, with bounds.
//!
//! Invariant: a pure function of the page. A hostile page gives a bounded number of bytes.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::breadcrumbs;
use super::json_ld::{self, Objects};
use super::plain::{readable, without_entities};
use crate::Page;
use crate::bounds::{Excess, holds, most};
use crate::reading::{CanonicalUrl, NodeId, PageTree, Site};
use crate::text::words_of_label;

/// Longest name of a place, in words and in bytes. Sections have one to five words; longer texts are headlines.
const MOST_WORDS: usize = 7;
const MOST_NAME: usize = 120;
/// What stands between names that are joined in one text.
pub const SEPARATORS: [char; 6] = [',', ';', '|', '،', '、', '，'];
/// Elements of a link's path, the link included.
const PATH_ELEMENTS: usize = 5;
/// Classes of an element that a path names, and the longest.
const MOST_CLASSES: usize = 3;
const MOST_CLASS: usize = 32;
/// A slot with more names is a menu or a list of the site's pages.
const MOST_NAMES: usize = 48;
/// Most slots of a page, and most bytes of their names and targets.
const MAX_SLOTS: usize = 200;
const MAX_BYTES: usize = 64 << 10;
/// Most classes of an element that are looked at for names.
const MOST_ELEMENT_CLASSES: usize = 64;
/// Most slots that are collected, menus included, before those within the bounds are chosen.
const MOST_COLLECTED: usize = 1_000;
/// Levels of directories.
const MOST_LEVELS: usize = 4;
/// Longest content of a meta element that may hold names.
const MOST_CONTENT: usize = 2_000;

/// A slot of a page: one way in which it names sections or tags, which may be its own.
///
/// The name of the slot begins with its kind: `a` and the path of elements around links (after `rel=` words), `meta` and a
/// name, `json` and a field, `item` and a property, `dir` and a level of the address, `class` with an element and a family.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlotUse {
    /// The slot's name, the same on pages of one layout.
    pub slot: String,
    /// What it names, in page order, each target or name once; not empty.
    pub names: Vec<SlotName>,
}

/// A name in a slot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlotName {
    /// The text.
    pub name: String,
    /// The page of the same site that it leads to, if it is a link or a directory.
    pub target: Option<CanonicalUrl>,
}

impl SlotUse {
    /// Bytes of its texts.
    pub(crate) fn bytes(&self) -> usize {
        let of_name =
            |name: &SlotName| name.name.len() + name.target.as_ref().map_or(0, |url| url.as_str().len());
        self.slot.len() + self.names.iter().map(of_name).sum::<usize>()
    }
}

/// Whether a page of this site can have these slots.
///
/// # Errors
/// Names the limit that they exceed.
pub fn check_slots(slots: &[SlotUse], site: &Site) -> Result<(), Excess> {
    most("slots", "entries", slots.len(), MAX_SLOTS)?;
    most("slots", "bytes", slots.iter().map(SlotUse::bytes).sum(), MAX_BYTES)?;
    holds("slots", slots.is_sorted_by(|a, b| a.slot < b.slot), "are not sorted, each once")?;
    for slot in slots {
        most("slot", "names", slot.names.len(), MOST_NAMES)?;
        let is_inside = |name: &SlotName| name.target.as_ref().is_none_or(|target| target.site() == *site);
        holds("slot", slot.names.iter().all(is_inside), "leads to another site")?;
    }
    Ok(())
}

/// The slots under construction, in page order.
#[derive(Default)]
struct SlotBuilder {
    at: FxHashMap<String, usize>,
    slots: Vec<SlotUse>,
}

impl SlotBuilder {
    /// Adds a name to a slot, once for each target.
    fn add(&mut self, slot: &str, name: &str, target: Option<CanonicalUrl>) {
        let name = match name.contains('&') {
            true => readable(&without_entities(name)),
            false => readable(name),
        };
        // Where names may be joined, the longest of them counts.
        let mut parts = name.split(SEPARATORS).filter(|_| target.is_none());
        let whole = target.is_some().then_some(name.as_str());
        let is_short = |part: &str| part.len() <= MOST_NAME && words_of_label(part) <= MOST_WORDS;
        let is_name =
            name.chars().any(char::is_alphanumeric) && whole.is_none_or(is_short) && parts.all(is_short);
        if !is_name {
            return;
        }
        let at = match self.at.get(slot) {
            Some(at) => *at,
            None if self.slots.len() == MOST_COLLECTED => return,
            None => {
                self.at.insert(slot.to_owned(), self.slots.len());
                self.slots.push(SlotUse { slot: slot.to_owned(), names: Vec::new() });
                self.slots.len() - 1
            }
        };
        let Some(slot) = self.slots.get_mut(at) else { return };
        let is_known = |known: &SlotName| match &target {
            Some(target) => known.target.as_ref() == Some(target),
            None => known.target.is_none() && known.name == name,
        };
        // One more than the limit is kept, so that a full slot is recognised.
        if slot.names.len() <= MOST_NAMES && !slot.names.iter().any(is_known) {
            slot.names.push(SlotName { name, target });
        }
    }

    /// The slots within the bounds, sorted.
    fn finish(self) -> Vec<SlotUse> {
        let mut bytes_left = MAX_BYTES;
        let mut slots: Vec<SlotUse> = Vec::new();
        for slot in self.slots.into_iter().filter(|slot| slot.names.len() <= MOST_NAMES).take(MAX_SLOTS) {
            let Some(rest) = bytes_left.checked_sub(slot.bytes()) else { break };
            bytes_left = rest;
            slots.push(slot);
        }
        slots.sort_unstable_by(|a, b| a.slot.cmp(&b.slot));
        slots
    }
}

/// The slots of a page, sorted by name, each once.
pub fn slots(page: &Page) -> Vec<SlotUse> {
    let mut slots = SlotBuilder::default();
    add_declared(page, &mut slots);
    add_directories(&page.url, &mut slots);
    add_classes(page, &mut slots);
    let tree = &page.tree;
    for node in tree.node_ids().filter(|&node| tree.is_html(node)) {
        match tree.tag(node) {
            Some("a") if tree.attr(node, "href").is_some() => add_link(page, node, &mut slots),
            Some("meta") => add_meta(tree, node, &mut slots),
            _ => {}
        }
        if let Some(property) = tree.attr(node, "itemprop") {
            add_property(page, node, property, &mut slots);
        }
    }
    slots.finish()
}

/// A link to another page of the site, but not to its front page.
fn add_link(page: &Page, node: NodeId, slots: &mut SlotBuilder) {
    let tree = &page.tree;
    let leaves = page.leaves.range_under(tree, node);
    // A link around several texts is a card, not a name.
    if leaves.is_empty() || leaves.len() > 3 {
        return;
    }
    let Some(target) = page.target(node).filter(|target| is_inside(page, target)) else { return };
    let text = leaves.map(|leaf| page.leaves.text(leaf)).collect::<Vec<_>>().join(" ");
    let rel = tree.attr(node, "rel").unwrap_or_default();
    let mut slot = String::from("a");
    for word in ["tag", "category", "author"] {
        if rel.split_ascii_whitespace().any(|said| said.eq_ignore_ascii_case(word)) {
            slot.push_str(" rel=");
            slot.push_str(word);
        }
    }
    slot.push(' ');
    slot.push_str(&path_of(tree, node));
    slots.add(&slot, &text, Some(target));
}

/// Whether an address is another page of the site, and not a front page of this host or the site.
fn is_inside(page: &Page, target: &CanonicalUrl) -> bool {
    let is_front = target.is_home() && (target.host() == page.url.host() || target.is_front_page());
    *target != page.url && target.site() == page.url.site() && !is_front
}

/// The elements around a node, the outermost first, each with its classes.
fn path_of(tree: &PageTree, node: NodeId) -> String {
    let around: Vec<NodeId> = std::iter::once(node).chain(tree.ancestors(node)).take(PATH_ELEMENTS).collect();
    let mut path = String::new();
    for node in around.into_iter().rev() {
        let Some(tag) = tree.tag(node) else { continue };
        if !path.is_empty() {
            path.push('>');
        }
        path.push_str(tag);
        // Classes with digits number or style single elements.
        let is_telling = |class: &&str| {
            class.len() <= MOST_CLASS
                && !class.contains(|letter: char| letter.is_ascii_digit() || letter == '>' || letter == '.')
        };
        for class in tree.classes(node).filter(is_telling).take(MOST_CLASSES) {
            path.push('.');
            path.push_str(class);
        }
    }
    path
}

/// The content of a meta element, whole and in its parts between commas.
fn add_meta(tree: &PageTree, node: NodeId, slots: &mut SlotBuilder) {
    let name = ["property", "name", "itemprop"].iter().find_map(|key| tree.attr(node, key));
    let (Some(name), Some(content)) = (name, tree.attr(node, "content")) else { return };
    let name = name.trim().to_ascii_lowercase();
    if name.len() <= MOST_CLASS * 2 && content.len() <= MOST_CONTENT && !content.contains("://") {
        add_names(&format!("meta {name}"), content, slots);
    }
}

/// A text that names places, or several that commas join: which of both takes other pages.
fn add_names(slot: &str, text: &str, slots: &mut SlotBuilder) {
    if text.len() <= MOST_CONTENT {
        slots.add(slot, text, None);
    }
}

/// A property of microdata with a text.
fn add_property(page: &Page, node: NodeId, property: &str, slots: &mut SlotBuilder) {
    let tree = &page.tree;
    let is_place = |name: &&str| matches!(*name, "articleSection" | "keywords" | "about" | "genre");
    let Some(property) = property.split_ascii_whitespace().find(is_place) else { return };
    if tree.tag(node) == Some("meta") {
        return;
    }
    let leaves = page.leaves.range_under(tree, node);
    if leaves.len() <= MOST_NAMES {
        leaves.for_each(|leaf| add_names(&format!("item {property}"), page.leaves.text(leaf), slots));
    }
}

/// Class names such as `category-sport` and `tag-cup`, which publishing systems give the element of an article: of the
/// elements around the headline, because boxes of other stories have them too.
fn add_classes(page: &Page, slots: &mut SlotBuilder) {
    let tree = &page.tree;
    let names_places = |node: &NodeId| {
        tree.classes(*node).take(MOST_ELEMENT_CLASSES).any(|class| family_of(class).is_some())
    };
    let headline = tree.node_ids().find(|&node| tree.tag(node) == Some("h1"));
    let mut around: Vec<NodeId> =
        headline.into_iter().flat_map(|headline| tree.ancestors(headline)).filter(names_places).collect();
    if around.is_empty() {
        // The first heading may be the site's name. The page's own article comes before the boxes of other stories.
        around.extend(
            tree.node_ids()
                .filter(|&node| matches!(tree.tag(node), Some("article" | "div" | "main" | "section")))
                .find(names_places),
        );
    }
    for node in around {
        for (family, name) in tree.classes(node).take(MOST_ELEMENT_CLASSES).filter_map(family_of) {
            slots.add(&format!("class {family}"), &name.replace('-', " "), None);
        }
    }
}

/// The family of a class that names a place, and the name.
fn family_of(class: &str) -> Option<(&'static str, &str)> {
    let named = |family: &'static str| Some((family, class.strip_prefix(family)?.strip_prefix('-')?));
    named("category").or_else(|| named("tag")).filter(|(_, name)| name.chars().any(char::is_alphabetic))
}

/// The directories of the address.
fn add_directories(url: &CanonicalUrl, slots: &mut SlotBuilder) {
    let path = url.path();
    let directories: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let last = directories.len().saturating_sub(usize::from(!path.ends_with('/')));
    // The last part names the page itself, also where it ends with a slash.
    let last = last.min(directories.len().saturating_sub(1));
    let mut prefix = url.origin().to_owned();
    prefix.push('/');
    for (level, directory) in directories.iter().take(last.min(MOST_LEVELS)).enumerate() {
        prefix.push_str(directory);
        prefix.push('/');
        let decoded =
            url::form_urlencoded::parse(directory.as_bytes()).next().map(|(text, _)| text.into_owned());
        let name = decoded.unwrap_or_default().replace(['-', '_', '+'], " ");
        slots.add(&format!("dir {}", level + 1), &name, prefix.parse().ok());
    }
}

/// What JSON-LD says of the page's own article, and its breadcrumbs.
fn add_declared(page: &Page, slots: &mut SlotBuilder) {
    let objects = Objects::new(page);
    for object in objects.articles().take(4) {
        for (key, value) in object.iter().take(60) {
            let is_said_elsewhere = matches!(
                key.as_str(),
                "@type"
                    | "@id"
                    | "@context"
                    | "headline"
                    | "name"
                    | "alternativeHeadline"
                    | "description"
                    | "articleBody"
                    | "url"
                    | "image"
                    | "comment"
            ) || key.starts_with("date");
            if is_said_elsewhere {
                continue;
            }
            for text in json_ld::names_in(value, &objects) {
                if !text.contains("://") {
                    add_names(&format!("json {key}"), &text, slots);
                }
            }
        }
    }
    for (name, target) in breadcrumbs::declared_steps(page, &objects) {
        let target = target.filter(|target| is_inside(page, target));
        if target.is_some() {
            slots.add("json breadcrumb", &name, target);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page_at;

    fn found(html: &str) -> Vec<SlotUse> {
        let slots = slots(&page_at("https://example.org/news/2024/cup-final", html));
        let site = "https://example.org/".parse::<CanonicalUrl>().unwrap().site();
        check_slots(&slots, &site).unwrap();
        slots
    }

    /// What a slot names: each name, and the path it leads to.
    #[track_caller]
    fn check(html: &str, slot: &str, expected: &[(&str, &str)]) {
        let slots = found(html);
        let names = slots.iter().find(|found| found.slot == slot).map(|found| found.names.as_slice());
        let names: Vec<(&str, &str)> = names
            .unwrap_or_default()
            .iter()
            .map(|name| (name.name.as_str(), name.target.as_ref().map_or("", |target| target.path())))
            .collect();
        assert_eq!(names, expected, "{slot} in {slots:?}");
    }

    #[test]
    fn links_are_grouped_by_the_elements_around_them() {
        let html = "<div class='head col-4'><p><a href=/sport>Sport</a> <a href=/cup/>The Cup</a></p></div>\
                    <ul><li><a rel='category tag' href=/arts>Arts</a></ul><a href=/>Home</a>\
                    <a href=https://elsewhere.org/x>Elsewhere</a><a href=/long>A headline of more than seven words is no name at all</a>";
        check(html, "a html>body>div.head>p>a", &[("Sport", "/sport"), ("The Cup", "/cup/")]);
        check(html, "a rel=tag rel=category html>body>ul>li>a", &[("Arts", "/arts")]);
        let all: Vec<String> =
            found(html).into_iter().flat_map(|slot| slot.names).map(|name| name.name).collect();
        assert_eq!(all, ["Sport", "The Cup", "Arts", "news", "2024"]);
    }

    #[test]
    fn markup_for_machines_is_read_whole() {
        let html = "<meta name=keywords content='Cup, Arts &amp;amp; Music'><meta property=article:section content=Sport>\
                    <meta name=description content='A long text that says what the story is about, and goes on.'>\
                    <span itemprop=articleSection>Football</span>";
        check(html, "meta keywords", &[("Cup, Arts & Music", "")]);
        check(html, "meta article:section", &[("Sport", "")]);
        check(html, "meta description", &[]);
        check(html, "item articleSection", &[("Football", "")]);
    }

    #[test]
    fn json_ld_gives_fields_of_the_own_article_and_breadcrumbs() {
        let html = r#"<h1>Cup final</h1><script type="application/ld+json">[
            {"@type": "NewsArticle", "headline": "Cup final", "articleSection": ["Sport", "Food, Drink"], "keywords": "cup;goal",
             "url": "https://example.org/news/2024/cup-final"},
            {"@type": "BreadcrumbList", "itemListElement": [
                {"@type": "ListItem", "position": 2, "name": "Sport", "item": "https://example.org/sport/"},
                {"@type": "ListItem", "position": 1, "name": "Home", "item": "https://example.org/"}]}]</script>"#;
        check(html, "json articleSection", &[("Sport", ""), ("Food, Drink", "")]);
        check(html, "json keywords", &[("cup;goal", "")]);
        check(html, "json breadcrumb", &[("Sport", "/sport/")]);
        check(html, "json headline", &[]);
    }

    #[test]
    fn directories_and_classes_around_the_headline_are_slots() {
        let html = "<body class='post category-sport tag-cup-final'><article class=category-arts><h2>Another</h2></article><h1>Cup</h1>";
        check(html, "dir 1", &[("news", "/news/")]);
        check(html, "dir 2", &[("2024", "/news/2024/")]);
        check(html, "class category", &[("sport", "")]);
        check(html, "class tag", &[("cup final", "")]);
    }

    #[test]
    fn a_flood_is_cut_within_the_bounds() {
        let links: String =
            (0..10_000).map(|n| format!("<div class=x{}><a href=/p{n}>Page {n}</a></div>", n % 7)).collect();
        let metas: String = (0..5_000).map(|n| format!("<meta name=m{n} content=c{n}>")).collect();
        let slots = found(&format!("{metas}{links}"));
        assert_eq!(slots.len(), MAX_SLOTS);
        // A slot of so many names is a menu.
        assert!(slots.iter().all(|slot| !slot.slot.starts_with("a ")));
    }
}
