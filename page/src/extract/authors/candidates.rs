//! The names that credits hold, each once, and where each is given.

use std::collections::HashMap;

use super::bylines;
use super::credits::{Credit, Source};
use super::names::SiteNames;
use super::words::Work;
use crate::extract::cldr::Language;
use crate::reading::NodeId;

/// Most names of a page.
const MOST_NAMES: usize = 64;
/// Most words of a name, and its longest, in bytes.
const MOST_WORDS: usize = 8;
const MOST_BYTES: usize = 80;

/// One mention of a name in a credit.
#[derive(Clone, Copy, Debug)]
pub(super) struct NameMention {
    pub(super) source: Source,
    /// The number of the credit among those of its source.
    pub(super) number: usize,
    /// The number of the name among the credit's parts, and how many these are.
    pub(super) part: usize,
    pub(super) parts: usize,
    /// Whether something was cut off: a role, the name of the site.
    pub(super) is_cut: bool,
    pub(super) says_by: bool,
    /// Whether a label tells that it is a writer's, and whether one tells that it is not.
    pub(super) is_labelled: bool,
    pub(super) is_other: bool,
    pub(super) is_newsroom: bool,
    pub(super) node: Option<NodeId>,
    /// The number of the line that shows it.
    pub(super) line: Option<usize>,
}

impl NameMention {
    /// Whether the markup says that the text is an author's, not only the text.
    pub(super) fn is_marked(&self) -> bool {
        matches!(self.source, Source::Rel | Source::Microdata | Source::Class | Source::Link | Source::Slug)
    }
}

/// A name.
#[derive(Clone, Debug)]
pub(super) struct NameCandidate {
    pub(super) name: String,
    /// Its words in lower case, without marks: by these names are equal.
    pub(super) key: String,
    pub(super) mentions: Vec<NameMention>,
}

/// The names in credits, in their order. `line_of` gives the number of the line that shows an element.
pub(super) fn name_candidates(
    credits: &[Credit],
    site: &SiteNames,
    language: Option<Language>,
    line_of: impl Fn(NodeId) -> Option<usize>,
) -> Vec<NameCandidate> {
    let mut found: Vec<NameCandidate> = Vec::new();
    let mut candidate_idx: HashMap<String, usize> = HashMap::new();
    let mut numbers: HashMap<Source, usize> = HashMap::new();
    for credit in credits {
        let number = numbers.entry(credit.source).or_default();
        let parts = bylines::parts(&credit.text, site, language);
        let says_by = bylines::says_by(&credit.text, language);
        let line = credit.node.and_then(&line_of);
        let mut add = |name: &str, part: usize, is_cut: bool| {
            let bylines::Part { work, is_labelled, is_newsroom, .. } = parts[part];
            let (name, key) = (name.trim(), name_key(name));
            if key.is_empty() || name.len() > MOST_BYTES || name.split_whitespace().count() > MOST_WORDS {
                return;
            }
            let next = found.len();
            let at = *candidate_idx.entry(key.clone()).or_insert(next);
            if at == next && next < MOST_NAMES {
                found.push(NameCandidate { name: name.to_owned(), key, mentions: Vec::new() });
            }
            if let Some(candidate) = found.get_mut(at) {
                let Credit { source, node, .. } = *credit;
                let parts = parts.len();
                candidate.mentions.push(NameMention {
                    source,
                    number: *number,
                    part,
                    parts,
                    is_cut,
                    says_by,
                    is_labelled,
                    is_other: work == Work::Other,
                    is_newsroom,
                    node,
                    line,
                });
            }
        };
        // A part from which something was cut off is a candidate as it was, too: the cut may have hit a name.
        for (at, part) in parts.iter().enumerate() {
            add(&part.name, at, part.whole.is_some());
            if let Some(whole) = &part.whole {
                add(whole, at, false);
            }
        }
        *number += 1;
    }
    found
}

/// The words of a name in lower case, without marks.
pub(super) fn name_key(name: &str) -> String {
    let mut key = String::new();
    write_key(name, &mut key);
    key
}

/// Writes the key of a name over `key`.
pub(super) fn write_key(name: &str, key: &mut String) {
    key.clear();
    for word in name.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if !key.is_empty() {
            key.push(' ');
        }
        // In other scripts a letter's form may depend on the letters around it.
        match word.is_ascii() {
            true => key.extend(word.chars().map(|letter| letter.to_ascii_lowercase())),
            false => key.push_str(&word.to_lowercase()),
        }
    }
}
