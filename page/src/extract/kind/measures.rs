//! The measures of a page from which the trees tell whether it is an article.
//!
//! They look at what a reader sees before reading: one headline with a stretch of prose under it, or many linked headlines; a
//! date near the headline; how much of the page is links, and to where; and the shape of the address. Metadata hardly help and
//! are weighed like the rest. No measure asks for a word. A measure without meaning on a page is negative.
//!
//! Invariant: linear in the page, apart from sorting. Start at [`KindMeasures::new`].

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::address::Address;
use super::alike::{Likeness, hash};
use crate::Page;
use crate::extract::NO_HOST;
use crate::extract::metadata::Metadata;
use crate::extract::runs::{Run, Runs, ends_sentence, share};
use crate::measures::MeasureSink;
use crate::reading::{CanonicalUrl, NodeId, PageTree};
use crate::text::letters;

/// Most words of a headline, and of a date or byline.
const HEADLINE_WORDS: f32 = 40.0;
const DATE_WORDS: f32 = 18.0;
/// Words outside links that make a run prose, and those that do when it has a sentence's end.
const PROSE_WORDS: f32 = 25.0;
const SENTENCE_WORDS: f32 = 10.0;
/// What a run that is neither prose nor a link costs a stretch, and what a link costs.
const OTHER_COST: f32 = 2.0;
const LINK_COST: f32 = 3.0;
const LINK_WORD_COST: f32 = 2.0;
/// Runs before and after the headline among which a date or byline stands.
const NEAR_BEFORE: usize = 4;
const NEAR_AFTER: usize = 8;
/// Words from which a link reads like a headline, and from which the links of records do.
const TITLE_WORDS: f32 = 4.0;
const RECORD_LINK_WORDS: f32 = 3.0;
/// Most runs from a title to the prose of its teaser: a date, a byline, a section may stand between.
const TEASER_RUNS: usize = 4;
/// Least number of siblings that are records, and the share of a record that its link fills.
const LEAST_RECORDS: usize = 3;
const RECORD_LINK_SHARE: f32 = 1.0 / 7.0;
/// A distance that means "not near".
const FAR: f32 = 99.0;

/// What one run is, for these measures.
struct Look {
    words: f32,
    link_words: f32,
    is_prose: bool,
    is_heading: bool,
    is_list_item: bool,
    /// Where its first link leads, as a number of [`KindMeasures::targets`].
    target: Option<u32>,
    is_date: bool,
    is_cut_off: bool,
}

impl Look {
    fn is_link(&self) -> bool {
        self.link_words * 2.0 >= self.words && self.link_words > 0.0
    }

    /// What the run adds to a stretch of text.
    fn worth(&self) -> f32 {
        if self.is_prose {
            self.words - 2.0 * self.link_words
        } else if self.is_link() {
            -LINK_COST - LINK_WORD_COST * self.link_words
        } else if self.is_heading {
            0.0
        } else {
            -OTHER_COST
        }
    }
}

/// A link of the page, outside of pictures.
struct LinkText {
    target: u32,
    /// The hash of its letters.
    text: u32,
    words: f32,
    is_number: bool,
}

/// Measures that say something together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    Headline,
    Stretch,
    Holders,
    LinkedHeadings,
    Records,
    Links,
    Dates,
    Address,
    Style,
    Surroundings,
}

impl Group {
    /// All of them, in the order of the measures.
    pub(super) const ALL: [Group; 10] = [
        Group::Headline,
        Group::Stretch,
        Group::Holders,
        Group::LinkedHeadings,
        Group::Records,
        Group::Links,
        Group::Dates,
        Group::Address,
        Group::Style,
        Group::Surroundings,
    ];

    /// The beginning of a sentence: what speaks.
    pub(super) fn speaks(self) -> &'static str {
        match self {
            Group::Headline => "The headline speaks",
            Group::Stretch => "The longest stretch of text speaks",
            Group::Holders => "The way the text is spread over boxes speaks",
            Group::LinkedHeadings => "The number of headings that lead to other pages speaks",
            Group::Records => "The number of list entries that lead to other pages speaks",
            Group::Links => "The number and the form of the links speak",
            Group::Dates => "Dates and short links near the headline speak",
            Group::Address => "The address speaks",
            Group::Style => "The style of the text speaks",
            Group::Surroundings => "Forms, pictures and metadata speak",
        }
    }
}

/// Everything that is measured of a page.
pub(super) struct KindMeasures<'a> {
    page: &'a Page,
    metadata: &'a Metadata,
    runs: &'a Runs,
    looks: Vec<Look>,
    links: Vec<LinkText>,
    /// The addresses that links lead to, in the order of their first links.
    targets: Vec<CanonicalUrl>,
    address: Address,
    headline: Option<Headline>,
    stretch: Stretch,
}

/// The headline: a run, and how much of the title it is.
struct Headline {
    run: usize,
    title_share: f32,
    letters: String,
}

/// A range of runs and the sum of their worth.
#[derive(Clone, Default)]
struct Stretch {
    runs: Range<usize>,
    worth: f32,
}

impl<'a> KindMeasures<'a> {
    pub(super) fn new(page: &'a Page, metadata: &'a Metadata, runs: &'a Runs) -> KindMeasures<'a> {
        let tree = &page.tree;
        let (links, targets, target_of_run) = links_of(page, runs);
        let looks: Vec<Look> =
            runs.runs.iter().zip(target_of_run).map(|(run, target)| look_of(tree, run, target)).collect();
        let headline = find_headline(page, metadata, runs, &looks, &targets);
        let stretch = best_stretch(&looks, 0..looks.len());
        KindMeasures {
            page,
            metadata,
            runs,
            looks,
            links,
            targets,
            address: Address::new(&page.url),
            headline,
            stretch,
        }
    }

    /// By what the page is like others of its site.
    pub(super) fn likeness(&self) -> Likeness {
        let tree = &self.page.tree;
        let block = |run: usize| self.runs.runs.get(run).map(|run| run.block);
        let common = self
            .stretch
            .runs
            .clone()
            .filter_map(|run| self.looks[run].is_prose.then(|| block(run)).flatten());
        let common = common.reduce(|a, b| tree.lca(a, b));
        let headline = self.headline.as_ref().and_then(|headline| block(headline.run));
        Likeness {
            groups: [
                hash(&self.address.folders()),
                hash(&self.address.shape()),
                common.map_or(0, |node| hash(&path_of(tree, node))),
                headline.map_or(0, |node| hash(&path_of(tree, node))),
            ],
        }
    }

    pub(super) fn measure(&self, sink: &mut impl MeasureSink) {
        Group::ALL.into_iter().for_each(|group| self.measure_group(group, sink));
    }

    pub(super) fn measure_group(&self, group: Group, sink: &mut impl MeasureSink) {
        match group {
            Group::Headline => self.measure_headline(sink),
            Group::Stretch => self.measure_stretch(sink),
            Group::Holders => self.measure_holders(sink),
            Group::LinkedHeadings => self.measure_linked_headings(sink),
            Group::Records => self.measure_records(sink),
            Group::Links => self.measure_links(sink),
            Group::Dates => self.measure_dates(sink),
            Group::Address => self.address.measure(self.page.url.host() != NO_HOST, sink),
            Group::Style => self.measure_style(sink),
            Group::Surroundings => self.measure_surroundings(sink),
        }
    }

    fn measure_headline(&self, sink: &mut impl MeasureSink) {
        let h1 = self.looks.iter().zip(&self.runs.runs).filter(|(_, run)| {
            self.page.tree.is_inside(run.block, &["h1"]) || self.page.tree.tag(run.block) == Some("h1")
        });
        let h1_words: f32 = h1.map(|(look, _)| look.words).sum();
        sink.add("words of h1", h1_words);
        let own = self.own_target();
        let headline = self.headline.as_ref();
        let look = headline.map(|headline| &self.looks[headline.run]);
        let or_none = |value: Option<f32>| value.unwrap_or(-1.0);
        sink.add("words of the headline", or_none(look.map(|look| look.words)));
        sink.add("headline's share of the title", or_none(headline.map(|headline| headline.title_share)));
        sink.add(
            "headline leads elsewhere",
            or_none(look.map(|look| f32::from(u8::from(look.target.is_some() && look.target != own)))),
        );
        sink.add("headline is a heading", or_none(look.map(|look| f32::from(u8::from(look.is_heading)))));
        let same = headline.map(|headline| {
            self.runs
                .runs
                .iter()
                .filter(|run| run.words <= HEADLINE_WORDS && letters(&run.text) == headline.letters)
                .count()
        });
        sink.add("times of the headline", or_none(same.map(|count| count as f32)));
        let of_slug = headline.map(|headline| {
            let words: Vec<String> = self.address.slug().map(letters).collect();
            let found = words.iter().filter(|word| headline.letters.contains(word.as_str())).count();
            share(found as f32, words.len() as f32)
        });
        sink.add("address's words in the headline", or_none(of_slug));
        let place = headline.map(|headline| headline.run as f32 / self.looks.len().max(1) as f32);
        sink.add("place of the headline", or_none(place));
    }

    fn measure_stretch(&self, sink: &mut impl MeasureSink) {
        let Stretch { runs, worth } = &self.stretch;
        let inside = self.looks.get(runs.clone()).unwrap_or_default();
        let prose =
            |looks: &[Look]| looks.iter().filter(|look| look.is_prose).map(|look| look.words).sum::<f32>();
        let words: f32 = self.looks.iter().map(|look| look.words).sum();
        let before = best_stretch(&self.looks, 0..runs.start);
        let after = best_stretch(&self.looks, runs.end..self.looks.len());
        let below =
            self.headline.as_ref().map(|headline| best_stretch(&self.looks, headline.run..self.looks.len()));
        sink.add("prose of the stretch", prose(inside));
        sink.add("stretch's share of the prose", share(prose(inside), prose(&self.looks)));
        sink.add("stretch's share of the page", share(prose(inside), words));
        sink.add("runs of the stretch", inside.len() as f32);
        sink.add("prose runs of the stretch", inside.iter().filter(|look| look.is_prose).count() as f32);
        sink.add("headings of the stretch", inside.iter().filter(|look| look.is_heading).count() as f32);
        sink.add(
            "list items of the stretch",
            share(inside.iter().filter(|look| look.is_list_item).count() as f32, inside.len() as f32),
        );
        sink.add(
            "link words of the stretch",
            share(
                inside.iter().map(|look| look.link_words).sum(),
                inside.iter().map(|look| look.words).sum(),
            ),
        );
        sink.add("start of the stretch", share(runs.start as f32, self.looks.len() as f32));
        sink.add("second stretch", share(before.worth.max(after.worth), *worth));
        sink.add("stretch after the headline", below.as_ref().map_or(-1.0, |below| below.worth));
        sink.add("headline's share of the stretch", below.map_or(-1.0, |below| share(below.worth, *worth)));
        sink.add("words of the page", words);
        let distance = self.headline.as_ref().map(|headline| runs.start as f32 - headline.run as f32);
        sink.add(
            "runs from the headline to the stretch",
            distance.map_or(-FAR, |distance| distance.clamp(-FAR, FAR)),
        );
    }

    /// How the prose is spread over the elements that hold paragraphs, and those around them.
    fn measure_holders(&self, sink: &mut impl MeasureSink) {
        let tree = &self.page.tree;
        for (name, levels) in [("holder", 1), ("outer holder", 2)] {
            let mut words: FxHashMap<NodeId, f32> = FxHashMap::default();
            for (look, run) in self.looks.iter().zip(&self.runs.runs).filter(|(look, _)| look.is_prose) {
                let node = (0..levels).fold(run.block, |node, _| tree.parent(node).unwrap_or(node));
                *words.entry(node).or_default() += look.words;
            }
            let mut words: Vec<f32> = words.into_values().collect();
            words.sort_unstable_by(|a, b| b.total_cmp(a));
            let all: f32 = words.iter().sum();
            let at = |place: usize| words.get(place).copied().unwrap_or(0.0);
            sink.add(format_args!("words of the largest {name}"), at(0));
            sink.add(format_args!("second {name}"), share(at(1), at(0)));
            sink.add(format_args!("median {name}"), at(words.len() / 2));
            sink.add(format_args!("number of {name}s"), words.len() as f32);
            sink.add(format_args!("largest {name}'s share"), share(at(0), all));
        }
    }

    /// Whether the prose stands under headlines that lead to other pages, as teasers do.
    fn measure_linked_headings(&self, sink: &mut impl MeasureSink) {
        let own = self.own_target();
        let is_elsewhere = |look: &Look| look.target.is_some() && look.target != own;
        let is_title = |look: &Look| {
            !look.is_prose && (look.is_heading || (look.is_link() && look.words >= TITLE_WORDS))
        };
        let [mut under_linked, mut under_unlinked, mut cut_off, mut prose, mut between] = [0.0; 5];
        let mut linked = 0;
        let mut last: Option<bool> = None;
        // For each run the next link that leads elsewhere; with the last one it encloses a teaser.
        let mut next = vec![None; self.looks.len() + 1];
        for (number, look) in self.looks.iter().enumerate().rev() {
            next[number] = if is_elsewhere(look) && !look.is_prose { look.target } else { next[number + 1] };
        }
        let mut before = None;
        let (mut teasers, mut since_link) = (0, usize::MAX);
        for (number, look) in self.looks.iter().enumerate() {
            if is_title(look) {
                last = Some(is_elsewhere(look));
                linked += usize::from(is_elsewhere(look) && look.is_heading);
                since_link = if is_elsewhere(look) { number } else { usize::MAX };
            }
            if look.is_prose && since_link != usize::MAX {
                teasers += usize::from(number - since_link <= TEASER_RUNS);
                since_link = usize::MAX;
            }
            if !look.is_prose {
                before = if is_elsewhere(look) { look.target } else { before };
                continue;
            }
            prose += look.words;
            match last {
                Some(true) => under_linked += look.words,
                Some(false) => under_unlinked += look.words,
                None => {}
            }
            cut_off += if look.is_cut_off { look.words } else { 0.0 };
            between += if before.is_some() && before == next[number + 1] { look.words } else { 0.0 };
        }
        let in_stretch = self.looks.get(self.stretch.runs.clone()).unwrap_or_default();
        let linked_inside = in_stretch.iter().filter(|look| is_title(look) && is_elsewhere(look)).count();
        sink.add("linked headings", linked as f32);
        sink.add("linked headings in the stretch", linked_inside as f32);
        sink.add("linked titles with prose below", teasers as f32);
        sink.add("prose under linked headings", share(under_linked, prose));
        sink.add("prose under other headings", share(under_unlinked, prose));
        sink.add("prose between two links to one page", share(between, prose));
        sink.add("prose that is cut off", share(cut_off, prose));
        sink.add("runs that are cut off", self.looks.iter().filter(|look| look.is_cut_off).count() as f32);
    }

    /// Siblings of one kind that each have a link: the entries of a list of articles.
    fn measure_records(&self, sink: &mut impl MeasureSink) {
        let tree = &self.page.tree;
        // The widest link of each element, handed up: a child comes after its parent in the tree.
        let words = self.runs.sums(|run| run.words);
        let mut widest = vec![0.0_f32; tree.len()];
        for leaf in self.page.leaves.iter().filter(|leaf| !leaf.is_image) {
            let Some(link) = leaf.link else { continue };
            widest[link.index()] += tree.text(leaf.node).map_or(0.0, crate::text::words_of_prose);
        }
        for node in tree.node_ids().rev() {
            if let Some(parent) = tree.parent(node) {
                widest[parent.index()] = widest[parent.index()].max(widest[node.index()]);
            }
        }
        let (mut records, mut of_words, mut most) = (0, 0.0, 0);
        let prose = self
            .runs
            .sums_of(|number, _| if self.looks[number].is_prose { self.looks[number].words } else { 0.0 });
        let mut of_prose = 0.0;
        let mut counts: FxHashMap<&str, (usize, f32, f32)> = FxHashMap::default();
        let mut outermost = tree.root();
        for node in tree.node_ids() {
            // What is inside records is not counted again.
            if node.index() < outermost.index() || widest[node.index()] < RECORD_LINK_WORDS {
                continue;
            }
            counts.clear();
            for child in tree.children(node) {
                let Some(tag) = tree.tag(child) else { continue };
                let range = self.runs.under(tree, child);
                let inside = words.over(range.clone());
                if widest[child.index()] >= RECORD_LINK_WORDS
                    && widest[child.index()] >= inside * RECORD_LINK_SHARE
                {
                    let count = counts.entry(tag).or_default();
                    *count = (count.0 + 1, count.1 + inside, count.2 + prose.over(range));
                }
            }
            let found = counts.values().filter(|(count, ..)| *count >= LEAST_RECORDS);
            let found = found.fold((0, 0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1, sum.2 + one.2));
            if found.0 > 0 {
                (records, of_words, of_prose) = (records + found.0, of_words + found.1, of_prose + found.2);
                most = most.max(found.0);
                outermost = tree.subtree_end(node);
            }
        }
        sink.add("records", records as f32);
        sink.add("most records of a list", most as f32);
        sink.add("records' share of the page", share(of_words, words.all()));
        sink.add("records' share of the prose", share(of_prose, prose.all()));
    }

    fn measure_links(&self, sink: &mut impl MeasureSink) {
        let host = self.page.url.host();
        let shape = self.address.shape();
        let is_own_host: Vec<bool> = self.targets.iter().map(|target| target.host() == host).collect();
        let is_own_shape: Vec<bool> = self
            .targets
            .iter()
            .zip(&is_own_host)
            .map(|(target, own)| *own && Address::new(target).shape() == shape)
            .collect();
        let count =
            |is: &dyn Fn(usize) -> bool| (0..self.targets.len()).filter(|&target| is(target)).count() as f32;
        let mut titled = FxHashSet::default();
        let (mut texts, mut targets): (FxHashMap<u32, FxHashSet<u32>>, FxHashMap<u32, FxHashSet<u32>>) =
            Default::default();
        for link in &self.links {
            if link.words >= TITLE_WORDS {
                titled.insert(link.target);
            } else {
                targets.entry(link.text).or_default().insert(link.target);
            }
            texts.entry(link.target).or_default().insert(link.text);
        }
        let words: f32 = self.looks.iter().map(|look| look.words).sum();
        let link_words: f32 = self.looks.iter().map(|look| look.link_words).sum();
        sink.add("link words", share(link_words, words));
        sink.add("number of link words", link_words);
        sink.add("pages of the site linked", count(&|target| is_own_host[target]));
        sink.add(
            "pages of the site linked by a title",
            count(&|target| is_own_host[target] && titled.contains(&(target as u32))),
        );
        sink.add("other sites linked", count(&|target| !is_own_host[target]));
        sink.add(
            "pages linked by several texts",
            texts.values().filter(|texts| texts.len() > 1).count() as f32,
        );
        sink.add("pages of one short text", targets.values().map(FxHashSet::len).max().unwrap_or(0) as f32);
        sink.add("links that are numbers", self.links.iter().filter(|link| link.is_number).count() as f32);
        sink.add("pages of the own shape linked", count(&|target| is_own_shape[target]));
        sink.add(
            "pages of the own shape linked by a title",
            count(&|target| is_own_shape[target] && titled.contains(&(target as u32))),
        );
        let in_stretch = self.looks.get(self.stretch.runs.clone()).unwrap_or_default();
        sink.add(
            "links before the stretch",
            self.looks.iter().take(self.stretch.runs.start).filter(|look| look.is_link()).count() as f32,
        );
        sink.add(
            "links in the stretch",
            in_stretch.iter().filter(|look| look.target.is_some()).count() as f32,
        );
    }

    fn measure_dates(&self, sink: &mut impl MeasureSink) {
        let dates = self.looks.iter().filter(|look| look.is_date).count();
        let around = self.headline.as_ref().map_or(self.stretch.runs.start, |headline| headline.run);
        let near = around.saturating_sub(NEAR_BEFORE)..(around + NEAR_AFTER + 1).min(self.looks.len());
        let distance = self.looks.iter().enumerate().filter(|(_, look)| look.is_date);
        let distance = distance.map(|(number, _)| (number as f32 - around as f32).abs()).fold(FAR, f32::min);
        let near_looks = self.looks.get(near).unwrap_or_default();
        let is_name = |look: &&Look| look.is_link() && (2.0..=4.0).contains(&look.link_words);
        sink.add("dates", dates as f32);
        sink.add("runs from the headline to a date", distance);
        sink.add("dates near the headline", near_looks.iter().filter(|look| look.is_date).count() as f32);
        sink.add("short links near the headline", near_looks.iter().filter(is_name).count() as f32);
        sink.add("links near the headline", near_looks.iter().filter(|look| look.is_link()).count() as f32);
        let tree = &self.page.tree;
        sink.add(
            "elements of time",
            tree.tag_named("time")
                .map_or(0, |tag| tree.node_ids().filter(|&node| tree.tag_id(node) == Some(tag)).count())
                as f32,
        );
    }

    /// How the stretch is written, in signs a thousand.
    fn measure_style(&self, sink: &mut impl MeasureSink) {
        let [mut all, mut digits, mut capitals, mut quotes, mut commas, mut stops, mut questions] =
            [0.0_f32; 7];
        let prose = self.stretch.runs.clone().filter(|&run| self.looks[run].is_prose);
        for c in prose.flat_map(|run| self.runs.runs[run].text.chars()) {
            all += 1.0;
            let counter = match c {
                '0'..='9' => &mut digits,
                '"' | '“' | '”' | '„' | '«' | '»' | '「' | '」' | '『' | '』' | '‘' => {
                    &mut quotes
                }
                ',' | '،' | '、' | '，' => &mut commas,
                '.' | '。' | '।' | '۔' => &mut stops,
                '?' | '!' | '؟' | '？' | '！' => &mut questions,
                _ if c.is_uppercase() => &mut capitals,
                _ => continue,
            };
            *counter += 1.0;
        }
        for (name, count) in [
            ("digits", digits),
            ("capitals", capitals),
            ("quotes", quotes),
            ("commas", commas),
            ("stops", stops),
            ("questions", questions),
        ] {
            sink.add(
                format_args!("{name} of the prose"),
                if all > 0.0 { count * 1000.0 / all } else { -1.0 },
            );
        }
    }

    /// What stands on the page besides its text.
    fn measure_surroundings(&self, sink: &mut impl MeasureSink) {
        let page = self.page;
        let tree = &page.tree;
        let mut count = vec![0.0_f32; tree.tag_count()];
        for tag in tree.node_ids().filter_map(|node| tree.tag_id(node)) {
            count[tag.index()] += 1.0;
        }
        let of = |tag: &str| tree.tag_named(tag).map_or(0.0, |tag| count[tag.index()]);
        sink.add("fields for long texts", of("textarea"));
        sink.add("fields", of("input") + of("select"));
        sink.add("buttons", of("button"));
        sink.add("pictures", of("img"));
        sink.add("elements of article", of("article"));
        sink.add("code", of("code") + of("pre"));
        sink.add("cells", of("td"));
        sink.add("frames", of("iframe"));
        // Links by which readers share the page carry its address.
        let own = page.url.as_str();
        let bare = own.split_once("://").map_or(own, |(_, rest)| rest);
        let host = page.url.host();
        let is_share = |target: &&CanonicalUrl| {
            target.host() != host && bare.len() > host.len() + 1 && {
                let query = percent_encoding::percent_decode_str(target.as_str()).decode_utf8_lossy();
                query.contains(bare)
            }
        };
        sink.add("links that share the page", self.targets.iter().filter(is_share).count() as f32);
        sink.flag("JSON-LD calls it an article", self.metadata.is_declared_article);
        sink.flag("OpenGraph calls it an article", self.metadata.is_opengraph_article);
        sink.add("what else the markup calls it", self.metadata.other_kind);
    }

    /// The number of the page's own address among the targets.
    fn own_target(&self) -> Option<u32> {
        own_target(self.page, &self.targets)
    }
}

/// The number of the page's own address among the targets. A copy of a site lies on another host under the same path.
fn own_target(page: &Page, targets: &[CanonicalUrl]) -> Option<u32> {
    let path = folder_of(page.url.path());
    let is_own =
        |target: &CanonicalUrl| *target == page.url || (path.len() > 1 && folder_of(target.path()) == path);
    targets.iter().position(is_own).map(|at| at as u32)
}

/// A path without "index.html" or the like at its end, which servers give for the folder.
fn folder_of(path: &str) -> &str {
    let (folder, name) = path.rsplit_once('/').unwrap_or((path, ""));
    if name.is_empty() || name.starts_with("index.") { folder } else { path }
}

/// The links with text, the addresses they lead to, and the first of each run.
fn links_of(page: &Page, runs: &Runs) -> (Vec<LinkText>, Vec<CanonicalUrl>, Vec<Option<u32>>) {
    let mut targets: Vec<CanonicalUrl> = Vec::new();
    let mut number_of: FxHashMap<CanonicalUrl, u32> = FxHashMap::default();
    let mut of_node: FxHashMap<NodeId, Option<u32>> = FxHashMap::default();
    let mut first_of_run = vec![None; runs.runs.len()];
    let mut texts: Vec<(NodeId, u32, String)> = Vec::new();
    let mut run = 0;
    for leaf in page.leaves.iter() {
        while runs.runs.get(run + 1).is_some_and(|next| next.first <= leaf.node) {
            run += 1;
        }
        let Some(link) = leaf.link else { continue };
        let target = *of_node.entry(link).or_insert_with(|| {
            let target = page.target(link)?;
            let number = *number_of.entry(target.clone()).or_insert_with(|| {
                targets.push(target);
                targets.len() as u32 - 1
            });
            Some(number)
        });
        let Some(target) = target else { continue };
        if let Some(first) = first_of_run.get_mut(run).filter(|_| !leaf.is_image) {
            first.get_or_insert(target);
        }
        if leaf.is_image {
            continue;
        }
        let text = page.tree.text(leaf.node).unwrap_or_default();
        match texts.last_mut().filter(|(node, ..)| *node == link) {
            Some((_, _, joined)) => joined.push_str(text),
            None => texts.push((link, target, text.to_owned())),
        }
    }
    let link = |(_, target, text): (NodeId, u32, String)| LinkText {
        target,
        text: hash(&letters(&text)),
        words: crate::text::words_of_prose(&text),
        is_number: !text.trim().is_empty() && text.trim().chars().all(|c| c.is_numeric()),
    };
    (texts.into_iter().map(link).collect(), targets, first_of_run)
}

fn look_of(tree: &PageTree, run: &Run, target: Option<u32>) -> Look {
    let tags = [Some(run.block), tree.parent(run.block)].map(|node| node.and_then(|node| tree.tag(node)));
    let is_tag = |names: &[&str]| tags.iter().flatten().any(|tag| names.contains(tag));
    let has_end = || ends_sentence(&run.text) || has_sentence_end_inside(&run.text);
    let own_words = run.words - run.link_words;
    let is_prose = run.link_words <= own_words
        && (own_words >= PROSE_WORDS || (own_words >= SENTENCE_WORDS && has_end()));
    let is_heading = is_tag(&["h1", "h2", "h3", "h4", "h5", "h6"]);
    Look {
        words: run.words,
        link_words: run.link_words,
        is_prose: is_prose && !is_heading,
        is_heading,
        is_list_item: is_tag(&["li", "dd"]),
        target,
        is_date: run.words <= DATE_WORDS && (has_date(&run.text) || is_tag(&["time"])),
        is_cut_off: run.text.ends_with(['…', ']']) || run.text.ends_with("..."),
    }
}

/// Whether a sentence ends before the end of a text: a stop, a space and more.
fn has_sentence_end_inside(text: &str) -> bool {
    let mut letters = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = letters.next() {
        match c {
            '。' | '！' | '？' | '।' | '؟' | '۔' => return letters.peek().is_some(),
            // Not after a single letter or digit: "J. Smith", "3. May".
            '.' | '!' | '?' if before.is_lowercase() && letters.peek() == Some(&' ') => return true,
            _ => before = c,
        }
    }
    false
}

/// Whether a short text has a date: a year with a day, or numbers set like a date, with digits of any script.
fn has_date(text: &str) -> bool {
    let mut numbers: Vec<(u32, usize)> = Vec::new();
    let (mut value, mut length) = (0_u32, 0);
    let mut has_joint = false;
    for c in text.chars().chain([' ']) {
        match digit_of(c) {
            Some(digit) => {
                value = value.saturating_mul(10).saturating_add(digit);
                length += 1;
            }
            None if length > 0 => {
                numbers.push((value, length));
                (value, length) = (0, 0);
                has_joint |= matches!(c, '/' | '.' | '-' | '年' | '月');
            }
            None => {}
        }
    }
    let is_year = |&(value, length): &(u32, usize)| length == 4 && (1300..=2600).contains(&value);
    let is_day = |&(value, length): &(u32, usize)| length <= 2 && (1..=31).contains(&value);
    let (years, days) =
        (numbers.iter().filter(|n| is_year(n)).count(), numbers.iter().filter(|n| is_day(n)).count());
    (years > 0 && days > 0) || (has_joint && days >= 3)
}

/// The value of a decimal digit of any of the scripts that dates are written in.
fn digit_of(c: char) -> Option<u32> {
    const ZEROS: [char; 8] = ['٠', '۰', '०', '০', '๐', '០', '၀', '０'];
    c.to_digit(10).or_else(|| {
        ZEROS.iter().find_map(|&zero| (c as u32).checked_sub(zero as u32).filter(|digit| *digit < 10))
    })
}

/// The run that the title names: the longest, headings first, those that lead elsewhere last; else the first `h1`.
fn find_headline(
    page: &Page,
    metadata: &Metadata,
    runs: &Runs,
    looks: &[Look],
    targets: &[CanonicalUrl],
) -> Option<Headline> {
    let titles = [page.title.as_deref(), metadata.og_title.as_deref()].into_iter().flatten().map(letters);
    let titles: Vec<String> = titles.filter(|title| !title.is_empty()).collect();
    let own = own_target(page, targets);
    let mut best: Option<((bool, bool, usize), Headline)> = None;
    let mut seen = FxHashSet::default();
    for (number, (run, look)) in runs.runs.iter().zip(looks).enumerate() {
        if look.words > HEADLINE_WORDS || look.words < 1.0 {
            continue;
        }
        let text = letters(&run.text);
        // The first of equal texts stands for all of its kind; menus of thousands of entries are compared once each.
        if text.is_empty() || !seen.insert((hash(&text), look.is_heading)) {
            continue;
        }
        let Some(title) = titles.iter().find(|title| title.contains(&text)) else { continue };
        let leads_elsewhere = look.target.is_some() && look.target != own;
        let order = (look.is_heading && !leads_elsewhere, !leads_elsewhere, text.len());
        if best.as_ref().is_none_or(|(held, _)| *held < order) {
            let title_share = share(text.len() as f32, title.len() as f32);
            best = Some((order, Headline { run: number, title_share, letters: text }));
        }
    }
    best.map(|(_, headline)| headline).or_else(|| {
        let tree = &page.tree;
        let is_h1 = |run: &Run| tree.tag(run.block) == Some("h1") || tree.is_inside(run.block, &["h1"]);
        let run = runs.runs.iter().position(is_h1)?;
        Some(Headline { run, title_share: 0.0, letters: letters(&runs.runs[run].text) })
    })
}

/// The range of runs with the largest sum of worth.
fn best_stretch(looks: &[Look], within: Range<usize>) -> Stretch {
    let mut best = Stretch { runs: within.start..within.start, worth: 0.0 };
    let (mut start, mut sum) = (within.start, 0.0);
    for number in within {
        if sum <= 0.0 {
            (start, sum) = (number, 0.0);
        }
        sum += looks[number].worth();
        if sum > best.worth {
            best = Stretch { runs: start..number + 1, worth: sum };
        }
    }
    best
}

/// The tags and first classes of an element and those around it, numbers masked.
fn path_of(tree: &PageTree, node: NodeId) -> String {
    let mut path = String::new();
    for node in std::iter::once(node).chain(tree.ancestors(node)) {
        let Some(tag) = tree.tag(node) else { continue };
        path.push_str(tag);
        if let Some(class) = tree.classes(node).next().filter(|_| tag != "body" && tag != "html") {
            path.push('.');
            path.extend(class.chars().filter(|c| !c.is_ascii_digit()));
        }
        path.push(' ');
    }
    path
}
