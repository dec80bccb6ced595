//! Finds and loads a configuration: defaults < file < environment. Unknown keys are refused by name.
//!
//! The known keys are those of the serialised default, so a new field is known at once.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Config, hide_credentials};

/// Prefix of every environment variable; `__` separates the levels.
const PREFIX: &str = "NEWSLODE";

/// Keys that are lists: in a variable their items are separated by commas.
const LISTS: [&str; 5] = [
    "crawler.resolve",
    "miner.builtin_schemes",
    "miner.schemes",
    "schedule.no_article_s",
    "schedule.rechecks_s",
];

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read, or a value has the wrong type.
    #[error("configuration: {0}")]
    Read(String),
    /// A key that nothing reads.
    #[error("configuration: unknown key `{key}`{}", .nearest.as_ref().map(|n| format!("; did you mean `{n}`?")).unwrap_or_default())]
    UnknownKey {
        /// As written, sections joined by dots.
        key: String,
        /// The known key that is nearest by edit distance, if one is near.
        nearest: Option<String>,
    },
    /// All broken rules.
    #[error("{}", .0.iter().map(|rule| format!("configuration: {rule}")).collect::<Vec<_>>().join("\n"))]
    Rules(Vec<String>),
}

/// The variable that names the file. If it is set and empty, no file is used.
pub const FILE_VARIABLE: &str = "NEWSLODE_CONFIG";

/// The file of a machine, which is used if no other one is named or found.
pub const SYSTEM_FILE: &str = "/etc/newslode/newslode.toml";

/// The file of a user, below `$XDG_CONFIG_HOME`.
const USER_FILE: &str = "newslode/newslode.toml";

/// The configuration file that this process uses: the one that was named, else the one that `NEWSLODE_CONFIG` names, else the first
/// that exists of `$XDG_CONFIG_HOME/newslode/newslode.toml` (by default in `~/.config`) and [`SYSTEM_FILE`].
#[must_use]
pub fn find_file(named: Option<&Path>) -> Option<PathBuf> {
    find_file_in(named, |name| std::env::var_os(name), Path::new(SYSTEM_FILE))
}

/// The same for any environment and machine. A file that was named is not looked for: loading it says that it is missing.
fn find_file_in(
    named: Option<&Path>,
    variable: impl Fn(&str) -> Option<OsString>,
    of_system: &Path,
) -> Option<PathBuf> {
    if let Some(named) = named {
        return Some(named.to_path_buf());
    }
    if let Some(named) = variable(FILE_VARIABLE) {
        return (!named.is_empty()).then(|| named.into());
    }
    // Relative folders are to be ignored, says the specification of these variables.
    let folder = |name| variable(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let of_user = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")));
    let found = of_user.map(|folder| folder.join(USER_FILE)).into_iter().chain([of_system.to_path_buf()]);
    // A file that cannot be looked at is used: loading it then tells the reason.
    found.into_iter().find(|file| file.try_exists().unwrap_or(true))
}

/// Loads and validates a configuration.
///
/// # Errors
/// Names the file, key or rule that is wrong.
pub fn load(file: Option<&Path>) -> Result<Config, ConfigError> {
    load_from(file, std::env::vars())
}

fn load_from(
    file: Option<&Path>,
    environment: impl Iterator<Item = (String, String)>,
) -> Result<Config, ConfigError> {
    // A value of the wrong type is quoted, and may be an address.
    let read =
        |error: config::ConfigError| ConfigError::Read(hide_credentials(&error.to_string()).into_owned());
    let mut sources = config::Config::builder();
    if let Some(path) = file {
        let text = std::fs::read_to_string(path)
            .map_err(|error| ConfigError::Read(format!("cannot read `{}`: {error}", path.display())))?;
        read_toml(path, &text)?;
        sources = sources.add_source(config::File::from_str(&text, config::FileFormat::Toml));
    }
    let mut ours: HashMap<String, String> =
        environment.filter(|(name, _)| name.starts_with("NEWSLODE__")).collect();
    for key in LISTS {
        // Of one number, the crate below would make no list.
        let name = format!("{PREFIX}__{}", key.replace('.', "__").to_uppercase());
        if let Some(text) = ours.remove(&name) {
            let items: Vec<&str> = text.split(',').map(str::trim).filter(|item| !item.is_empty()).collect();
            sources = sources.set_override(key, items).map_err(read)?;
        }
    }
    let variables = config::Environment::with_prefix(PREFIX)
        .prefix_separator("__")
        .separator("__")
        .try_parsing(true)
        .source(Some(ours));
    let built = sources.add_source(variables).build().map_err(read)?;
    let given: Value = built.clone().try_deserialize().map_err(read)?;
    check_keys(&given)?;
    let config: Config = built.try_deserialize().map_err(read)?;
    config.validate()?;
    Ok(config)
}

/// The TOML of a file. The parser's own message quotes the line, which may hold a password.
///
/// # Errors
/// Names the line that is no TOML.
pub fn read_toml(path: &Path, text: &str) -> Result<toml::Table, ConfigError> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        ConfigError::Read(format!("`{}`, line {line}: {}", path.display(), error.message()))
    })
}

/// Refuses keys that no field reads.
///
/// # Errors
/// Names the first unknown key and the nearest known one.
pub fn check_keys(given: &Value) -> Result<(), ConfigError> {
    let known = serde_json::to_value(Config::default()).map_err(|e| ConfigError::Read(e.to_string()))?;
    let mut all = Vec::new();
    keys(&known, "", &mut all);
    let mut written = Vec::new();
    keys(given, "", &mut written);
    match written.into_iter().find(|key| !all.contains(key)) {
        None => Ok(()),
        Some(key) => {
            let nearest = all
                .iter()
                .map(|candidate| (edits(&key, candidate), candidate))
                .min()
                .filter(|(distance, _)| *distance <= key.len() / 2)
                .map(|(_, candidate)| candidate.clone());
            Err(ConfigError::UnknownKey { key, nearest })
        }
    }
}

fn keys(value: &Value, above: &str, into: &mut Vec<String>) {
    if let Value::Object(fields) = value {
        for (name, inner) in fields {
            let key = if above.is_empty() { name.clone() } else { format!("{above}.{name}") };
            into.push(key.clone());
            keys(inner, &key, into);
        }
    }
}

/// How many letters to insert, remove or replace to make one text of the other (Levenshtein), to name what is nearest to a
/// misspelt name.
#[must_use]
pub fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

/// The JSON Schema of the configuration, for editors and Helm.
#[must_use]
pub fn schema() -> Value {
    schemars::schema_for!(Config).to_value()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use newslode_page::preset::Preset;

    use super::*;
    use crate::config::BuiltinScheme;

    fn with(toml: &str, environment: &[(&str, &str)]) -> Result<Config, ConfigError> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(toml.as_bytes()).unwrap();
        let environment = environment.iter().map(|(k, v)| (k.to_string(), v.to_string()));
        load_from(Some(file.path()), environment)
    }

    #[test]
    fn the_environment_overrides_the_file_overrides_the_default() {
        let toml = "[crawler]\nworkers = 3\ntimeout_ms = 7000\n";
        let config = with(toml, &[("NEWSLODE__CRAWLER__WORKERS", "5"), ("HOME", "/")]).unwrap();
        assert_eq!((config.crawler.workers, config.crawler.timeout_ms), (5, 7000));
        assert_eq!(config.crawler.max_redirects, Config::default().crawler.max_redirects);
    }

    #[test]
    fn the_file_is_named_or_found_where_convention_puts_it() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let make = |name: &str| {
            std::fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            std::fs::write(at(name), "").unwrap();
        };
        let check = |named: Option<&str>, variables: &[(&str, &str)], expected: Option<&str>| {
            let value = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value);
            // Values of folders are relative to that of the test, except `.`.
            let variable = |name: &str| {
                let value = value(name)?;
                Some(if value.is_empty() || *value == "." { value.into() } else { at(value).into() })
            };
            let found = find_file_in(named.map(at).as_deref(), variable, &at("etc/newslode.toml"));
            assert_eq!(found, expected.map(at), "{named:?} {variables:?}");
        };
        let home = ("HOME", "home");
        check(None, &[home], None);
        make("etc/newslode.toml");
        check(None, &[home], Some("etc/newslode.toml"));
        check(None, &[], Some("etc/newslode.toml"));
        make("home/.config/newslode/newslode.toml");
        check(None, &[home], Some("home/.config/newslode/newslode.toml"));
        check(None, &[home, ("XDG_CONFIG_HOME", ".")], Some("home/.config/newslode/newslode.toml"));
        check(None, &[home, ("XDG_CONFIG_HOME", "xdg")], Some("etc/newslode.toml"));
        make("xdg/newslode/newslode.toml");
        check(None, &[home, ("XDG_CONFIG_HOME", "xdg")], Some("xdg/newslode/newslode.toml"));
        check(None, &[home, ("NEWSLODE_CONFIG", "missing.toml")], Some("missing.toml"));
        check(None, &[home, ("NEWSLODE_CONFIG", "")], None);
        check(Some("named.toml"), &[home, ("NEWSLODE_CONFIG", "missing.toml")], Some("named.toml"));
    }

    #[test]
    fn an_unknown_key_is_named_with_the_nearest() {
        let error = with("[crawler]\nworker = 3\n", &[]).unwrap_err().to_string();
        assert!(error.contains("`crawler.worker`") && error.contains("`crawler.workers`"), "{error}");
        let error = with("", &[("NEWSLODE__MINER__SUPORT", "2")]).unwrap_err().to_string();
        assert!(error.contains("`miner.suport`") && error.contains("`miner.support`"), "{error}");
    }

    #[test]
    fn what_breaks_a_rule_or_cannot_be_read_is_refused() {
        let error = with("[crawler]\nlease_ms = 10\n", &[]).unwrap_err().to_string();
        assert!(error.contains("lease_ms") && error.contains("timeout_ms"), "{error}");
        for (toml, variables) in [
            ("[crawler]\nresolve = ['a.test:127.0.0.1:80', 'a.test']\n", [].as_slice()),
            ("", [("NEWSLODE__CRAWLER__RESOLVE", "a.test:127.0.0.1:80,a.test")].as_slice()),
        ] {
            let error = with(toml, variables).unwrap_err().to_string();
            assert!(error.contains("`crawler.resolve`: `a.test` is not"), "{error}");
        }
        let ages =
            [("NEWSLODE__SCHEDULE__RECHECKS_S", "100,200"), ("NEWSLODE__SCHEDULE__NO_ARTICLE_S", "300")];
        let schedule = with("", &ages).unwrap().schedule;
        assert_eq!((schedule.rechecks_s, schedule.no_article_s), (vec![100, 200], vec![300]));
        let two = [("NEWSLODE__CRAWLER__RESOLVE", "a.test:127.0.0.1:80,*:[::1]:81")];
        let shown: Vec<_> = with("", &two).unwrap().crawler.resolve.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["a.test:127.0.0.1:80", "*:[::1]:81"]);
    }

    #[test]
    fn schemes_are_lists_of_files_and_of_names() {
        let miner = with("[miner]\nschemes = ['a.ttl']\nbuiltin_schemes = ['house']\n", &[]).unwrap().miner;
        assert_eq!(
            (miner.schemes, miner.builtin_schemes),
            (vec!["a.ttl".into()], vec![BuiltinScheme::House])
        );
        let two = [("NEWSLODE__MINER__SCHEMES", "a.ttl, b.nt"), ("NEWSLODE__MINER__BUILTIN_SCHEMES", "")];
        let miner = with("", &two).unwrap().miner;
        assert_eq!((miner.schemes.len(), miner.builtin_schemes), (2, Vec::new()));
        let error = with("[miner]\nbuiltin_schemes = ['topic']\n", &[]).unwrap_err().to_string();
        assert!(error.contains("`topic`") && error.contains("`topics`"), "{error}");
        let twice = with("[miner]\nbuiltin_schemes = ['house', 'house']\n", &[]).unwrap_err().to_string();
        assert!(twice.contains("`miner.builtin_schemes` names a scheme twice"), "{twice}");
    }

    #[test]
    fn an_unknown_preset_is_refused_with_those_there_are() {
        assert_eq!(with("[partitioner]\nparams = 'paper'\n", &[]).unwrap().partitioner.params, Preset::Paper);
        for (toml, variables) in [
            ("[partitioner]\nparams = 'best'\n", [].as_slice()),
            ("", [("NEWSLODE__PARTITIONER__PARAMS", "best")].as_slice()),
        ] {
            let error = with(toml, variables).unwrap_err().to_string();
            for word in ["`best`", "`default`", "`paper`", "partitioner.params"] {
                assert!(error.contains(word), "{error}");
            }
        }
        let names = &schema()["$defs"]["PartitionerConfig"]["properties"]["params"]["enum"];
        assert_eq!(names, &serde_json::json!(["default", "paper"]));
    }

    #[test]
    fn no_error_quotes_a_password() {
        for (toml, wanted) in [
            ("[crawler]\nworkers = 3\n[store]\nurl = 'redis://:hunter2@host\n", "line 4: "),
            ("[store]\nurl = redis://:hunter2@host\n", "line 2: "),
            ("store = 'redis://:hunter2@host'\n", "redis://:***@host"),
            ("[store]\nurl = 'nothing://hunter2@host'\n", "store.url"),
            ("[broker]\nurl = 'amqp://me:hunter2@host:no/'\n", "broker.url"),
        ] {
            let error = with(toml, &[]).unwrap_err();
            let (shown, debug) = (error.to_string(), format!("{error:?}"));
            assert!(shown.contains(wanted), "{shown}");
            assert!(!shown.contains("hunter2") && !debug.contains("hunter2"), "{debug}");
        }
    }

    #[test]
    fn a_missing_file_and_a_wrong_type_say_so() {
        let error = load_from(Some(Path::new("/nowhere.toml")), std::iter::empty()).unwrap_err().to_string();
        assert!(error.contains("/nowhere.toml"), "{error}");
        assert!(with("[crawler]\nworkers = \"many\"\n", &[]).is_err());
    }
}
