//! Floors: the least accuracy that Newslode may reach on this world, measure by measure.
//!
//! The table is `floors.txt` beside this crate's manifest: a crawl, a measure, its floor, and its value when the floor
//! was set. A floor lies a little below that value. Tests compute a crawl's figures and ask [`fallen`] which are below
//! their floors; other tests damage a step on purpose and ask [`standing`] which floors did not notice.

use std::collections::BTreeMap;

/// One floor.
#[derive(Debug, Clone, PartialEq)]
pub struct Floor {
    /// The crawl that is measured.
    pub crawl: &'static str,
    /// The measure's name.
    pub measure: &'static str,
    /// The least value allowed.
    pub least: f64,
    /// The value when the floor was set.
    pub was: f64,
}

/// The floors of a crawl, in the order of the table.
///
/// # Panics
/// When a line of the table is malformed.
#[must_use]
pub fn floors(crawl: &str) -> Vec<Floor> {
    let lines = include_str!("../floors.txt").lines();
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(floor).filter(|floor| floor.crawl == crawl).collect()
}

fn floor(line: &'static str) -> Floor {
    let cells: Vec<&str> = line.split_whitespace().collect();
    let number = |cell: &str| cell.parse().ok();
    let read = |cells: &[&'static str]| {
        let &[crawl, measure, least, was] = cells else { return None };
        Some(Floor { crawl, measure, least: number(least)?, was: number(was)? })
    };
    read(&cells).unwrap_or_else(|| panic!("`{line}` in floors.txt is not a floor"))
}

/// The faults of a crawl's figures, one line each: a measure below its floor, a floor without a figure, a figure
/// without a floor.
#[must_use]
pub fn fallen(crawl: &str, figures: &BTreeMap<String, f64>) -> Vec<String> {
    let floors = floors(crawl);
    let mut wrong: Vec<String> = floors
        .iter()
        .filter_map(|Floor { measure, least, was, .. }| match figures.get(*measure) {
            None => Some(format!("{measure}: it is no longer measured; it was {was:.3}")),
            Some(now) if now < least => {
                Some(format!("{measure}: it fell from {was:.3} to {now:.3}; its floor is {least:.3}"))
            }
            Some(_) => None,
        })
        .collect();
    let guarded = |name: &str| floors.iter().any(|floor| floor.measure == name);
    let bare = figures.iter().filter(|(name, _)| !guarded(name));
    wrong.extend(bare.map(|(name, now)| format!("{name}: it has no floor; it is {now:.3}")));
    wrong
}

/// Those of `measures` that do not fall below their floors in the figures of a damaged crawl.
#[must_use]
pub fn standing(crawl: &str, measures: &[&str], figures: &BTreeMap<String, f64>) -> Vec<String> {
    let floors = floors(crawl);
    let least = |measure: &str| floors.iter().find(|floor| floor.measure == measure).map(|floor| floor.least);
    let stands = |measure: &&&str| match (least(measure), figures.get(**measure)) {
        (Some(least), Some(now)) => *now >= least,
        // A measure without a floor or a figure cannot fall.
        _ => true,
    };
    let tell = |measure: &&str| {
        let (least, now) = (least(measure), figures.get(*measure));
        format!("{measure}: floor {least:?}, damaged {now:?}")
    };
    measures.iter().filter(stands).map(tell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_floor_is_a_little_below_what_was_measured() {
        let crawls: Vec<&str> = include_str!("../floors.txt")
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .filter_map(|line| line.split_whitespace().next())
            .collect();
        assert!(!crawls.is_empty());
        let mut seen = std::collections::BTreeSet::new();
        for crawl in crawls {
            for floor in floors(crawl) {
                let slack = floor.was - floor.least;
                assert!((0.0..=0.1).contains(&slack) && floor.was <= 1.0, "{floor:?}");
                seen.insert((floor.crawl, floor.measure));
            }
        }
        let lines = include_str!("../floors.txt").lines().filter(|l| !l.is_empty() && !l.starts_with('#'));
        assert_eq!(seen.len(), lines.count(), "a floor stands twice");
    }

    #[test]
    fn what_fell_is_named_with_both_values() {
        let Some(first) = floors("demo").into_iter().next() else { panic!("the demo has no floors") };
        let figures = BTreeMap::from([(first.measure.to_owned(), first.least - 0.1), ("new".into(), 0.5)]);
        let wrong = fallen("demo", &figures);
        assert!(wrong[0].contains(first.measure) && wrong[0].contains("it fell from"), "{wrong:?}");
        assert!(wrong.last().is_some_and(|line| line.starts_with("new: it has no floor")), "{wrong:?}");
        assert!(standing("demo", &[first.measure], &figures).is_empty());
        assert_eq!(standing("demo", &["nothing of ours"], &figures).len(), 1);
    }
}
