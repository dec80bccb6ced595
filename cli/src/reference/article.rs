//! The JSON Schema of an article: that of the console's API, on its own.

use anyhow::Context as _;
use serde_json::{Map, Value, json};

/// The description of the API, which the console serves.
const API: &str = include_str!("../console/api/openapi.json");
/// Where the API keeps what others refer to; a schema of its own keeps it under [`TO`].
const FROM: &str = "#/components/schemas/";
const TO: &str = "#/$defs/";

pub(super) fn schema() -> anyhow::Result<Value> {
    let api: Value = serde_json::from_str(API)?;
    let all = api["components"]["schemas"].as_object().context("the API describes no answers")?;
    let article = all.get("Article").and_then(Value::as_object).context("the API describes no article")?;
    let mut inner = Map::new();
    add_references(all, &Value::Object(article.clone()), &mut inner);
    let mut made = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Article",
    });
    let root = made.as_object_mut().context("no object")?;
    root.extend(article.clone().into_iter().map(|(key, value)| (key, with_moved_references(value))));
    root.insert("$defs".into(), Value::Object(inner));
    Ok(made)
}

/// Adds what a schema refers to, and what that refers to.
fn add_references(all: &Map<String, Value>, schema: &Value, to: &mut Map<String, Value>) {
    match schema {
        Value::Object(object) => {
            let name = object.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix(FROM));
            if let Some((name, target)) = name.and_then(|name| Some((name, all.get(name)?)))
                && !to.contains_key(name)
            {
                to.insert(name.into(), with_moved_references(target.clone()));
                add_references(all, target, to);
            }
            object.values().for_each(|value| add_references(all, value, to));
        }
        Value::Array(values) => values.iter().for_each(|value| add_references(all, value, to)),
        _ => {}
    }
}

/// A schema whose references lead to where its definitions are now.
fn with_moved_references(schema: Value) -> Value {
    match schema {
        Value::Object(object) => {
            object.into_iter().map(|(key, value)| (key, with_moved_references(value))).collect()
        }
        Value::Array(values) => values.into_iter().map(with_moved_references).collect(),
        Value::String(text) => Value::String(match text.strip_prefix(FROM) {
            Some(name) => format!("{TO}{name}"),
            None => text,
        }),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_stands_alone() {
        let schema = schema().unwrap();
        assert_eq!(schema["properties"]["body"]["items"]["$ref"], "#/$defs/Block");
        let text = schema.to_string();
        assert!(!text.contains(FROM), "{text}");
        let refs = text.split("\"$ref\":\"#/").skip(1).filter_map(|rest| rest.split('"').next());
        for name in refs {
            assert!(schema.pointer(&format!("/{name}")).is_some(), "{name}");
        }
    }
}
