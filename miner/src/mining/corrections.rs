//! Corrections: what editors say of the taxonomy, kept apart from what was mined.
//!
//! Corrections are a list. [`apply`] lays them over the mined taxonomy and gives the corrected one, so each is kept over later
//! folds and can be undone. A correction names a concept by any of its label keys. What cannot be applied to the taxonomy at
//! hand is kept and reported with its cause ([`Unmatched`]); it applies again when its concepts return.
//!
//! Kinds apply in a fixed order: split, merge, rename, forbid a parent, hide, set a parent. So the order of corrections
//! matters only where two say something of the same thing; then the later one holds. Invariant: the corrected taxonomy is
//! acyclic, and correcting it again changes nothing. Start at [`Corrections`] and [`apply`].

use std::collections::BTreeSet;
use std::fmt;

use newslode_page::reading::Site;
use serde::{Deserialize, Serialize};

use crate::mining::taxonomy::{Concept, Taxonomy};

mod draft;

/// Number of the file's format.
pub const FORMAT: u32 = 1;
/// Most corrections of an installation.
const MOST: usize = 10_000;
/// Most bytes of a key, label, form, note or other text of a correction.
const MOST_TEXT: usize = 1_000;
/// Most written forms that one correction splits off.
const MOST_FORMS: usize = 1_000;

/// All corrections, the oldest first. As JSON this is the file that is exported and imported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Corrections {
    /// [`FORMAT`].
    #[serde(rename = "newslode_corrections")]
    format: u32,
    corrections: Vec<Entry>,
}

/// A correction, and who made it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Names it, for people who undo it. A file without numbers gets them when it is imported.
    #[serde(default)]
    pub number: u64,
    /// What is corrected.
    #[serde(flatten)]
    pub correction: Correction,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Who made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// When, as ISO 8601 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// What is corrected. Concepts are named by one of their label keys, such as `en:sport`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Correction {
    /// A concept is left out; what is below it goes to the concepts above it.
    Hide {
        /// The concept.
        concept: String,
    },
    /// A concept gets another label.
    Rename {
        /// The concept.
        concept: String,
        /// Its label.
        label: String,
    },
    /// A concept becomes part of another one of its language.
    Merge {
        /// The concept that goes.
        concept: String,
        /// The concept that stays.
        into: String,
    },
    /// Written forms become a concept of their own.
    Split {
        /// The concept that loses them.
        concept: String,
        /// The forms; case does not matter.
        forms: Vec<String>,
        /// The label of the new concept; without one, its first form.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<String>,
    },
    /// A concept gets a broader one.
    Under {
        /// The narrower concept.
        concept: String,
        /// The broader concept.
        parent: String,
    },
    /// A concept is not directly below another one.
    NotUnder {
        /// The narrower concept.
        concept: String,
        /// The broader concept.
        parent: String,
    },
    /// The articles in a place of a site are filed under a concept.
    Map {
        /// The site.
        site: Site,
        /// The label of its section or tag; case does not matter.
        place: String,
        /// The concept.
        concept: String,
    },
}

/// A correction that does not apply to the taxonomy at hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unmatched {
    /// The number of the correction.
    pub number: u64,
    /// Why it does not apply.
    pub cause: Cause,
}

/// Why a correction does not apply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(tag = "cause", rename_all = "snake_case")]
pub enum Cause {
    /// No concept has this label key now.
    #[error("there is no concept `{key}` now")]
    Missing {
        /// The key.
        key: String,
    },
    /// The concept is left out by another correction.
    #[error("`{key}` is hidden")]
    Hidden {
        /// Its key.
        key: String,
    },
    /// Both are one concept.
    #[error("`{key}` and what it is related to are one concept")]
    Same {
        /// Its key.
        key: String,
    },
    /// The concept is part of another one, by a correction.
    #[error("`{key}` is merged into `{into}`")]
    Merged {
        /// Its key.
        key: String,
        /// The other concept.
        into: String,
    },
    /// The concepts have different languages.
    #[error("`{key}` and `{into}` are concepts of different languages")]
    Languages {
        /// The concept that would go.
        key: String,
        /// The concept that would stay.
        into: String,
    },
    /// The parent is below the concept.
    #[error("it would close a circle: {}", .path.join(" > "))]
    Cycle {
        /// Keys from the concept down to the parent, the broader first.
        path: Vec<String>,
    },
    /// The concept has none of the forms.
    #[error("`{key}` has none of these written forms")]
    NoForms {
        /// Its key.
        key: String,
    },
    /// Nothing would be left of the concept.
    #[error("these are all written forms of `{key}`")]
    AllForms {
        /// Its key.
        key: String,
    },
    /// A later correction says something else of the same thing.
    #[error("correction {by} says otherwise")]
    Overruled {
        /// Its number.
        by: u64,
    },
}

/// What corrections make of a mined taxonomy.
#[derive(Clone, Debug, PartialEq)]
pub struct Corrected {
    /// The corrected taxonomy.
    pub taxonomy: Taxonomy,
    /// What does not apply, by number.
    pub unmatched: Vec<Unmatched>,
}

/// Why corrections cannot be read or kept.
#[derive(Debug, thiserror::Error)]
pub enum CorrectionsError {
    /// It is not JSON, or lacks something.
    #[error("these are no corrections: {0}")]
    Malformed(#[from] serde_json::Error),
    /// Another version wrote it.
    #[error("these corrections have format {0}, this version reads format {FORMAT}")]
    Format(u32),
    /// There are too many.
    #[error("there are more than {MOST} corrections")]
    TooMany,
    /// A text is empty, or too long.
    #[error("a correction needs its {what}, of at most {MOST_TEXT} bytes")]
    Text {
        /// Which text.
        what: &'static str,
    },
    /// Two corrections have one number.
    #[error("two corrections have the number {0}")]
    Number(u64),
    /// There are no forms to split off, or too many.
    #[error("between 1 and {MOST_FORMS} written forms can be split off at once")]
    Forms,
}

impl Default for Corrections {
    fn default() -> Corrections {
        Corrections { format: FORMAT, corrections: Vec::new() }
    }
}

impl Corrections {
    /// Reads a file, or what [`Corrections::to_json`] wrote.
    ///
    /// # Errors
    /// When it is of another format, or something in it is missing or too large.
    pub fn parse(json: &[u8]) -> Result<Corrections, CorrectionsError> {
        #[derive(Deserialize)]
        struct Head {
            newslode_corrections: u32,
        }
        let head: Head = serde_json::from_slice(json)?;
        if head.newslode_corrections != FORMAT {
            return Err(CorrectionsError::Format(head.newslode_corrections));
        }
        let mut read: Corrections = serde_json::from_slice(json)?;
        if read.corrections.len() > MOST {
            return Err(CorrectionsError::TooMany);
        }
        let mut numbers = BTreeSet::new();
        let mut last = read.corrections.iter().map(|entry| entry.number).max().unwrap_or_default();
        for entry in &mut read.corrections {
            entry.check()?;
            if entry.number == 0 {
                last = last.saturating_add(1);
                entry.number = last;
            }
            if !numbers.insert(entry.number) {
                return Err(CorrectionsError::Number(entry.number));
            }
        }
        Ok(read)
    }

    /// The file's text.
    ///
    /// # Errors
    /// Never in practice: all of it can be written as JSON.
    pub fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec_pretty(self)
    }

    /// Whether nothing is corrected.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.corrections.is_empty()
    }

    /// All of them, the oldest first.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.corrections
    }

    /// Adds a correction and gives it a number. It replaces corrections that say something else of the same thing.
    ///
    /// # Errors
    /// When a text is missing or too long, or there are too many corrections.
    pub fn add(&mut self, mut entry: Entry) -> Result<u64, CorrectionsError> {
        entry.check()?;
        self.corrections.retain(|old| !old.correction.is_replaced_by(&entry.correction));
        if self.corrections.len() >= MOST {
            return Err(CorrectionsError::TooMany);
        }
        let last = self.corrections.iter().map(|entry| entry.number).max().unwrap_or_default();
        entry.number = last.saturating_add(1);
        let number = entry.number;
        self.corrections.push(entry);
        Ok(number)
    }

    /// Removes the correction of this number.
    pub fn remove(&mut self, number: u64) -> Option<Entry> {
        let at = self.corrections.iter().position(|entry| entry.number == number)?;
        Some(self.corrections.remove(at))
    }

    /// The places of sites that editors mapped to concepts: site, label of the place, label key of the concept. If two name one
    /// place, the later one counts.
    pub fn maps(&self) -> impl Iterator<Item = (&Site, &str, &str)> {
        self.corrections.iter().filter_map(|entry| match &entry.correction {
            Correction::Map { site, place, concept } => Some((site, place.as_str(), concept.as_str())),
            _ => None,
        })
    }

    /// The corrections that name a concept.
    pub fn about<'a>(&'a self, concept: &'a Concept) -> impl Iterator<Item = &'a Entry> {
        self.corrections.iter().filter(|entry| entry.is_about(concept))
    }
}

impl Entry {
    /// A correction without a number, of nobody.
    #[must_use]
    pub fn new(correction: Correction) -> Entry {
        Entry { number: 0, correction, note: None, author: None, at: None }
    }

    /// Whether it names this concept.
    #[must_use]
    pub fn is_about(&self, concept: &Concept) -> bool {
        let names = |key: &str| concept.key == key || concept.keys.iter().any(|own| own == key);
        self.correction.concepts().into_iter().any(names)
    }

    fn check(&self) -> Result<(), CorrectionsError> {
        for (what, text) in self.correction.texts() {
            if text.trim().is_empty() || text.len() > MOST_TEXT {
                return Err(CorrectionsError::Text { what });
            }
        }
        if let Correction::Split { forms, .. } = &self.correction
            && !(1..=MOST_FORMS).contains(&forms.len())
        {
            return Err(CorrectionsError::Forms);
        }
        for (what, text) in [("note", &self.note), ("author", &self.author), ("time", &self.at)] {
            if text.as_ref().is_some_and(|text| text.len() > MOST_TEXT) {
                return Err(CorrectionsError::Text { what });
            }
        }
        Ok(())
    }
}

impl fmt::Display for Entry {
    /// The correction in words, with who made it, when and why.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.correction)?;
        if let Some(author) = &self.author {
            write!(f, ", by {author}")?;
        }
        if let Some(at) = &self.at {
            write!(f, ", {at}")?;
        }
        match &self.note {
            Some(note) => write!(f, ": {note}"),
            None => Ok(()),
        }
    }
}

impl Correction {
    /// The label keys by which it names concepts.
    #[must_use]
    pub fn concepts(&self) -> Vec<&str> {
        match self {
            Correction::Hide { concept }
            | Correction::Rename { concept, .. }
            | Correction::Split { concept, .. }
            | Correction::Map { concept, .. } => vec![concept],
            Correction::Merge { concept, into: other }
            | Correction::Under { concept, parent: other }
            | Correction::NotUnder { concept, parent: other } => vec![concept, other],
        }
    }

    /// The name of its kind, as the file and the command line write it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Correction::Hide { .. } => "hide",
            Correction::Rename { .. } => "rename",
            Correction::Merge { .. } => "merge",
            Correction::Split { .. } => "split",
            Correction::Under { .. } => "under",
            Correction::NotUnder { .. } => "not-under",
            Correction::Map { .. } => "map",
        }
    }

    /// Its texts, each with a name.
    fn texts(&self) -> Vec<(&'static str, &str)> {
        let mut texts: Vec<_> = self.concepts().into_iter().map(|key| ("concept", key)).collect();
        match self {
            Correction::Rename { label, .. } => texts.push(("label", label)),
            Correction::Split { forms, label, .. } => {
                texts.extend(forms.iter().map(|form| ("written form", form.as_str())));
                texts.extend(label.iter().map(|label| ("label", label.as_str())));
            }
            Correction::Map { site, place, .. } => {
                texts.extend([("site", site.as_str()), ("place", place.as_str())]);
            }
            Correction::Hide { .. }
            | Correction::Merge { .. }
            | Correction::Under { .. }
            | Correction::NotUnder { .. } => {}
        }
        texts
    }

    /// Whether a later correction says of the same thing what holds.
    fn is_replaced_by(&self, later: &Correction) -> bool {
        use self::Correction::{Hide, Map, Merge, NotUnder, Rename, Split, Under};
        match (self, later) {
            (Hide { concept: a }, Hide { concept: b })
            | (Rename { concept: a, .. }, Rename { concept: b, .. })
            | (Merge { concept: a, .. }, Merge { concept: b, .. }) => a == b,
            (Split { concept: a, forms, .. }, Split { concept: b, forms: others, .. }) => {
                let set = |forms: &[String]| forms.iter().map(|form| folded(form)).collect::<BTreeSet<_>>();
                a == b && set(forms) == set(others)
            }
            (
                Under { concept: a, parent } | NotUnder { concept: a, parent },
                Under { concept: b, parent: other } | NotUnder { concept: b, parent: other },
            ) => (a, parent) == (b, other),
            (Map { site, place, .. }, Map { site: other, place: label, .. }) => {
                site == other && folded(place) == folded(label)
            }
            _ => false,
        }
    }
}

impl fmt::Display for Correction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Correction::Hide { concept } => write!(f, "hide `{concept}`"),
            Correction::Rename { concept, label } => write!(f, "rename `{concept}` to `{label}`"),
            Correction::Merge { concept, into } => write!(f, "merge `{concept}` into `{into}`"),
            Correction::Split { concept, forms, .. } => {
                write!(f, "split `{}` off `{concept}`", forms.join("`, `"))
            }
            Correction::Under { concept, parent } => write!(f, "`{concept}` is under `{parent}`"),
            Correction::NotUnder { concept, parent } => write!(f, "`{concept}` is not under `{parent}`"),
            Correction::Map { site, place, concept } => write!(f, "`{place}` of {site} is `{concept}`"),
        }
    }
}

/// A text by which places and forms are compared.
fn folded(text: &str) -> String {
    text.trim().to_lowercase()
}

/// Applies corrections to a mined taxonomy, or to one that they corrected before.
#[must_use]
pub fn apply(mined: &Taxonomy, corrections: &Corrections) -> Corrected {
    if corrections.is_empty() {
        return Corrected { taxonomy: mined.clone(), unmatched: Vec::new() };
    }
    draft::Draft::new(mined, &corrections.corrections).correct()
}

#[cfg(test)]
mod tests;
