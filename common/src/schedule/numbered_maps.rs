//! The maps of an index whose names differ in a number only (`posts-1.xml` to `posts-90.xml`): which of them list some days.
//!
//! Nothing says which end is the newest, or that the numbers follow the days at all. So both ends are read first. If their
//! days do not overlap, a [`Search`] finds the maps of the days wanted in a few steps; each map that is read must lie between
//! those beside it. If the numbers turn out not to follow the days, all maps are read. Start at [`NumberedMaps::of_index`].

use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;

use newslode_page::reading::CanonicalUrl;
use serde::{Deserialize, Serialize};

use super::days::{Days, ListedDays};
use super::search::Search;

/// Fewer maps are all read: the search would hardly be shorter.
const FEWEST: usize = 9;
/// Ways to read a number in an address, all numbers taken together, and the digits of one.
const MOST_SPLITS: usize = 12;
const MOST_DIGITS: usize = 9;
/// Runs of numbers in a list; one with more gaps is read whole.
const MOST_RUNS: usize = 100;
/// By so many days a map may be out of order: many articles are changed later.
const SLACK: u32 = 7;

/// Maps whose names differ in a number only, and how far the search among them has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberedMaps {
    /// The address before and after the number.
    before: String,
    after: String,
    /// Digits of the numbers, if zeros fill them up; else 0.
    width: u8,
    /// The numbers that there are, in runs.
    runs: Vec<RangeInclusive<u32>>,
    /// The place of the map that is asked for, in the order of the numbers.
    place: u32,
    /// The day in the middle of each map that was read, by its place.
    middles: BTreeMap<u32, u32>,
    /// The days of most articles of the map with the highest number.
    last: Option<Days>,
    search: Search,
    is_newest_last: bool,
    has_both_ends: bool,
}

/// What to do after a map was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AfterMap {
    /// Read this one next; it carries the search on.
    Read(CanonicalUrl, NumberedMaps),
    /// The numbers do not follow the days: read these, too.
    ReadAll(Vec<CanonicalUrl>),
    /// All maps that list the days were read.
    Over,
}

impl NumberedMaps {
    /// The long lists of numbered maps among the maps of an index, and the maps that are in none. `wanted` are the days wanted.
    pub(super) fn of_index(maps: &[CanonicalUrl], wanted: Days) -> (Vec<NumberedMaps>, Vec<CanonicalUrl>) {
        // 1. A list is known by an address without one of its numbers. An address with several belongs to the longest list.
        let splits: Vec<Vec<Split<'_>>> = maps.iter().map(|map| splits(map.as_str())).collect();
        let mut sizes: HashMap<Pattern<'_>, usize> = HashMap::new();
        for split in splits.iter().flatten() {
            *sizes.entry(split.pattern()).or_default() += 1;
        }
        let size = |split: &Split<'_>| sizes.get(&split.pattern()).copied().unwrap_or(0);
        let mut lists: BTreeMap<Pattern<'_>, Vec<(u32, &CanonicalUrl)>> = BTreeMap::new();
        let mut others = Vec::new();
        for (map, splits) in maps.iter().zip(&splits) {
            match splits.iter().max_by_key(|split| size(split)) {
                Some(split) => lists.entry(split.pattern()).or_default().push((split.number, map)),
                None => others.push(map.clone()),
            }
        }
        // 2. What is short is none.
        let mut long = Vec::new();
        for ((before, after, width), mut list) in lists {
            list.sort_unstable();
            list.dedup();
            if list.len() < FEWEST {
                others.extend(list.into_iter().map(|(_, map)| map.clone()));
                continue;
            }
            long.push(NumberedMaps {
                before: before.to_owned(),
                after: after.to_owned(),
                width,
                runs: runs(list.iter().map(|(number, _)| *number)),
                place: 0,
                middles: BTreeMap::new(),
                last: None,
                search: Search::new(wanted),
                is_newest_last: true,
                has_both_ends: false,
            });
        }
        (long, others)
    }

    /// An address that names the list, and is that of no map.
    pub(super) fn pattern(&self) -> Option<CanonicalUrl> {
        format!("{}*{}*{}", self.before, self.width, self.after).parse().ok()
    }

    /// Begins to read the list. `is_known`: whether a map was read already, or will be.
    pub(super) fn begin(mut self, is_known: impl Fn(&CanonicalUrl) -> bool) -> AfterMap {
        let numbers = self.runs.iter().cloned().flatten();
        let new = numbers.filter(|number| self.address(*number).is_some_and(|url| !is_known(&url)));
        self.runs = runs(new);
        let end = self.count().saturating_sub(1);
        let is_long = self.count() as usize >= FEWEST && self.runs.len() <= MOST_RUNS;
        if is_long { self.asks_for(end, is_known) } else { self.all_others(is_known) }
    }

    /// Notes the days of the map that was asked for; `None`: it is not there, or names none. Returns what to do next. `is_known`: whether
    /// a map was read already, or will be.
    pub(super) fn read(
        mut self,
        days: Option<ListedDays>,
        is_known: impl Fn(&CanonicalUrl) -> bool,
    ) -> AfterMap {
        let end = self.count().saturating_sub(1);
        if let Some(days) = days {
            self.middles.insert(self.place, days.middle);
        }
        if !self.has_both_ends {
            return match days {
                // 1. The end with the highest number was read.
                Some(days) if self.place == end => {
                    self.last = Some(days.most);
                    self.asks_for(0, is_known)
                }
                // 2. The other end: the order is known if their days are apart.
                Some(days) => self.both_ends_are_read(days, end, is_known),
                None => self.all_others(is_known),
            };
        }
        match days {
            Some(days) if !self.is_in_order(days.middle) => return self.all_others(is_known),
            Some(days) => self.search.read(self.page(self.place), Some(days.middle)),
            None => self.pass(self.place),
        }
        self.next(is_known)
    }

    fn both_ends_are_read(
        mut self,
        first: ListedDays,
        end: u32,
        is_known: impl Fn(&CanonicalUrl) -> bool,
    ) -> AfterMap {
        let Some(last) = self.last else { return self.all_others(is_known) };
        let last_middle = self.middles.get(&end).copied();
        self.is_newest_last = first.most.last < last.first;
        if !self.is_newest_last && last.last >= first.most.first {
            return self.all_others(is_known);
        }
        self.has_both_ends = true;
        self.search.read(self.page(0), Some(first.middle));
        self.search.read(self.page(end), last_middle);
        self.next(is_known)
    }

    /// The map that the search asks for next.
    fn next(mut self, is_known: impl Fn(&CanonicalUrl) -> bool) -> AfterMap {
        let count = self.count();
        while let Some(page) = self.search.next() {
            if page > count {
                self.search.read(page, None);
                continue;
            }
            let place = if self.is_newest_last { count - page } else { page - 1 };
            match self.at(place).filter(|url| !is_known(url)) {
                Some(url) => {
                    self.place = place;
                    return AfterMap::Read(url, self);
                }
                None => self.pass(place),
            }
        }
        AfterMap::Over
    }

    /// Goes on without the days of a map, as if it listed some that are wanted: so none is missed on either side of it.
    fn pass(&mut self, place: u32) {
        let page = self.page(place);
        self.search.read_unknown(page);
    }

    fn asks_for(mut self, place: u32, is_known: impl Fn(&CanonicalUrl) -> bool) -> AfterMap {
        match self.at(place).filter(|url| !is_known(url)) {
            Some(url) => {
                self.place = place;
                AfterMap::Read(url, self)
            }
            None => self.all_others(is_known),
        }
    }

    fn all_others(self, is_known: impl Fn(&CanonicalUrl) -> bool) -> AfterMap {
        let numbers = self.runs.iter().cloned().flatten();
        let maps = numbers.filter_map(|number| self.address(number)).filter(|url| !is_known(url));
        AfterMap::ReadAll(maps.collect())
    }

    /// Whether the map that was asked for lies between those beside it.
    fn is_in_order(&self, middle: u32) -> bool {
        let lower = self.middles.range(..self.place).next_back().map(|(_, day)| *day);
        let higher = self.middles.range(self.place + 1..).next().map(|(_, day)| *day);
        let (older, newer) = if self.is_newest_last { (lower, higher) } else { (higher, lower) };
        older.is_none_or(|older| middle + SLACK >= older) && newer.is_none_or(|newer| middle <= newer + SLACK)
    }

    /// Number of maps.
    fn count(&self) -> u32 {
        self.runs.iter().map(|run| run.end() - run.start() + 1).sum()
    }

    /// The page of a search that a map is: the first one is the newest.
    fn page(&self, place: u32) -> u32 {
        if self.is_newest_last { self.count().saturating_sub(place) } else { place + 1 }
    }

    fn at(&self, place: u32) -> Option<CanonicalUrl> {
        let mut rest = place;
        for run in &self.runs {
            let length = run.end() - run.start() + 1;
            if rest < length {
                return self.address(run.start() + rest);
            }
            rest -= length;
        }
        None
    }

    fn address(&self, number: u32) -> Option<CanonicalUrl> {
        let width = usize::from(self.width);
        format!("{}{number:0width$}{}", self.before, self.after).parse().ok()
    }
}

/// What addresses with another number have in common: what is before and after it, and its digits if zeros fill it up, else 0.
type Pattern<'a> = (&'a str, &'a str, u8);

/// An address without one of its numbers.
struct Split<'a> {
    before: &'a str,
    after: &'a str,
    /// Digits of the number, if it is filled up with zeros or may be; else 0.
    width: u8,
    number: u32,
}

impl<'a> Split<'a> {
    fn pattern(&self) -> Pattern<'a> {
        (self.before, self.after, self.width)
    }
}

/// An address without each of the numbers in its path and query. A number without a zero before it is one of any length.
fn splits(url: &str) -> Vec<Split<'_>> {
    let path =
        url.find("://").and_then(|at| Some(at + 3 + url.get(at + 3..)?.find('/')?)).unwrap_or(url.len());
    let (mut found, mut from) = (Vec::new(), path);
    while let Some(start) = url.get(from..).and_then(|rest| rest.find(|letter: char| letter.is_ascii_digit()))
    {
        let start = from + start;
        let rest = url.get(start..).unwrap_or_default();
        let digits = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        from = start + digits;
        let Some((before, text, after)) = url
            .get(..start)
            .zip(url.get(start..from))
            .zip(url.get(from..))
            .map(|((before, text), after)| (before, text, after))
        else {
            break;
        };
        let Ok(number) = text.parse::<u32>() else { continue };
        if digits > MOST_DIGITS || found.len() >= MOST_SPLITS {
            continue;
        }
        let is_padded = digits > 1 && text.starts_with('0');
        let widths = if is_padded { vec![digits] } else { vec![0, digits] };
        let widths = widths.into_iter().filter_map(|width| u8::try_from(width).ok());
        found.extend(widths.map(|width| Split { before, after, width, number }));
    }
    found
}

/// Runs of numbers that follow each other. The numbers are in order.
fn runs(numbers: impl Iterator<Item = u32>) -> Vec<RangeInclusive<u32>> {
    let mut runs: Vec<RangeInclusive<u32>> = Vec::new();
    for number in numbers {
        match runs.last_mut().filter(|run| run.end().checked_add(1) == Some(number)) {
            Some(run) => *run = *run.start()..=number,
            None => runs.push(number..=number),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn map(name: &str) -> CanonicalUrl {
        format!("https://news24.example/{name}").parse().unwrap()
    }

    /// Numbers of the maps that are read, in order. `days` are those that each map lists, from the map with the lowest number; an empty one is
    /// not there.
    fn maps_read(days: &[Vec<u32>], wanted: Days) -> Vec<usize> {
        let urls: Vec<CanonicalUrl> =
            (0..days.len()).map(|place| map(&format!("posts-{}.xml", place + 3))).collect();
        let (mut long, others) = NumberedMaps::of_index(&urls, wanted);
        assert!(long.len() <= 1);
        let place_of = |url: &CanonicalUrl| urls.iter().position(|other| other == url).unwrap();
        let (mut read, mut known) = (Vec::new(), BTreeSet::new());
        let mut queue: Vec<usize> = others.iter().map(place_of).collect();
        let mut next = long.pop().map(|list| list.begin(|_| false));
        while let Some(after) = next.take() {
            match after {
                AfterMap::Read(url, list) => {
                    let place = place_of(&url);
                    assert!(known.insert(place), "{place} is read twice");
                    read.push(place);
                    let mut shown = days[place].clone();
                    shown.sort_unstable();
                    next =
                        Some(list.read(ListedDays::of_sorted(&shown), |url| known.contains(&place_of(url))));
                }
                AfterMap::ReadAll(all) => queue.extend(all.iter().map(place_of)),
                AfterMap::Over => {}
            }
        }
        read.extend(queue);
        read
    }

    #[test]
    fn maps_of_a_list_differ_in_one_number() {
        let wanted = Days { first: 0, last: 9 };
        let found = |names: Vec<String>| {
            let urls: Vec<_> = names.iter().map(|name| map(name)).collect();
            let (long, others) = NumberedMaps::of_index(&urls, wanted);
            let begun = long.into_iter().map(|list| match list.begin(|_| false) {
                AfterMap::Read(url, list) => (url.path().to_owned(), list.count()),
                AfterMap::ReadAll(maps) => ("all".to_owned(), maps.len() as u32),
                AfterMap::Over => ("none".to_owned(), 0),
            });
            (begun.collect::<Vec<_>>(), others.len())
        };
        let list = |before: &str, after: &str, numbers: std::ops::Range<u32>| -> Vec<String> {
            numbers.map(|number| format!("{before}{number}{after}")).collect()
        };
        let long = |path: &str, count| vec![(path.to_owned(), count)];
        assert_eq!(found(list("posts-", ".xml", 1..91)), (long("/posts-90.xml", 90), 0));
        assert_eq!(found(list("posts-", ".xml", 1..9)), (vec![], 8));
        assert_eq!(
            found(list("v2/posts-", "-of-90.xml.gz", 0..30)),
            (long("/v2/posts-29-of-90.xml.gz", 30), 0)
        );
        let padded = (1..40).map(|number| format!("posts-{number:03}.xml")).chain(["posts.xml".into()]);
        assert_eq!(found(padded.collect()), (long("/posts-039.xml", 39), 1));
        let two = [list("a-", ".xml", 1..20), list("b-", ".xml", 1..4)].concat();
        assert_eq!(found(two), (long("/a-19.xml", 19), 3));
        let ids = (0..300).map(|number| format!("map-{}.xml", number * 7));
        assert_eq!(found(ids.collect()), (long("all", 300), 0), "there is no run among them");
        assert_eq!(found(list("99999999999", ".xml", 1..30)).1, 29);
    }

    #[test]
    fn maps_that_are_known_are_left_out_and_the_list_has_a_name() {
        let urls: Vec<_> = (1..=30).map(|number| map(&format!("posts-{number}.xml"))).collect();
        let (long, _) = NumberedMaps::of_index(&urls, Days { first: 0, last: 9 });
        let known = |url: &CanonicalUrl| url.path() == "/posts-30.xml" || url.path() == "/posts-7.xml";
        let AfterMap::Read(url, list) = long[0].clone().begin(known) else { panic!("it is long") };
        assert_eq!((url.path(), list.count(), list.at(6)), ("/posts-29.xml", 28, Some(map("posts-8.xml"))));
        assert_eq!(long[0].pattern(), list.pattern());
        assert!(!urls.contains(&list.pattern().unwrap()));
        assert!(
            matches!(long[0].clone().begin(|url| url != &urls[3]), AfterMap::ReadAll(maps) if maps == urls[3..4])
        );
    }

    #[test]
    fn whichever_end_is_the_newest_few_maps_are_read() {
        // Ninety maps of eleven days each, three articles a day.
        let days: Vec<Vec<u32>> =
            (0..90).map(|map| (0..33).map(|article| 18_000 + map * 11 + article / 3).collect()).collect();
        let wanted = Days { first: 18_400, last: 18_430 };
        let showing = |days: &[Vec<u32>]| -> Vec<usize> {
            (0..90).filter(|map| days[*map].iter().any(|day| wanted.contains(*day))).collect()
        };
        let reversed: Vec<Vec<u32>> = days.iter().rev().cloned().collect();
        for days in [days, reversed] {
            let read = maps_read(&days, wanted);
            assert!(read.len() <= 14, "{read:?}");
            assert!(showing(&days).iter().all(|map| read.contains(map)), "{read:?}");
        }
    }

    #[test]
    fn all_maps_are_read_if_their_numbers_do_not_follow_the_days() {
        let wanted = Days { first: 18_400, last: 18_430 };
        // By a hash of the address; without days; with a middle that is newer than both ends.
        let hashed: Vec<Vec<u32>> =
            (0..40).map(|map| (0..50).map(|n| 18_000 + map + n * 20).collect()).collect();
        assert_eq!(maps_read(&hashed, wanted).len(), 40);
        assert_eq!(maps_read(&vec![vec![]; 40], wanted).len(), 40);
        let mut bent: Vec<Vec<u32>> = (0..40).map(|map| vec![18_000 + map * 20]).collect();
        bent.iter_mut().skip(5).take(30).for_each(|map| map[0] = 19_500);
        assert_eq!(maps_read(&bent, wanted).len(), 40);
    }

    #[test]
    fn a_map_that_is_not_there_hides_none_beside_it() {
        let mut days: Vec<Vec<u32>> = (0..90).map(|map| vec![18_000 + map * 10, 18_005 + map * 10]).collect();
        let wanted = Days { first: 18_400, last: 18_430 };
        for missing in [30, 39, 40, 41, 42, 43, 44, 45, 60] {
            let there = std::mem::take(&mut days[missing]);
            let read = maps_read(&days, wanted);
            assert!((40..=43).all(|map| read.contains(&map)), "{missing}: {read:?}");
            assert!(read.len() < 60, "{missing}: {read:?}");
            days[missing] = there;
        }
    }

    proptest! {
        #[test]
        fn what_a_reading_of_all_maps_finds_is_found(
            steps in prop::collection::vec(0_u32..5, 60..1_000),
            size in 1_usize..30,
            first in 0_u32..2_500,
            count in 0_u32..200,
            newest_last in any::<bool>(),
            holes in prop::collection::vec(0_usize..100, 0..4),
        ) {
            let mut day = 15_000;
            let days: Vec<u32> = steps.iter().map(|step| { day += step; day }).collect();
            let wanted = Days { first: 15_000 + first, last: 15_000 + first + count };
            let mut maps: Vec<Vec<u32>> = days.chunks(size).map(<[u32]>::to_vec).collect();
            for hole in holes {
                if let Some(map) = maps.get_mut(hole) { map.clear(); }
            }
            if !newest_last {
                maps.reverse();
            }
            let read: BTreeSet<usize> = maps_read(&maps, wanted).into_iter().collect();
            for (place, map) in maps.iter().enumerate() {
                let is_wanted = map.iter().any(|day| wanted.contains(*day));
                prop_assert!(!is_wanted || read.contains(&place), "map {} of {} is not read", place, maps.len());
            }
        }
    }
}
