//! The run's own words, and what they share with the page's claims about its article.

use crate::measures::MeasureSink;
use crate::reading::PageTree;
use crate::text::{ROW_WORDS, letters};
use rustc_hash::FxHashMap;

use super::context::{Claims, PageContext, RunWords, WordSet, flag, hashed_words};
use crate::extract::runs::{Run, Runs, ends_sentence, share};

/// Words by which pages speak of themselves: invitations, rights, notes.
const OWN_WORDS: [&str; 40] = [
    "newsletter",
    "newsletters",
    "subscribe",
    "subscription",
    "subscriber",
    "subscribers",
    "sign",
    "signup",
    "follow",
    "cookie",
    "cookies",
    "copyright",
    "reserved",
    "rights",
    "advertisement",
    "click",
    "photo",
    "photograph",
    "image",
    "facebook",
    "twitter",
    "instagram",
    "whatsapp",
    "email",
    "inbox",
    "app",
    "login",
    "register",
    "privacy",
    "terms",
    "policy",
    "comments",
    "abonnieren",
    "anzeige",
    "foto",
    "bild",
    "bildquelle",
    "reuters",
    "afp",
    "getty",
];
/// Most words of a headline.
const MAX_HEADLINE_WORDS: f32 = 40.0;

/// The texts that runs are compared with.
pub(super) struct TextMeasures {
    titles: Vec<WordSet>,
    all_titles: WordSet,
    title_letters: Vec<String>,
    description: WordSet,
    body_rows: Option<WordSet>,
    own_words: WordSet,
    /// How often each text occurs on the page, and the first run with it.
    occurrences: FxHashMap<u64, (u32, usize)>,
}

impl TextMeasures {
    pub(super) fn new(context: &PageContext<'_>) -> TextMeasures {
        let titles = distinct_titles(context.claims);
        let mut occurrences = FxHashMap::default();
        for (number, words) in context.tokens.iter().enumerate() {
            occurrences.entry(hash_row(words)).or_insert((0, number)).0 += 1;
        }
        let rows = |body: &String| {
            let words = hashed_words(body);
            (words.len() >= 40).then(|| words.windows(ROW_WORDS).map(hash_row).collect())
        };
        TextMeasures {
            all_titles: titles.iter().flatten().copied().collect(),
            titles,
            title_letters: context.claims.titles.iter().map(|title| letters(title)).collect(),
            description: context.claims.description.as_deref().map(word_set).unwrap_or_default(),
            body_rows: context.claims.body.as_ref().and_then(rows),
            own_words: OWN_WORDS.iter().flat_map(|word| hashed_words(word)).collect(),
            occurrences,
        }
    }

    pub(super) fn measure(&self, context: &PageContext<'_>, number: usize, measures: &mut impl MeasureSink) {
        let run = &context.runs.runs[number];
        let text = run.text.as_str();
        let letters_count = text.chars().filter(|c| c.is_alphabetic()).count() as f32;
        let shape = TextShape::new(text);
        let words = context.tokens.get(number);
        let is_short = run.words <= MAX_HEADLINE_WORDS;
        let of_words = |count: usize| share(count as f32, words.len() as f32);
        let share_in = |set: &WordSet| of_words(words.iter().filter(|word| set.contains(word)).count());
        let (times, first) = self.occurrences.get(&hash_row(words)).copied().unwrap_or((1, number));
        measures.add("words", run.words);
        measures.add("link share", run.link_share());
        measures.flag("ends like a sentence", ends_sentence(text));
        measures.flag("ends with a colon", text.ends_with(':'));
        measures.flag("is cut off", is_cut_off(text));
        measures.add("sentences", shape.sentences);
        measures.add("commas a word", share(shape.commas, run.words));
        measures.add("digits", share(shape.digits, letters_count + shape.digits));
        measures.add("capitalised words", share(shape.capitalised, shape.tokens));
        measures.flag("starts small", text.chars().next().is_some_and(char::is_lowercase));
        measures.add("letters a word", letters_count / run.words.max(1.0));
        measures.add("short words", share(shape.short, shape.tokens));
        measures.add("bold share", share(run.bold_words, run.words));
        measures.add("italic share", share(run.italic_words, run.words));
        measures.add("words before a colon", words_before_colon(text));
        measures.add("marks", shape.marks);
        measures.flag("starts with a quote", text.starts_with(['"', '“', '„', '«', '»', '‘', '「', '\'']));
        measures.flag("is prose", run.is_prose());
        measures.flag("is clean prose", context.is_prose[number]);
        measures.add("of the site's own words", share_in(&self.own_words));
        measures.add("same text again", (times - 1).min(9) as f32);
        measures.flag("same text before", first < number);
        measures.add("like a title", if is_short { best_title_overlap(&self.titles, words) } else { 0.0 });
        measures.add("words in titles", share_in(&self.all_titles));
        measures.flag("is a title", is_short && self.title_letters.contains(&letters(text)));
        measures.add("words in description", share_in(&self.description));
        measures.add("in the metadata's body", self.in_body(words));
    }

    /// Share of the run's rows of words that are in the metadata's body; −1 without a body, −0.5 for a run too
    /// short for a row.
    fn in_body(&self, words: &[u64]) -> f32 {
        let Some(rows) = &self.body_rows else { return -1.0 };
        if words.len() < ROW_WORDS {
            return -0.5;
        }
        let found = words.windows(ROW_WORDS).filter(|window| rows.contains(&hash_row(window))).count();
        share(found as f32, (words.len() + 1 - ROW_WORDS) as f32)
    }
}

/// The run that is the headline: the one most similar to a title of the page, else the first `h1`.
pub(super) fn find_headline(
    tree: &PageTree,
    runs: &Runs,
    tokens: &RunWords,
    claims: &Claims,
) -> Option<usize> {
    let titles = distinct_titles(claims);
    let mut best: Option<(f32, usize)> = None;
    for (number, run) in runs.runs.iter().enumerate().filter(|(_, run)| run.words <= MAX_HEADLINE_WORDS) {
        let like = best_title_overlap(&titles, tokens.get(number));
        let bonus = match heading_tag(tree, run) {
            Some("h1") => 0.2,
            Some("h2") => 0.1,
            _ => 0.0,
        };
        if like >= 0.5 && best.is_none_or(|(score, _)| like + bonus > score) {
            best = Some((like + bonus, number));
        }
    }
    let first = || runs.runs.iter().position(|run| heading_tag(tree, run) == Some("h1"));
    best.map(|(_, number)| number).or_else(first)
}

/// The tag of a run's block or of its parent, if that is a heading.
fn heading_tag<'t>(tree: &'t PageTree, run: &Run) -> Option<&'t str> {
    let above = tree.parent(run.block).and_then(|node| tree.tag(node));
    [tree.tag(run.block), above].into_iter().flatten().find(|tag| matches!(*tag, "h1" | "h2" | "h3"))
}

/// Counts from one walk over a text.
#[derive(Default)]
struct TextShape {
    tokens: f32,
    capitalised: f32,
    short: f32,
    sentences: f32,
    commas: f32,
    digits: f32,
    marks: f32,
}

impl TextShape {
    fn new(text: &str) -> TextShape {
        let mut shape = TextShape::default();
        for token in text.split(' ') {
            shape.tokens += 1.0;
            shape.capitalised +=
                flag(token.chars().find(|c| c.is_alphanumeric()).is_some_and(char::is_uppercase));
            shape.short += flag(token.chars().take(4).count() <= 3);
            shape.sentences += flag(ends_sentence(token));
        }
        for c in text.chars() {
            shape.commas += flag(matches!(c, ',' | '،' | '、' | ';'));
            shape.digits += flag(c.is_ascii_digit());
            shape.marks +=
                flag(matches!(c, '|' | '•' | '·' | '›' | '»' | '©' | '@' | '→' | '/' | '▸' | '#' | '+'));
            shape.sentences += flag(matches!(c, '。' | '！' | '？'));
        }
        shape
    }
}

/// Whether a text breaks off as teasers do: "in the coming weeks...", "[…]".
pub(super) fn is_cut_off(text: &str) -> bool {
    text.trim_end_matches([']', ')', ' ']).ends_with(['…', '‥'])
        || text.trim_end_matches([']', ')', ' ']).ends_with("...")
}

/// The number of words before the first colon if it is at most five ("Photo: …", "Read also: …"), else 0.
fn words_before_colon(text: &str) -> f32 {
    let head = text.split_once([':', '：']).map(|(head, _)| head.split_whitespace().count());
    head.filter(|count| *count <= 5).map_or(0.0, |count| count as f32)
}

fn hash_row(words: &[u64]) -> u64 {
    words.iter().fold(0, |hash, word| (hash.rotate_left(7) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

fn word_set(text: &str) -> WordSet {
    hashed_words(text).into_iter().collect()
}

/// The distinct titles of a page, as sets of words.
fn distinct_titles(claims: &Claims) -> Vec<WordSet> {
    let mut titles: Vec<WordSet> = Vec::new();
    for title in claims.titles.iter().map(|title| word_set(title)) {
        if !titles.contains(&title) {
            titles.push(title);
        }
    }
    titles
}

/// The greatest Dice coefficient of some words with a title.
fn best_title_overlap(titles: &[WordSet], words: &[u64]) -> f32 {
    let mut own: Vec<u64> = words.to_vec();
    own.sort_unstable();
    own.dedup();
    let dice = |title: &WordSet| {
        let both = own.iter().filter(|word| title.contains(word)).count();
        share(2.0 * both as f32, (title.len() + own.len()) as f32)
    };
    titles.iter().map(dice).fold(0.0, f32::max)
}
