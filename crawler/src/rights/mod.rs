//! Reads what a site says of the uses of its pages, in all the forms that are in use.
//!
//! A page's own forms are its headers ([`of_headers`]) and its markup ([`of_markup`]); those of its origin are the files
//! robots.txt, tdmrep.json and ai.txt, whose rules say which pages they are about ([`FileRules`]). Each gives
//! [`Statement`]s as they are written. What they mean is decided here, and `docs/rights.md` has the same as a table. What
//! nobody understands is recorded as well, and decides nothing.
//!
//! Invariants: any bytes are input, and reading takes time linear in them. A reservation that is understood is never lost to a
//! permission beside it. Start at [`signals`].

mod files;

use std::sync::LazyLock;

use newslode_common::rights::{IMAGES, PAGE, Rights, Source, Standing, Statement, Use};
use newslode_page::Page;
use newslode_page::time::Timestamp;
use serde_json::Value;
use url::Url;

use crate::directives::Directives;
use crate::link_header::links;

pub use files::{FileRules, MAX_FILE_BYTES, OriginFile};
pub(crate) use files::{Rule, RuleGroup};

/// Most bytes of a value that are read.
const MAX_VALUE: usize = 4 << 10;
/// Most elements of a page that can state something, and most bytes of JSON-LD that are read for licences.
const MAX_ELEMENTS: usize = 200;
const MAX_JSON: usize = 1 << 20;
/// Most objects of JSON-LD that are looked at.
const MAX_OBJECTS: usize = 2_000;

/// What the words of `Content-Signal` and `Content-Usage` mean, with those of earlier drafts.
const VOCABULARY: [(&str, &[Use]); 11] = [
    ("search", &[Use::Search]),
    ("ai-input", &[Use::AiInput]),
    ("ai-use", &[Use::AiInput]),
    ("ai-output", &[Use::AiInput]),
    ("ai-train", &[Use::AiTrain]),
    ("train-ai", &[Use::AiTrain]),
    ("train-genai", &[Use::AiTrain]),
    ("genai", &[Use::AiTrain]),
    ("ai", &[Use::AiInput, Use::AiTrain]),
    ("tdm", &[Use::TextMining]),
    ("text-mining", &[Use::TextMining]),
];

/// An agent that fetches for a purpose.
pub(crate) struct Agent {
    name: &'static str,
    uses: Vec<Use>,
}

/// The list of agents.
static AGENTS: LazyLock<Vec<Agent>> = LazyLock::new(|| {
    let agent = |line: &'static str| {
        let mut words = line.split('#').next()?.split_whitespace();
        let name = words.next()?;
        let uses = words.next()?.split(',');
        let uses = uses.filter_map(|word| Use::ALL.into_iter().find(|of| of.name() == word));
        Some(Agent { name, uses: uses.collect() })
    };
    include_str!("agents.txt").lines().filter_map(agent).collect()
});

/// The uses for which the agent of a `User-agent` line fetches; nothing if the list does not know it. As for ourselves, only the
/// line's beginning is compared, and the character after the name must be none that a name can have.
pub(crate) fn agent_uses(line: &str) -> Option<&'static [Use]> {
    let line = line.trim();
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_meant = |agent: &&Agent| {
        line.get(..agent.name.len()).is_some_and(|start| start.eq_ignore_ascii_case(agent.name))
            && !line[agent.name.len()..].starts_with(is_name)
    };
    AGENTS.iter().find(is_meant).map(|agent| agent.uses.as_slice())
}

/// What the words of `Content-Signal` or `Content-Usage` say: `search=yes, ai-train=no`, or `train-ai=n`.
pub(crate) fn signals(value: &str) -> Vec<(Use, Standing)> {
    let mut said = Vec::new();
    for part in value.split(',') {
        // A word may have parameters, which nobody defined.
        let word = part.split(';').next().unwrap_or_default();
        let Some((name, value)) = word.split_once('=') else { continue };
        let standing = match value.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" | "?1" => Standing::Allowed,
            "n" | "no" | "?0" => Standing::Reserved,
            _ => continue,
        };
        let name = name.trim();
        let known = VOCABULARY.iter().find(|(word, _)| name.eq_ignore_ascii_case(word));
        said.extend(known.iter().flat_map(|(_, uses)| uses.iter().map(|of| (*of, standing))));
    }
    said
}

/// What `tdm-reservation` says. Training needs mining, so whoever reserves mining reserves it, too; not so the reverse.
pub(crate) fn reservation(value: &str) -> Vec<(Use, Standing)> {
    match value.trim() {
        "1" => vec![(Use::TextMining, Standing::Reserved), (Use::AiTrain, Standing::Reserved)],
        "0" => vec![(Use::TextMining, Standing::Allowed)],
        _ => Vec::new(),
    }
}

/// A crawler's name, and the time of a reading.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'t> {
    /// The product token to which sites speak.
    pub token: &'t str,
    /// When it was read.
    pub at: Timestamp,
}

/// What the headers of an answer say: names in any case, with their values.
#[must_use]
pub fn of_headers<'h>(
    headers: impl IntoIterator<Item = (&'h str, &'h str)>,
    page: &Url,
    reader: Reader<'_>,
) -> Rights {
    let mut rights = Rights::default();
    for (name, value) in headers {
        let value = within(value);
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        let mut add = |source, written: &str, says| {
            rights.add(Statement::new(source, written, PAGE, reader.at, says));
        };
        if is("x-robots-tag") {
            let directives = Directives::of_headers([value], reader.token, reader.at);
            add_directives(&mut rights, directives, Source::RobotsTag, value, reader.at);
        } else if is("content-signal") {
            add(Source::ContentSignal, value, signals(value));
        } else if is("content-usage") {
            add(Source::ContentUsage, value, signals(value));
        } else if is("tdm-reservation") {
            add(Source::TdmHeader, &format!("tdm-reservation: {value}"), reservation(value));
        } else if is("tdm-policy") {
            add(Source::TdmHeader, &format!("tdm-policy: {value}"), Vec::new());
        } else if is("link") {
            for link in links(value).iter().filter(|link| is_licence(&link.rel)) {
                if let Some(licence) = licence(link.target, page) {
                    add(Source::LicenseLink, licence.as_str(), Vec::new());
                }
            }
        }
    }
    rights
}

/// What a page's elements say.
#[must_use]
pub fn of_markup(page: &Page, reader: Reader<'_>) -> Rights {
    let (tree, url) = (&page.tree, page.url.to_url());
    let mut rights = Rights::default();
    let mut json_bytes = 0;
    let elements = tree.node_ids().filter(|&node| tree.is_html(node));
    let stating = elements.filter(|&node| match tree.tag(node) {
        Some("meta") => tree.attr(node, "name").is_some() && tree.attr(node, "content").is_some(),
        Some("link" | "a") => tree.attr(node, "rel").is_some_and(is_licence),
        Some("script") => tree.attr(node, "type").is_some_and(is_json_ld),
        _ => false,
    });
    // A page has dozens of other `meta` elements.
    for node in stating.take(MAX_ELEMENTS) {
        let attr = |name: &str| tree.attr(node, name).map(|value| within(value).trim()).unwrap_or_default();
        match tree.tag(node) {
            Some("meta") => add_meta(&mut rights, attr("name"), attr("content"), reader),
            Some("script") => {
                let text = tree.text_content(node);
                json_bytes += text.len();
                if json_bytes <= MAX_JSON {
                    for licence in licences(&text).iter().filter_map(|text| licence(text, &url)) {
                        rights.add(Statement::new(Source::JsonLd, licence.as_str(), PAGE, reader.at, []));
                    }
                }
            }
            _ => {
                if let Some(licence) = licence(attr("href"), &url) {
                    rights.add(Statement::new(Source::LicenseLink, licence.as_str(), PAGE, reader.at, []));
                }
            }
        }
    }
    rights
}

fn add_meta(rights: &mut Rights, name: &str, content: &str, reader: Reader<'_>) {
    let is = |known: &str| name.eq_ignore_ascii_case(known);
    if is("robots") || is(reader.token) {
        let directives = Directives::of_value(content, reader.token, reader.at);
        add_directives(rights, directives, Source::RobotsMeta, content, reader.at);
    } else if is("tdm-reservation") || is("tdm-policy") {
        let says = if is("tdm-reservation") { reservation(content) } else { Vec::new() };
        let written = format!("{}: {content}", name.to_ascii_lowercase());
        rights.add(Statement::new(Source::TdmMeta, &written, PAGE, reader.at, says));
    }
}

/// Adds what directives say of uses.
fn add_directives(rights: &mut Rights, directives: Directives, source: Source, written: &str, at: Timestamp) {
    let mut reserved = Vec::new();
    if directives.noai {
        reserved.extend([Use::AiInput, Use::AiTrain]);
    }
    if directives.noarchive {
        reserved.push(Use::Archive);
    }
    if directives.noindex {
        reserved.push(Use::Search);
    }
    let statement = |scope, uses: &[Use]| {
        Statement::new(source, written, scope, at, uses.iter().map(|of| (*of, Standing::Reserved)))
    };
    if !reserved.is_empty() {
        rights.add(statement(PAGE, &reserved));
    }
    if directives.noimageai {
        rights.add(statement(IMAGES, &[Use::AiInput, Use::AiTrain]));
    }
}

/// The beginning of a value, as much as is read.
fn within(value: &str) -> &str {
    let mut end = value.len().min(MAX_VALUE);
    while !value.is_char_boundary(end) {
        end -= 1;
    }
    &value[..end]
}

/// The address of a licence. Scripts and other schemes are none.
fn licence(text: &str, page: &Url) -> Option<Url> {
    let text = within(text.trim());
    let url = page.join(text).ok().filter(|_| !text.is_empty())?;
    (matches!(url.scheme(), "http" | "https") && url.has_host()).then_some(url)
}

fn is_licence(rel: &str) -> bool {
    rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("license"))
}

fn is_json_ld(kind: &str) -> bool {
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/ld+json")
}

/// The licences that JSON-LD gives to the page or its article. Pictures have licences of their own, so only objects at the top
/// and in `@graph` count that are works of text.
fn licences(json: &str) -> Vec<String> {
    let Ok(value) = serde_json::from_str::<Value>(json.trim()) else { return Vec::new() };
    let (mut waiting, mut found, mut objects) = (vec![&value], Vec::new(), 0);
    while let Some(value) = waiting.pop() {
        objects += 1;
        if objects > MAX_OBJECTS {
            break;
        }
        match value {
            Value::Array(values) => waiting.extend(values),
            Value::Object(object) => {
                waiting.extend(object.get("@graph"));
                if object.get("@type").is_some_and(is_text) {
                    found.extend(object.get("license").and_then(named));
                }
            }
            _ => {}
        }
    }
    found
}

/// Whether a type is that of a work of text, or of a page.
fn is_text(kind: &Value) -> bool {
    let is_one = |name: &str| {
        let name = name.rsplit(['/', ':', '#']).next().unwrap_or_default();
        name.ends_with("Article")
            || name.ends_with("WebPage")
            || ["BlogPosting", "CreativeWork", "Report", "LiveBlogPosting"].contains(&name)
    };
    match kind {
        Value::String(name) => is_one(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is_one),
        _ => false,
    }
}

/// The address in a value: a text, or an object that has one.
fn named(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Object(object) => {
            ["@id", "url"].iter().find_map(|name| object.get(*name)?.as_str().map(str::to_owned))
        }
        Value::Array(values) => values.first().filter(|first| !first.is_array()).and_then(named),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
