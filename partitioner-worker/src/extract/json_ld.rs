//! The page's JSON-LD, of every shape that sites write: objects, arrays, `@graph`, nested in one another.

use newslode_common::page::PageTree;
use serde_json::{Map, Value};

/// Objects of a page at most, over all scripts.
const MAX_OBJECTS: usize = 20_000;

/// All objects of a page, each before those inside it, in page order.
pub(super) struct Objects(Vec<Map<String, Value>>);

impl Objects {
    pub(super) fn of(tree: &PageTree) -> Objects {
        let scripts = tree.node_ids().filter(|&node| tree.tag(node) == Some("script"));
        let is_json_ld = |kind: &str| kind.trim().to_ascii_lowercase().starts_with("application/ld+json");
        let mut objects = Vec::new();
        for script in scripts.filter(|&node| tree.attr(node, "type").is_some_and(is_json_ld)) {
            let text: String = tree.descendants(script).filter_map(|node| tree.text(node)).collect();
            if let Some(value) = parse(&text) {
                flatten(value, &mut objects);
            }
        }
        Objects(objects)
    }

    /// Objects whose type ends like one of an article.
    pub(super) fn articles(&self) -> impl Iterator<Item = &Map<String, Value>> {
        self.0.iter().filter(|object| is_article(object))
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Map<String, Value>> {
        self.0.iter()
    }

    /// The object that has this `@id` and a name.
    pub(super) fn by_id(&self, id: &str) -> Option<&Map<String, Value>> {
        let is_it = |object: &&Map<String, Value>| {
            object.get("@id").and_then(Value::as_str) == Some(id) && object.contains_key("name")
        };
        self.0.iter().find(is_it)
    }
}

/// Sites wrap it in comments or CDATA, break strings over lines, and end it with a semicolon.
fn parse(text: &str) -> Option<Value> {
    let text = text.trim().trim_start_matches("<!--").trim_start_matches("//").trim_start();
    let text = text.trim_start_matches("<![CDATA[").trim_end_matches("-->").trim_end_matches("]]>");
    let text = text.trim().trim_end_matches("//").trim_end().trim_end_matches(';');
    serde_json::from_str(text).ok().or_else(|| {
        let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        serde_json::from_str(&plain).ok()
    })
}

fn flatten(value: Value, objects: &mut Vec<Map<String, Value>>) {
    let mut todo = vec![value];
    while let Some(next) = todo.pop() {
        match next {
            Value::Array(values) => todo.extend(values.into_iter().rev()),
            Value::Object(object) if objects.len() < MAX_OBJECTS => {
                let inside = object.values().rev().filter(|value| value.is_object() || value.is_array());
                todo.extend(inside.cloned());
                objects.push(object);
            }
            _ => {}
        }
    }
}

fn is_article(object: &Map<String, Value>) -> bool {
    let ends = |kind: &str| ["Article", "Posting", "Report"].iter().any(|end| kind.ends_with(end));
    match object.get("@type") {
        Some(Value::String(kind)) => ends(kind),
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).any(ends),
        _ => false,
    }
}

/// The texts of a value: a string, an object's `name` (or what its `@id` names), each of an array.
pub(super) fn names(value: &Value, objects: &Objects) -> Vec<String> {
    let mut names = Vec::new();
    let mut todo = vec![value];
    while let Some(next) = todo.pop() {
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

/// The first URL of a value: a string, an object's `url` or `contentUrl`, the first of an array.
pub(super) fn url(value: &Value) -> Option<&str> {
    match value {
        Value::String(url) => Some(url),
        Value::Array(values) => values.first().and_then(|first| match first {
            Value::String(url) => Some(url.as_str()),
            other => other.get("url").or_else(|| other.get("contentUrl")).and_then(Value::as_str),
        }),
        other => other.get("url").or_else(|| other.get("contentUrl")).and_then(Value::as_str),
    }
}
