//! Boosted trees over measures: how likely something is.
//!
//! Trees are a text that people can read and compare, written by the scripts in `train/`: a line a split
//! ("measure ⇥ threshold ⇥ then ⇥ else"; a target is a later split of the tree or `=value`). It is compiled
//! in and parsed once. The likelihood is the logistic function of the sum of the trees' values.
//!
//! Invariants: a target is a later line of its tree, so that every walk ends; measures are found by name,
//! so that a file of other measures is an error, not nonsense. Start at [`Trees::parse`].

/// A file of trees that cannot be read.
#[derive(Debug, thiserror::Error, PartialEq)]
#[error("line {line} of the trees: {what}")]
pub struct TreesError {
    line: usize,
    what: &'static str,
}

/// Trees that were learnt.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trees {
    /// The splits of all trees.
    splits: Vec<Split>,
    /// Where each tree begins.
    roots: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Split {
    measure: u32,
    threshold: f32,
    /// For measures up to the threshold, and above it.
    targets: [Target; 2],
}

#[derive(Clone, Copy, Debug)]
enum Target {
    Split(u32),
    Value(f32),
}

impl Trees {
    /// Reads trees over measures of these names.
    ///
    /// # Errors
    /// A line that is no split, names an unknown measure or leads backwards.
    pub(crate) fn parse(text: &str, names: &[impl AsRef<str>]) -> Result<Trees, TreesError> {
        let mut trees = Trees::default();
        for (number, line) in text.lines().enumerate() {
            let fail = |what| TreesError { line: number + 1, what };
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if line == "tree" {
                trees.close().map_err(fail)?;
                trees.roots.push(trees.splits.len() as u32);
                continue;
            }
            let root = *trees.roots.last().ok_or(fail("a split before the first tree"))?;
            let fields: Vec<&str> = line.split('\t').collect();
            let [measure, threshold, below, above] = fields[..] else {
                return Err(fail("expected a measure, a threshold and two targets, parted by tabs"));
            };
            let measure =
                names.iter().position(|name| name.as_ref() == measure).ok_or(fail("unknown measure"))?;
            let threshold = threshold.parse().map_err(|_| fail("the threshold is no number"))?;
            let at = trees.splits.len() as u32 - root;
            let target = |text: &str| target(text, root, at).map_err(fail);
            let targets = [target(below)?, target(above)?];
            trees.splits.push(Split { measure: measure as u32, threshold, targets });
        }
        trees.close().map_err(|what| TreesError { line: text.lines().count(), what })?;
        Ok(trees)
    }

    /// How many trees there are.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.roots.len()
    }

    /// Whether all targets of the last tree are there.
    fn close(&self) -> Result<(), &'static str> {
        let Some(&root) = self.roots.last() else { return Ok(()) };
        let count = self.splits.len() as u32;
        let tree = self.splits.get(root as usize..).unwrap_or_default();
        let targets = tree.iter().flat_map(|split| split.targets);
        let is_there = |target| !matches!(target, Target::Split(at) if at >= count);
        if tree.is_empty() {
            return Err("a tree without splits");
        }
        if targets.into_iter().all(is_there) { Ok(()) } else { Err("a target beyond the end of its tree") }
    }

    /// The likelihood of what has these measures, 0 to 1.
    pub(crate) fn score(&self, measures: &[f32]) -> f32 {
        let sum: f32 = self.roots.iter().map(|root| self.value(*root, measures)).sum();
        1.0 / (1.0 + (-sum).exp())
    }

    fn value(&self, root: u32, measures: &[f32]) -> f32 {
        let mut at = root;
        loop {
            let Some(split) = self.splits.get(at as usize) else { return 0.0 };
            let measure = measures.get(split.measure as usize).copied().unwrap_or(0.0);
            match split.targets[usize::from(measure > split.threshold)] {
                Target::Split(next) => at = next,
                Target::Value(value) => return value,
            }
        }
    }
}

fn target(text: &str, root: u32, at: u32) -> Result<Target, &'static str> {
    if let Some(value) = text.strip_prefix('=') {
        return value.parse().map(Target::Value).map_err(|_| "a value that is no number");
    }
    let split: u32 = text.parse().map_err(|_| "a target that is neither a split nor a value")?;
    if split > at { Ok(Target::Split(root + split)) } else { Err("a target that leads backwards") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str =
        "# two trees\ntree\nwords\t10\t=-1\t1\nlink share\t0.5\t=2\t=-2\ntree\nwords\t3\t=0.5\t=0\n";

    const NAMES: [&str; 2] = ["words", "link share"];

    #[test]
    fn trees_are_walked() {
        let trees = Trees::parse(SMALL, &NAMES).unwrap();
        let logistic = |sum: f32| 1.0 / (1.0 + (-sum).exp());
        assert_eq!(trees.score(&[10.0, 0.9]), logistic(-1.0));
        assert_eq!(trees.score(&[11.0, 0.5]), logistic(2.0));
        assert_eq!(trees.score(&[11.0, 0.6]), logistic(-2.0));
        assert_eq!(trees.score(&[3.0, 0.0]), logistic(-0.5));
    }

    #[test]
    fn errors_say_where() {
        let check = |text: &str, line, what| {
            assert_eq!(Trees::parse(text, &NAMES).unwrap_err(), TreesError { line, what }, "{text}");
        };
        check("words\t1\t=0\t=1", 1, "a split before the first tree");
        check("tree\nwords\t1\t=0", 2, "expected a measure, a threshold and two targets, parted by tabs");
        check("tree\nwurds\t1\t=0\t=1", 2, "unknown measure");
        check("tree\nwords\tone\t=0\t=1", 2, "the threshold is no number");
        check("tree\nwords\t1\t0\t=1", 2, "a target that leads backwards");
        check("tree\nwords\t1\tx\t=1", 2, "a target that is neither a split nor a value");
        check("tree\nwords\t1\t1\t=1\n\n", 3, "a target beyond the end of its tree");
        check("tree\ntree\n", 2, "a tree without splits");
    }
}
