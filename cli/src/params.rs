//! Parameters as users give them: a preset, or a file that changes a preset.
//!
//! ```toml
//! preset = "paper"
//! scope = "page"
//! ```
//!
//! Keys are those of [`Params`]. Keys that a file omits keep the preset's value (`default` if it names none).

use std::path::Path;

use anyhow::Context;
use newslode_page::Params;
use newslode_page::preset::Preset;
use toml::{Table, Value};

use crate::exit::hinted;

/// Returns the preset of this name, or the parameters of a TOML file.
///
/// # Errors
/// When there is neither such a preset nor such a file, or the file cannot be read or names unknown keys.
pub fn named(name: &str) -> anyhow::Result<Params> {
    let unknown = match name.parse::<Preset>() {
        Ok(preset) => return Ok(preset.params()),
        Err(unknown) => unknown,
    };
    let path = Path::new(name);
    if !path.is_file() {
        return Err(hinted(unknown.to_string(), "or name a TOML file with some of a preset's keys"));
    }
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{name}`"))?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    parse_params(&text, &stem).with_context(|| format!("in `{name}`"))
}

fn parse_params(text: &str, name: &str) -> anyhow::Result<Params> {
    let changes: Table = text.parse()?;
    let preset: Preset = match changes.get("preset") {
        None => Preset::default(),
        Some(name) => name.clone().try_into().context("`preset`")?,
    };
    let mut all = Table::try_from(preset.params())?;
    all.insert("name".into(), name.into());
    overlay(&mut all, changes);
    Ok(all.try_into()?)
}

/// Applies changes to a table, key by key in nested tables. Parameters nest at most two levels deep.
fn overlay(all: &mut Table, changes: Table) {
    for (key, value) in changes {
        match (all.get_mut(&key), value) {
            (Some(Value::Table(inner)), Value::Table(changes)) => inner.extend(changes),
            (_, value) => {
                all.insert(key, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use newslode_page::partition::{Method, PaperParams, Scope};

    use super::*;

    #[test]
    fn a_file_changes_what_it_names() {
        let params =
            parse_params("preset = 'paper'\nscope = 'page'\n[outline]\ntabs = false\n", "mine").unwrap();
        let outline = newslode_page::partition::OutlineParams { tabs: false, ..Default::default() };
        let papers = PaperParams { scope: Scope::Page, ..PaperParams::default() };
        let wanted = Params { name: "mine".into(), papers, outline, ..Params::paper() };
        assert_eq!(params, wanted);
        assert_eq!(parse_params("method = 'flat'", "x").unwrap().method, Method::Flat);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, wanted) in [("scop = 'page'", "scop"), ("preset = 'best'", "best"), ("scope = 3", "scope")]
        {
            let error = format!("{:#}", parse_params(text, "x").unwrap_err());
            assert!(error.contains(wanted), "{error}");
        }
        assert!(named("no-such-preset").is_err());
    }
}
