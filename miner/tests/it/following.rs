//! What a fold makes of the parts that it follows is what it makes of all cells, to the bit.

use std::sync::Arc;

use newslode_common::store::redb::RedbStore;
use newslode_common::store::{Applied, Change, SiteState, bucket};
use newslode_common::version::{ContentHash, Version};
use newslode_miner::mining::fold::{FoldParams, Folded, Folder, Schemes, scheme_labels};
use newslode_miner::mining::summary::SiteSummary;
use newslode_miner::work::summaries::summaries;
use newslode_miner::work::summary_cache::SummaryCache;
use newslode_page::contribution::{
    Contribution, Delta, FiledUse, LabelUse, LinkUse, ListUse, NestedUse, PairUse, Role, url_id,
};
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::splitmix::SplitMix;
use newslode_page::time::Timestamp;

use crate::flaky::Flaky;

const SITES: usize = 7;
const PAGES: usize = 12;
const LABELS: usize = 40;

struct Dice(SplitMix);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.0.draw() % bound as u64).unwrap()
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }
}

fn site(number: usize) -> Site {
    Site::of_host(&format!("s{number}.test"))
}

/// The first labels are sections of all sites, the others are drawn by few.
fn label(dice: &mut Dice) -> usize {
    if dice.chance(2) { dice.below(8) } else { dice.below(LABELS) }
}

fn key(label: usize) -> String {
    match label % 10 {
        7 => format!("en:{label} comment"),
        8 => format!("en:a b c d label{label}"),
        _ => format!("en:label{label}"),
    }
}

fn target(site: usize, label: usize) -> CanonicalUrl {
    let path = if label % 3 == 1 { format!("p{}/p{label}", label - 1) } else { format!("p{label}") };
    format!("https://s{site}.test/{path}").parse().unwrap()
}

/// The address of a page: those of labels, and some more.
fn address(site: usize, page: usize) -> CanonicalUrl {
    target(site, page)
}

/// A page of random labels in random places, and the stories that it files.
fn page(dice: &mut Dice, site: usize, number: usize) -> Contribution {
    let mut page = Contribution { language: Some("en".into()), ..Contribution::default() };
    let mut shown: Vec<usize> = (0..3 + dice.below(8)).map(|_| label(dice)).collect();
    shown.sort_by_key(|label| key(*label));
    shown.dedup();
    for label in &shown {
        let mut roles = vec![Role::Any];
        if !dice.chance(4) {
            roles.push(Role::Link);
            roles.extend([Role::Inside, Role::Spelled].into_iter().filter(|_| !dice.chance(5)));
            roles.extend(
                [Role::Empty, Role::NoFollow, Role::Tail, Role::Many, Role::InText, Role::Member]
                    .into_iter()
                    .filter(|_| dice.chance(9)),
            );
            let target =
                if dice.chance(8) { address(site, dice.below(LABELS)) } else { target(site, *label) };
            page.links.push(LinkUse { target, label: Some(key(*label)), in_group: false, inside: true });
        }
        roles.sort_unstable();
        let form = format!("Form {} of {label}", dice.below(2));
        page.labels.push(LabelUse { key: key(*label), form, roles });
    }
    for (at, broader) in shown.iter().enumerate() {
        for narrower in shown.iter().skip(at + 1) {
            let (broader, narrower) = (key(*broader), key(*narrower));
            if dice.chance(6) {
                page.pairs.push(PairUse { broader: broader.clone(), narrower: narrower.clone(), level: 1 });
            }
            if dice.chance(4) {
                page.nested.push(NestedUse { broader, narrower });
            }
        }
    }
    // A directory that no page may show.
    page.nested.push(NestedUse { broader: key(dice.below(8)), narrower: key(dice.below(LABELS)) });
    page.directories = vec![key(label(dice))];
    let mut list: Vec<String> = shown.iter().map(|label| key(*label)).filter(|_| !dice.chance(3)).collect();
    list.sort_unstable();
    if list.len() > 1 {
        page.lists.push(ListUse { labels: list });
    }
    let mut stories: Vec<String> =
        (0..dice.below(6)).map(|_| url_id(&address(site, 100 + dice.below(30)))).collect();
    stories.sort_unstable();
    stories.dedup();
    page.filed = Some(FiledUse { page: url_id(&address(site, number)), stories });
    page
}

/// What is counted of each page, and its fetches so far.
type Counted = Vec<Vec<(Option<Contribution>, u64)>>;

/// Counts, changes or removes a few pages of a site in one call.
async fn turn(dice: &mut Dice, state: &dyn SiteState, counted: &mut Counted) {
    let number = dice.below(SITES);
    if dice.chance(40) {
        state.forget(&site(number)).await.unwrap();
        counted[number] = vec![(None, 0); PAGES];
        return;
    }
    let mut changes = Vec::new();
    for _ in 0..=dice.below(4) {
        let at = dice.below(PAGES);
        let (held, fetches) = &mut counted[number][at];
        let version = |held: &Option<Contribution>, fetch| Version {
            fetch,
            content: if held.is_some() {
                ContentHash(u128::from(fetch).to_be_bytes())
            } else {
                ContentHash::NONE
            },
        };
        let before = (*fetches > 0).then(|| version(held, *fetches));
        let new = if dice.chance(5) { None } else { Some(page(dice, number, at)) };
        let delta = Delta::between(held.as_ref(), new.as_ref());
        (*held, *fetches) = (new, *fetches + 1);
        changes.push(Change {
            url: address(number, at),
            expected: before,
            new: version(held, *fetches),
            fetched_at: Timestamp(5),
            delta,
            again: false,
        });
    }
    let verdicts = state.apply(&site(number), &changes).await.unwrap();
    assert!(verdicts.iter().all(|verdict| *verdict == Applied::Applied), "{verdicts:?}");
}

/// What the schemes of some sites say: labels that many sites show, that few show, and that none shows.
fn schemes(dice: &mut Dice) -> Schemes {
    let scheme = |dice: &mut Dice| {
        let labels = (0..dice.below(8)).map(|_| {
            let (number, word) = (dice.below(LABELS + 2), dice.below(3));
            let label = serde_json::json!({
                "form": format!("Form {} of {number}", dice.below(3)), "articles": dice.below(5), "words": [[word, 16_000]]
            });
            (key(number), label)
        });
        let labels: serde_json::Map<String, serde_json::Value> = labels.collect();
        let said = serde_json::json!({
            "articles": dice.below(60), "labels": labels, "words": {"en": [[0, 5_000], [1, 5_000], [2, 5_000], [9, 13_000]]}
        });
        Arc::new(serde_json::from_value(said).unwrap())
    };
    let mut found = Schemes::new();
    for number in 0..SITES {
        if !dice.chance(3) {
            found.insert(site(number), scheme(dice));
        }
    }
    found
}

async fn folded(summaries: Vec<Arc<SiteSummary>>, schemes: &Schemes, support: u32) -> Folded {
    Folder::default().fold_asking(
        &summaries,
        schemes,
        newslode_miner::mining::schemes::KnownLabels::builtin(),
        &FoldParams { support, ..FoldParams::default() },
    )
}

/// Follows a random history. Some followers start late; some fold seldom; some take over what others kept, of whom two may
/// write at once.
async fn follow(seed: u64, support: u32) -> usize {
    let (mut dice, state) = (Dice(SplitMix(seed)), RedbStore::in_memory().unwrap());
    let mut counted: Counted = vec![vec![(None, 0); PAGES]; SITES];
    let (mut early, mut late, mut heir) =
        (SummaryCache::default(), SummaryCache::default(), SummaryCache::default());
    let (mut concepts, mut schemes_now) = (0, Schemes::new());
    for round in 0..60 {
        if dice.chance(4) {
            schemes_now = schemes(&mut dice);
        }
        for _ in 0..=dice.below(6) {
            turn(&mut dice, &state, &mut counted).await;
        }
        let wanted = folded(summaries(&state).await.unwrap(), &schemes_now, support).await;
        concepts += wanted.taxonomy.concepts.len();
        early.want(scheme_labels(&schemes_now, support));
        let (parts, _) = early.refresh(&state, support).await.unwrap();
        assert_eq!(
            folded(parts, &schemes_now, support).await,
            wanted,
            "seed {seed}, round {round}, support {support}"
        );
        if round > 20 && dice.chance(5) {
            late.want(scheme_labels(&schemes_now, support));
            let (parts, _) = late.refresh(&state, support).await.unwrap();
            assert_eq!(
                folded(parts, &schemes_now, support).await,
                wanted,
                "late: seed {seed}, round {round}, support {support}"
            );
            late.save(&state).await.unwrap();
        }
        if dice.chance(4) {
            early.save(&state).await.unwrap();
        }
        if dice.chance(4) {
            heir = SummaryCache::default();
        }
        if dice.chance(2) {
            heir.want(scheme_labels(&schemes_now, support));
            let (parts, _) = heir.refresh(&state, support).await.unwrap();
            assert_eq!(
                folded(parts, &schemes_now, support).await,
                wanted,
                "heir: seed {seed}, round {round}, support {support}"
            );
        }
    }
    concepts
}

#[tokio::test]
async fn folding_summaries_of_changed_sites_equals_folding_all_cells() {
    let mut concepts = 0;
    for seed in 0..8 {
        for support in [0, 1, 3] {
            concepts += follow(seed, support).await;
        }
    }
    assert!(concepts > 1_000, "the made-up sites agree on something: {concepts}");
}

/// A follower that was away for longer than the log reaches back reads all sites anew.
#[tokio::test]
async fn a_miner_that_fell_behind_reads_the_sites_again() {
    let (mut dice, state) = (Dice(SplitMix(5)), RedbStore::in_memory().unwrap());
    let mut counted: Counted = vec![vec![(None, 0); PAGES]; SITES];
    let mut follower = SummaryCache::default();
    for _ in 0..40 {
        turn(&mut dice, &state, &mut counted).await;
    }
    follower.refresh(&state, 2).await.unwrap();
    follower.save(&state).await.unwrap();
    let mut heir = SummaryCache::default();
    let before = state.log(bucket(&site(0)), 0, 1).await.unwrap();
    for number in 0..40 {
        let mut large = page(&mut dice, 0, 0);
        large.labels.extend((0..2_000).map(|_| LabelUse {
            key: format!("en:{:x}", dice.0.draw()),
            form: format!("{:x}", dice.0.draw()),
            roles: vec![Role::Any, Role::Link],
        }));
        let change = Change {
            url: address(0, 1_000 + number),
            expected: None,
            new: Version { fetch: 1, content: ContentHash([1; 16]) },
            fetched_at: Timestamp(5),
            delta: Delta::between(None, Some(&large)),
            again: false,
        };
        state.apply(&site(0), &[change]).await.unwrap();
    }
    let log = state.log(bucket(&site(0)), 0, 1).await.unwrap();
    assert!(log.dropped > before.end, "the log was not cut: {} of {}", log.dropped, log.end);
    let wanted = folded(summaries(&state).await.unwrap(), &Schemes::new(), 2).await;
    let (parts, changed) = follower.refresh(&state, 2).await.unwrap();
    assert!(changed < parts.len(), "only the sites of that log are read");
    assert_eq!(folded(parts, &Schemes::new(), 2).await, wanted);
    // So does one that takes over what was kept before the cut.
    let (parts, _) = heir.refresh(&state, 2).await.unwrap();
    assert_eq!(folded(parts, &Schemes::new(), 2).await, wanted);
}

/// Whatever of a follower's calls fails, comes late or comes twice: what it kept is right, or is not used.
#[tokio::test]
async fn summaries_saved_in_a_failing_store_are_right_or_not_used() {
    for seed in 0..12 {
        let (mut dice, state) = (Dice(SplitMix(seed)), Arc::new(RedbStore::in_memory().unwrap()));
        let flaky = Flaky::new(state.clone(), state.clone(), state.clone(), seed);
        let mut counted: Counted = vec![vec![(None, 0); PAGES]; SITES];
        let mut followers = [SummaryCache::default(), SummaryCache::default()];
        for round in 0..40 {
            turn(&mut dice, state.as_ref(), &mut counted).await;
            let at = dice.below(2);
            if dice.chance(12) {
                followers[at] = SummaryCache::default();
            }
            let follower = &mut followers[at];
            if follower.refresh(&flaky, 2).await.is_ok() && dice.chance(2) {
                follower.save(&flaky).await.ok();
            }
            let (parts, _) = SummaryCache::default().refresh(state.as_ref(), 2).await.unwrap();
            let wanted = folded(summaries(state.as_ref()).await.unwrap(), &Schemes::new(), 2).await;
            assert_eq!(folded(parts, &Schemes::new(), 2).await, wanted, "seed {seed}, round {round}");
        }
    }
}
