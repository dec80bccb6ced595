//! Pages are letters: a template is a letter, and accepts pages that begin with it.

use super::*;

struct Letters;

impl Learner for Letters {
    type Page = String;
    type Template = char;

    fn accepts(&self, template: &char, page: &String) -> bool {
        page.starts_with(*template)
    }

    fn induce(&self, pages: &[&String]) -> Vec<char> {
        let mut found = Vec::new();
        for letter in 'a'..='z' {
            if pages.iter().filter(|page| page.starts_with(letter)).count() >= 3 {
                found.push(letter);
            }
        }
        found
    }
}

const SETTINGS: Settings = Settings { enough: 3, most_waiting: 6, silence: 4, most_templates: 2 };

type Site = Templates<char, String>;

fn site() -> Site {
    Templates::new(SETTINGS)
}

/// Observes pages a second apart, from so many seconds on.
fn observe(site: &mut Site, from: u64, pages: &[&str]) -> Vec<Verdict<String>> {
    let at = |number: usize| Timestamp((from + number as u64) * 1000);
    pages.iter().enumerate().map(|(n, page)| site.observe(&Letters, (*page).to_owned(), at(n))).collect()
}

fn accepted(version: u32) -> Verdict<String> {
    Verdict::Accepted { version }
}

fn waiting(waiting: usize) -> Verdict<String> {
    Verdict::Waiting { waiting }
}

fn learnt(versions: &[u32], redo: &[&str], since: u64) -> Verdict<String> {
    let redo = redo.iter().map(|page| (*page).to_owned()).collect();
    Verdict::Learnt { versions: versions.to_vec(), redo, since: Timestamp(since * 1000) }
}

#[test]
fn enough_pages_that_are_alike_make_a_template() {
    let mut site = site();
    let verdicts = observe(&mut site, 0, &["a1", "a2", "a3", "a4"]);
    assert_eq!(verdicts, [waiting(1), waiting(2), learnt(&[1], &["a1", "a2", "a3"], 0), accepted(1)]);
    assert_eq!((site.live()[0].accepted, site.live()[0].seen, site.waiting()), (4, 4, 0));
    assert_eq!(site.acceptance(), (4, 1));
}

#[test]
fn pages_that_are_not_alike_wait_and_are_not_tried_each_time() {
    let mut site = site();
    let verdicts = observe(&mut site, 0, &["a", "b", "c", "a", "a", "b"]);
    // Tried at three and at six waiting pages.
    assert_eq!(verdicts[..5], [1, 2, 3, 4, 5].map(waiting));
    assert_eq!(verdicts[5], learnt(&[1], &["a", "a", "a"], 0));
    assert_eq!(site.waiting(), 3);
}

#[test]
fn two_templates_may_be_learnt_at_once() {
    let mut site = Templates::new(Settings { enough: 6, ..SETTINGS });
    let verdicts = observe(&mut site, 0, &["a", "b", "a", "b", "a", "b"]);
    assert_eq!(verdicts[5], learnt(&[1, 2], &["a", "a", "a", "b", "b", "b"], 0));
}

#[test]
fn a_layout_that_changes_is_noticed_and_its_pages_are_redone() {
    let mut site = site();
    observe(&mut site, 0, &["a", "a", "a", "a", "a"]);
    let verdicts = observe(&mut site, 100, &["b1", "b2", "b3", "b4"]);
    assert_eq!(verdicts, [waiting(1), waiting(2), learnt(&[2], &["b1", "b2", "b3"], 100), accepted(2)]);
    let dropped = Dropped {
        version: 1,
        reason: Reason::LayoutChanged { acceptance: 1.0 },
        last_at: Timestamp(4000),
        dropped_at: Timestamp(103_000),
    };
    assert_eq!(site.dropped(), [dropped]);
    assert_eq!(site.live().iter().map(|live| live.version).collect::<Vec<_>>(), [2]);
}

#[test]
fn a_site_that_shows_other_pages_for_a_while_keeps_its_template() {
    let mut site = site();
    observe(&mut site, 0, &["a", "a", "a"]);
    // Nothing accepts them, so that nothing tells that the old template is out of use.
    let verdicts = observe(&mut site, 10, &["p", "q", "r", "s", "t", "u", "v"]);
    assert!(verdicts.iter().all(|verdict| matches!(verdict, Verdict::Waiting { .. })), "{verdicts:?}");
    assert_eq!(observe(&mut site, 20, &["a"]), [accepted(1)]);
    assert!(site.dropped().is_empty());
    assert_eq!((site.live()[0].acceptance() * 11.0).round(), 4.0);
}

#[test]
fn the_queue_is_bounded_and_still_tried() {
    let mut site = site();
    let verdicts = observe(&mut site, 0, &["p", "q", "r", "s", "t", "u", "v", "w", "z", "z", "z", "z"]);
    assert_eq!(verdicts[9], waiting(6));
    assert!(matches!(&verdicts[11], Verdict::Learnt { versions, .. } if *versions == [1]), "{verdicts:?}");
}

#[test]
fn of_too_many_templates_the_most_silent_goes() {
    let mut site = Templates::new(Settings { silence: 100, ..SETTINGS });
    observe(&mut site, 0, &["a", "a", "a", "b", "b", "b", "a"]);
    let verdicts = observe(&mut site, 50, &["c", "c", "c"]);
    assert_eq!(verdicts[2], learnt(&[3], &["c", "c", "c"], 50));
    assert_eq!(site.live().iter().map(|live| live.template).collect::<String>(), "ac");
    assert_eq!((site.dropped()[0].version, site.dropped()[0].reason), (2, Reason::Crowded));
}

#[test]
fn the_state_goes_on_where_it_was_stored() {
    let mut site = site();
    observe(&mut site, 0, &["a", "a"]);
    let mut again: Site = serde_json::from_str(&serde_json::to_string(&site).unwrap()).unwrap();
    assert_eq!(again, site);
    assert_eq!(observe(&mut again, 2, &["a"]), [learnt(&[1], &["a", "a", "a"], 0)]);
}
