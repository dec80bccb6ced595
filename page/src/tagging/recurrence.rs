//! Recurrence over the pages of a site: the same text at the same place.
//!
//! Two leaves are at the same place if their paths are equal. A text at one place on many pages comes from the
//! site's template: it names what follows it, or is decoration. What varies there is the pages' content. The
//! name of a page is a text that the page repeats at a place where each page repeats a text of its own.

use std::collections::{HashMap, HashSet};

use crate::reading::Leaf;

use crate::Page;

/// Least number of pages for which anything can recur.
const LEAST_PAGES: usize = 3;
/// Least number of times that a page shows its name.
const LEAST_TIMES_NAMED: usize = 2;
/// Longest label before a value in the same text, in characters.
const LABEL_LENGTH: usize = 30;
/// Longest name of a page, in characters.
const NAME_LENGTH: usize = 80;

/// Recurrence of the leaves of a page on the other pages of the site; one entry for each leaf.
#[derive(Clone, Debug, Default)]
pub(super) struct Recurrence {
    /// At least half of the site's pages show this text at this place.
    pub(super) is_frequent: Vec<bool>,
    /// Different texts follow it on the pages that show it, and at least one of them is not frequent.
    pub(super) is_varied: Vec<bool>,
    /// This is the page's name, at a place where pages show their names.
    pub(super) is_name: Vec<bool>,
    /// It holds a value after a label with a colon that at least half of the pages show at this place.
    pub(super) holds_both: Vec<bool>,
}

/// A place of the site, and a text there in lower case.
type PlacedText = (usize, String);

/// Finds recurring texts on the pages of a site; `None` if there are too few pages.
pub(super) fn find_recurrence(pages: &[&Page]) -> Option<Vec<Recurrence>> {
    if pages.len() < LEAST_PAGES {
        return None;
    }
    let mut places: HashMap<String, usize> = HashMap::new();
    let keys: Vec<Vec<PlacedText>> = pages.iter().map(|page| placed_texts(page, &mut places)).collect();
    // On how many pages each text is at its place.
    let mut counts: HashMap<&PlacedText, usize> = HashMap::new();
    for page in &keys {
        let seen: HashSet<&PlacedText> = page.iter().collect();
        seen.into_iter().for_each(|key| *counts.entry(key).or_default() += 1);
    }
    let names = name_places(&keys);
    let labels = label_page_counts(&keys);
    let is_frequent = |key: &PlacedText| 2 * counts[key] >= pages.len();
    let followers = following_texts(pages, &keys);
    let is_varied = |key: &PlacedText| {
        followers.get(key).is_some_and(|next| next.len() >= 2 && next.iter().any(|next| !is_frequent(next)))
    };
    let holds_both = |key: &PlacedText| {
        label_end(&key.1).is_some_and(|end| 2 * labels[&(key.0, &key.1[..end])] >= pages.len())
    };
    let own = |page: &Vec<PlacedText>| Recurrence {
        is_varied: page.iter().map(is_varied).collect(),
        holds_both: page.iter().map(holds_both).collect(),
        is_frequent: page.iter().map(is_frequent).collect(),
        is_name: page
            .iter()
            .map(|key| names.contains(&key.0) && counts[key] * 10 <= pages.len().max(10))
            .collect(),
    };
    Some(keys.iter().map(own).collect())
}

/// The texts that follow each text at its place: the next leaf with words on each page.
fn following_texts<'a>(
    pages: &[&Page],
    keys: &'a [Vec<PlacedText>],
) -> HashMap<&'a PlacedText, HashSet<&'a PlacedText>> {
    let mut followers: HashMap<&PlacedText, HashSet<&PlacedText>> = HashMap::new();
    for (page, keys) in pages.iter().zip(keys) {
        let has_words = |leaf: &usize| page.leaves.text(*leaf).chars().any(char::is_alphanumeric);
        let worded: Vec<usize> = (0..keys.len()).filter(has_words).collect();
        for pair in worded.windows(2) {
            followers.entry(&keys[pair[0]]).or_default().insert(&keys[pair[1]]);
        }
    }
    followers
}

/// The places where at least half of the pages show one text of their own several times and hardly anything
/// else.
fn name_places(keys: &[Vec<PlacedText>]) -> HashSet<usize> {
    let mut pages: HashMap<&str, usize> = HashMap::new();
    for page in keys {
        let seen: HashSet<&str> = page.iter().map(|key| key.1.as_str()).collect();
        seen.into_iter().for_each(|text| *pages.entry(text).or_default() += 1);
    }
    let mut named_pages: HashMap<usize, usize> = HashMap::new();
    for page in keys {
        let mut texts_by_place: HashMap<usize, Vec<&str>> = HashMap::new();
        page.iter().for_each(|key| texts_by_place.entry(key.0).or_default().push(&key.1));
        for (place, texts) in texts_by_place {
            // A name is on few pages: on a tenth of them at most. Texts on half of the pages come from the template and do not
            // count beside it.
            let name = texts.iter().find(|text| pages[**text] * 10 <= keys.len().max(10));
            let times = name.map_or(0, |name| texts.iter().filter(|text| *text == name).count());
            let own_texts: HashSet<&&str> =
                texts.iter().filter(|text| pages[**text] * 2 < keys.len()).collect();
            let is_short = name.is_some_and(|name| name.chars().count() <= NAME_LENGTH);
            if times >= LEAST_TIMES_NAMED && own_texts.len() == 1 && is_short {
                *named_pages.entry(place).or_default() += 1;
            }
        }
    }
    named_pages.into_iter().filter(|(_, count)| 2 * count >= keys.len()).map(|(place, _)| place).collect()
}

/// By place and label found by [`label_end`]: the number of pages that show it.
fn label_page_counts(keys: &[Vec<PlacedText>]) -> HashMap<(usize, &str), usize> {
    let mut pages: HashMap<(usize, &str), usize> = HashMap::new();
    for page in keys {
        let seen: HashSet<(usize, &str)> =
            page.iter().filter_map(|key| Some((key.0, &key.1[..label_end(&key.1)?]))).collect();
        seen.into_iter().for_each(|label| *pages.entry(label).or_default() += 1);
    }
    pages
}

/// The end of the label, colon included, in a text such as "Phone: 12 34". A label has no figures.
pub(super) fn label_end(text: &str) -> Option<usize> {
    let (label, value) = text.split_once([':', '：'])?;
    let is_label = label.chars().count() <= LABEL_LENGTH
        && label.chars().any(char::is_alphabetic)
        && !label.chars().any(char::is_numeric);
    let is_value = value.starts_with(char::is_whitespace) && value.chars().any(char::is_alphanumeric);
    (is_label && is_value).then(|| text.len() - value.len())
}

fn placed_texts(page: &Page, places: &mut HashMap<String, usize>) -> Vec<PlacedText> {
    let mut own: Vec<usize> = Vec::new();
    for leaf in &page.leaves {
        if leaf.path.index() == own.len() {
            let next = places.len();
            let path = page.leaves.path_string(&page.tree, leaf.path);
            own.push(*places.entry(path).or_insert(next));
        }
    }
    let key =
        |(number, leaf): (usize, &Leaf)| (own[leaf.path.index()], page.leaves.text(number).to_lowercase());
    page.leaves.iter().enumerate().map(key).collect()
}
