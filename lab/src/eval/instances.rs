//! Scores the attributes of instances against gold that a reader wrote down.
//!
//! Texts are compared as their words, in lower case, in order. A value of the gold is found if the values of one
//! attribute, or some of them that follow each other, say exactly its words: a page's paragraph may be several
//! leaves. A label may stand in the same leaf as its value ("By Ann Lee"). `values` asks for the values alone; `pairs`
//! asks in addition for the label, where the page prints one. A value that is said is right if it lies in one of the
//! gold; texts without letters and digits are not judged. Start at [`score`].

use std::collections::BTreeMap;
use std::ops::Range;

use newslode_page::instances::Attribute;
use serde::{Deserialize, Serialize};

use super::Prf;

/// An instance as a reader sees it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Gold {
    /// The site's folder.
    pub(crate) site: String,
    /// The page, as the site's manifest names its file.
    pub(crate) page: String,
    pub(crate) attributes: Vec<GoldAttribute>,
}

/// An attribute in page order.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct GoldAttribute {
    /// What it is, in the reader's words.
    pub(crate) kind: String,
    /// The label that the page prints, if any.
    pub(crate) label: Option<String>,
    /// A value is a block of the page: a paragraph, an entry, a cell.
    pub(crate) values: Vec<String>,
}

/// How many values were found of those wanted, and how many are right of those said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Count {
    pub(crate) found: usize,
    pub(crate) wanted: usize,
    pub(crate) right: usize,
    pub(crate) said: usize,
}

impl Count {
    /// Precision, recall and F1. What is said where nothing is wanted is wrong.
    pub(crate) fn figures(self) -> Prf {
        let precision = if self.said == 0 { 0.0 } else { self.right as f64 / self.said as f64 };
        let recall = if self.wanted == 0 { 1.0 } else { self.found as f64 / self.wanted as f64 };
        Prf { precision, recall, f1: super::harmonic_mean(precision, recall) }
    }
}

/// What was found of a kind of attribute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Kind {
    /// Values, and how many of them were found.
    pub(crate) values: usize,
    pub(crate) found: usize,
    /// Values below a printed label, and how many of them were found below it.
    pub(crate) labelled: usize,
    pub(crate) paired: usize,
}

impl Kind {
    pub(crate) fn add(&mut self, other: Kind) {
        self.values += other.values;
        self.found += other.found;
        self.labelled += other.labelled;
        self.paired += other.paired;
    }
}

/// The counts of one page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Score {
    pub(crate) values: Count,
    pub(crate) pairs: Count,
    pub(crate) kinds: BTreeMap<String, Kind>,
}

/// A value that is said, with the words of its attribute's label.
struct Said<'a> {
    words: Vec<String>,
    label: &'a [String],
    attribute: usize,
}

/// Scores one page.
pub(crate) fn score(gold: &[GoldAttribute], attributes: &[Attribute]) -> Score {
    let labels: Vec<Vec<String>> =
        attributes.iter().map(|attribute| words(attribute.label.as_deref().unwrap_or_default())).collect();
    let said = said(attributes, &labels);
    let mut score = Score::default();
    let mut right = vec![[false; 2]; said.len()];
    for attribute in gold {
        let label = attribute.label.as_deref().map(words);
        let kind = score.kinds.entry(attribute.kind.clone()).or_default();
        for value in attribute.values.iter().map(|value| words(value)).filter(|value| !value.is_empty()) {
            let hits = hits(&said, &value, label.as_deref());
            let is_paired = hits.iter().any(|(_, is_labelled)| *is_labelled);
            for (run, is_labelled) in &hits {
                for right in &mut right[run.clone()] {
                    *right = [true, right[1] || *is_labelled];
                }
            }
            kind.add(Kind {
                values: 1,
                found: usize::from(!hits.is_empty()),
                labelled: usize::from(label.is_some()),
                paired: usize::from(label.is_some() && is_paired),
            });
            for (count, is_found) in [(&mut score.values, !hits.is_empty()), (&mut score.pairs, is_paired)] {
                count.wanted += 1;
                count.found += usize::from(is_found);
            }
        }
    }
    for (at, count) in [&mut score.values, &mut score.pairs].into_iter().enumerate() {
        count.said = said.len();
        count.right = right.iter().filter(|right| right[at]).count();
    }
    score
}

fn said<'a>(attributes: &[Attribute], labels: &'a [Vec<String>]) -> Vec<Said<'a>> {
    let mut said = Vec::new();
    for (attribute, label) in labels.iter().enumerate() {
        for value in attributes.get(attribute).into_iter().flat_map(|attribute| &attribute.values) {
            said.push(Said { words: words(value), label, attribute });
        }
    }
    said.retain(|value| !value.words.is_empty());
    said
}

/// Where the value is said, and whether below its label. Without a label any place is right.
fn hits(said: &[Said<'_>], value: &[String], label: Option<&[String]>) -> Vec<(Range<usize>, bool)> {
    let plain = runs(said, value).into_iter().map(|run| {
        let is_labelled = label.is_none_or(|label| said[run.start].label == label);
        (run, is_labelled)
    });
    let mut hits: Vec<(Range<usize>, bool)> = plain.collect();
    if let Some(label) = label {
        let whole = [label, value].concat();
        hits.extend(runs(said, &whole).into_iter().map(|run| (run, true)));
    }
    hits
}

/// The values of one attribute, one after the other, that say these words.
fn runs(said: &[Said<'_>], value: &[String]) -> Vec<Range<usize>> {
    let run = |start: usize| {
        let mut rest = value;
        for (at, next) in said.iter().enumerate().skip(start) {
            if next.attribute != said[start].attribute {
                return None;
            }
            rest = rest.strip_prefix(next.words.as_slice())?;
            if rest.is_empty() {
                return Some(start..at + 1);
            }
        }
        None
    };
    (0..said.len()).filter_map(run).collect()
}

fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gold(kind: &str, label: Option<&str>, values: &[&str]) -> GoldAttribute {
        let values = values.iter().map(|value| (*value).to_owned()).collect();
        GoldAttribute { kind: kind.into(), label: label.map(str::to_owned), values }
    }

    fn said(label: Option<&str>, values: &[&str]) -> Attribute {
        let values = values.iter().map(|value| (*value).to_owned()).collect();
        Attribute { label: label.map(str::to_owned), values }
    }

    #[test]
    fn a_paragraph_may_be_several_leaves_of_one_attribute() {
        let page = [gold("text", None, &["Rain fell in Rome."])];
        let whole = score(&page, &[said(None, &["Rain fell in", "Rome", "."])]);
        assert_eq!(whole.values, Count { found: 1, wanted: 1, right: 2, said: 2 });
        let torn = score(&page, &[said(None, &["Rain fell in"]), said(Some("Rome"), &["."])]);
        assert_eq!(torn.values, Count { found: 0, wanted: 1, right: 0, said: 1 });
        let more = score(&page, &[said(None, &["Rain fell in Rome. Read on"])]);
        assert_eq!(more.values.found, 0);
    }

    #[test]
    fn a_label_stands_over_its_value_or_in_the_same_leaf() {
        let page = [gold("author", Some("By"), &["Ann Lee"])];
        let count = |attributes: &[Attribute]| {
            let score = score(&page, attributes);
            (score.values.found, score.pairs.found, score.pairs.right)
        };
        assert_eq!(count(&[said(Some("BY:"), &["Ann Lee"])]), (1, 1, 1));
        assert_eq!(count(&[said(None, &["By Ann Lee"])]), (1, 1, 1));
        assert_eq!(count(&[said(None, &["by", "Ann Lee"])]), (1, 1, 2));
        assert_eq!(count(&[said(Some("Author"), &["Ann Lee"])]), (1, 0, 0));
        assert_eq!(count(&[said(Some("Ann Lee"), &["By"])]), (0, 0, 0));
    }

    #[test]
    fn what_the_page_does_not_label_may_stand_anywhere_and_twice() {
        let page = [gold("title", None, &["Old Mill"]), gold("text", None, &["Quiet.", "♥"])];
        let score =
            score(&page, &[said(Some("Name"), &["Old Mill", "Old mill", "Log in"]), said(None, &["|"])]);
        assert_eq!(score.values, Count { found: 1, wanted: 2, right: 2, said: 3 });
        assert_eq!(score.pairs, score.values);
        assert_eq!(score.kinds["title"], Kind { values: 1, found: 1, labelled: 0, paired: 0 });
        assert_eq!(score.kinds["text"], Kind { values: 1, found: 0, labelled: 0, paired: 0 });
        let figures = score.values.figures();
        assert_eq!((figures.precision, figures.recall), (2.0 / 3.0, 0.5));
    }

    #[test]
    fn nothing_said_is_nothing_found() {
        let score = score(&[gold("title", None, &["Old Mill"])], &[]);
        assert_eq!(score.values.figures(), Prf { precision: 0.0, recall: 0.0, f1: 0.0 });
    }
}
