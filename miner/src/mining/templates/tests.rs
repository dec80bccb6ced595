//! Pages are words: a template is a letter, and accepts pages that begin with it.

use super::*;

const SETTINGS: Settings = Settings { enough: 3, most_waiting: 6, silence: 4, most_templates: 2 };

type Site = Templates<char, String>;

fn site() -> Site {
    Templates::new(SETTINGS)
}

/// A time in seconds.
fn at(seconds: u64) -> Timestamp {
    Timestamp(seconds * 1000)
}

fn by(site: &Site, page: &str, now: Timestamp) -> Option<(u32, Timestamp)> {
    let found = site.live().iter().find(|live| page.starts_with(live.template));
    found.map(|live| (live.version, now))
}

/// One look: what a miner does. The versions learnt and the pages settled by them.
fn look(site: &mut Site, seconds: u64, pages: &[&str]) -> (Vec<u32>, usize) {
    let new: Vec<_> = pages.iter().map(|page| ((*page).to_owned(), by(site, page, at(seconds)))).collect();
    site.observe(new);
    let mut found = (Vec::new(), 0);
    if site.is_time_to_learn() {
        let is_common =
            |letter: &char| site.waiting().iter().filter(|page| page.starts_with(*letter)).count() >= 3;
        let letters = ('a'..='z').filter(is_common).collect();
        found.0 = site.learn(letters, at(seconds));
        let accepted: Vec<_> = site.waiting().iter().map(|page| by(site, page, at(seconds))).collect();
        let pages = site.waiting().to_vec();
        found.1 = site.settle(|page| accepted[pages.iter().position(|other| other == page).unwrap()]);
    }
    site.drop_past(at(seconds));
    found
}

/// Looks of one page each, a second apart.
fn stream(site: &mut Site, from: u64, pages: &[&str]) -> Vec<(Vec<u32>, usize)> {
    (from..).zip(pages).map(|(second, page)| look(site, second, &[page])).collect()
}

fn versions(site: &Site) -> Vec<u32> {
    site.live().iter().map(|live| live.version).collect()
}

#[test]
fn enough_pages_that_are_alike_make_a_template() {
    let mut site = site();
    let looks = stream(&mut site, 0, &["a1", "a2", "a3", "a4"]);
    assert_eq!(looks, [(vec![], 0), (vec![], 0), (vec![1], 3), (vec![], 0)]);
    let live = &site.live()[0];
    assert_eq!((live.accepted, live.seen, site.waiting().len()), (4, 4, 0));
    assert_eq!((site.acceptance(), live.acceptance()), ((4, 4), 1.0));
}

#[test]
fn one_look_or_many_come_to_the_same() {
    let pages = ["a1", "a2", "a3", "a4", "b1", "a5"];
    let (mut streamed, mut at_once) = (site(), site());
    stream(&mut streamed, 0, &pages);
    look(&mut at_once, 5, &pages);
    let count = |site: &Site| (site.live()[0].accepted, site.waiting().to_vec(), site.acceptance());
    assert_eq!(count(&streamed), count(&at_once));
}

#[test]
fn pages_that_are_not_alike_wait_and_are_not_tried_each_time() {
    let mut site = site();
    let looks = stream(&mut site, 0, &["a", "b", "c", "a2", "a3", "b2"]);
    // Tried at three and at six waiting pages.
    assert!(looks[..5].iter().all(|(learnt, _)| learnt.is_empty()));
    assert_eq!((&looks[5], site.waiting().len()), (&(vec![1], 3), 3));
}

#[test]
fn two_templates_may_be_learnt_at_once() {
    let mut site = site();
    assert_eq!(look(&mut site, 1, &["a", "b", "a2", "b2", "a3", "b3"]), (vec![1, 2], 6));
}

#[test]
fn a_layout_that_changes_is_noticed_and_its_pages_are_settled_anew() {
    let mut site = site();
    stream(&mut site, 0, &["a1", "a2", "a3", "a4", "a5"]);
    let looks = stream(&mut site, 100, &["b1", "b2", "b3", "b4", "b5", "b6"]);
    assert_eq!(looks[2], (vec![2], 3));
    // Six of its pages would have come: seven are expected before it is out of use.
    assert_eq!(versions(&site), [1, 2]);
    stream(&mut site, 106, &["b7"]);
    let dropped = Dropped {
        version: 1,
        reason: Reason::LayoutChanged { acceptance: 1.0 },
        since: at(2),
        last_at: at(4),
        dropped_at: at(106),
        accepted: 5,
        template: Some('a'),
    };
    assert_eq!(site.dropped(), [dropped]);
    assert_eq!((versions(&site), site.live()[0].since), (vec![2], at(102)));
    // Pages from before are still read by it, and do not bring it back by themselves.
    assert_eq!(site.usable().map(|(version, _)| version).collect::<Vec<_>>(), [2, 1]);
    assert!(!site.is_live(1));
}

#[test]
fn a_template_that_is_used_seldom_has_more_time() {
    let mut site = site();
    look(&mut site, 0, &["a", "a", "a", "a", "a", "a", "a", "b", "b", "b"]);
    assert_eq!(versions(&site), [1, 2]);
    // A tenth of the pages would be its own: 20 without one are no reason to drop it, 70 are.
    (0..20).for_each(|second| _ = look(&mut site, second, &["a"]));
    assert_eq!(versions(&site), [1, 2]);
    (20..80).for_each(|second| _ = look(&mut site, second, &["a"]));
    assert_eq!(versions(&site), [1]);
}

#[test]
fn a_site_that_shows_other_pages_for_a_while_keeps_its_template() {
    let mut site = site();
    stream(&mut site, 0, &["a", "a2", "a3"]);
    // Nothing accepts them, so that nothing tells that the old template is out of use.
    let looks = stream(&mut site, 10, &["p", "q", "r", "s", "t", "u", "v", "w"]);
    assert!(looks.iter().all(|(learnt, _)| learnt.is_empty()), "{looks:?}");
    look(&mut site, 20, &["a4"]);
    assert!(site.dropped().is_empty());
    assert_eq!((site.live()[0].accepted, site.live()[0].seen), (4, 12));
}

#[test]
fn the_queue_is_bounded_and_still_tried() {
    let mut site = site();
    stream(&mut site, 0, &["p", "q", "r", "s", "t", "u", "v", "w", "x"]);
    assert_eq!(site.waiting(), ["s", "t", "u", "v", "w", "x"]);
    let looks = stream(&mut site, 20, &["z1", "z2", "z3"]);
    assert_eq!(looks[2], (vec![1], 3));
}

#[test]
fn of_too_many_templates_the_most_silent_goes() {
    let mut site = Templates::new(Settings { silence: 100, ..SETTINGS });
    look(&mut site, 0, &["a", "a", "a", "b", "b", "b"]);
    look(&mut site, 1, &["a"]);
    look(&mut site, 50, &["c", "c", "c"]);
    assert_eq!(site.live().iter().map(|live| live.template).collect::<String>(), "ac");
    assert_eq!((site.dropped()[0].version, site.dropped()[0].reason), (2, Reason::Crowded));
}

#[test]
fn pages_that_are_gone_wait_no_more() {
    let mut site = site();
    stream(&mut site, 0, &["a", "b"]);
    site.retain(|page| page != "a");
    assert_eq!(site.waiting(), ["b"]);
}

#[test]
fn the_state_goes_on_where_it_was_stored() {
    let mut site = Site::default();
    look(&mut site, 0, &["a", "a", "a", "a"]);
    let mut again: Site = serde_json::from_str(&serde_json::to_string(&site).unwrap()).unwrap();
    assert_eq!(again, site);
    assert_eq!(look(&mut again, 2, &["a5"]), (vec![1], 5));
}
