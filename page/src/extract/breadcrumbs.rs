//! The trail from the front page to an article: its breadcrumbs. The last step before the article is its section.
//!
//! Witnesses, in this order: a `BreadcrumbList` in JSON-LD; elements that call themselves breadcrumbs; links that call
//! themselves the article's category (`rel`). The front page and the article itself are no steps.

use serde_json::{Map, Value};

use super::finding::Finding;
use super::json_ld::{self, Objects};
use crate::Page;
use crate::article::NamedLink;
use crate::reading::{CanonicalUrl, NodeId, document_base, resolve, squash};

/// Longest name of a section, in characters, and most words.
const MOST_CHARS: usize = 40;
const MOST_WORDS: usize = 5;
/// Most steps of a trail.
const MOST_STEPS: usize = 12;
/// Most trails of a page whose steps are all read.
const MOST_TRAILS: usize = 8;

/// A step: its name, and where it leads.
type Crumb = (String, Option<CanonicalUrl>);

/// The section that the trail names.
pub(super) fn breadcrumb_section(page: &Page, objects: &Objects) -> Option<Finding<String>> {
    let found = |value, witness, confidence| Finding { value, witness, confidence };
    let base = document_base(&page.tree, &page.url.to_url());
    let resolve_href = |address: &str| resolve(&base, address);
    let declared = objects.all().filter(|object| json_ld::is_a(object, |kind| kind == "BreadcrumbList"));
    let declared = declared
        .map(|list| crumbs_of_list(list, &resolve_href))
        .find_map(|steps| last_section(&steps, page, true));
    declared.map(|name| found(name, "json-ld", 0.85)).or_else(|| {
        let tree = &page.tree;
        let mut trails = tree.node_ids().filter(|&node| is_trail(page, node));
        let visible =
            trails.find_map(|node| last_section(&crumbs_of_links(page, node, &resolve_href), page, false));
        let is_category_link = |node: &NodeId| {
            tree.tag(*node) == Some("a")
                && tree
                    .attr(*node, "rel")
                    .is_some_and(|rel| rel.split_whitespace().any(|word| word == "category"))
        };
        let category = || {
            tree.node_ids()
                .filter(is_category_link)
                .find_map(|node| last_section(&[crumb_of_link(page, node, &resolve_href)], page, false))
        };
        visible.or_else(category).map(|name| found(name, "breadcrumbs", 0.8))
    })
}

/// The steps of all trails that JSON-LD declares, each with the page it leads to.
pub(super) fn declared_steps(page: &Page, objects: &Objects) -> Vec<(String, Option<CanonicalUrl>)> {
    let base = document_base(&page.tree, &page.url.to_url());
    let resolve_href = |address: &str| resolve(&base, address);
    let declared = objects.all().filter(|object| json_ld::is_a(object, |kind| kind == "BreadcrumbList"));
    declared.take(MOST_TRAILS).flat_map(|list| crumbs_of_list(list, &resolve_href)).collect()
}

/// The trail from the front page to the article, without both: as JSON-LD declares it, else as the page shows it.
pub(super) fn trail(page: &Page, objects: &Objects) -> Vec<NamedLink> {
    let base = document_base(&page.tree, &page.url.to_url());
    let resolve_href = |address: &str| resolve(&base, address);
    let declared = objects.all().filter(|object| json_ld::is_a(object, |kind| kind == "BreadcrumbList"));
    let declared = declared
        .map(|list| crumbs_of_list(list, &resolve_href))
        .map(|steps| steps_between(&steps, page, true))
        .find(|steps| !steps.is_empty());
    let shown = || {
        let trails = page.tree.node_ids().filter(|&node| is_trail(page, node)).take(MOST_TRAILS);
        trails
            .map(|node| steps_between(&crumbs_of_links(page, node, &resolve_href), page, false))
            .find(|steps| !steps.is_empty())
    };
    declared.or_else(shown).unwrap_or_default()
}

fn steps_between(steps: &[Crumb], page: &Page, ends_with_article: bool) -> Vec<NamedLink> {
    let inner = steps
        .iter()
        .enumerate()
        .filter(|&(number, step)| is_step(steps, number, step, page, ends_with_article));
    let named = inner.map(|(_, (name, target))| NamedLink {
        name: name.clone(),
        address: target.as_ref().map(|target| target.as_str().to_owned()),
    });
    named.collect()
}

/// The steps of a list in JSON-LD, by position.
fn crumbs_of_list(
    list: &Map<String, Value>,
    resolve_href: &impl Fn(&str) -> Option<CanonicalUrl>,
) -> Vec<Crumb> {
    let Some(Value::Array(items)) = list.get("itemListElement") else { return Vec::new() };
    let mut steps: Vec<(u64, Crumb)> = Vec::new();
    for (number, item) in items.iter().take(MOST_STEPS).enumerate() {
        let inner = item.get("item");
        let name = item.get("name").or_else(|| inner?.get("name")).and_then(Value::as_str);
        let address = inner.and_then(|inner| {
            inner.as_str().or_else(|| inner.get("@id").or_else(|| inner.get("url"))?.as_str())
        });
        let position = item
            .get("position")
            .and_then(|position| position.as_u64().or_else(|| position.as_str()?.parse().ok()));
        let Some(name) = name else { continue };
        steps.push((position.unwrap_or(number as u64), (squash(name), address.and_then(resolve_href))));
    }
    steps.sort_by_key(|(position, _)| *position);
    steps.into_iter().map(|(_, step)| step).collect()
}

/// Whether an element calls itself breadcrumbs.
fn is_trail(page: &Page, node: NodeId) -> bool {
    let names_breadcrumbs = |node: NodeId| {
        let attrs = ["class", "id", "aria-label", "itemtype"];
        let mut values = attrs.iter().filter_map(|name| page.tree.attr(node, name));
        values.any(|value| {
            let names_breadcrumbs = |name: &[u8]| {
                value.as_bytes().windows(name.len()).any(|part| part.eq_ignore_ascii_case(name))
            };
            names_breadcrumbs(b"breadcrumb") || names_breadcrumbs(b"bread-crumb")
        })
    };
    names_breadcrumbs(node) && !matches!(page.tree.tag(node), Some("body" | "html"))
}

fn crumb_of_link(page: &Page, node: NodeId, resolve_href: &impl Fn(&str) -> Option<CanonicalUrl>) -> Crumb {
    (squash(&page.tree.text_content(node)), page.tree.attr(node, "href").and_then(resolve_href))
}

fn crumbs_of_links(
    page: &Page,
    node: NodeId,
    resolve_href: &impl Fn(&str) -> Option<CanonicalUrl>,
) -> Vec<Crumb> {
    let links = std::iter::once(node).chain(page.tree.descendants(node));
    let links = links.filter(|&node| page.tree.tag(node) == Some("a")).take(MOST_STEPS);
    links.map(|link| crumb_of_link(page, link, resolve_href)).collect()
}

/// Whether a step is neither the front page nor the article. A list in JSON-LD ends with the article: a last step that
/// leads nowhere is the article, too.
fn is_step(steps: &[Crumb], number: usize, step: &Crumb, page: &Page, ends_with_article: bool) -> bool {
    let (name, target) = step;
    let is_end = ends_with_article && number + 1 == steps.len() && number > 0 && target.is_none();
    let is_elsewhere = target.as_ref().is_none_or(|target| *target != page.url && !target.is_front_page());
    let is_first = number == 0 && target.is_none() && steps.len() > 1;
    let is_name = (2..=MOST_CHARS).contains(&name.chars().count()) && name.split(' ').count() <= MOST_WORDS;
    !is_end && !is_first && is_elsewhere && is_name && name.chars().any(char::is_alphabetic)
}

/// The last step.
fn last_section(steps: &[Crumb], page: &Page, ends_with_article: bool) -> Option<String> {
    let is_title = |name: &str| page.title.as_deref().is_some_and(|title| title.starts_with(name));
    let mut inner = steps.iter().enumerate().rev();
    let (_, (name, _)) =
        inner.find(|&(number, step)| is_step(steps, number, step, page, ends_with_article))?;
    (!is_title(name)).then(|| name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page_at;

    #[track_caller]
    fn check(html: &str, expected: Option<(&str, &str)>) {
        let page = page_at("https://a.example/x/story", html);
        let found = breadcrumb_section(&page, &Objects::new(&page));
        assert_eq!(found.as_ref().map(|found| (found.value.as_str(), found.witness)), expected, "{html}");
    }

    #[test]
    fn breadcrumbs_of_machines_are_read_by_position_up_to_the_article() {
        let list = |items: &str| {
            format!(
                "<script type=application/ld+json>{{\"@type\": \"BreadcrumbList\", \"itemListElement\": [{items}]}}</script>"
            )
        };
        let item = |position, name: &str, address: &str| {
            format!(
                "{{\"position\": {position}, \"item\": {{\"@id\": \"{address}\", \"name\": \"{name}\"}}}}"
            )
        };
        let (home, sport) = (item(1, "Start", "https://a.example/"), item(2, "Sport", "/sport/"));
        let story = item(3, "The long headline of this story, which is long", "https://a.example/x/story");
        check(&list(&format!("{story}, {sport}, {home}")), Some(("Sport", "json-ld")));
        check(&list(&format!("{home}, {story}")), None);
        check(
            &list(&format!("{home}, {sport}, {{\"position\": 3, \"name\": \"Goal!\"}}")),
            Some(("Sport", "json-ld")),
        );
        check(&list("7, {\"name\": 3}, []"), None);
    }

    #[test]
    fn breadcrumbs_of_readers_are_links() {
        check(
            "<nav aria-label=Breadcrumbs><a href=/>Home</a> <a href=/politik>Politik</a> <a href=/x/story>Diese Geschichte</a></nav>",
            Some(("Politik", "breadcrumbs")),
        );
        check(
            "<ul id=bread-crumbs><li><a href=/>Home</a></ul><a rel='category tag' href=/c/art>Kunst</a>",
            Some(("Kunst", "breadcrumbs")),
        );
        check("<a rel=tag href=/c/art>Kunst</a><p class=crumbs>x", None);
        // A page about itself.
        check("<title>Sport - A</title><div class=breadcrumb><a href=/sport>Sport</a></div>", None);
    }
}
