//! The lead picture: what the markup declares, else the first picture that the page shows with its story.

use serde_json::{Map, Value};

use super::finding::Finding;
use super::json_ld::{Objects, url_in};
use super::properties::has_property;
use super::visible::Visible;
use crate::Page;
use crate::reading::{NodeId, resolve};

/// Names of files that are no picture of any story: a logo, or something that stands in for a picture. They are used only
/// if nothing else is declared.
const STAND_INS: [&str; 12] = [
    "logo",
    "logos",
    "favicon",
    "placeholder",
    "default",
    "fallback",
    "noimage",
    "dummy",
    "blank",
    "spacer",
    "pixel",
    "avatar",
];
/// Attributes of a picture with its address, in the order of trust: a picture that is loaded late has another one in
/// `src` until then.
const ADDRESSES: [&str; 6] =
    ["data-src", "data-original", "data-lazy-src", "data-lazy", "data-full-src", "src"];
/// The same for lists of addresses by size.
const LISTS: [&str; 3] = ["data-srcset", "data-lazy-srcset", "srcset"];
/// A lead picture is at least this wide and high, if its size is given.
const LEAST_SIZE: u32 = 200;
/// Most pictures that are looked at.
const MOST_PICTURES: usize = 200;
/// Elements whose pictures are not the story's.
const BESIDE: [&str; 3] = ["nav", "aside", "footer"];

/// A declared picture; `declared` are the addresses in metas.
pub(super) fn declared_picture<'a>(
    page: &Page,
    objects: &Objects,
    declared: impl Iterator<Item = &'a str>,
    elements: &[NodeId],
) -> Option<Finding<String>> {
    let web = |url: &str| resolve(&page.base, url.trim()).map(String::from);
    let of_object = |object: &Map<String, Value>| {
        ["image", "thumbnailUrl"].iter().find_map(|key| url_in(object.get(*key)?, objects).and_then(web))
    };
    let metas = declared.filter_map(web).map(|url| (url, "opengraph"));
    let of_objects = objects.articles().filter_map(of_object).map(|url| (url, "json-ld"));
    let tree = &page.tree;
    let of_elements = elements.iter().filter_map(|&node| {
        let is_marked = |name: &str, word: &str| {
            tree.attr(node, name)
                .is_some_and(|value| value.split_ascii_whitespace().any(|other| other == word))
        };
        match has_property(tree, node, "image") || is_marked("rel", "image_src") {
            true => ["content", "href"]
                .iter()
                .find_map(|name| tree.attr(node, name).and_then(web))
                .or_else(|| address_of(page, node))
                .map(|url| (url, "microdata")),
            false => None,
        }
    });
    let mut first = None;
    for (value, witness) in metas.chain(of_objects).chain(of_elements) {
        if !is_stand_in(&value) {
            return Some(Finding { value, witness, confidence: 0.9 });
        }
        first.get_or_insert(Finding { value, witness, confidence: 0.3 });
    }
    first
}

/// The first large picture behind the headline and before the end of the page's prose, outside links to other pages.
pub(super) fn shown_picture(page: &Page, visible: &Visible<'_>) -> Option<Finding<String>> {
    let tree = &page.tree;
    let runs = &visible.runs().runs;
    let start = runs.get(visible.headline())?.first;
    let end = runs.iter().rfind(|run| run.is_prose())?.first;
    let between = tree.node_ids().skip(start.index()).take_while(|node| *node < end);
    let pictures =
        between.filter(|&node| matches!(tree.tag(node), Some("img" | "amp-img"))).take(MOST_PICTURES);
    let is_lead = |&node: &NodeId| {
        let size = |name| tree.attr(node, name)?.trim().trim_end_matches("px").parse::<u32>().ok();
        let sizes = || ["width", "height"].into_iter().filter_map(size);
        let is_framed = tree.is_inside(node, &["figure", "picture"]);
        let leads_away = tree
            .ancestors(node)
            .find(|&above| tree.tag(above) == Some("a"))
            .is_some_and(|link| !tree.attr(link, "href").is_some_and(is_picture_file));
        sizes().all(|size| size >= LEAST_SIZE)
            && (is_framed || sizes().next().is_some())
            && !leads_away
            && !tree.is_inside(node, &BESIDE)
    };
    let value =
        pictures.filter(is_lead).filter_map(|node| address_of(page, node)).find(|url| !is_stand_in(url))?;
    Some(Finding { value, witness: "text", confidence: 0.6 })
}

/// The address of a picture that may be loaded late, or that of the `picture` around it.
fn address_of(page: &Page, node: NodeId) -> Option<String> {
    let tree = &page.tree;
    let web = |url: &str| resolve(&page.base, url.trim()).map(String::from).filter(|url| !is_stand_in(url));
    let own = |node: NodeId| {
        let single = ADDRESSES.iter().find_map(|name| tree.attr(node, name).and_then(web));
        single.or_else(|| LISTS.iter().find_map(|name| widest(tree.attr(node, name)?).and_then(web)))
    };
    let frame = || tree.parent(node).filter(|&above| tree.tag(above) == Some("picture"));
    own(node)
        .or_else(|| tree.children(frame()?).filter(|&part| tree.tag(part) == Some("source")).find_map(own))
}

/// The address with the greatest number behind it in a list such as `small.jpg 320w, large.jpg 1280w`.
fn widest(list: &str) -> Option<&str> {
    let entries = list.split(", ").flat_map(|part| part.split(",\n")).filter_map(|entry| {
        let mut parts = entry.split_ascii_whitespace();
        let address = parts.next()?.trim_end_matches(',');
        let size =
            parts.next().and_then(|size| size.trim_end_matches([',', 'w', 'x', 'h']).parse::<f32>().ok());
        Some((address, size.unwrap_or(1.0)))
    });
    entries.reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(address, _)| address)
}

fn is_picture_file(address: &str) -> bool {
    let path = address.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    [".jpg", ".jpeg", ".png", ".webp", ".avif", ".gif"].iter().any(|end| path.ends_with(end))
}

/// Whether the name of a file says that it is none of a story's pictures.
fn is_stand_in(address: &str) -> bool {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let mut words = name.split(|letter: char| !letter.is_ascii_alphabetic());
    name.ends_with(".svg") || words.any(|word| STAND_INS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_of_a_list_is_taken() {
        assert_eq!(widest("a.jpg 320w, b,c.jpg 1280w,\n d.jpg 640w"), Some("b,c.jpg"));
        assert_eq!(widest("a.jpg, b.jpg 2x"), Some("b.jpg"));
        assert_eq!(widest(" "), None);
    }

    #[test]
    fn names_of_files_tell_stand_ins() {
        assert!(is_stand_in("https://a.example/static/default-share.png?v=2"));
        assert!(is_stand_in("https://a.example/icon.svg"));
        assert!(!is_stand_in("https://a.example/logos/defaulted-loan.jpg"));
    }
}
