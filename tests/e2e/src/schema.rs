//! Holds JSON against a schema, as far as ours go: types, required and known keys, enumerations, references.
//!
//! It is stricter than JSON Schema: a key that an object's schema does not name is a mistake, so that descriptions stay whole.

use serde_json::Value;

/// Fails with the place where a value is not as `schema` says; `document` holds what that refers to.
pub fn check(document: &Value, schema: &Value, value: &Value, at: &str) {
    if let Err(wrong) = find(document, schema, value, at) {
        panic!("{wrong}");
    }
}

fn find(document: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    if let Some(name) = schema["$ref"].as_str() {
        let path = name.strip_prefix('#').unwrap_or(name);
        let target = document.pointer(path).ok_or_else(|| format!("{at}: there is no {name}"))?;
        return find(document, target, value, at);
    }
    if let Some(any) = schema["anyOf"].as_array() {
        let tried: Vec<_> = any.iter().map(|schema| find(document, schema, value, at)).collect();
        return if tried.iter().any(Result::is_ok) { Ok(()) } else { Err(format!("{tried:?}")) };
    }
    if let Some(known) = schema["enum"].as_array()
        && !known.contains(value)
    {
        return Err(format!("{at}: {value} is none of {known:?}"));
    }
    let types = match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        Value::String(one) => vec![one.as_str()],
        _ => return Err(format!("{at}: the schema names no type: {schema}")),
    };
    if !types.iter().any(|name| is(name, value)) {
        return Err(format!("{at}: {value} is no {types:?}"));
    }
    match value {
        Value::Array(items) => items
            .iter()
            .zip(0..)
            .try_for_each(|(item, n)| find(document, &schema["items"], item, &format!("{at}/{n}"))),
        Value::Object(object) if schema.get("properties").is_some() => {
            for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                if !object.contains_key(name) {
                    return Err(format!("{at}: `{name}` is missing"));
                }
            }
            object.iter().try_for_each(|(name, value)| {
                let own = schema["properties"]
                    .get(name)
                    .ok_or_else(|| format!("{at}: `{name}` is not described"))?;
                find(document, own, value, &format!("{at}/{name}"))
            })
        }
        Value::Object(object) => match schema.get("additionalProperties").filter(|own| own.is_object()) {
            None => Ok(()),
            Some(own) => object
                .iter()
                .try_for_each(|(name, value)| find(document, own, value, &format!("{at}/{name}"))),
        },
        _ => Ok(()),
    }
}

fn is(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        _ => false,
    }
}
