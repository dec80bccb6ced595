//! Which concepts a label names, over several schemes.
//!
//! A label is looked up in four steps, from the surest: as it is spelled in its language; by its stems in its language, which
//! makes singular and plural one; as it is spelled in any language; by its stems in any language. For each scheme the first
//! step that finds something counts, and all that it finds: what "football" means is for others to say. Spelling ignores case,
//! punctuation and accents, so that "économie" is "ECONOMIE". Start at [`SchemeIndex::find`].
//!
//! Keys are kept as hashes beside the numbers of labels, 8 bytes each, and a match is compared by its text.

use std::collections::BTreeMap;
use std::sync::Arc;

use newslode_page::contribution::labels::LabelKeys;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization as _;

use super::scheme::{Concept, LabelKind, Scheme, primary};

/// What the concepts of a scheme are to a news site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Facet {
    /// What a story is about.
    Subject,
    /// Where it happens.
    Region,
    /// How it is told or chosen: interview, video, most read.
    Genre,
    /// No property of a story: home, all, log in.
    Furniture,
}

/// How a label was found. Ordered from the surest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Spelled so in the language that was asked for.
    Spelled,
    /// The same stems in the language that was asked for.
    Stemmed,
    /// Spelled so in another language, or in none.
    SpelledElsewhere,
    /// The same stems in another language.
    StemmedElsewhere,
}

/// A concept that a label names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Match {
    /// How it was found.
    pub how: Step,
    /// The scheme's number in the index.
    pub scheme: usize,
    /// What the label is to the concept.
    pub kind: LabelKind,
    /// The concept's number in its scheme.
    pub concept: u32,
}

/// Several schemes, found by labels.
pub struct SchemeIndex {
    schemes: Vec<Arc<IndexedScheme>>,
    /// For the languages of labels that have stems.
    keys: Arc<BTreeMap<String, LabelKeys>>,
}

/// A scheme and where the keys of its labels occur.
struct IndexedScheme {
    scheme: Arc<Scheme>,
    facet: Facet,
    spelled: Vec<Posting>,
    stemmed: Vec<Posting>,
}

/// Where a key occurs. Sorted by hash, then label.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Posting {
    hash: u32,
    label: u32,
}

impl SchemeIndex {
    /// An index of these schemes, numbered as given.
    #[must_use]
    pub fn new(schemes: Vec<(Arc<Scheme>, Facet)>) -> SchemeIndex {
        let mut keys: BTreeMap<String, Option<LabelKeys>> = BTreeMap::new();
        let schemes = schemes.into_iter();
        let schemes = schemes.map(|(scheme, facet)| Arc::new(index_scheme(scheme, facet, &mut keys)));
        let schemes = schemes.collect();
        let keys = keys.into_iter().filter_map(|(language, keys)| Some((language, keys?))).collect();
        SchemeIndex { schemes, keys: Arc::new(keys) }
    }

    /// The same index without the first schemes; nothing is indexed again.
    #[must_use]
    pub fn without_first(&self, schemes: usize) -> SchemeIndex {
        let rest = self.schemes.get(schemes..).unwrap_or_default().to_vec();
        SchemeIndex { schemes: rest, keys: Arc::clone(&self.keys) }
    }

    /// The number of schemes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.schemes.len()
    }

    /// Whether there is no scheme.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.schemes.is_empty()
    }

    /// The scheme with this number.
    #[must_use]
    pub fn scheme(&self, number: usize) -> Option<&Arc<Scheme>> {
        self.schemes.get(number).map(|one| &one.scheme)
    }

    /// What the concepts of this scheme are to a news site.
    #[must_use]
    pub fn facet(&self, number: usize) -> Option<Facet> {
        self.schemes.get(number).map(|one| one.facet)
    }

    /// A concept that was found.
    #[must_use]
    pub fn concept(&self, found: &Match) -> Option<Concept<'_>> {
        self.scheme(found.scheme)?.concept(found.concept)
    }

    /// The concepts that a label of this language may name, each once, the surest first: by step, then by scheme, then by what
    /// the label is to the concept, then by number. Without a language, labels of all languages are equally good.
    #[must_use]
    pub fn find(&self, label: &str, language: Option<&str>) -> Vec<Match> {
        let wanted = language.map(|tag| tag.to_ascii_lowercase());
        let wanted = wanted.as_deref().map(primary).filter(|tag| !tag.is_empty());
        let mut folded = String::new();
        fold(label, &mut folded);
        let mut found: Vec<Match> = Vec::new();
        let mut done = vec![false; self.schemes.len()];
        for how in [Step::Spelled, Step::Stemmed, Step::SpelledElsewhere, Step::StemmedElsewhere] {
            let begin = found.len();
            match how {
                Step::Spelled if wanted.is_some() => self.add_spelled(&folded, wanted, how, &mut found),
                Step::SpelledElsewhere => self.add_spelled(&folded, None, how, &mut found),
                Step::Stemmed => {
                    if let Some(language) = wanted {
                        self.add_stemmed(label, language, how, &mut found);
                    }
                }
                Step::StemmedElsewhere if done.iter().any(|done| !done) => {
                    for language in self.keys.keys().filter(|language| Some(language.as_str()) != wanted) {
                        self.add_stemmed(label, language, how, &mut found);
                    }
                }
                Step::Spelled | Step::StemmedElsewhere => {}
            }
            // Schemes of an earlier step are done; of one concept the strongest label counts.
            let mut new = found.split_off(begin);
            new.retain(|one| !done[one.scheme]);
            new.sort_unstable_by_key(|one| (one.scheme, one.concept, one.kind));
            new.dedup_by_key(|one| (one.scheme, one.concept));
            new.sort_unstable();
            for one in &new {
                done[one.scheme] = true;
            }
            found.extend(new);
        }
        found
    }

    /// The concepts right above one.
    #[must_use]
    pub fn broader_of(&self, scheme: usize, concept: u32) -> &[u32] {
        self.scheme(scheme).and_then(|scheme| scheme.concept(concept)).map_or(&[], Concept::broader)
    }

    /// All concepts above one, the nearest first; see [`Scheme::ancestors`].
    #[must_use]
    pub fn ancestors(&self, scheme: usize, concept: u32) -> Vec<u32> {
        self.scheme(scheme).map(|scheme| scheme.ancestors(concept)).unwrap_or_default()
    }

    fn add_spelled(&self, folded: &str, wanted: Option<&str>, how: Step, found: &mut Vec<Match>) {
        if folded.is_empty() {
            return;
        }
        let mut own = String::new();
        self.add(
            |one| &one.spelled,
            hash(folded),
            wanted,
            how,
            found,
            |text| {
                fold(text, &mut own);
                own == folded
            },
        );
    }

    fn add_stemmed(&self, label: &str, language: &str, how: Step, found: &mut Vec<Match>) {
        let Some(keys) = self.keys.get(language) else { return };
        let Some(key) = keys.key(label) else { return };
        self.add(
            |one| &one.stemmed,
            hash(&key),
            Some(language),
            how,
            found,
            |text| keys.key(text).is_some_and(|own| own == key),
        );
    }

    fn add(
        &self,
        postings: impl Fn(&IndexedScheme) -> &[Posting],
        hash: u32,
        wanted: Option<&str>,
        how: Step,
        found: &mut Vec<Match>,
        mut same: impl FnMut(&str) -> bool,
    ) {
        for (scheme, one) in self.schemes.iter().enumerate() {
            let postings = postings(one);
            let begin = postings.partition_point(|posting| posting.hash < hash);
            for posting in postings[begin..].iter().take_while(|posting| posting.hash == hash) {
                let Some((concept, label)) = one.scheme.label(posting.label) else { continue };
                if wanted.is_none_or(|wanted| primary(label.language) == wanted) && same(label.text) {
                    found.push(Match { how, scheme, kind: label.kind, concept });
                }
            }
        }
    }
}

fn index_scheme(
    scheme: Arc<Scheme>,
    facet: Facet,
    keys: &mut BTreeMap<String, Option<LabelKeys>>,
) -> IndexedScheme {
    let (mut spelled, mut stemmed) = (Vec::with_capacity(scheme.label_count()), Vec::new());
    let mut folded = String::new();
    for at in (0_u32..).take(scheme.label_count()) {
        let Some((_, label)) = scheme.label(at) else { continue };
        fold(label.text, &mut folded);
        if folded.is_empty() {
            continue;
        }
        spelled.push(Posting { hash: hash(&folded), label: at });
        let language = primary(label.language);
        if !keys.contains_key(language) {
            keys.insert(language.to_owned(), stem_keys(language));
        }
        if let Some(key) = keys.get(language).and_then(|keys| keys.as_ref()?.key(label.text)) {
            stemmed.push(Posting { hash: hash(&key), label: at });
        }
    }
    stemmed.shrink_to_fit();
    spelled.sort_unstable();
    stemmed.sort_unstable();
    IndexedScheme { scheme, facet, spelled, stemmed }
}

/// Keys by the stems of a language; `None` if it has none, or if there is no language. Keys of stems are sorted, others are not.
fn stem_keys(language: &str) -> Option<LabelKeys> {
    let keys = LabelKeys::new(Some(language));
    let sorted = keys.key("zz aa").is_some_and(|key| key.ends_with("zz"));
    (sorted && !language.is_empty()).then_some(keys)
}

fn hash(key: &str) -> u32 {
    let mut first = [0; 4];
    blake3::Hasher::new().update(key.as_bytes()).finalize_xof().fill(&mut first);
    u32::from_le_bytes(first)
}

/// Letters that differ by more than a mark, and are one to those who type in a hurry.
fn plain(letter: char) -> &'static str {
    match letter {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'ł' => "l",
        'đ' | 'ð' => "d",
        'ı' => "i",
        'ی' | 'ى' => "ي",
        'ک' => "ك",
        'ە' => "ه",
        _ => "",
    }
}

/// A label without case, accents and punctuation, words apart by single spaces.
pub(crate) fn spelled(text: &str) -> String {
    let mut folded = String::new();
    fold(text, &mut folded);
    folded
}

/// The same into a text that is used again.
fn fold(text: &str, folded: &mut String) {
    folded.clear();
    let mut apart = false;
    let letters = text.nfkd().flat_map(char::to_lowercase).nfkd();
    for letter in letters {
        match letter {
            // Accents; vowel points of Arabic and Hebrew. Marks of other scripts are letters.
            '\u{300}'..='\u{36F}' | '\u{64B}'..='\u{65F}' | '\u{670}' | '\u{591}'..='\u{5C7}' => {}
            '.'
            | '\''
            | '\u{2019}'
            | '\u{2BC}'
            | '\u{640}'
            | '\u{AD}'
            | '\u{200B}'..='\u{200F}'
            | '\u{2060}'
            | '\u{FEFF}' => {}
            _ if letter.is_alphanumeric() || unicode_normalization::char::is_combining_mark(letter) => {
                if apart && !folded.is_empty() {
                    folded.push(' ');
                }
                apart = false;
                match plain(letter) {
                    "" => folded.push(letter),
                    plain => folded.push_str(plain),
                }
            }
            _ => apart = true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mining::schemes::{Format, Limits, read};

    fn index(turtle: &[&str]) -> SchemeIndex {
        let read = |(at, text): (usize, &&str)| {
            let text =
                format!("@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <urn:x:> . {text}");
            let mut read =
                read(&format!("{at}.ttl"), Format::Turtle, text.as_bytes(), &Limits::default()).unwrap();
            (Arc::new(read.schemes.remove(0)), Facet::Subject)
        };
        SchemeIndex::new(turtle.iter().enumerate().map(read).collect())
    }

    #[track_caller]
    fn check(index: &SchemeIndex, label: &str, language: Option<&str>, expected: &[(Step, usize, &str)]) {
        let found = index.find(label, language);
        let shown: Vec<(Step, usize, &str)> = found
            .iter()
            .map(|one| {
                (one.how, one.scheme, index.concept(one).unwrap().uri().strip_prefix("urn:x:").unwrap())
            })
            .collect();
        assert_eq!(shown, expected, "{label} {language:?}");
    }

    #[test]
    fn the_first_step_that_finds_something_counts() {
        let index = index(&[
            r#":film skos:prefLabel "Films"@en, "Film"@de . :layer skos:prefLabel "Film"@nl . :goal skos:prefLabel "Goal"@en ."#,
        ]);
        check(&index, "film", Some("de"), &[(Step::Spelled, 0, "film")]);
        check(&index, "FILM", Some("en"), &[(Step::Stemmed, 0, "film")]);
        check(
            &index,
            "film",
            Some("fr"),
            &[(Step::SpelledElsewhere, 0, "film"), (Step::SpelledElsewhere, 0, "layer")],
        );
        check(&index, "goals", Some("fr"), &[(Step::StemmedElsewhere, 0, "goal")]);
        check(
            &index,
            "film",
            None,
            &[(Step::SpelledElsewhere, 0, "film"), (Step::SpelledElsewhere, 0, "layer")],
        );
        check(&index, "filmmaking", Some("en"), &[]);
        check(&index, " – ", Some("en"), &[]);
    }

    #[test]
    fn spelling_ignores_case_accents_and_punctuation() {
        let index = index(&[
            r#":a skos:prefLabel "Économie"@fr, "Straße"@de, "U.S."@en, "اقتصادی"@fa, "Żużel"@pl, "हिन्दी"@hi, "Ё-моё"@ru ."#,
        ]);
        for (label, language) in [
            ("ECONOMIE", "fr"),
            ("économie »", "fr-FR"),
            ("STRASSE", "de"),
            ("US", "en-GB"),
            ("اقتصادي", "fa"),
            ("zuzel", "pl"),
            ("हिन्दी", "hi"),
            ("е моё", "ru"),
        ] {
            check(&index, label, Some(language), &[(Step::Spelled, 0, "a")]);
        }
        check(&index, "हन्द", Some("hi"), &[]);
    }

    #[test]
    fn ambiguous_labels_give_all_concepts_in_a_stable_order() {
        let index = index(&[
            r#":b skos:prefLabel "Football"@en . :a skos:altLabel "Football"@en . :c skos:prefLabel "Footballs"@en ."#,
            r#":d skos:hiddenLabel "football"@en ; skos:prefLabel "Football"@en-gb . :e skos:altLabel "Football"@en ."#,
            r#":f skos:prefLabel "Football"@fr ."#,
        ]);
        check(
            &index,
            "football",
            Some("en"),
            &[
                (Step::Spelled, 0, "b"),
                (Step::Spelled, 0, "a"),
                (Step::Spelled, 1, "d"),
                (Step::Spelled, 1, "e"),
                (Step::SpelledElsewhere, 2, "f"),
            ],
        );
    }

    #[test]
    fn ancestors_are_nearest_first() {
        let index = index(&[r#":a skos:broader :b, :c . :b skos:broader :d . :c skos:broader :d .
            :a skos:prefLabel "a" . :b skos:prefLabel "b" . :c skos:prefLabel "c" . :d skos:prefLabel "d" ."#]);
        assert_eq!(index.broader_of(0, 0), [1, 2]);
        assert_eq!(index.ancestors(0, 0), [1, 2, 3]);
        for (scheme, concept) in [(0, 3), (0, 9), (7, 0)] {
            assert!(
                index.ancestors(scheme, concept).is_empty() && index.broader_of(scheme, concept).is_empty()
            );
        }
    }
}
