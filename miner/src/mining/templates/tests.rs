//! Pages are words; a template is a letter and accepts the pages that begin with it.

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

/// One look, as a miner does it. Returns the versions learnt and the number of pages they settled.
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
fn three_similar_pages_make_a_template() {
    let mut site = site();
    let looks = stream(&mut site, 0, &["a1", "a2", "a3", "a4"]);
    assert_eq!(looks, [(vec![], 0), (vec![], 0), (vec![1], 3), (vec![], 0)]);
    let live = &site.live()[0];
    assert_eq!((live.accepted, live.seen, site.waiting().len()), (4, 4, 0));
    assert_eq!((site.acceptance(), live.acceptance()), ((4, 4), 1.0));
}

#[test]
fn observing_pages_at_once_or_one_by_one_gives_the_same_counts() {
    let pages = ["a1", "a2", "a3", "a4", "b1", "a5"];
    let (mut streamed, mut at_once) = (site(), site());
    stream(&mut streamed, 0, &pages);
    look(&mut at_once, 5, &pages);
    let count = |site: &Site| (site.live()[0].accepted, site.waiting().to_vec(), site.acceptance());
    assert_eq!(count(&streamed), count(&at_once));
}

#[test]
fn dissimilar_pages_wait_and_are_not_tried_at_every_page() {
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
fn a_changed_layout_replaces_its_template_and_settles_waiting_pages() {
    let mut site = site();
    stream(&mut site, 0, &["a1", "a2", "a3", "a4", "a5"]);
    let looks = stream(&mut site, 100, &["b1", "b2", "b3", "b4", "b5", "b6"]);
    assert_eq!(looks[2], (vec![2], 3));
    // Six of its pages would have come by now; it is out of use only when seven were expected.
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
fn a_rarely_used_template_is_dropped_later() {
    let mut site = site();
    look(&mut site, 0, &["a", "a", "a", "a", "a", "a", "a", "b", "b", "b"]);
    assert_eq!(versions(&site), [1, 2]);
    // A tenth of the pages are its own: 20 pages without one are no reason to drop it, 70 are.
    (0..20).for_each(|second| _ = look(&mut site, second, &["a"]));
    assert_eq!(versions(&site), [1, 2]);
    (20..80).for_each(|second| _ = look(&mut site, second, &["a"]));
    assert_eq!(versions(&site), [1]);
}

#[test]
fn pages_that_no_template_accepts_do_not_drop_one() {
    let mut site = site();
    stream(&mut site, 0, &["a", "a2", "a3"]);
    // Nothing accepts them, so nothing shows that the old template is out of use.
    let looks = stream(&mut site, 10, &["p", "q", "r", "s", "t", "u", "v", "w"]);
    assert!(looks.iter().all(|(learnt, _)| learnt.is_empty()), "{looks:?}");
    look(&mut site, 20, &["a4"]);
    assert!(site.dropped().is_empty());
    assert_eq!((site.live()[0].accepted, site.live()[0].seen), (4, 12));
}

#[test]
fn the_waiting_pages_are_bounded_and_still_tried() {
    let mut site = site();
    stream(&mut site, 0, &["p", "q", "r", "s", "t", "u", "v", "w", "x"]);
    assert_eq!(site.waiting(), ["s", "t", "u", "v", "w", "x"]);
    let looks = stream(&mut site, 20, &["z1", "z2", "z3"]);
    assert_eq!(looks[2], (vec![1], 3));
}

#[test]
fn too_many_templates_drop_the_one_unused_for_longest() {
    let mut site = Templates::new(Settings { silence: 100, ..SETTINGS });
    look(&mut site, 0, &["a", "a", "a", "b", "b", "b"]);
    look(&mut site, 1, &["a"]);
    look(&mut site, 50, &["c", "c", "c"]);
    assert_eq!(site.live().iter().map(|live| live.template).collect::<String>(), "ac");
    assert_eq!((site.dropped()[0].version, site.dropped()[0].reason), (2, Reason::Crowded));
}

#[test]
fn gone_pages_leave_the_waiting_list() {
    let mut site = site();
    stream(&mut site, 0, &["a", "b"]);
    site.retain(|page| page != "a");
    assert_eq!(site.waiting(), ["b"]);
}

#[test]
fn stored_state_continues_where_it_stopped() {
    let mut site = Site::default();
    look(&mut site, 0, &["a", "a", "a", "a"]);
    let mut again: Site = serde_json::from_str(&serde_json::to_string(&site).unwrap()).unwrap();
    assert_eq!(again, site);
    assert_eq!(look(&mut again, 2, &["a5"]), (vec![1], 5));
}
