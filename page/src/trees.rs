//! Boosted trees over measures: how likely something is.
//!
//! Trees are a text that people can read and compare, written by the scripts in `train/`: a line a split
//! ("measure ⇥ threshold ⇥ then ⇥ else"; a target is a later split of the tree or `=value`). It is compiled
//! in and parsed once. The likelihood is the logistic function of the sum of the trees' values.
//!
//! Invariants: a target is a later line of its tree, so that every walk ends; measures are found by name
//! (see [`measures`](crate::measures)), so that a file of other measures is an error, not nonsense; rows are as
//! wide as the list of names was. Start at [`Trees::parse`].

/// Values of a tree at most.
const MAX_VALUES: usize = 32;

/// A file of trees that cannot be read.
#[derive(Debug, thiserror::Error, PartialEq)]
#[error("line {line} of the trees: {what}")]
pub struct TreesError {
    line: usize,
    what: &'static str,
}

/// Trees that were learnt.
///
/// Kept by measure, not by tree: of each measure the thresholds in rising order, each with the values of its
/// tree that what is above it cannot have. Something is scored by walking each measure's thresholds as far as it
/// is above them; of what is left of a tree the first value is the one that a walk down it finds (Lucchese et
/// al., `QuickScorer`, 2015): no branch that cannot be foretold.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trees {
    /// How many measures a row has.
    width: usize,
    /// By measure: where its conditions begin.
    begins: Vec<u32>,
    conditions: Vec<Condition>,
    /// The values of each tree, those for measures below thresholds first.
    values: Vec<f32>,
    /// Where those of each tree begin.
    trees: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Condition {
    threshold: f32,
    tree: u32,
    /// The tree's values that are left above the threshold, a bit each.
    left: u32,
}

/// A tree as it is read.
#[derive(Clone, Debug, Default)]
struct Tree {
    splits: Vec<Split>,
}

#[derive(Clone, Copy, Debug)]
struct Split {
    measure: usize,
    threshold: f32,
    /// For measures up to the threshold, and above it.
    targets: [Target; 2],
}

#[derive(Clone, Copy, Debug)]
enum Target {
    Split(usize),
    Value(f32),
}

impl Trees {
    /// Reads trees over measures of these names.
    ///
    /// # Errors
    /// A line that is no split, names an unknown measure or leads backwards.
    pub(crate) fn parse(text: &str, names: &[impl AsRef<str>]) -> Result<Trees, TreesError> {
        Ok(Trees::new(&read(text, names)?, names.len()))
    }

    /// How many trees there are.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.trees.len()
    }

    fn new(trees: &[Tree], width: usize) -> Trees {
        let mut made = Trees { width, ..Trees::default() };
        let mut found: Vec<(usize, Condition)> = Vec::new();
        for tree in trees {
            let number = made.trees.len() as u32;
            let begin = made.values.len();
            made.trees.push(begin as u32);
            // Those below a threshold come first; what follows them is known when the walk is back.
            let mut todo = vec![Step::Down(Target::Split(0))];
            while let Some(step) = todo.pop() {
                match step {
                    Step::Down(Target::Value(value)) => made.values.push(value),
                    Step::Down(Target::Split(at)) => {
                        let Some(split) = tree.splits.get(at) else { continue };
                        let from = made.values.len() - begin;
                        todo.push(Step::Down(split.targets[1]));
                        todo.push(Step::Between(*split, from));
                        todo.push(Step::Down(split.targets[0]));
                    }
                    Step::Between(Split { measure, threshold, .. }, from) => {
                        let below = bits(made.values.len() - begin) & !bits(from);
                        found.push((measure, Condition { threshold, tree: number, left: !below }));
                    }
                }
            }
        }
        found.sort_by(|(a, one), (b, other)| a.cmp(b).then(one.threshold.total_cmp(&other.threshold)));
        let measures = found.last().map_or(0, |(measure, _)| measure + 1);
        let begin = |measure| found.partition_point(|(known, _)| *known < measure) as u32;
        made.begins = (0..=measures).map(begin).collect();
        made.conditions = found.into_iter().map(|(_, condition)| condition).collect();
        made
    }

    /// The likelihood of each, 0 to 1, by its row of measures; the rows stand one after the other.
    pub(crate) fn scores(&self, rows: &[f32]) -> Vec<f32> {
        debug_assert_eq!(rows.len() % self.width.max(1), 0, "rows of other measures");
        let mut left = vec![u32::MAX; self.trees.len()];
        rows.chunks_exact(self.width.max(1)).map(|row| self.score(row, &mut left)).collect()
    }

    fn score(&self, measures: &[f32], left: &mut [u32]) -> f32 {
        left.fill(u32::MAX);
        for (measure, ends) in measures.iter().zip(self.begins.windows(2)) {
            let conditions = &self.conditions[ends[0] as usize..ends[1] as usize];
            for condition in conditions.iter().take_while(|condition| *measure > condition.threshold) {
                left[condition.tree as usize] &= condition.left;
            }
        }
        let value = |(first, left): (&u32, &u32)| self.values[(first + left.trailing_zeros()) as usize];
        let sum: f32 = self.trees.iter().zip(&*left).map(value).sum();
        1.0 / (1.0 + (-sum).exp())
    }
}

enum Step {
    Down(Target),
    /// Behind what is below a split's threshold, whose values began here.
    Between(Split, usize),
}

/// The lowest so many bits.
fn bits(count: usize) -> u32 {
    if count >= MAX_VALUES { u32::MAX } else { (1 << count) - 1 }
}

/// The trees of a file.
fn read(text: &str, names: &[impl AsRef<str>]) -> Result<Vec<Tree>, TreesError> {
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
        let target = |text: &str| target(text, tree.splits.len()).map_err(fail);
        let targets = [target(below)?, target(above)?];
        tree.splits.push(Split { measure, threshold, targets });
    }
    let fail = |what| TreesError { line: text.lines().count(), what };
    trees.last().map_or(Ok(()), Tree::check).map_err(fail)?;
    Ok(trees)
}

impl Tree {
    /// Whether each of its splits is reached once, and it has not too many values.
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

fn target(text: &str, at: usize) -> Result<Target, &'static str> {
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
    /// Trees as they are learnt.
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

    /// Down one tree, split by split.
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
            let trees = read(LEARNT, body_measures()).unwrap();
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
