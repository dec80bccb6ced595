//! The measures of a run of text, from which the scorer finds whether it is body.
//!
//! There are four families, each a function that adds names and values (see [`measures`](crate::measures)): the
//! run's own [`text`]; the elements and class words around it ([`place`]); its containers and their shares of
//! the page's prose ([`containers`]); the signatures that it shares with other runs, and its neighbours
//! ([`order`]). All are general: no site names, no class words of one site. A measure without meaning on a page
//! is negative.
//!
//! Invariant: one pass over the tree, and a bounded number of steps per run. Start at [`measure`].

use std::ops::Range;
use std::sync::LazyLock;

use crate::measures::{self, MeasureSink};
use crate::reading::{NodeId, PageTree};
use rustc_hash::{FxHashMap, FxHashSet};

use super::runs::{Run, Runs, Sums};
use crate::Page;

mod clean;
mod containers;
mod order;
mod place;
mod text;
pub(super) mod vocabulary;

/// What the page's markup says of its article, for comparison with its runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Claims {
    /// The title that was found, and all titles in the markup.
    pub(super) titles: Vec<String>,
    pub(super) description: Option<String>,
    /// The text in the metadata, often cut or without its markup.
    pub(super) body: Option<String>,
    /// Whether JSON-LD calls the page an article, and whether it calls it news.
    pub(super) is_told: bool,
    pub(super) is_news: bool,
    /// Whether OpenGraph calls it an article.
    pub(super) is_shared: bool,
}

/// The names of all measures, in order.
pub(super) fn names() -> &'static [String] {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let Some(page) = measures::sample() else { return Vec::new() };
        let runs = Runs::new(&page);
        let said = Claims::default();
        let page = PageMeasures::new(&page, &runs, &said);
        measures::names(|sink| page.measure(0, sink))
    });
    &NAMES
}

/// The measures of the wanted runs, row by row.
pub(super) struct RunMeasures {
    pub(super) values: Vec<f32>,
    /// The signature of every run, wanted or not: the tags and classes of its elements from the document down.
    pub(super) paths: Vec<u64>,
}

impl RunMeasures {
    pub(super) fn iter(&self) -> impl Iterator<Item = &[f32]> {
        self.values.chunks_exact(names().len().max(1))
    }
}

/// Measures the wanted runs of a page.
pub(super) fn measure(
    page: &Page,
    runs: &Runs,
    said: &Claims,
    is_wanted: impl Fn(&Run) -> bool,
) -> RunMeasures {
    let measured = PageMeasures::new(page, runs, said);
    let wanted = runs.runs.iter().enumerate().filter(|(_, run)| is_wanted(run));
    let mut values = Vec::new();
    wanted.for_each(|(number, _)| measured.measure(number, &mut values));
    RunMeasures { values, paths: measured.paths }
}

/// What each family has computed for the page.
struct PageMeasures<'a> {
    scene: Scene<'a>,
    texts: text::Texts,
    places: place::Places,
    containers: containers::Containers,
    orders: order::Orders,
    paths: Vec<u64>,
}

impl<'a> PageMeasures<'a> {
    fn new(page: &'a Page, runs: &'a Runs, said: &'a Claims) -> PageMeasures<'a> {
        let prose = runs.sums(|run| if run.is_prose() { run.words } else { 0.0 });
        let signatures = order::Signatures::new(&page.tree);
        let places = place::Places::new(&page.tree, runs, &prose, &signatures);
        let paths: Vec<u64> = runs.runs.iter().map(|run| signatures.path[run.block.index()]).collect();
        let words = RunWords::new(runs);
        let is_prose = clean::prose(runs, &words, &places, &paths);
        let scene = Scene::new(page, runs, words, said, is_prose);
        PageMeasures {
            texts: text::Texts::new(&scene),
            containers: containers::Containers::new(&scene),
            orders: order::Orders::new(&scene, &signatures),
            places,
            scene,
            paths,
        }
    }

    /// Measures one run; the names are the same for every run.
    fn measure(&self, number: usize, sink: &mut impl MeasureSink) {
        let run = &self.scene.runs.runs[number];
        self.texts.measure(&self.scene, number, sink);
        self.places.measure(&self.scene, run, sink);
        self.containers.measure(&self.scene, number, sink);
        self.orders.measure(&self.scene, number, sink);
        self.places.measure_vocabulary(run, sink);
    }
}

/// A page with the data that several families need.
struct Scene<'a> {
    tree: &'a PageTree,
    runs: &'a Runs,
    said: &'a Claims,
    tokens: RunWords,
    words: Sums,
    links: Sums,
    /// Which runs are prose that may be body, and prefix sums of their words.
    is_prose: Vec<bool>,
    prose: Sums,
    /// For each node the nearest ancestor that holds more runs; the document's is itself.
    wider: Vec<NodeId>,
    /// The run that is the headline.
    headline: Option<usize>,
}

impl<'a> Scene<'a> {
    fn new(
        page: &'a Page,
        runs: &'a Runs,
        tokens: RunWords,
        said: &'a Claims,
        is_prose: Vec<bool>,
    ) -> Scene<'a> {
        let tree = &page.tree;
        let headline = text::headline(tree, runs, &tokens, said);
        Scene {
            tree,
            runs,
            said,
            tokens,
            words: runs.sums(|run| run.words),
            links: runs.sums(|run| run.link_words),
            prose: runs.sums_of(|number, run| if is_prose[number] { run.words } else { 0.0 }),
            is_prose,
            wider: wider(tree, runs),
            headline,
        }
    }

    fn range(&self, node: NodeId) -> Range<usize> {
        self.runs.under(self.tree, node)
    }

    /// The share of the page's prose inside an element.
    fn prose_share(&self, node: NodeId) -> f32 {
        super::runs::share(self.prose.over(self.range(node)), self.prose.all())
    }

    /// The nearest element that holds a run together with others.
    fn holder(&self, run: &Run) -> NodeId {
        if self.range(run.block).len() > 1 { run.block } else { self.wider[run.block.index()] }
    }
}

fn wider(tree: &PageTree, runs: &Runs) -> Vec<NodeId> {
    let mut wider = Vec::with_capacity(tree.len());
    for node in tree.node_ids() {
        let parent = tree.parent(node).unwrap_or(node);
        let holds = |node| runs.under(tree, node).len();
        let above = if holds(parent) > holds(node) || parent == node {
            parent
        } else {
            wider.get(parent.index()).copied().unwrap_or(parent)
        };
        wider.push(above);
    }
    wider
}

fn flag(is_so: bool) -> f32 {
    f32::from(u8::from(is_so))
}

/// The hashes of a text's words.
fn hashed_words(text: &str) -> Vec<u64> {
    let mut words = Vec::new();
    push_words(text, &mut words);
    words
}

fn push_words(text: &str, words: &mut Vec<u64>) {
    let mix = |hash: u64, c: char| {
        (hash.rotate_left(5) ^ u64::from(u32::from(c))).wrapping_mul(0x517c_c1b7_2722_0a95)
    };
    let (mut hash, mut is_open) = (0_u64, false);
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            hash = mix(hash, c.to_ascii_lowercase());
            is_open = true;
        } else if !c.is_ascii() && c.is_alphanumeric() {
            hash = c.to_lowercase().fold(hash, mix);
            is_open = true;
            if crate::reading::language::is_unspaced(c) {
                words.push(std::mem::take(&mut hash));
                is_open = false;
            }
        } else if is_open {
            words.push(std::mem::take(&mut hash));
            is_open = false;
        }
    }
    if is_open {
        words.push(hash);
    }
}

/// The hashes of each run's words.
struct RunWords {
    words: Vec<u64>,
    ends: Vec<usize>,
}

impl RunWords {
    fn new(runs: &Runs) -> RunWords {
        let mut found = RunWords { words: Vec::new(), ends: vec![0] };
        for run in &runs.runs {
            push_words(&run.text, &mut found.words);
            found.ends.push(found.words.len());
        }
        found
    }

    fn get(&self, number: usize) -> &[u64] {
        &self.words[self.ends[number]..self.ends[number + 1]]
    }

    fn iter(&self) -> impl Iterator<Item = &[u64]> {
        self.ends.windows(2).map(|ends| &self.words[ends[0]..ends[1]])
    }
}

/// Sums over runs that share a signature.
#[derive(Clone, Copy, Debug, Default)]
struct Alike {
    runs: f32,
    words: f32,
    links: f32,
    prose: f32,
}

type Groups = FxHashMap<u64, Alike>;
type WordSet = FxHashSet<u64>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    /// One measure, by its name, of each run.
    fn measured(html: &str, said: &Claims, name: &str) -> Vec<f32> {
        let page = page(html);
        let runs = Runs::new(&page);
        let at = names().iter().position(|known| known == name).unwrap();
        measure(&page, &runs, said, |_| true).iter().map(|row| row[at]).collect()
    }

    const PROSE: &str = "The council voted on Tuesday to keep the old bridge open for another year.";

    #[test]
    fn every_measure_has_a_name_of_its_own() {
        let page = page("<h1>Title</h1><p>One <b>two</b> three.");
        let runs = Runs::new(&page);
        let names = names();
        assert_eq!(names.len(), 153);
        let said = Claims { titles: vec!["Title".into()], ..Claims::default() };
        for said in [Claims::default(), said] {
            assert_eq!(measure(&page, &runs, &said, |_| true).values.len(), 2 * names.len());
        }
        let distinct: std::collections::BTreeSet<&String> = names.iter().collect();
        assert_eq!(distinct.len(), names.len());
        let empty = crate::testing::page("");
        assert_eq!(measure(&empty, &Runs::new(&empty), &Claims::default(), |_| true).iter().count(), 0);
    }

    #[test]
    fn the_best_container_holds_the_prose() {
        let html = format!("<div><p>Menu<p>More</div><div><p>{PROSE}<p>{PROSE} Yes.<p>{PROSE} No.</div>");
        let best = measured(&html, &Claims::default(), "level of the best container");
        assert_eq!(best, [9.0, 9.0, 0.0, 0.0, 0.0]);
        assert_eq!(measured(&html, &Claims::default(), "holder's prose share"), [0.0, 0.0, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn comments_and_copies_are_no_prose_of_the_article() {
        let comments: String = (0..9).map(|n| format!("<li class=comment><p>{PROSE} Said {n}.")).collect();
        let html = format!("<main><p>{PROSE}<p>{PROSE} Yes. {PROSE}</main><ul>{comments}</ul>");
        let clean = measured(&html, &Claims::default(), "is clean prose");
        assert_eq!(clean, [vec![1.0; 2], vec![0.0; 9]].concat());

        let parts: Vec<String> = (0..6)
            .map(|n| {
                format!("Part {n} of it says {n} times that the bridge number {n} is open, and {n} more.")
            })
            .collect();
        let html = format!(
            "<div>{}</div><section>{}</section>",
            parts.join(" "),
            parts.iter().map(|part| format!("<p>{part}")).collect::<String>()
        );
        assert_eq!(
            measured(&html, &Claims::default(), "is clean prose"),
            [0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
        );
    }

    #[test]
    fn titles_and_the_metadatas_body_are_recognised() {
        let said = Claims {
            titles: vec!["Bridge stays open".into()],
            body: Some(PROSE.repeat(5)),
            ..Claims::default()
        };
        let html = format!("<h1>Bridge stays open!</h1><p>{PROSE}<p>Words of somebody else about it.");
        assert_eq!(measured(&html, &said, "is a title"), [1.0, 0.0, 0.0]);
        assert_eq!(measured(&html, &said, "in the metadata's body")[1..], [1.0, 0.0]);
        assert_eq!(measured(&html, &said, "runs behind the headline"), [0.0, 1.0, 2.0]);
    }

    #[test]
    fn teasers_are_cut_off() {
        let html = "<p>The council voted on Tuesday to ...<p>Read on […]<p>It voted.";
        assert_eq!(measured(html, &Claims::default(), "is cut off"), [1.0, 1.0, 0.0]);
    }

    #[test]
    fn class_words_of_much_prose_say_nothing() {
        let html =
            format!("<div class=related><p>{PROSE}</div><div class=paywall><p>{PROSE}<p>{PROSE}</div>");
        assert_eq!(measured(&html, &Claims::default(), "up to offer")[1], 20.0);
        assert_eq!(measured(&html, &Claims::default(), "up to related")[0], 1.0);
    }
}
