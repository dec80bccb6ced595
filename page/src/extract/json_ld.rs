//! The page's JSON-LD in all shapes that sites write: objects, arrays, `@graph`, and any nesting of them.
//!
//! Pages also describe the articles that they link to, their readers' comments, and the people behind the site. Which
//! of the articles is the page's own is weighed: its address, its headline, and its place among the objects. What
//! stands below another story, a list, a comment or an organisation is not said of the page's story.
//!
//! No `@id` is followed more than once, so cycles end. A value of a wrong type counts as absent.

use std::borrow::Cow;
use std::cell::Cell;

use serde_json::{Map, Value};

use super::alike::{Likeness, likeness};
use super::lenient;
use super::plain::without_markup;
use crate::Page;
use crate::reading::PageTree;

/// Most objects of a page, over all scripts.
const MAX_OBJECTS: usize = 20_000;
/// Most names in one value, and most values that are looked at for them.
const MAX_NAMES: usize = 200;
const MAX_VALUES: usize = 2_000;
/// Most headings that are titles of the page, most headlines that are compared with its titles, and most objects that are
/// looked up by their `@id`.
const MAX_TITLES: usize = 6;
const MAX_COMPARED: usize = 400;
const MAX_LOOKUPS: usize = 200;
/// What stands below these is about something else: lists of stories, comments, topics, and the site's people.
const ELSEWHERE: [&str; 33] = [
    "about",
    "alumni",
    "blogPost",
    "blogPosts",
    "character",
    "citation",
    "comment",
    "comments",
    "contactPoint",
    "copyrightHolder",
    "editor",
    "employee",
    "founder",
    "founders",
    "funder",
    "hasPart",
    "isBasedOn",
    "isPartOf",
    "isRelatedTo",
    "itemListElement",
    "itemReviewed",
    "knows",
    "member",
    "memberOf",
    "mentions",
    "parentOrganization",
    "publisher",
    "recordedIn",
    "relatedLink",
    "review",
    "reviews",
    "sponsor",
    "subjectOf",
];

/// What an object is to the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// The page's own article.
    Own,
    /// It has the page's headline and another address: the page's own, if no other article is.
    Namesake,
    /// It may be, for nothing speaks against it.
    Open,
    /// Another story, or something that belongs to one.
    Foreign,
}

/// The JSON-LD of a page.
pub(super) struct Objects {
    /// The scripts' values.
    roots: Vec<Value>,
    /// The path of the page's URL; an article with this path is the page's own.
    path: String,
    /// The titles that the page itself gives.
    titles: Vec<String>,
    /// Of each object, in the order of [`Objects::all`].
    standings: Vec<Standing>,
    lookups_left: Cell<usize>,
}

impl Objects {
    pub(super) fn new(page: &Page) -> Objects {
        let tree = &page.tree;
        let scripts = tree.node_ids().filter(|&node| tree.tag(node) == Some("script"));
        let is_json_ld = |kind: &str| kind.trim().to_ascii_lowercase().starts_with("application/ld+json");
        let scripts = scripts.filter(|&node| tree.attr(node, "type").is_some_and(is_json_ld));
        let text = |script| tree.descendants(script).filter_map(|node| tree.text(node)).collect::<String>();
        let roots: Vec<Value> = scripts.flat_map(|script| lenient::values(&text(script))).collect();
        let path = url_path(page.url.as_str()).to_owned();
        let titles = if roots.is_empty() { Vec::new() } else { titles_of(page) };
        let mut objects =
            Objects { roots, path, titles, standings: Vec::new(), lookups_left: Cell::new(MAX_LOOKUPS) };
        objects.standings = objects.weigh();
        objects
    }

    /// The articles that are or may be the page's own. Others count only for what they are: other stories.
    pub(super) fn articles(&self) -> impl Iterator<Item = &Map<String, Value>> {
        let best = [Standing::Own, Standing::Namesake].into_iter().find(|best| self.standings.contains(best));
        let wanted = best.unwrap_or(Standing::Open);
        let all = self.all().zip(&self.standings).filter(move |(_, standing)| **standing == wanted);
        all.map(|(object, _)| object).filter(|object| is_article(object))
    }

    /// The texts of articles that may be that of the page's story: no headline says that they tell another one.
    pub(super) fn bodies(&self) -> impl Iterator<Item = &str> {
        let objects =
            self.articles().chain(self.others()).filter(|object| object.contains_key("articleBody"));
        let tells_another = |object: &&Map<String, Value>| {
            let headline = headline_of(object);
            headline.is_some_and(|headline| likeness(headline, &self.titles) == Likeness::Other)
                && self.likeness_of_address(object) != Likeness::Same
        };
        let stories = objects.take(MAX_COMPARED).filter(move |object| !tells_another(object));
        stories.filter_map(|object| object.get("articleBody")?.as_str())
    }

    /// The objects that are no articles and do not belong to something else.
    pub(super) fn others(&self) -> impl Iterator<Item = &Map<String, Value>> {
        let all = self.all().zip(&self.standings).filter(|(_, standing)| **standing == Standing::Open);
        all.map(|(object, _)| object).filter(|object| !is_article(object))
    }

    /// All objects in page order, outer ones before the objects inside them.
    pub(super) fn all(&self) -> impl Iterator<Item = &Map<String, Value>> {
        self.walk().map(|(object, _)| object)
    }

    /// The object with this `@id` and a value for a key.
    pub(super) fn by_id(&self, id: &str, key: &str) -> Option<&Map<String, Value>> {
        self.lookups_left.set(self.lookups_left.get().checked_sub(1)?);
        let is_it = |object: &&Map<String, Value>| {
            object.get("@id").and_then(Value::as_str) == Some(id) && object.contains_key(key)
        };
        self.all().find(is_it)
    }

    /// All objects, each with the number of the one around it and whether it stands [`ELSEWHERE`] in that one.
    fn walk(&self) -> impl Iterator<Item = (&Map<String, Value>, Option<(usize, bool)>)> {
        let todo = self.roots.iter().rev().map(|root| (root, None)).collect();
        ObjectWalk { todo, seen: 0 }.take(MAX_OBJECTS)
    }

    /// The standing of each object. Likeness of headlines is judged once for all, since several may be like the page's.
    fn weigh(&self) -> Vec<Standing> {
        let mut standings: Vec<Standing> = Vec::new();
        let mut is_elsewhere: Vec<bool> = Vec::new();
        let mut compared = 0;
        for (object, around) in self.walk() {
            let (above, is_below) = match around {
                Some((above, is_below)) => (
                    standings.get(above).copied().unwrap_or(Standing::Open),
                    is_below || is_elsewhere.get(above).copied().unwrap_or(false),
                ),
                None => (Standing::Open, false),
            };
            let is_below = is_below || is_comment(object);
            // Below the page's own article only what it is about, and who commented on it, is foreign.
            let is_foreign = above == Standing::Foreign || is_below;
            standings.push(match is_article(object) {
                true => {
                    compared += 1;
                    self.standing_of_article(object, is_foreign, compared <= MAX_COMPARED)
                }
                false if is_foreign => Standing::Foreign,
                false => Standing::Open,
            });
            is_elsewhere.push(is_below);
        }
        standings
    }

    fn standing_of_article(
        &self,
        object: &Map<String, Value>,
        is_listed: bool,
        is_compared: bool,
    ) -> Standing {
        let address = self.likeness_of_address(object);
        let headline = headline_of(object).filter(|_| is_compared);
        let headline = headline.map_or(Likeness::Unclear, |headline| likeness(headline, &self.titles));
        match (address, headline, is_listed) {
            (Likeness::Other, Likeness::Same, _) => Standing::Namesake,
            (Likeness::Same, _, _) | (_, Likeness::Same, _) => Standing::Own,
            (_, _, true) | (Likeness::Other, Likeness::Other, _) => Standing::Foreign,
            _ => Standing::Open,
        }
    }

    /// Whether an article's addresses lead to the page. Addresses of the site's front page say nothing.
    fn likeness_of_address(&self, object: &Map<String, Value>) -> Likeness {
        let of_value = |value: &Value| {
            let text = value
                .as_str()
                .or_else(|| value.get("@id")?.as_str())
                .or_else(|| value.get("url")?.as_str())?;
            let path = url_path(text);
            (path.len() > 1).then(|| path == self.path)
        };
        let keys = ["url", "mainEntityOfPage", "@id"];
        let said: Vec<bool> = keys.iter().filter_map(|key| of_value(object.get(*key)?)).collect();
        match said.as_slice() {
            [] => Likeness::Unclear,
            said if said.contains(&true) => Likeness::Same,
            _ => Likeness::Other,
        }
    }
}

fn headline_of(object: &Map<String, Value>) -> Option<&str> {
    ["headline", "name"].iter().find_map(|key| object.get(*key)?.as_str())
}

/// What the page itself is called: its document, and its headings of the first rank.
fn titles_of(page: &Page) -> Vec<String> {
    let tree = &page.tree;
    let is_share = |node| {
        tree.attr(node, "property").or_else(|| tree.attr(node, "name")).is_some_and(|name| name == "og:title")
    };
    let shared = tree.node_ids().filter(|&node| tree.tag(node) == Some("meta") && is_share(node));
    let shared = shared.filter_map(|node| tree.attr(node, "content").map(str::to_owned));
    let headings = tree.node_ids().filter(|&node| tree.tag(node) == Some("h1")).take(MAX_TITLES);
    let headings = headings.map(|node| heading_text(tree, node));
    page.title.clone().into_iter().chain(shared).chain(headings).filter(|title| !title.is_empty()).collect()
}

fn heading_text(tree: &PageTree, node: crate::reading::NodeId) -> String {
    /// A heading is short; some pages are one as a whole.
    const MOST_NODES: usize = 200;
    tree.descendants(node).take(MOST_NODES).filter_map(|node| tree.text(node)).collect()
}

/// The path of a URL, without query and fragment.
fn url_path(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = rest.find('/').map_or("", |at| &rest[at..]);
    path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/')
}

/// Walks objects, outer ones first.
struct ObjectWalk<'v> {
    /// Values, each with the number of the object around it and whether it stands [`ELSEWHERE`] there.
    todo: Vec<(&'v Value, Option<(usize, bool)>)>,
    seen: usize,
}

impl<'v> Iterator for ObjectWalk<'v> {
    type Item = (&'v Map<String, Value>, Option<(usize, bool)>);

    fn next(&mut self) -> Option<Self::Item> {
        while let Some((next, around)) = self.todo.pop() {
            match next {
                Value::Array(values) => self.todo.extend(values.iter().rev().map(|value| (value, around))),
                Value::Object(object) => {
                    let inner =
                        object.iter().rev().filter(|(_, value)| value.is_object() || value.is_array());
                    let number = self.seen;
                    self.todo.extend(
                        inner.map(|(key, value)| (value, Some((number, ELSEWHERE.contains(&key.as_str()))))),
                    );
                    self.seen += 1;
                    return Some((object, around));
                }
                _ => {}
            }
        }
        None
    }
}

fn is_article(object: &Map<String, Value>) -> bool {
    is_a(object, |kind| ["Article", "Posting", "Report"].iter().any(|end| kind.ends_with(end)))
}

/// Whether an object is a reader's comment. Some sites declare comments beside the article instead of inside it.
fn is_comment(object: &Map<String, Value>) -> bool {
    is_a(object, |kind| matches!(kind.rsplit(['/', ':']).next(), Some("Comment" | "UserComments")))
}

/// Whether one of an object's types satisfies `is_such`.
pub(super) fn is_a(object: &Map<String, Value>, is_such: impl Fn(&str) -> bool) -> bool {
    match object.get("@type") {
        Some(Value::String(kind)) => is_such(kind),
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).any(is_such),
        _ => false,
    }
}

/// The texts of a value: a string, the name of an object (or of the object that its `@id` refers to), or those of an
/// array.
///
/// A name is a string, an array of them, a string with its language, or made of given and family names. A role,
/// a list, or an object whose keys number its values (a broken array) may wrap the author.
pub(super) fn names_in(value: &Value, objects: &Objects) -> Vec<String> {
    let mut names = Vec::new();
    let (mut todo, mut left) = (vec![value], MAX_VALUES);
    while let Some(next) = todo.pop().filter(|_| names.len() < MAX_NAMES && left > 0) {
        left -= 1;
        match next {
            Value::String(name) => names.extend(lines_of(name)),
            Value::Array(values) => todo.extend(values.iter().take(MAX_VALUES).rev()),
            Value::Object(object) => {
                let id = object.get("@id").and_then(Value::as_str);
                let name = name_of(object)
                    .or_else(|| objects.by_id(id?, "name").and_then(name_of))
                    .or_else(|| objects.by_id(id?, "familyName").and_then(name_of));
                match name {
                    Some(Cow::Borrowed(value)) => todo.push(value),
                    Some(Cow::Owned(Value::String(name))) => names.push(name),
                    _ => todo.extend(inner_values(object).into_iter().rev()),
                }
            }
            _ => {}
        }
    }
    names
}

/// The lines of a text that may be markup. Where it has links, these are the names.
fn lines_of(text: &str) -> Vec<String> {
    if !text.contains(['<', '\n']) {
        return vec![text.to_owned()];
    }
    let links = text.split("<a ").skip(1).map(|link| link.split_once('>').map_or("", |(_, inner)| inner));
    let links: Vec<&str> = links.map(|link| link.split("</a").next().unwrap_or_default()).collect();
    let plain = if links.is_empty() { without_markup(text) } else { without_markup(&links.join("\n")) };
    plain.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// The name that an object gives, if any: a value of its own, or one put together.
fn name_of(object: &Map<String, Value>) -> Option<Cow<'_, Value>> {
    let is_text = |value: &&Value| !matches!(value, Value::Null) && value.as_str() != Some("");
    if let Some(value) = ["name", "@value"].iter().find_map(|key| object.get(*key)).filter(is_text) {
        return Some(Cow::Borrowed(value));
    }
    let parts =
        ["givenName", "additionalName", "familyName"].iter().filter_map(|key| object.get(*key)?.as_str());
    let whole = parts.filter(|part| !part.trim().is_empty()).collect::<Vec<_>>().join(" ");
    if object.contains_key("familyName") && !whole.is_empty() {
        return Some(Cow::Owned(Value::String(whole)));
    }
    object.get("alternateName").filter(is_text).map(Cow::Borrowed)
}

/// The values inside an object that only holds others: a list, a role, a set, or an array written as an object.
fn inner_values(object: &Map<String, Value>) -> Vec<&Value> {
    let held = ["@list", "@set", "@graph", "author", "creator", "contributor", "item", "itemListElement"];
    let named = held.iter().filter_map(|key| object.get(*key));
    let numbered = object
        .iter()
        .filter(|(key, _)| key.bytes().all(|digit| digit.is_ascii_digit()))
        .map(|(_, value)| value);
    named.chain(numbered).take(MAX_VALUES).collect()
}

/// The first URL of a value: a string, an object's `contentUrl` or `url`, or that of the first element of an array that
/// has one. Empty strings are none.
pub(super) fn url_in<'v>(value: &'v Value, objects: &'v Objects) -> Option<&'v str> {
    let (mut todo, mut left) = (vec![value], MAX_NAMES);
    while let Some(next) = todo.pop().filter(|_| left > 0) {
        left -= 1;
        match next {
            Value::String(url) if !url.trim().is_empty() => return Some(url),
            Value::Array(values) => todo.extend(values.iter().take(MAX_NAMES).rev()),
            Value::Object(object) => {
                let keys = ["url", "contentUrl", "@list", "@set", "image", "thumbnailUrl", "@value"];
                let held: Vec<&Value> = keys.iter().filter_map(|key| object.get(*key)).collect();
                let id = object.get("@id").and_then(Value::as_str);
                let named =
                    || ["url", "contentUrl"].iter().find_map(|key| objects.by_id(id?, key)?.get(*key));
                match held.is_empty() {
                    true => todo.extend(named().or_else(|| object.get("@id"))),
                    false => todo.extend(held.into_iter().rev()),
                }
            }
            _ => {}
        }
    }
    None
}
