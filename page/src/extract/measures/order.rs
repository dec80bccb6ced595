//! What a run has in common with others by its tags and classes, and what stands around it.
//!
//! A signature is an element's tag and class, digits alike, alone or with those above it. Runs of one
//! signature are mostly all body or all not, so what they hold together tells of each.

use std::hash::{Hash, Hasher};

use crate::reading::{NodeId, PageTree};
use rustc_hash::FxHasher;

use super::{Alike, Groups, Scene, flag};
use crate::extract::runs::{Run, share};

pub(super) const NAMES: [&str; 46] = [
    "like block: prose share",
    "like block: runs",
    "like block: words a run",
    "like block: link share",
    "like three: prose share",
    "like three: runs",
    "like three: words a run",
    "like three: link share",
    "like three: prose density",
    "like path: prose share",
    "like path: runs",
    "like path: link share",
    "like path: prose density",
    "like tags: prose share",
    "like tags: runs",
    "like holder: prose share",
    "like holder: prose density",
    "place on page",
    "runs behind the headline",
    "words behind the headline",
    "prose before",
    "prose behind",
    "prose within 2",
    "prose within 10",
    "prose within 10 before",
    "prose within 10 behind",
    "links within 3",
    "words before",
    "links before",
    "prose is before",
    "words behind",
    "links behind",
    "prose is behind",
    "same block as before",
    "same block as behind",
    "same holder as before",
    "same holder as behind",
    "to prose before",
    "to prose behind",
    "to like prose before",
    "to like prose behind",
    "heading before",
    "caption or picture before",
    "page's prose",
    "page's words",
    "page's runs",
];
const FAR: f32 = 30.0;

/// Signatures of the runs and what they hold.
pub(super) struct Orders {
    keys: Vec<Keys>,
    block: Groups,
    three: Groups,
    path: Groups,
    tags: Groups,
    holder: Groups,
    /// Distances in runs to the nearest prose, and to that of like three elements; before and behind.
    to_prose: [Vec<f32>; 2],
    to_like: [Vec<f32>; 2],
    /// For each run how many pictures begin before it.
    pictures: Vec<u32>,
}

/// Signatures of one run.
#[derive(Clone, Copy, Default)]
struct Keys {
    block: u64,
    three: u64,
    path: u64,
    tags: u64,
    holder: u64,
}

impl Orders {
    pub(super) fn of(scene: &Scene<'_>, signatures: &Signatures) -> Orders {
        let keys: Vec<Keys> = scene.runs.runs.iter().map(|run| signatures.keys(scene, run)).collect();
        let group = |pick: fn(&Keys) -> u64| {
            let mut groups = Groups::default();
            for ((run, keys), is_prose) in scene.runs.runs.iter().zip(&keys).zip(&scene.is_prose) {
                let alike: &mut Alike = groups.entry(pick(keys)).or_default();
                alike.runs += 1.0;
                alike.words += run.words;
                alike.links += run.link_words;
                alike.prose += if *is_prose { run.words } else { 0.0 };
            }
            groups
        };
        let is_prose = &scene.is_prose;
        let three: Vec<u64> = keys.iter().map(|keys| keys.three).collect();
        Orders {
            block: group(|keys| keys.block),
            three: group(|keys| keys.three),
            path: group(|keys| keys.path),
            tags: group(|keys| keys.tags),
            holder: group(|keys| keys.holder),
            to_prose: [distances(is_prose, None, false), distances(is_prose, None, true)],
            to_like: [distances(is_prose, Some(&three), false), distances(is_prose, Some(&three), true)],
            pictures: pictures(scene),
            keys,
        }
    }

    pub(super) fn push(&self, scene: &Scene<'_>, number: usize, values: &mut Vec<f32>) {
        self.push_alike(scene, number, values);
        push_place(scene, number, values);
        push_window(scene, number, values);
        let runs = &scene.runs.runs;
        let near = [number.checked_sub(1), Some(number + 1)].map(|at| at.and_then(|at| runs.get(at)));
        for run in near {
            values.extend(run.map_or([-1.0; 3], |run| [run.words, run.link_share(), flag(run.is_prose())]));
        }
        let own = &runs[number];
        let same = |run: Option<&Run>| run.is_some_and(|run| run.block == own.block);
        let held = |run: Option<&Run>| run.is_some_and(|run| scene.holder(run) == scene.holder(own));
        values.extend([same(near[0]), same(near[1]), held(near[0]), held(near[1])].map(flag));
        values.extend(self.to_prose.iter().chain(&self.to_like).map(|distances| distances[number]));
        let heading = near[0].is_some_and(|run| {
            scene.tree.tag(run.block).is_some_and(|tag| tag.len() == 2 && tag.starts_with('h') && tag != "hr")
        });
        let picture = self.pictures[number] > number.checked_sub(1).map_or(0, |before| self.pictures[before]);
        values.extend([
            flag(heading),
            flag(picture),
            scene.prose.all(),
            scene.words.all(),
            runs.len() as f32,
        ]);
    }

    fn push_alike(&self, scene: &Scene<'_>, number: usize, values: &mut Vec<f32>) {
        let keys = self.keys[number];
        let all = scene.prose.all();
        let of = |groups: &Groups, key: u64| groups.get(&key).copied().unwrap_or_default();
        let block = of(&self.block, keys.block);
        let three = of(&self.three, keys.three);
        let path = of(&self.path, keys.path);
        let tags = of(&self.tags, keys.tags);
        let holder = of(&self.holder, keys.holder);
        values.extend([
            share(block.prose, all),
            block.runs,
            block.words / block.runs.max(1.0),
            share(block.links, block.words),
            share(three.prose, all),
            three.runs,
            three.words / three.runs.max(1.0),
            share(three.links, three.words),
            share(three.prose, three.words),
            share(path.prose, all),
            path.runs,
            share(path.links, path.words),
            share(path.prose, path.words),
            share(tags.prose, all),
            tags.runs,
            share(holder.prose, all),
            share(holder.prose, holder.words),
        ]);
    }
}

fn push_place(scene: &Scene<'_>, number: usize, values: &mut Vec<f32>) {
    let count = scene.runs.runs.len();
    let all = scene.prose.all();
    values.push(number as f32 / count as f32);
    match scene.headline {
        Some(headline) if headline <= number => {
            values.extend([(number - headline) as f32, scene.words.over(headline..number)]);
        }
        Some(headline) => {
            values.extend([number as f32 - headline as f32, -scene.words.over(number..headline)]);
        }
        None => values.extend([-1000.0, -100_000.0]),
    }
    values.push(share(scene.prose.over(0..number), all));
    values.push(share(scene.prose.over(number + 1..count), all));
}

fn push_window(scene: &Scene<'_>, number: usize, values: &mut Vec<f32>) {
    let count = scene.runs.runs.len();
    let within =
        |before: usize, behind: usize| number.saturating_sub(before)..(number + behind + 1).min(count);
    let prose = |before: usize, behind: usize| {
        let range = within(before, behind);
        share(scene.prose.over(range.clone()), scene.words.over(range))
    };
    let links = within(3, 3);
    values.extend([
        prose(2, 2),
        prose(10, 10),
        scene.prose.over(within(10, 0)),
        scene.prose.over(within(0, 10)),
        share(scene.links.over(links.clone()), scene.words.over(links)),
    ]);
}

/// Runs between each run and the nearest prose before it (or behind it), of its own kind if kinds are given.
fn distances(is_prose: &[bool], kinds: Option<&[u64]>, is_behind: bool) -> Vec<f32> {
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

/// For each run how many pictures, videos and frames stand before it.
fn pictures(scene: &Scene<'_>) -> Vec<u32> {
    let tree = scene.tree;
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
    scene.runs.runs.iter().map(count).collect()
}

/// Hashes of each node's tag and class, and of all from the document down to it.
pub(super) struct Signatures {
    own: Vec<u64>,
    pub(super) path: Vec<u64>,
    tags: Vec<u64>,
}

impl Signatures {
    /// Of an element among its siblings.
    pub(super) fn among_siblings(&self, tree: &PageTree, node: NodeId) -> u64 {
        mixed(tree.parent(node).map_or(0, |above| above.index() as u64 + 1), self.own[node.index()])
    }

    pub(super) fn of(tree: &PageTree) -> Signatures {
        let mut found = Signatures { own: Vec::new(), path: Vec::new(), tags: Vec::new() };
        for node in tree.node_ids() {
            let own = own(tree, node);
            let above = tree.parent(node).map(NodeId::index);
            let tag = tree.tag_id(node).map_or(0, |tag| tag.index() as u64 + 1);
            found.path.push(mixed(above.map_or(0, |above| found.path[above]), own));
            found.tags.push(mixed(above.map_or(0, |above| found.tags[above]), tag));
            found.own.push(own);
        }
        found
    }

    fn keys(&self, scene: &Scene<'_>, run: &Run) -> Keys {
        let at = run.block.index();
        let above = |node: NodeId| scene.tree.parent(node).unwrap_or(node);
        let parent = above(run.block);
        let three = mixed(mixed(self.own[at], self.own[parent.index()]), self.own[above(parent).index()]);
        let holder = scene.holder(run).index();
        Keys {
            block: self.own[at],
            three,
            path: self.path[at],
            tags: self.tags[at],
            holder: self.path[holder],
        }
    }
}

fn own(tree: &PageTree, node: NodeId) -> u64 {
    let Some(tag) = tree.tag(node) else { return 0 };
    let mut hasher = FxHasher::default();
    tag.hash(&mut hasher);
    for byte in tree.attr(node, "class").unwrap_or_default().bytes() {
        hasher.write_u8(if byte.is_ascii_digit() { b'#' } else { byte });
    }
    hasher.finish()
}

fn mixed(a: u64, b: u64) -> u64 {
    (a.rotate_left(23) ^ b).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
