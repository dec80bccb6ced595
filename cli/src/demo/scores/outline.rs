//! Reads gold hierarchies in the `.outline` format.
//!
//! Each line holds one label: two spaces of indentation per level, leaf numbers, a tab, the text. `+`
//! starts a group without a label, `~` marks leaves that are not judged, `|` the start of a block, and `#`
//! a comment.

use std::collections::BTreeMap;

use anyhow::bail;

/// A page's gold.
#[derive(Debug, Default)]
pub struct Gold {
    /// Leaf → first leaf of its label.
    pub label: BTreeMap<u32, u32>,
    /// First leaf of a label → first leaf of the label above; `None`: top level.
    pub parent: BTreeMap<u32, Option<u32>>,
    /// First leaves of blocks.
    pub boundaries: Vec<u32>,
}

/// Reads one outline.
///
/// # Errors
/// When a line names no leaf, or a leaf occurs twice.
pub fn parse_outline(text: &str) -> anyhow::Result<Gold> {
    let mut gold = Gold::default();
    // (indentation, first leaf or None for a group without a label)
    let mut above: Vec<(usize, Option<u32>)> = Vec::new();
    for (number, raw) in text.lines().enumerate() {
        let body = raw.trim();
        if body.is_empty() || body.starts_with('#') || body.starts_with('~') {
            continue;
        }
        if let Some(mark) = body.strip_prefix('|') {
            gold.boundaries.extend(parse_leaf_numbers(first_field(mark)).into_iter().min());
            continue;
        }
        let indent = raw.len() - raw.trim_start_matches(' ').len();
        while above.last().is_some_and(|(deep, _)| *deep >= indent) {
            above.pop();
        }
        if first_field(body).trim() == "+" {
            above.push((indent, None));
            continue;
        }
        let leaves = parse_leaf_numbers(first_field(body));
        let Some(&first) = leaves.iter().min() else {
            bail!("line {}: no leaf number in `{raw}`", number + 1)
        };
        for leaf in leaves {
            if gold.label.insert(leaf, first).is_some() {
                bail!("line {}: leaf {leaf} occurs twice", number + 1);
            }
        }
        gold.parent.insert(first, above.iter().rev().find_map(|(_, leaf)| *leaf));
        above.push((indent, Some(first)));
    }
    Ok(gold)
}

fn first_field(line: &str) -> &str {
    line.split('\t').next().unwrap_or(line)
}

/// Parses numbers such as `3`, `3-5` or `3,7-9`.
fn parse_leaf_numbers(spec: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for part in spec.split(|c: char| !c.is_ascii_digit() && c != '-') {
        let mut ends = part.splitn(2, '-').map(str::parse::<u32>);
        match (ends.next(), ends.next()) {
            (Some(Ok(from)), Some(Ok(to))) => found.extend(from..=to),
            (Some(Ok(one)), _) => found.push(one),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_nest_and_make_no_pair() {
        let gold =
            parse_outline("# page\n0\tNews\n+\n  3-4\tTop stories\n    5\tStorm\n~ 40-52\n| 5\n").unwrap();
        assert_eq!(gold.label[&4], 3);
        assert_eq!((gold.parent[&3], gold.parent[&5], gold.parent[&0]), (None, Some(3), None));
        assert_eq!(gold.boundaries, [5]);
        assert!(parse_outline("0\ta\n0\tb\n").is_err());
        assert!(parse_outline("nothing\n").is_err());
    }
}
