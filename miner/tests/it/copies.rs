//! Copies of pages that ask for none are deleted once they were viewed, and what counts stays as it is.

use std::sync::Arc;
use std::time::Duration;

use newslode_common::config::{Follow, Noarchive};
use newslode_common::message::{Ending, GonePage, PartitionedPage};
use newslode_common::outcome::Outcome;
use newslode_common::rights::{PAGE, Rights, Source, Standing, Statement, Use, rights_key};
use newslode_common::store::archive::ObjectArchive;
use newslode_common::store::{Claim, Completion, Kind, NewUrl, Validators, Why, state_digest};
use newslode_common::version::{ContentHash, Version};
use newslode_miner::work::apply::{PageEnd, count_batch};
use newslode_miner::work::copies::{CopyMemory, Dropped, Waits, drop_copies};
use newslode_miner::work::removal::remove_page;
use newslode_miner::work::verify::verify;
use newslode_miner::work::views::{Pace, ViewMemory, When, view_sites};
use newslode_page::reading::{CanonicalUrl, Site};
use tokio_util::sync::CancellationToken;

use crate::world::{NOW, World, content_of, ours, page, recompute, world};

const PACE: Pace = Pace { at_once: 1, share: 100 };

/// Two archives of which one belongs to the store and one to services.
fn worlds() -> [World; 2] {
    let (mut embedded, mut services) = (world(), world());
    services.parts.stores.archive = Arc::new(ObjectArchive::open("memory:///").unwrap());
    embedded.parts.noarchive = Noarchive::Drop;
    services.parts.noarchive = Noarchive::Drop;
    [embedded, services]
}

/// Two pages that ask for no copy, and one that does not.
async fn pages_of(world: &World) -> (Site, [PartitionedPage; 3]) {
    let site = world.seed("https://a.test/").await;
    let pages = ["shy", "coy", "open"]
        .map(|path| page(&format!("https://a.test/{path}"), Why::Link, 1, &["sport", "art"], &["story"]));
    for page in &pages {
        archive(world, page).await;
    }
    for page in &pages[..2] {
        ask_for_no_copy(world, &page.url).await;
    }
    (site, pages)
}

/// Archives what crawler and partitioner archive of a page.
async fn archive(world: &World, page: &PartitionedPage) {
    world.archive(page).await;
    let archive = &world.parts.stores.archive;
    archive.put(Kind::Hierarchy, page.version.content, "<page/>".into(), NOW).await.unwrap();
}

async fn ask_for_no_copy(world: &World, url: &CanonicalUrl) {
    let mut rights = Rights::default();
    let says = [(Use::Archive, Standing::Reserved)];
    rights.add(Statement::new(Source::RobotsTag, "noarchive", PAGE, NOW, says));
    let json = serde_json::to_vec(&rights).unwrap();
    world.parts.stores.archive.put(Kind::Rights, rights_key(url), json.into(), NOW).await.unwrap();
}

/// Claims a page. What is due before it is done first.
async fn claim(world: &World, url: &CanonicalUrl) -> Claim {
    let frontier = &world.parts.stores.frontier;
    loop {
        let claims = frontier.claim(NOW, Duration::from_secs(9), 1).await.unwrap().claims;
        let claim = claims.into_iter().next().expect("the page is due");
        if claim.url == *url {
            return claim;
        }
        frontier.complete(&claim, done(Outcome::Gone, None), NOW).await.unwrap();
    }
}

fn done(outcome: Outcome, content: Option<ContentHash>) -> Completion {
    Completion::Done { outcome, content, validators: Validators::default(), next: None, schedule: None }
}

async fn view(world: &World) {
    let (mut memory, stop) = (ViewMemory::new(), CancellationToken::new());
    view_sites(&world.parts, When::Changed, PACE, &mut memory, &stop).await.unwrap();
}

async fn drop_in(world: &World, memory: &mut CopyMemory) -> Dropped {
    let how = (Waits::default(), PACE);
    drop_copies(&world.parts, how, memory, &CancellationToken::new()).await.unwrap()
}

/// Whether the archive holds the bytes and the hierarchy of a page, and whether it says that it removed the bytes.
async fn holds(world: &World, page: &PartitionedPage) -> [bool; 3] {
    let archive = world.parts.stores.archive.as_ref();
    let bytes = archive.get(Kind::Page, content_of(page)).await.unwrap().is_some();
    let hierarchy = archive.get(Kind::Hierarchy, page.version.content).await.unwrap().is_some();
    let is_noted = archive.removed(Kind::Page, content_of(page)).await.unwrap().is_some();
    [bytes, hierarchy, is_noted]
}

const THERE: [bool; 3] = [true, true, false];
const DROPPED: [bool; 3] = [false, false, true];

#[tokio::test]
async fn copies_go_once_they_were_viewed_and_what_counts_is_proved_without_them() {
    for world in worlds() {
        let (site, pages) = pages_of(&world).await;
        let [shy, coy, open] = &pages;
        let mut memory = CopyMemory::default();
        assert_eq!(drop_in(&world, &mut memory).await, Dropped::default(), "nothing counts");
        count_batch(&world.parts, Follow::Concepts, &site, &pages, NOW).await.unwrap();
        let state = world.parts.stores.state.clone();
        let before = state_digest(state.as_ref(), &site).await.unwrap();
        assert_eq!(drop_in(&world, &mut memory).await, Dropped::default(), "nothing was viewed");
        view(&world).await;
        assert_eq!(drop_in(&world, &mut memory).await, Dropped { pages: 2, hierarchies: 2 });
        for (page, held) in [(shy, DROPPED), (coy, DROPPED), (open, THERE)] {
            assert_eq!(holds(&world, page).await, held, "{}", page.url);
        }
        // A process that begins again, and one that goes on, find nothing.
        assert_eq!(drop_in(&world, &mut CopyMemory::default()).await, Dropped::default());
        assert_eq!(drop_in(&world, &mut memory).await, Dropped::default());
        assert_eq!(state_digest(state.as_ref(), &site).await.unwrap(), before);
        let (archive, sites) = (world.parts.stores.archive.as_ref(), [site.clone()]);
        let report = verify(state.as_ref(), archive, &sites, &ours(), recompute, |_| ()).await.unwrap();
        assert_eq!((report.removed, report.pages, report.different), (2, 1, 0));
        assert!(report.is_proof(), "{report:?}");
    }
}

#[tokio::test]
async fn a_page_that_is_fetched_again_has_its_copy_until_it_is_viewed_again() {
    for world in worlds() {
        let (site, pages) = pages_of(&world).await;
        let mut memory = CopyMemory::default();
        count_batch(&world.parts, Follow::Concepts, &site, &pages, NOW).await.unwrap();
        view(&world).await;
        drop_in(&world, &mut memory).await;

        // The partitioner was killed before it acknowledged, so the same page comes once more.
        let [shy, coy, _] = &pages;
        let archive = &world.parts.stores.archive;
        archive.put(Kind::Hierarchy, shy.version.content, "<page/>".into(), NOW).await.unwrap();
        let again = std::slice::from_ref(shy);
        let ends = count_batch(&world.parts, Follow::Concepts, &site, again, NOW).await.unwrap();
        assert_eq!((ends, holds(&world, shy).await), (vec![PageEnd::Stale], DROPPED));

        // A later fetch brought the same bytes.
        let later = PartitionedPage { version: Version { fetch: 2, ..shy.version }, ..shy.clone() };
        self::archive(&world, &later).await;
        count_batch(&world.parts, Follow::Concepts, &site, std::slice::from_ref(&later), NOW).await.unwrap();
        assert_eq!(drop_in(&world, &mut memory).await, Dropped::default());
        assert_eq!(holds(&world, shy).await, THERE);
        view(&world).await;
        assert_eq!(drop_in(&world, &mut memory).await, Dropped { pages: 1, hierarchies: 1 });
        assert_eq!((holds(&world, shy).await, holds(&world, coy).await), (DROPPED, DROPPED));
    }
}

#[tokio::test]
async fn a_page_that_is_being_fetched_keeps_its_copy_for_now() {
    for world in worlds() {
        let (site, pages) = pages_of(&world).await;
        let (mut memory, frontier) = (CopyMemory::default(), world.parts.stores.frontier.clone());
        count_batch(&world.parts, Follow::Concepts, &site, &pages, NOW).await.unwrap();
        view(&world).await;
        frontier.add(&[NewUrl::once(pages[0].url.clone(), 1, Why::Link, 0)], NOW).await.unwrap();
        let claimed = claim(&world, &pages[0].url).await;
        assert_eq!(drop_in(&world, &mut memory).await, Dropped { pages: 1, hierarchies: 1 });
        assert_eq!(holds(&world, &pages[0]).await, THERE);
        let fetched = done(Outcome::Fetched, Some(content_of(&pages[0])));
        frontier.complete(&claimed, fetched, NOW).await.unwrap();
        assert_eq!(drop_in(&world, &mut memory).await, Dropped { pages: 1, hierarchies: 1 });
        assert_eq!(holds(&world, &pages[0]).await, DROPPED);
    }
}

#[tokio::test]
async fn the_copy_of_a_page_that_is_gone_goes_too() {
    for mut world in worlds() {
        let (site, pages) = pages_of(&world).await;
        let [shy, coy, open] = &pages;
        count_batch(&world.parts, Follow::Concepts, &site, &pages, NOW).await.unwrap();
        let gone = |page: &PartitionedPage| GonePage {
            url: page.url.clone(),
            site: site.clone(),
            fetch: 2,
            at: NOW,
            ending: Ending::NotFound,
        };
        remove_page(&world.parts, &gone(shy), NOW).await.unwrap();
        remove_page(&world.parts, &gone(open), NOW).await.unwrap();
        assert_eq!((holds(&world, shy).await, holds(&world, open).await), (DROPPED, THERE));

        // One that was gone before copies were dropped is found by its last fetch.
        world.parts.noarchive = Noarchive::Hide;
        remove_page(&world.parts, &gone(coy), NOW).await.unwrap();
        assert_eq!(holds(&world, coy).await, THERE);
        let frontier = &world.parts.stores.frontier;
        frontier.add(&[NewUrl::once(coy.url.clone(), 1, Why::Link, 0)], NOW).await.unwrap();
        let claimed = claim(&world, &coy.url).await;
        frontier.complete(&claimed, done(Outcome::Gone, Some(content_of(coy))), NOW).await.unwrap();
        world.parts.noarchive = Noarchive::Drop;
        view(&world).await;
        assert_eq!(drop_in(&world, &mut CopyMemory::default()).await, Dropped { pages: 1, hierarchies: 1 });
        assert_eq!((holds(&world, coy).await, holds(&world, open).await), (DROPPED, THERE));
    }
}
