//! Every key of the configuration from its JSON Schema, and every parameter of the page algorithms.

use anyhow::Context as _;
use newslode_common::config;
use newslode_page::preset::Preset;
use serde_json::Value;

use super::markdown::{inline_code, table_cell};

const HEAD: &str = "# Configuration

Configuration is a TOML file and the environment, which overrides the file. The file is the one that `--config` names, else the one that the
variable `NEWSLODE_CONFIG` names (empty: none), else the first that exists of `$XDG_CONFIG_HOME/newslode/newslode.toml` (by default in `~/.config`) and
`/etc/newslode/newslode.toml`. `newslode config show` names it. A folder on the command line (`--dir`) always wins over servers that the file names. The services and `newslode` read the same
keys. An unknown key is refused, and the message names the nearest known one. `newslode config check` says whether a configuration can be
used, `newslode config show` prints the one in force, and `newslode config schema` all of this as JSON Schema.
[deploy/newslode.toml](../../deploy/newslode.toml) is a file with every key.

A key stands in the file under its section; in the environment it is a variable, here below its name. There the items of a list are separated by commas. Units are part of
names: `_ms` milliseconds, `_s` seconds, `_days`, `_bytes`.

The programs also heed `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION` and other `AWS_…` variables of
[an archive in S3](../operations.md#an-archive-in-s3), `SSL_CERT_FILE` (an authority of your own) and `NO_COLOR`.
";

const PARAMETERS: &str = "
## Parameters of the page algorithms

`partitioner.params` is the name of a preset. `newslode partition --params` and `newslode-lab eval` also take a TOML file that names a preset and changes some of these
keys; the others keep the preset's values. [Algorithms](../algorithms.md) explains them.

    preset = \"paper\"
    scope = \"page\"

";

pub(super) fn page() -> anyhow::Result<String> {
    let schema = config::schema();
    let sections = schema["properties"].as_object().context("the schema has no sections")?;
    let mut page = HEAD.to_owned();
    for (section, given) in sections {
        let inner = resolve_reference(&schema, given);
        let about = given["description"].as_str().or(inner["description"].as_str()).unwrap_or_default();
        page.push_str(&format!(
            "\n## [{section}]\n{about}\n\n| key | type | default | meaning |\n|---|---|---|---|\n"
        ));
        let keys = inner["properties"].as_object().context("a section has no keys")?;
        for (key, value) in keys {
            let default = given["default"].get(key).unwrap_or(&value["default"]);
            page.push_str(&key_row(&schema, (section, key), value, default));
        }
    }
    Ok(page + PARAMETERS + &parameter_table()?)
}

fn key_row(schema: &Value, (section, key): (&str, &str), value: &Value, default: &Value) -> String {
    let variable = format!("NEWSLODE__{}__{}", section.to_uppercase(), key.to_uppercase());
    let meaning = value["description"].as_str().unwrap_or_default();
    format!(
        "| `{key}`<br>`{variable}` | {} | {} | {} |\n",
        type_in_words(schema, value),
        inline_code(&default.to_string()),
        table_cell(meaning)
    )
}

/// What a reference leads to.
fn resolve_reference<'a>(schema: &'a Value, value: &'a Value) -> &'a Value {
    let target = value["$ref"].as_str().and_then(|name| schema.pointer(name.trim_start_matches('#')));
    target.unwrap_or(value)
}

/// The type of a key in words.
fn type_in_words(schema: &Value, value: &Value) -> String {
    let value = resolve_reference(schema, value);
    let named =
        |names: Vec<&Value>| names.into_iter().map(|name| inline_code(&name.to_string())).collect::<Vec<_>>();
    if let Some(one_of) = value["oneOf"].as_array() {
        return named(one_of.iter().map(|one| &one["const"]).collect()).join(", ");
    }
    if let Some(values) = value["enum"].as_array() {
        return named(values.iter().collect()).join(", ");
    }
    match value["type"].as_str() {
        Some("integer") => "whole number".into(),
        Some("string") => "text".into(),
        Some("boolean") => "`true`, `false`".into(),
        Some("array") => {
            let of = type_in_words(schema, &value["items"]);
            // Names are words themselves.
            if of.ends_with('`') { format!("list of {of}") } else { format!("list of {of}s") }
        }
        Some(other) => other.into(),
        None => String::new(),
    }
}

/// A table of all parameters with the value of each preset.
fn parameter_table() -> anyhow::Result<String> {
    let [default, paper] = Preset::ALL.map(|preset| toml::Table::try_from(preset.params()));
    let (default, paper) = (default?, paper?);
    let mut table = "| key | `default` | `paper` |\n|---|---|---|\n".to_owned();
    for (key, value) in default.iter().filter(|(key, _)| *key != "name") {
        let other = paper.get(key);
        let Some(inner) = value.as_table() else {
            table.push_str(&parameter_row(key, Some(value), other));
            continue;
        };
        for (name, value) in inner {
            table.push_str(&parameter_row(
                &format!("{key}.{name}"),
                Some(value),
                other.and_then(|other| other.get(name)),
            ));
        }
    }
    Ok(table)
}

fn parameter_row(key: &str, default: Option<&toml::Value>, paper: Option<&toml::Value>) -> String {
    let told =
        |value: Option<&toml::Value>| value.map(|value| inline_code(&value.to_string())).unwrap_or_default();
    format!("| `{key}` | {} | {} |\n", told(default), told(paper))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_stands_there_with_type_default_and_meaning() {
        let page = page().unwrap();
        let defaults = toml::Table::try_from(config::Config::default()).unwrap();
        let keys: usize = defaults.values().map(|section| section.as_table().unwrap().len()).sum();
        assert_eq!(page.matches("<br>`NEWSLODE__").count(), keys);
        let workers = "| `workers`<br>`NEWSLODE__CRAWLER__WORKERS` | whole number | `16` | Number of concurrent fetches";
        assert!(page.contains(workers), "{page}");
        assert!(page.contains("| `\"news\"`, `\"concepts\"`, `\"all\"` | `\"news\"` |"), "{page}");
        assert!(!page.lines().any(|line| line.starts_with("| `") && line.contains("|  | ")), "{page}");
        assert!(!page.contains("guest:guest"), "the default password is hidden");
    }
}
