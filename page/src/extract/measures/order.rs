//! Measures that compare a run with others: those with the same tags and classes, and its neighbours.
//!
//! A signature is an element's tag and class, with digits made equal, alone or with its ancestors. Runs of one
//! signature are mostly all body or all not, so their sums are evidence about each of them.

use std::hash::{Hash, Hasher};

use crate::measures::MeasureSink;
use crate::reading::{NodeId, PageTree};
use rustc_hash::FxHasher;

use super::context::{PageContext, SignatureSums, SumsBySignature, flag};
use crate::extract::runs::{Run, share};

const FAR: f32 = 30.0;

/// The signatures of the runs, and the sums of each signature.
pub(super) struct OrderMeasures {
    keys: Vec<RunSignatures>,
    block: SumsBySignature,
    three: SumsBySignature,
    path: SumsBySignature,
    tags: SumsBySignature,
    holder: SumsBySignature,
    /// Distances to the nearest prose, and to the nearest prose with the same three elements.
    to_prose: ProseDistances,
    to_like: ProseDistances,
    /// For each run how many pictures begin before it.
    pictures: Vec<u32>,
}

/// For each run the number of runs to the nearest prose before it, and behind it.
struct ProseDistances {
    before: Vec<f32>,
    behind: Vec<f32>,
}

/// The signatures of one run.
#[derive(Clone, Copy, Default)]
struct RunSignatures {
    block: u64,
    three: u64,
    path: u64,
    tags: u64,
    holder: u64,
}

impl OrderMeasures {
    pub(super) fn new(context: &PageContext<'_>, signatures: &Signatures) -> OrderMeasures {
        let keys: Vec<RunSignatures> =
            context.runs.runs.iter().map(|run| signatures.of_run(context, run)).collect();
        let group = |pick: fn(&RunSignatures) -> u64| {
            let mut groups = SumsBySignature::default();
            for ((run, keys), is_prose) in context.runs.runs.iter().zip(&keys).zip(&context.is_prose) {
                let alike: &mut SignatureSums = groups.entry(pick(keys)).or_default();
                alike.runs += 1.0;
                alike.words += run.words;
                alike.links += run.link_words;
                alike.prose += if *is_prose { run.words } else { 0.0 };
            }
            groups
        };
        let is_prose = &context.is_prose;
        let three: Vec<u64> = keys.iter().map(|keys| keys.three).collect();
        OrderMeasures {
            block: group(|keys| keys.block),
            three: group(|keys| keys.three),
            path: group(|keys| keys.path),
            tags: group(|keys| keys.tags),
            holder: group(|keys| keys.holder),
            to_prose: prose_distances(is_prose, None),
            to_like: prose_distances(is_prose, Some(&three)),
            pictures: pictures_before_runs(context),
            keys,
        }
    }

    pub(super) fn measure(&self, context: &PageContext<'_>, number: usize, measures: &mut impl MeasureSink) {
        self.measure_alike(context, number, measures);
        measure_place(context, number, measures);
        measure_window(context, number, measures);
        let runs = &context.runs.runs;
        let before = number.checked_sub(1).and_then(|at| runs.get(at));
        let behind = runs.get(number + 1);
        for (side, run) in [("before", before), ("behind", behind)] {
            let measured = |measure: fn(&Run) -> f32| run.map_or(-1.0, measure);
            measures.add(format_args!("words {side}"), measured(|run| run.words));
            measures.add(format_args!("links {side}"), measured(Run::link_share));
            measures.add(format_args!("prose is {side}"), measured(|run| flag(run.is_prose())));
        }
        let own = &runs[number];
        for (side, run) in [("before", before), ("behind", behind)] {
            let is_same = run.is_some_and(|run| run.block == own.block);
            measures.flag(format_args!("same block as {side}"), is_same);
        }
        for (side, run) in [("before", before), ("behind", behind)] {
            let is_same = run.is_some_and(|run| context.holder(run) == context.holder(own));
            measures.flag(format_args!("same holder as {side}"), is_same);
        }
        measures.add("to prose before", self.to_prose.before[number]);
        measures.add("to prose behind", self.to_prose.behind[number]);
        measures.add("to like prose before", self.to_like.before[number]);
        measures.add("to like prose behind", self.to_like.behind[number]);
        let is_heading = |run: &Run| {
            context
                .tree
                .tag(run.block)
                .is_some_and(|tag| tag.len() == 2 && tag.starts_with('h') && tag != "hr")
        };
        measures.flag("heading before", before.is_some_and(is_heading));
        let pictures_before = number.checked_sub(1).map_or(0, |before| self.pictures[before]);
        measures.flag("caption or picture before", self.pictures[number] > pictures_before);
        measures.add("page's prose", context.prose.all());
        measures.add("page's words", context.words.all());
        measures.add("page's runs", runs.len() as f32);
        // Pages of the news, of blogs and of shops hold other things around and in their texts.
        measures.flag("page is told to be an article", context.claims.is_declared_article);
        measures.flag("page is told to be news", context.claims.is_declared_news);
        measures.flag("page is shared as an article", context.claims.is_opengraph_article);
    }

    fn measure_alike(&self, context: &PageContext<'_>, number: usize, measures: &mut impl MeasureSink) {
        let keys = self.keys[number];
        let all = context.prose.all();
        let sums_of = |groups: &SumsBySignature, key: u64| groups.get(&key).copied().unwrap_or_default();
        let block = sums_of(&self.block, keys.block);
        let three = sums_of(&self.three, keys.three);
        let path = sums_of(&self.path, keys.path);
        let tags = sums_of(&self.tags, keys.tags);
        let holder = sums_of(&self.holder, keys.holder);
        measures.add("like block: prose share", share(block.prose, all));
        measures.add("like block: runs", block.runs);
        measures.add("like block: words a run", block.words / block.runs.max(1.0));
        measures.add("like block: link share", share(block.links, block.words));
        measures.add("like three: prose share", share(three.prose, all));
        measures.add("like three: runs", three.runs);
        measures.add("like three: words a run", three.words / three.runs.max(1.0));
        measures.add("like three: link share", share(three.links, three.words));
        measures.add("like three: prose density", share(three.prose, three.words));
        measures.add("like path: prose share", share(path.prose, all));
        measures.add("like path: runs", path.runs);
        measures.add("like path: link share", share(path.links, path.words));
        measures.add("like path: prose density", share(path.prose, path.words));
        measures.add("like tags: prose share", share(tags.prose, all));
        measures.add("like tags: runs", tags.runs);
        measures.add("like holder: prose share", share(holder.prose, all));
        measures.add("like holder: prose density", share(holder.prose, holder.words));
    }
}

fn measure_place(context: &PageContext<'_>, number: usize, measures: &mut impl MeasureSink) {
    let count = context.runs.runs.len();
    let all = context.prose.all();
    let (runs, words) = match context.headline {
        Some(headline) if headline <= number => {
            ((number - headline) as f32, context.words.over(headline..number))
        }
        Some(headline) => (number as f32 - headline as f32, -context.words.over(number..headline)),
        None => (-1000.0, -100_000.0),
    };
    measures.add("place on page", number as f32 / count as f32);
    measures.add("runs behind the headline", runs);
    measures.add("words behind the headline", words);
    measures.add("prose before", share(context.prose.over(0..number), all));
    measures.add("prose behind", share(context.prose.over(number + 1..count), all));
}

fn measure_window(context: &PageContext<'_>, number: usize, measures: &mut impl MeasureSink) {
    let count = context.runs.runs.len();
    let within =
        |before: usize, behind: usize| number.saturating_sub(before)..(number + behind + 1).min(count);
    let prose = |before: usize, behind: usize| {
        let range = within(before, behind);
        share(context.prose.over(range.clone()), context.words.over(range))
    };
    let links = within(3, 3);
    measures.add("prose within 2", prose(2, 2));
    measures.add("prose within 10", prose(10, 10));
    measures.add("prose within 10 before", context.prose.over(within(10, 0)));
    measures.add("prose within 10 behind", context.prose.over(within(0, 10)));
    measures.add("links within 3", share(context.links.over(links.clone()), context.words.over(links)));
}

/// The distance of each run to the nearest prose; if kinds are given, to prose of its own kind.
fn prose_distances(is_prose: &[bool], kinds: Option<&[u64]>) -> ProseDistances {
    ProseDistances {
        before: prose_distances_to_one_side(is_prose, kinds, false),
        behind: prose_distances_to_one_side(is_prose, kinds, true),
    }
}

/// One pass in reading order, or against it: the last prose of each kind is the nearest one on that side.
fn prose_distances_to_one_side(is_prose: &[bool], kinds: Option<&[u64]>, is_behind: bool) -> Vec<f32> {
    let mut last: rustc_hash::FxHashMap<u64, usize> = rustc_hash::FxHashMap::default();
    let mut found = vec![FAR; is_prose.len()];
    let mut visit = |at: usize| {
        let kind = kinds.map_or(0, |kinds| kinds[at]);
        if let Some(last) = last.get(&kind) {
            found[at] = (at.abs_diff(*last) as f32).min(FAR);
        }
        if is_prose[at] {
            last.insert(kind, at);
        }
    };
    if is_behind {
        (0..is_prose.len()).rev().for_each(&mut visit)
    } else {
        (0..is_prose.len()).for_each(&mut visit)
    }
    found
}

/// For each run the number of pictures, videos and frames before it.
fn pictures_before_runs(context: &PageContext<'_>) -> Vec<u32> {
    let tree = context.tree;
    let is_picture =
        |node: &NodeId| matches!(tree.tag(*node), Some("img" | "video" | "iframe" | "figure" | "picture"));
    let mut nodes = tree.node_ids().filter(is_picture).peekable();
    let mut seen = 0;
    let count = |run: &Run| {
        while nodes.next_if(|node| *node < run.first).is_some() {
            seen += 1;
        }
        seen
    };
    context.runs.runs.iter().map(count).collect()
}

/// Hashes of each node's tag and class: alone, and of the whole path down to it; also of the tags in the path.
pub(super) struct Signatures {
    own: Vec<u64>,
    pub(super) path: Vec<u64>,
    tags: Vec<u64>,
}

impl Signatures {
    /// The signature of an element among its siblings.
    pub(super) fn among_siblings(&self, tree: &PageTree, node: NodeId) -> u64 {
        mix_hashes(tree.parent(node).map_or(0, |above| above.index() as u64 + 1), self.own[node.index()])
    }

    pub(super) fn new(tree: &PageTree) -> Signatures {
        let mut found = Signatures { own: Vec::new(), path: Vec::new(), tags: Vec::new() };
        for node in tree.node_ids() {
            let own = own_signature(tree, node);
            let above = tree.parent(node).map(NodeId::index);
            let tag = tree.tag_id(node).map_or(0, |tag| tag.index() as u64 + 1);
            found.path.push(mix_hashes(above.map_or(0, |above| found.path[above]), own));
            found.tags.push(mix_hashes(above.map_or(0, |above| found.tags[above]), tag));
            found.own.push(own);
        }
        found
    }

    fn of_run(&self, context: &PageContext<'_>, run: &Run) -> RunSignatures {
        let at = run.block.index();
        let above = |node: NodeId| context.tree.parent(node).unwrap_or(node);
        let parent = above(run.block);
        let three =
            mix_hashes(mix_hashes(self.own[at], self.own[parent.index()]), self.own[above(parent).index()]);
        let holder = context.holder(run).index();
        RunSignatures {
            block: self.own[at],
            three,
            path: self.path[at],
            tags: self.tags[at],
            holder: self.path[holder],
        }
    }
}

fn own_signature(tree: &PageTree, node: NodeId) -> u64 {
    let Some(tag) = tree.tag(node) else { return 0 };
    let mut hasher = FxHasher::default();
    tag.hash(&mut hasher);
    for byte in tree.attr(node, "class").unwrap_or_default().bytes() {
        hasher.write_u8(if byte.is_ascii_digit() { b'#' } else { byte });
    }
    hasher.finish()
}

fn mix_hashes(a: u64, b: u64) -> u64 {
    (a.rotate_left(23) ^ b).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
