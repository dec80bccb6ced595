//! Which maps of an index to visit: the one with the news should be among them.
//!
//! An index may name tens of thousands of maps. The date of their last change tells the newest, if they have dates and
//! these differ. Otherwise the numbers in their names do, or their places: the newest is the last one or the first one.
//! If none of the maps that were visited brought an article, others are tried.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};

use newslode_common::schedule::{Listing, ListingId, SiteSchedule};
use newslode_page::reading::CanonicalUrl;

use crate::listing::MapLink;

/// Maximum number of maps that are visited of an index.
const MOST_MAPS: usize = 10;
/// Maximum number of maps that are tried of an index because others brought nothing.
const MOST_TRIED: usize = 40;
/// Visits after which a map is judged that brought no article.
const JUDGED_VISITS: u64 = 3;
/// Digits of a number in a name that count.
const MOST_DIGITS: usize = 18;

/// The maps of an index, those that may have the news first; no more than are ever tried.
pub(super) fn likely_order(maps: Vec<MapLink>) -> Vec<CanonicalUrl> {
    // Maps whose names differ only in numbers are parts of one list.
    let mut families: HashMap<String, usize> = HashMap::new();
    let mut lists: Vec<Vec<(Vec<u64>, MapLink)>> = Vec::new();
    let mut singles = Vec::new();
    for map in maps {
        let (family, numbers) = numbers_in(map.url.as_str());
        if numbers.is_empty() {
            singles.push((numbers, map));
            continue;
        }
        let at = *families.entry(family).or_insert(lists.len());
        if at == lists.len() {
            lists.push(Vec::new());
        }
        if let Some(list) = lists.get_mut(at) {
            list.push((numbers, map));
        }
    }
    let mut queues: Vec<VecDeque<MapLink>> = Vec::new();
    for mut list in lists {
        list.sort_by(|one, other| one.0.cmp(&other.0));
        queues.push(from_both_ends(list));
    }
    let unnumbered = singles.len();
    // Each of these is a list of its own, but only their places tell anything.
    queues.push(from_both_ends(singles));
    let mut ordered = Vec::new();
    while !queues.is_empty() {
        ordered.extend(queues.iter_mut().filter_map(VecDeque::pop_front));
        queues.retain(|queue| !queue.is_empty());
    }
    ordered.sort_by_key(|map| Reverse(map.modified));
    let is_dated = ordered.first().map(|map| map.modified) != ordered.last().map(|map| map.modified);
    // Where dates or numbers tell, the first ones suffice.
    ordered.truncate(if is_dated || unnumbered <= MOST_MAPS { MOST_MAPS } else { MOST_TRIED });
    ordered.into_iter().map(|map| map.url).collect()
}

/// Takes maps from both ends in turn: the last, the first, the second to last, the second, and so on. If all names begin with
/// a year, the first maps are the oldest, so the list is only reversed.
fn from_both_ends(list: Vec<(Vec<u64>, MapLink)>) -> VecDeque<MapLink> {
    let is_dated = list.iter().all(|(numbers, _)| numbers.first().is_some_and(|first| is_date(*first)));
    let mut rest: VecDeque<MapLink> = list.into_iter().map(|(_, map)| map).collect();
    let mut ordered = VecDeque::with_capacity(rest.len());
    while let Some(last) = rest.pop_back() {
        ordered.push_back(last);
        if !is_dated {
            ordered.extend(rest.pop_front());
        }
    }
    ordered
}

/// 2026, 202611, 20261127.
fn is_date(number: u64) -> bool {
    let year = match number {
        0..=9_999 => number,
        10_000..=999_999 => number / 100,
        _ => number / 10_000,
    };
    (1990..2200).contains(&year)
}

/// The name of a map with its numbers taken out, and the numbers. Those of its host are none of them.
fn numbers_in(url: &str) -> (String, Vec<u64>) {
    let path_at = url.find("://").and_then(|at| Some(at + 3 + url.get(at + 3..)?.find('/')?)).unwrap_or(0);
    let (host, path) = url.split_at_checked(path_at).unwrap_or(("", url));
    let (mut family, mut numbers) = (host.to_owned(), Vec::new());
    let mut rest = path;
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let (before, from) = rest.split_at_checked(start).unwrap_or((rest, ""));
        let end = from.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(from.len());
        let digits = from.get(..end.min(MOST_DIGITS)).unwrap_or_default();
        numbers.extend(digits.parse::<u64>());
        family.extend([before, "#"]);
        rest = from.get(end..).unwrap_or_default();
    }
    family.push_str(rest);
    (family, numbers)
}

/// The maps of an index to visit. Those that the site's schedule knows are visited anyway; others are tried in their
/// places if none of them brought an article.
pub(super) fn to_visit<'m>(ordered: &'m [CanonicalUrl], site: &SiteSchedule) -> &'m [CanonicalUrl] {
    let met = |url: &&CanonicalUrl| site.listing(ListingId::of(url));
    let known: Vec<&Listing> = ordered.iter().filter_map(|url| met(&url)).collect();
    let is_useless = |map: &&Listing| map.visits >= JUDGED_VISITS && map.confirmed == 0;
    let tried = if known.iter().all(is_useless) { known.len() } else { 0 };
    ordered.get(..(tried + MOST_MAPS).min(ordered.len())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use newslode_common::schedule::{Allowance, ListingKind, ScheduleConfig};
    use newslode_page::time::Timestamp;

    use super::*;

    fn order(names: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<String> {
        let map =
            |name: &str| MapLink { url: format!("https://a1.test/{name}").parse().unwrap(), modified: None };
        let maps = names.into_iter().map(|name| map(name.as_ref())).collect();
        likely_order(maps).iter().map(|url| url.path()[1..].to_owned()).collect()
    }

    #[test]
    fn the_highest_number_comes_first_and_then_the_lowest() {
        // As programs sort names.
        let names = ["map1.xml", "map10.xml", "map11.xml", "map2.xml", "map3.xml"];
        assert_eq!(order(names), ["map11.xml", "map1.xml", "map10.xml", "map2.xml", "map3.xml"]);
        assert_eq!(order(["m?page=2", "m?page=10"]), ["m", "m"]);
        let letters = ["a.xml", "b.xml", "c.xml", "d.xml"];
        assert_eq!(order(letters), ["d.xml", "a.xml", "c.xml", "b.xml"]);
    }

    #[test]
    fn days_in_names_are_read_from_the_newest() {
        assert_eq!(
            order(["2024-11.xml", "2025-02.xml", "2026-10.xml", "2026-9.xml"]),
            ["2026-10.xml", "2026-9.xml", "2025-02.xml", "2024-11.xml"]
        );
        assert_eq!(order(["m202610.xml", "m202611.xml"]), ["m202611.xml", "m202610.xml"]);
    }

    #[test]
    fn each_list_of_an_index_has_its_turn() {
        let posts = (1..40).map(|number| format!("post-{number}.xml"));
        let names = posts.chain(["page-1.xml".to_owned(), "news.xml".to_owned()]);
        assert_eq!(order(names)[..4], ["post-39.xml", "page-1.xml", "news.xml", "post-1.xml"]);
    }

    #[test]
    fn dates_of_change_come_before_names_unless_all_are_equal() {
        let map = |number: u64, modified: u64| MapLink {
            url: format!("https://a.test/{number}").parse().unwrap(),
            modified: Some(Timestamp(modified)),
        };
        let paths = |maps: Vec<MapLink>| -> Vec<String> {
            likely_order(maps).iter().map(|url| url.path().to_owned()).collect()
        };
        assert_eq!(paths(vec![map(1, 7), map(2, 9), map(3, 8)]), ["/2", "/3", "/1"]);
        assert_eq!(paths(vec![map(1, 7), map(2, 7), map(3, 7)]), ["/3", "/1", "/2"]);
        assert_eq!(order((0..50_000).map(|number| format!("{number}"))).len(), MOST_MAPS);
        let letters =
            |number: u32| format!("{number:x}").replace(|letter: char| letter.is_ascii_digit(), "z");
        assert_eq!(order((0..50_000).map(letters)).len(), MOST_TRIED);
    }

    #[test]
    fn other_maps_are_tried_if_those_visited_bring_nothing() {
        let ordered: Vec<CanonicalUrl> =
            (0..30).map(|number| format!("https://a.test/{number}").parse().unwrap()).collect();
        let mut site = SiteSchedule::default();
        let mut now = Timestamp(1_700_000_000_000);
        let mut visited = Vec::new();
        for _ in 0..3 {
            let maps = to_visit(&ordered, &site);
            visited.push(maps.len());
            for map in maps {
                site.meet(map, ListingKind::Map);
            }
            assert_eq!(to_visit(&ordered, &site).len(), MOST_MAPS, "they are not judged before their visits");
            for _ in 0..JUDGED_VISITS {
                now = Timestamp(now.0 + 3_600_000);
                for map in maps {
                    let allowance = Allowance::full(1_000, now);
                    site.visit(ListingId::of(map), None, now, &allowance, &ScheduleConfig::default());
                }
            }
        }
        assert_eq!(visited, [10, 20, 30]);
    }
}
