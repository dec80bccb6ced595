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
/// Most sizes in a list that are looked at.
const MOST_SIZES: usize = 64;
/// Numbers up to this one in a list are densities of the screen, larger ones widths.
const MOST_DENSITY: f32 = 16.0;
/// Least letters, or digits, of the name of a file that tells pictures apart: "download" does not.
const LEAST_NAME: usize = 14;
const LEAST_DIGITS: usize = 5;
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
    best_address(page, node).map(|(address, _)| address).filter(|address| !is_stand_in(address))
}

/// The address of the largest version of a picture that the page offers, and its width if the page gives it. A picture that is
/// loaded late, or one inside a `picture`, has several.
pub(super) fn best_address(page: &Page, node: NodeId) -> Option<(String, Option<u32>)> {
    let tree = &page.tree;
    let web = |url: &str| loadable(page, url);
    let listed = |node: NodeId| {
        let lists = LISTS.iter().filter_map(|name| widest(tree.attr(node, name)?));
        lists
            .filter_map(|(url, width)| Some((web(url)?, width)))
            .reduce(|best, next| if next.1 > best.1 { next } else { best })
    };
    let single = ADDRESSES.iter().find_map(|name| tree.attr(node, name).and_then(web));
    let frame = tree.parent(node).filter(|&above| tree.tag(above) == Some("picture"));
    let sources = frame
        .into_iter()
        .flat_map(|frame| tree.children(frame))
        .filter(|&part| tree.tag(part) == Some("source"));
    let best = std::iter::once(node)
        .chain(sources)
        .filter_map(listed)
        .reduce(|best, next| if next.1 > best.1 { next } else { best });
    match (single, best) {
        // A list with widths says which is the largest. One with a single entry or with densities says no more than the address.
        (_, Some((listed, width))) if width > MOST_DENSITY && !is_stand_in(&listed) => {
            Some((listed, Some(width as u32)))
        }
        (Some(single), Some((listed, _))) if is_stand_in(&single) => Some((listed, None)),
        (Some(single), _) => Some((single, None)),
        (None, Some((listed, width))) => Some((listed, (width > MOST_DENSITY).then_some(width as u32))),
        (None, None) => hidden_address(page, node).map(|address| (address, None)),
    }
}

/// The address in an attribute, in a form that a browser can load. `None` if a script keeps data in the attribute instead. From an
/// address with placeholders (`photo.jpg?w={width}`), which a script would fill in, the parameters with placeholders are removed.
fn loadable(page: &Page, address: &str) -> Option<String> {
    let (path, query) = address.trim().split_once('?').unwrap_or((address.trim(), ""));
    if path.contains('{') {
        return None;
    }
    let address = match query.contains('{') {
        true => {
            let given: Vec<&str> = query.split('&').filter(|part| !part.contains('{')).collect();
            resolve(&page.base, format!("{path}?{}", given.join("&")).trim_end_matches('?'))
        }
        false => resolve(&page.base, address),
    };
    let address = String::from(address?);
    (!address.starts_with("data:")).then_some(address)
}

/// The first web address in an attribute for scripts, as pages write it that load their pictures in their own way.
fn hidden_address(page: &Page, node: NodeId) -> Option<String> {
    let data = page.tree.attrs(node).filter(|(name, _)| name.starts_with("data-"));
    data.take(MOST_SIZES).find_map(|(_, value)| {
        // Data may hold addresses without a scheme.
        let quoted = || value.find("\"//").map(|quote| quote + 1);
        let address = value.get(value.find("http").or_else(quoted)?..)?;
        let end = address.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '}' | ')' | '|'));
        let address = address.get(..end.unwrap_or(address.len()))?;
        resolve(&page.base, address).map(String::from).filter(|address| address.contains("://"))
    })
}

/// What the addresses of one picture in several sizes have in common: the name of its file, or its path if that says too little.
pub(super) fn picture_key(address: &str) -> String {
    let (path, query) = address.split_once(['?', '#']).unwrap_or((address, ""));
    // Services that make sizes take the original's address as a part of theirs.
    let inner =
        |text: &str| text.rfind("http").filter(|at| *at > 0).and_then(|at| text.get(at..)).map(str::to_owned);
    let of_query =
        || inner(&format!(" {}", query.split('&').find(|part| part.contains("=http"))?.replace("%2F", "/")));
    let path = &inner(path).or_else(of_query).unwrap_or_else(|| path.to_owned());
    let name = path.rsplit('/').find(|part| !part.is_empty()).unwrap_or_default();
    let name = name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_ascii_lowercase();
    // "-1024x683", "_640", "@2x", "-scaled" at the end are sizes.
    let mut stem = name.as_str();
    loop {
        let (before, end) = match stem.rsplit_once(['-', '_', '@']) {
            Some((before, end)) if !before.is_empty() => (before, end),
            _ => break,
        };
        let is_size = matches!(end, "scaled" | "large" | "small" | "medium" | "thumb" | "2x" | "3x")
            || end.split_once('x').is_some_and(|(width, height)| is_number(width) && is_number(height));
        if !is_size {
            break;
        }
        stem = before;
    }
    let letters = stem.chars().filter(|c| c.is_alphanumeric()).count();
    let digits = stem.bytes().filter(u8::is_ascii_digit).count();
    if letters >= LEAST_NAME || digits >= LEAST_DIGITS {
        return stem.to_owned();
    }
    match path.rsplit_once('/') {
        Some((folder, _)) if letters > 0 && query.is_empty() => format!("{folder}/{stem}"),
        _ => format!("{path}?{query}"),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.len() <= 5 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The address with the greatest number behind it in a list such as `small.jpg 320w, large.jpg 1280w`. Addresses may hold commas,
/// and some lists have no space behind the comma between two entries.
fn widest(list: &str) -> Option<(&str, f32)> {
    let mut entries: Vec<(&str, f32)> = Vec::new();
    let mut address: Option<&str> = None;
    for part in list.split_ascii_whitespace() {
        if entries.len() >= MOST_SIZES {
            break;
        }
        let Some(named) = address.take() else {
            // An address that ends its entry has no number.
            match part.strip_suffix(',') {
                Some(alone) => entries.extend((!alone.is_empty()).then_some((alone, 1.0))),
                None => address = Some(part),
            }
            continue;
        };
        let (number, next) = part.split_once(',').unwrap_or((part, ""));
        let number = number.trim_end_matches(['w', 'x', 'h']).parse::<f32>();
        entries.push((named, number.unwrap_or(1.0)));
        address = (!next.is_empty()).then_some(next);
    }
    entries.extend(address.map(|address| (address.trim_end_matches(','), 1.0)));
    entries.into_iter().reduce(|best, next| if next.1 > best.1 { next } else { best })
}

pub(super) fn is_picture_file(address: &str) -> bool {
    let path = address.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    [".jpg", ".jpeg", ".png", ".webp", ".avif", ".gif"].iter().any(|end| path.ends_with(end))
}

/// Whether the name of a file says that it is none of a story's pictures.
pub(super) fn is_stand_in(address: &str) -> bool {
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
        assert_eq!(widest("a.jpg 320w, b,c.jpg 1280w,\n d.jpg 640w"), Some(("b,c.jpg", 1280.0)));
        assert_eq!(widest("a.jpg, b.jpg 2x"), Some(("b.jpg", 2.0)));
        assert_eq!(widest("a.jpg?x=1,2 320w,b.jpg 640w,c.jpg 480w"), Some(("b.jpg", 640.0)));
        assert_eq!(widest(" "), None);
    }

    #[test]
    fn names_of_files_tell_stand_ins() {
        assert!(is_stand_in("https://a.example/static/default-share.png?v=2"));
        assert!(is_stand_in("https://a.example/icon.svg"));
        assert!(!is_stand_in("https://a.example/logos/defaulted-loan.jpg"));
    }
}
