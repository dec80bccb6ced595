//! The page's JSON-LD in all shapes that sites write: objects, arrays, `@graph`, and any nesting of them.
//!
//! Pages also describe the articles that they link to; the article at the page's own URL comes first. No `@id`
//! is followed more than once, so cycles end. A value of a wrong type counts as absent.

use crate::reading::{CanonicalUrl, PageTree};
use serde_json::{Map, Value};

/// Most objects of a page, over all scripts.
const MAX_OBJECTS: usize = 20_000;

/// Most names in one value.
const MAX_NAMES: usize = 200;

/// The JSON-LD of a page.
pub(super) struct Objects {
    /// The scripts' values.
    roots: Vec<Value>,
    /// The path of the page's URL; an article with this path is the page's own.
    path: String,
}

impl Objects {
    pub(super) fn new(tree: &PageTree, url: &CanonicalUrl) -> Objects {
        let scripts = tree.node_ids().filter(|&node| tree.tag(node) == Some("script"));
        let is_json_ld = |kind: &str| kind.trim().to_ascii_lowercase().starts_with("application/ld+json");
        let scripts = scripts.filter(|&node| tree.attr(node, "type").is_some_and(is_json_ld));
        let text = |script| tree.descendants(script).filter_map(|node| tree.text(node)).collect::<String>();
        let roots = scripts.filter_map(|script| parse_script(&text(script))).collect();
        Objects { roots, path: url_path(url.as_str()).to_owned() }
    }

    /// The objects with an article's type: first those with the page's own URL, then the others.
    pub(super) fn articles(&self) -> impl Iterator<Item = &Map<String, Value>> {
        let is_own = |object: &&Map<String, Value>| self.is_own(object);
        let own = self.all().filter(|object| is_article(object)).filter(is_own);
        let others = self.all().filter(|object| is_article(object)).filter(move |object| !is_own(object));
        own.chain(others)
    }

    /// The page's own articles; all articles if none names the page's URL.
    pub(super) fn own_articles(&self) -> impl Iterator<Item = &Map<String, Value>> {
        let is_any_own = self.all().any(|object| is_article(object) && self.is_own(object));
        self.articles().filter(move |object| !is_any_own || self.is_own(object))
    }

    /// The objects that are no articles.
    pub(super) fn others(&self) -> impl Iterator<Item = &Map<String, Value>> {
        self.all().filter(|object| !is_article(object))
    }

    fn is_own(&self, object: &Map<String, Value>) -> bool {
        let place = |value: &Value| {
            let text =
                value.as_str().or_else(|| value.get("@id")?.as_str()).or_else(|| value.get("url")?.as_str());
            text.is_some_and(|text| url_path(text) == self.path)
        };
        self.path.len() > 1
            && ["url", "mainEntityOfPage", "@id"].iter().any(|key| object.get(*key).is_some_and(place))
    }

    /// All objects in page order, outer ones before the objects inside them.
    pub(super) fn all(&self) -> impl Iterator<Item = &Map<String, Value>> {
        ObjectWalk { todo: self.roots.iter().rev().collect() }.take(MAX_OBJECTS)
    }

    /// The object with this `@id` and a name.
    pub(super) fn by_id(&self, id: &str) -> Option<&Map<String, Value>> {
        let is_it = |object: &&Map<String, Value>| {
            object.get("@id").and_then(Value::as_str) == Some(id) && object.contains_key("name")
        };
        self.all().find(is_it)
    }
}

/// Parses a script. Sites wrap JSON in comments or CDATA, break strings over lines, and add a semicolon.
fn parse_script(text: &str) -> Option<Value> {
    let text = text.trim().trim_start_matches("<!--").trim_start_matches("//").trim_start();
    let text = text.trim_start_matches("<![CDATA[").trim_end_matches("-->").trim_end_matches("]]>");
    let text = text.trim().trim_end_matches("//").trim_end().trim_end_matches(';');
    serde_json::from_str(text).ok().or_else(|| {
        let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        serde_json::from_str(&plain).ok()
    })
}

/// The path of a URL, without query and fragment.
fn url_path(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = rest.find('/').map_or("", |at| &rest[at..]);
    path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/')
}

/// Walks objects, outer ones first.
struct ObjectWalk<'v> {
    todo: Vec<&'v Value>,
}

impl<'v> Iterator for ObjectWalk<'v> {
    type Item = &'v Map<String, Value>;

    fn next(&mut self) -> Option<&'v Map<String, Value>> {
        while let Some(next) = self.todo.pop() {
            match next {
                Value::Array(values) => self.todo.extend(values.iter().rev()),
                Value::Object(object) => {
                    self.todo
                        .extend(object.values().rev().filter(|value| value.is_object() || value.is_array()));
                    return Some(object);
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

/// Whether one of an object's types satisfies `is_such`.
pub(super) fn is_a(object: &Map<String, Value>, is_such: impl Fn(&str) -> bool) -> bool {
    match object.get("@type") {
        Some(Value::String(kind)) => is_such(kind),
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).any(is_such),
        _ => false,
    }
}

/// The texts of a value: a string, the `name` of an object (or of the object that its `@id` refers to), or
/// those of an array.
pub(super) fn names_in(value: &Value, objects: &Objects) -> Vec<String> {
    let mut names = Vec::new();
    let mut todo = vec![value];
    while let Some(next) = todo.pop().filter(|_| names.len() < MAX_NAMES) {
        match next {
            Value::String(name) => names.push(name.clone()),
            Value::Array(values) => todo.extend(values.iter().rev()),
            Value::Object(object) => {
                let id = object.get("@id").and_then(Value::as_str);
                let named = object.get("name").or_else(|| objects.by_id(id?)?.get("name"));
                names.extend(named.and_then(Value::as_str).map(str::to_owned));
            }
            _ => {}
        }
    }
    names
}

/// The first URL of a value: a string, an object's `url` or `contentUrl`, or that of an array's first element.
pub(super) fn url_in(value: &Value) -> Option<&str> {
    match value {
        Value::String(url) => Some(url),
        Value::Array(values) => values.first().and_then(|first| match first {
            Value::String(url) => Some(url.as_str()),
            other => other.get("url").or_else(|| other.get("contentUrl")).and_then(Value::as_str),
        }),
        other => other.get("url").or_else(|| other.get("contentUrl")).and_then(Value::as_str),
    }
}
