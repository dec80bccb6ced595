//! Boosted trees over measures: how likely something is.
//!
//! Trees are text that people can read and compare, written by the scripts in `train/`. Each line is a split
//! ("measure ⇥ threshold ⇥ then ⇥ else"); a target is a later split of the tree or `=value`. The text is
//! compiled in and parsed once. The likelihood is the logistic function of the sum of the trees' values.
//!
//! Invariants: a target is a later line of its tree, so every walk ends. Measures are found by name (see
//! [`measures`](crate::measures)), so a file with other measures is an error. A row has as many values as
//! there are names. Start at [`Trees::parse`].

/// Most values (end nodes) of a tree.
const MAX_VALUES: usize = 32;

/// An error in a file of trees.
#[derive(Debug, thiserror::Error, PartialEq)]
#[error("line {line} of the trees: {what}")]
pub struct TreesError {
    line: usize,
    what: &'static str,
}

/// Rows that are scored at once.
const LANES: usize = 8;

/// Learnt trees.
///
/// Each threshold of a tree has a mask of the tree's values that remain reachable above it. Scoring applies the
/// masks of all thresholds that the measures are above; the first value left is the one that a walk down the
/// tree finds (Lucchese et al., `QuickScorer`, 2015). No branch depends on a measure, so several rows are scored
/// at once, each in a lane.
#[derive(Clone, Debug, Default)]
pub struct Trees {
    /// Number of measures in a row.
    width: usize,
    /// The conditions of each tree, one tree after another.
    conditions: Vec<Condition>,
    trees: Vec<ScoringTree>,
}

/// A tree as it is scored.
#[derive(Clone, Copy, Debug)]
struct ScoringTree {
    /// One past its last condition.
    end: u32,
    /// In order: those below a threshold come before those above it.
    values: [f32; MAX_VALUES],
}

#[derive(Clone, Copy, Debug)]
struct Condition {
    measure: u32,
    threshold: f32,
    /// Bit mask of the tree's values that remain above the threshold.
    left: u32,
}

/// A tree as parsed.
#[derive(Clone, Debug, Default)]
struct Tree {
    splits: Vec<Split>,
}

#[derive(Clone, Copy, Debug)]
struct Split {
    measure: usize,
    threshold: f32,
    /// Where to go for measures up to the threshold, and above it.
    targets: [Target; 2],
}

#[derive(Clone, Copy, Debug)]
enum Target {
    Split(usize),
    Value(f32),
}

impl Trees {
    /// Parses trees over measures with these names.
    ///
    /// # Errors
    /// A line is not a split, names an unknown measure or leads backwards.
    pub fn parse(text: &str, names: &[impl AsRef<str>]) -> Result<Trees, TreesError> {
        Ok(Trees::new(&parse_trees(text, names)?, names.len()))
    }

    /// The number of trees.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.trees.len()
    }

    fn new(trees: &[Tree], width: usize) -> Trees {
        let mut built = Trees { width, ..Trees::default() };
        for tree in trees {
            built.push(tree);
        }
        built
    }

    fn push(&mut self, tree: &Tree) {
        let (mut values, mut count) = ([0.0; MAX_VALUES], 0);
        // Values below a threshold come first. The condition is known once all of them are stored.
        let mut todo = vec![BuildStep::Down(Target::Split(0))];
        while let Some(step) = todo.pop() {
            match step {
                BuildStep::Down(Target::Value(value)) => {
                    values[count] = value;
                    count += 1;
                }
                BuildStep::Down(Target::Split(at)) => {
                    let Some(split) = tree.splits.get(at) else { continue };
                    todo.push(BuildStep::Down(split.targets[1]));
                    todo.push(BuildStep::Between(*split, count));
                    todo.push(BuildStep::Down(split.targets[0]));
                }
                BuildStep::Between(Split { measure, threshold, .. }, from) => {
                    let (measure, below) = (measure as u32, low_bits(count) & !low_bits(from));
                    self.conditions.push(Condition { measure, threshold, left: !below });
                }
            }
        }
        self.trees.push(ScoringTree { end: self.conditions.len() as u32, values });
    }

    /// The likelihood, 0 to 1, for each row of measures; `rows` holds the rows one after another.
    pub(crate) fn scores(&self, rows: &[f32]) -> Vec<f32> {
        self.sums(rows).into_iter().map(|sum| 1.0 / (1.0 + (-sum).exp())).collect()
    }

    /// The sums of the trees' values for each row: they order rows as likelihoods do, and depend on no library's
    /// exponential function.
    pub fn sums(&self, rows: &[f32]) -> Vec<f32> {
        let width = self.width.max(1);
        debug_assert_eq!(rows.len() % width, 0, "rows of other measures");
        let mut sums = Vec::with_capacity(rows.len() / width);
        let mut lanes = vec![[0.0; LANES]; width];
        for chunk in rows.chunks(width * LANES) {
            for (lane, row) in chunk.chunks_exact(width).enumerate() {
                lanes.iter_mut().zip(row).for_each(|(lanes, measure)| lanes[lane] = *measure);
            }
            sums.extend_from_slice(&self.sum(&lanes)[..chunk.len() / width]);
        }
        sums
    }

    /// The sums of some rows, measure by measure.
    fn sum(&self, measures: &[[f32; LANES]]) -> [f32; LANES] {
        let (mut sums, mut begin) = ([0.0; LANES], 0);
        for ScoringTree { end, values } in &self.trees {
            let left = remaining_values(&self.conditions[begin..*end as usize], measures);
            for (sum, left) in sums.iter_mut().zip(left) {
                // One value is always left. The highest bit tells the compiler so, and it omits the check of the index.
                *sum += values[(left | 1 << (MAX_VALUES - 1)).trailing_zeros() as usize];
            }
            begin = *end as usize;
        }
        sums
    }
}

/// The values of a tree that remain reachable, by row. A function of its own: within others, compilers take the lanes apart.
#[inline(never)]
fn remaining_values(conditions: &[Condition], measures: &[[f32; LANES]]) -> [u32; LANES] {
    let mut left = [u32::MAX; LANES];
    for Condition { measure, threshold, left: mask } in conditions {
        let measures = &measures[*measure as usize];
        let is_below = |lane: usize| u32::from(measures[lane] > *threshold).wrapping_sub(1);
        left = std::array::from_fn(|lane| left[lane] & (mask | is_below(lane)));
    }
    left
}

/// A step of the walk that turns a parsed tree into masks.
enum BuildStep {
    /// Walk down to this target.
    Down(Target),
    /// All values below this split's threshold are stored; they began at this index.
    Between(Split, usize),
}

/// A mask of the lowest `count` bits.
fn low_bits(count: usize) -> u32 {
    if count >= MAX_VALUES { u32::MAX } else { (1 << count) - 1 }
}

/// Parses the trees of a file.
fn parse_trees(text: &str, names: &[impl AsRef<str>]) -> Result<Vec<Tree>, TreesError> {
    let mut trees: Vec<Tree> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let fail = |what| TreesError { line: number + 1, what };
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line == "tree" {
            trees.last().map_or(Ok(()), Tree::check).map_err(fail)?;
            trees.push(Tree::default());
            continue;
        }
        let tree = trees.last_mut().ok_or(fail("a split before the first tree"))?;
        let fields: Vec<&str> = line.split('\t').collect();
        let [measure, threshold, below, above] = fields[..] else {
            return Err(fail("expected a measure, a threshold and two targets, separated by tabs"));
        };
        let measure =
            names.iter().position(|name| name.as_ref() == measure).ok_or(fail("unknown measure"))?;
        let threshold = threshold.parse().map_err(|_| fail("the threshold is not a number"))?;
        let target = |text: &str| parse_target(text, tree.splits.len()).map_err(fail);
        let targets = [target(below)?, target(above)?];
        tree.splits.push(Split { measure, threshold, targets });
    }
    let fail = |what| TreesError { line: text.lines().count(), what };
    trees.last().map_or(Ok(()), Tree::check).map_err(fail)?;
    Ok(trees)
}

impl Tree {
    /// Checks that each split is reached once and that the tree has at most [`MAX_VALUES`] values.
    fn check(&self) -> Result<(), &'static str> {
        if self.splits.is_empty() {
            return Err("a tree without splits");
        }
        let mut reached = vec![false; self.splits.len()];
        for target in self.splits.iter().flat_map(|split| split.targets) {
            let Target::Split(at) = target else { continue };
            let was_reached = reached.get_mut(at).ok_or("a target beyond the end of its tree")?;
            if std::mem::replace(was_reached, true) {
                return Err("two targets lead to one split");
            }
        }
        if self.splits.len() < MAX_VALUES { Ok(()) } else { Err("a tree of more than 32 values") }
    }
}

fn parse_target(text: &str, at: usize) -> Result<Target, &'static str> {
    if let Some(value) = text.strip_prefix('=') {
        return value.parse().map(Target::Value).map_err(|_| "a value that is not a number");
    }
    let split: usize = text.parse().map_err(|_| "a target that is neither a split nor a value")?;
    if split > at { Ok(Target::Split(split)) } else { Err("a target that leads backwards") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::body_measures;

    const NAMES: [&str; 2] = ["words", "link share"];
    /// The trees that are used.
    const LEARNT: &str = include_str!("extract/scorer/bodies.txt");

    const SMALL: &str =
        "# two trees\ntree\nwords\t10\t=-1\t1\nlink share\t0.5\t=2\t=-2\ntree\nwords\t3\t=0.5\t=0\n";

    #[test]
    fn trees_are_walked() {
        let trees = Trees::parse(SMALL, &NAMES).unwrap();
        let logistic = |sum: f32| 1.0 / (1.0 + (-sum).exp());
        let check = |row: [f32; 2], sum: f32| {
            assert_eq!(trees.scores(&row), [logistic(sum)], "{row:?}");
        };
        check([10.0, 0.9], -1.0);
        check([11.0, 0.5], 2.0);
        check([11.0, 0.6], -2.0);
        check([3.0, 0.0], -0.5);
        check([f32::NAN, 0.0], -0.5);
    }

    /// Walks down one tree, split by split.
    fn walked(tree: &Tree, measures: &[f32]) -> f32 {
        let mut target = Target::Split(0);
        loop {
            match target {
                Target::Value(value) => return value,
                Target::Split(at) => {
                    let split = tree.splits[at];
                    target = split.targets[usize::from(measures[split.measure] > split.threshold)];
                }
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn scoring_by_measures_is_walking_down_trees(
            rows in proptest::collection::vec(proptest::collection::vec(-2.0_f32..400.0, body_measures().len()), 1..4),
            small in 0.0_f32..1.0,
        ) {
            let trees = parse_trees(LEARNT, body_measures()).unwrap();
            // Most measures are shares.
            let rows: Vec<Vec<f32>> =
                rows.into_iter().map(|row| row.into_iter().map(|x| if x > 200.0 { x } else { x * small / 200.0 }).collect()).collect();
            let expected: Vec<f32> = rows
                .iter()
                .map(|row| 1.0 / (1.0 + (-trees.iter().map(|tree| walked(tree, row)).sum::<f32>()).exp()))
                .collect();
            proptest::prop_assert_eq!(Trees::new(&trees, body_measures().len()).scores(&rows.concat()), expected);
        }
    }

    #[test]
    fn errors_say_where() {
        let check = |text: &str, line, what| {
            assert_eq!(Trees::parse(text, &NAMES).unwrap_err(), TreesError { line, what }, "{text}");
        };
        check("words\t1\t=0\t=1", 1, "a split before the first tree");
        check("tree\nwords\t1\t=0", 2, "expected a measure, a threshold and two targets, separated by tabs");
        check("tree\nwurds\t1\t=0\t=1", 2, "unknown measure");
        check("tree\nwords\tone\t=0\t=1", 2, "the threshold is not a number");
        check("tree\nwords\t1\t0\t=1", 2, "a target that leads backwards");
        check("tree\nwords\t1\tx\t=1", 2, "a target that is neither a split nor a value");
        check("tree\nwords\t1\t1\t=1\n\n", 3, "a target beyond the end of its tree");
        check("tree\ntree\n", 2, "a tree without splits");
        check("tree\nwords\t1\t1\t1\nwords\t2\t=0\t=1", 3, "two targets lead to one split");
    }
}
