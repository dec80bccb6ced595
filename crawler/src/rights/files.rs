//! What the files of an origin say, with the paths that they say it of.
//!
//! All of them give rules with patterns of paths as robots.txt has them. The longest pattern that matches decides, as there; of
//! several that are equally long, all count. Start at [`FileRules::about`].

use std::collections::BTreeSet;

use newslode_common::rights::{Rights, Source, Standing, Statement, Use};
use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use super::reservation;
use crate::path_pattern::{PathPattern, normalized_path};

/// Most bytes of a file. A longer one says nothing, because the rest of it may say the contrary.
pub const MAX_FILE_BYTES: usize = 64 << 10;
/// Most rules of a tdmrep.json.
const MAX_RULES: usize = 5_000;
/// Most lines by which files are compared.
const MAX_LINES: usize = 200;

/// A file of an origin that states rights and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OriginFile {
    /// `/.well-known/tdmrep.json`: the TDM Reservation Protocol of a W3C community group.
    Tdmrep,
    /// `/ai.txt`, in the form that Spawning proposed.
    AiTxt,
}

impl OriginFile {
    /// All of them.
    pub const ALL: [OriginFile; 2] = [OriginFile::Tdmrep, OriginFile::AiTxt];

    /// Its path on the server.
    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            OriginFile::Tdmrep => "/.well-known/tdmrep.json",
            OriginFile::AiTxt => "/ai.txt",
        }
    }

    /// Reads a file. `token`: the crawler's name.
    #[must_use]
    pub fn read(self, bytes: &[u8], token: &str) -> FileRules {
        if bytes.len() > MAX_FILE_BYTES {
            return FileRules::default();
        }
        match self {
            OriginFile::Tdmrep => tdmrep(bytes),
            OriginFile::AiTxt => ai_txt(&String::from_utf8_lossy(bytes), token),
        }
    }
}

/// What a file says.
#[derive(Clone, Debug, Default)]
pub struct FileRules {
    pub(crate) groups: Vec<RuleGroup>,
}

/// Rules of which one decides.
#[derive(Clone, Debug)]
pub(crate) struct RuleGroup {
    pub(crate) source: Source,
    /// What is written above the rules.
    pub(crate) head: String,
    /// Whether the rules let agents in or not: then one that lets them in goes first, and says nothing.
    pub(crate) is_access: bool,
    /// Whether patterns are also those of names of files.
    pub(crate) has_types: bool,
    pub(crate) rules: Vec<Rule>,
}

/// What a line says of the pages of a pattern.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) pattern: PathPattern,
    /// The pattern, and the whole line, as they are written.
    pub(crate) scope: Box<str>,
    pub(crate) written: Box<str>,
    pub(crate) says: Vec<(Use, Standing)>,
}

impl Rule {
    pub(crate) fn new(scope: &str, written: &str, says: Vec<(Use, Standing)>) -> Rule {
        let pattern = PathPattern::new(scope.as_bytes());
        Rule { pattern, scope: scope.into(), written: written.into(), says }
    }
}

impl FileRules {
    /// What the file says of a page. `at`: when the file was read.
    #[must_use]
    pub fn about(&self, url: &Url, at: Timestamp) -> Rights {
        let mut rights = Rights::default();
        if self.groups.is_empty() {
            return rights;
        }
        let path = normalized_path(url);
        // Whatever its address ends with, a page is a web page.
        let end = path.iter().position(|&byte| byte == b'?').unwrap_or(path.len());
        let typed = [&path[..end], b".html"].concat();
        for group in &self.groups {
            let matches =
                |rule: &&Rule| rule.pattern.matches(&path) || group.has_types && rule.pattern.matches(&typed);
            let octets = group.rules.iter().filter(matches).map(|rule| rule.pattern.octets()).max();
            let deciding: Vec<&Rule> = group
                .rules
                .iter()
                .filter(|rule| Some(rule.pattern.octets()) == octets)
                .filter(matches)
                .collect();
            if group.is_access && deciding.iter().any(|rule| rule.says.is_empty()) {
                continue;
            }
            for rule in deciding {
                let says = rule.says.iter().copied();
                rights.add(Statement::new(group.source, &group.line(rule), &rule.scope, at, says));
            }
        }
        rights
    }

    /// Whether the file says nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.groups.iter().all(|group| group.rules.is_empty())
    }

    /// What it says, line by line, to compare it with what it said before.
    #[must_use]
    pub fn lines(&self) -> BTreeSet<String> {
        let lines = self.groups.iter().flat_map(|group| group.rules.iter().map(|rule| group.line(rule)));
        lines.map(|line| line.chars().take(200).collect()).take(MAX_LINES).collect()
    }

    /// Bytes of memory that the rules take.
    pub(crate) fn memory(&self) -> usize {
        let texts = |rule: &Rule| rule.pattern.memory() + rule.scope.len() + rule.written.len() + 16;
        let rules = self.groups.iter().flat_map(|group| &group.rules);
        rules.map(|rule| size_of::<Rule>() + texts(rule)).sum()
    }
}

impl RuleGroup {
    /// A rule with what is written above it.
    fn line(&self, rule: &Rule) -> String {
        if self.head.is_empty() {
            rule.written.to_string()
        } else {
            format!("{}; {}", self.head, rule.written)
        }
    }
}

/// Rules of tdmrep.json: an array of objects with a location, a reservation and perhaps a policy.
fn tdmrep(bytes: &[u8]) -> FileRules {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let objects = match serde_json::from_slice(bytes) {
        Ok(Value::Array(objects)) => objects,
        Ok(object @ Value::Object(_)) => vec![object],
        _ => return FileRules::default(),
    };
    let mut rules = Vec::new();
    for object in objects.iter().take(MAX_RULES) {
        let text = |name: &str| match object.get(name) {
            Some(Value::String(text)) => Some(text.trim().to_owned()),
            Some(Value::Number(number)) => Some(number.to_string()),
            Some(Value::Bool(is_so)) => Some(u8::from(*is_so).to_string()),
            _ => None,
        };
        let locations: Vec<&str> = match object.get("location") {
            Some(Value::String(location)) => vec![location],
            Some(Value::Array(locations)) => locations.iter().filter_map(Value::as_str).collect(),
            _ => continue,
        };
        let says = text("tdm-reservation").map(|value| reservation(&value)).unwrap_or_default();
        for location in locations.into_iter().map(str::trim).filter(|location| !location.is_empty()) {
            let mut written = format!("location: {location}");
            for name in ["tdm-reservation", "tdm-policy"] {
                if let Some(value) = text(name) {
                    written.push_str(&format!(", {name}: {value}"));
                }
            }
            if rules.len() < MAX_RULES {
                rules.push(Rule::new(location, &written, says.clone()));
            }
        }
    }
    FileRules::of(Source::Tdmrep, false, rules)
}

/// Rules of ai.txt: groups as in robots.txt whose patterns are mostly endings of names (`*.html`).
fn ai_txt(text: &str, token: &str) -> FileRules {
    let mut rules = Vec::new();
    // What is written above all groups is meant for all.
    let (mut is_ours, mut has_rule) = (true, true);
    for line in text.trim_start_matches('\u{FEFF}').lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let Some((name, value)) = line.split_once(':') else { continue };
        let (name, value) = (name.trim(), value.trim());
        let standing = match name.to_ascii_lowercase().as_str() {
            "user-agent" => {
                is_ours &= !std::mem::take(&mut has_rule);
                is_ours |= value.starts_with('*') || value.eq_ignore_ascii_case(token);
                continue;
            }
            "disallow" => Standing::Reserved,
            "allow" => Standing::Allowed,
            _ => continue,
        };
        has_rule = true;
        if is_ours && !value.is_empty() && rules.len() < MAX_RULES {
            rules.push(Rule::new(value, line, vec![(Use::AiTrain, standing)]));
        }
    }
    FileRules::of(Source::AiTxt, true, rules)
}

impl FileRules {
    fn of(source: Source, has_types: bool, rules: Vec<Rule>) -> FileRules {
        if rules.is_empty() {
            return FileRules::default();
        }
        FileRules {
            groups: vec![RuleGroup { source, head: String::new(), is_access: false, has_types, rules }],
        }
    }
}
