//! Pages that leave: those older than the window, and those of removed sites.

use std::collections::BTreeSet;

use newslode_common::broker::Queue;
use newslode_common::config::{Follow, MinerConfig};
use newslode_common::message::seed::SeedMessage;
use newslode_common::message::{FetchedPage, PartitionedPage, envelope};
use newslode_common::rights::{rights_key, site_rights_key};
use newslode_common::store::{Kind, Why, robots_key, state_digest};
use newslode_miner::work::apply::{PageEnd, count_batch};
use newslode_miner::work::captures::{drop_counted, uncounted, update};
use newslode_miner::work::reconcile::reconcile;
use newslode_miner::work::seeds::apply_seed;
use newslode_miner::work::verify::verify;
use newslode_miner::work::window::{Slid, slide};
use newslode_page::contribution::Table;
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;

use crate::world::{World, content_of, ours, page, recompute, served, url, world};

const HOME: &str = "https://a.test/";
const DAY: u64 = 86_400_000;

fn day(days: u64) -> Timestamp {
    Timestamp(days * DAY + 5_000)
}

/// A page, fetched and archived on a day.
async fn fetched(world: &World, path: &str, fetch: u64, days: u64, menu: &[&str]) -> PartitionedPage {
    let mut made = page(&format!("{HOME}{path}"), Why::Link, fetch, menu, &[]);
    made.fetched_at = day(days);
    world.archive_at(&made, day(days)).await;
    made
}

async fn count(world: &World, site: &Site, pages: &[PartitionedPage]) -> Vec<PageEnd> {
    let now = pages.first().map_or(day(0), |page| page.fetched_at);
    count_batch(&world.parts, Follow::Concepts, site, pages, now).await.unwrap()
}

async fn proved(world: &World, site: &Site, pages: u64) {
    let (state, archive) = (world.parts.stores.state.as_ref(), world.parts.stores.archive.as_ref());
    let report =
        verify(state, archive, std::slice::from_ref(site), &ours(), recompute, |_| ()).await.unwrap();
    assert!(report.is_proof() && report.pages == pages, "{report:?}");
}

async fn the_window_slides(world: World) {
    let site = world.seed(HOME).await;
    let old = fetched(&world, "old", 4, 10, &["sport", "golf"]).await;
    let young = fetched(&world, "young", 1, 14, &["sport", "tennis"]).await;
    let renewed = fetched(&world, "renewed", 1, 10, &["art"]).await;
    for one in [&old, &young, &renewed] {
        count(&world, &site, std::slice::from_ref(one)).await;
    }
    let again = fetched(&world, "renewed", 2, 14, &["art", "music"]).await;
    count(&world, &site, std::slice::from_ref(&again)).await;
    let none = Slid::default();
    assert_eq!(slide(&world.parts.stores, 0, day(99)).await.unwrap(), none);
    assert_eq!(slide(&world.parts.stores, 5, day(15)).await.unwrap(), none);
    let slid = slide(&world.parts.stores, 5, day(16)).await.unwrap();
    assert_eq!((slid.pages, slid.stuck), (1, 0));
    assert_eq!(slide(&world.parts.stores, 5, day(16)).await.unwrap(), none);
    proved(&world, &site, 2).await;
    // As if it had never been there.
    let other = crate::world::world();
    let other_site = other.seed(HOME).await;
    count(&other, &other_site, &[young.clone(), again.clone()]).await;
    let digest = async |world: &World| state_digest(world.parts.stores.state.as_ref(), &site).await.unwrap();
    assert_eq!(digest(&world).await, digest(&other).await);
    // A late message about it changes nothing; its next fetch counts.
    assert_eq!(count(&world, &site, std::slice::from_ref(&old)).await, [PageEnd::Stale]);
    assert_eq!(digest(&world).await, digest(&other).await);
    let slid = slide(&world.parts.stores, 5, day(17)).await.unwrap();
    assert_eq!(slid.pages, 0);
    // The archive forgets a day later than the sums.
    let archived = async |page: &PartitionedPage| {
        world.parts.stores.archive.get(Kind::Page, content_of(page)).await.unwrap().is_some()
    };
    assert!(slid.expired > 0 && !archived(&old).await && archived(&young).await);
    let anew = fetched(&world, "old", 5, 17, &["sport", "golf"]).await;
    assert_eq!(count(&world, &site, &[anew]).await, [PageEnd::Applied]);
    proved(&world, &site, 3).await;
    let slid = slide(&world.parts.stores, 5, day(40)).await.unwrap();
    assert_eq!(slid.pages, 3);
    for table in Table::ALL {
        assert!(world.parts.stores.state.cells(&site, *table).await.unwrap().is_empty(), "{table:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_older_than_the_window_are_removed() {
    the_window_slides(world()).await;
}

async fn told(world: &World, json: &str) {
    let command = SeedMessage::parse(json.as_bytes()).unwrap();
    apply_seed(&world.parts, &MinerConfig::default(), command, day(20)).await.unwrap();
}

async fn a_site_is_removed(world: World) {
    let site = world.seed(HOME).await;
    let kept = world.seed("https://b.test/").await;
    let home = fetched(&world, "", 1, 10, &["sport", "golf"]).await;
    let flying = fetched(&world, "flying", 1, 10, &["sport", "tennis"]).await;
    count(&world, &site, std::slice::from_ref(&home)).await;
    // Of a web archive: it was archived, and its message was lost.
    let lost = fetched(&world, "lost", day(10).0, 10, &["sport", "chess"]).await;
    update(world.parts.stores.state.as_ref(), &site, &[content_of(&lost)], &[]).await.unwrap();
    let other = page("https://b.test/", Why::Seed, 1, &["sport"], &[]);
    world.archive(&other).await;
    count(&world, &kept, std::slice::from_ref(&other)).await;
    let (archive, robots) = (&world.parts.stores.archive, url("https://a.test/robots.txt"));
    for page in [&home, &lost] {
        archive.put(Kind::Rights, rights_key(&page.url), "{}".into(), Timestamp(1)).await.unwrap();
    }
    archive.put(Kind::Rights, site_rights_key(&site), "{}".into(), Timestamp(1)).await.unwrap();
    archive.put(Kind::Robots, robots_key(&robots), "{}".into(), Timestamp(1)).await.unwrap();
    for _ in 0..2 {
        // Commands may be repeated.
        told(&world, r#"{"version":1,"remove":"https://a.test/any"}"#).await;
        assert_eq!(count(&world, &site, std::slice::from_ref(&flying)).await, [PageEnd::Unwanted]);
        assert_eq!(world.parts.stores.state.pages(&site).await.unwrap(), []);
        assert_eq!(world.parts.stores.frontier.entry(&url(HOME)).await.unwrap(), None);
        let left: BTreeSet<Site> =
            world.parts.stores.state.sites().await.unwrap().into_iter().map(|(site, _)| site).collect();
        assert_eq!(left, [kept.clone()].into());
        assert!(uncounted(world.parts.stores.state.as_ref(), &site).await.unwrap().is_empty());
        let names = [
            (Kind::Rights, rights_key(&home.url)),
            (Kind::Rights, site_rights_key(&site)),
            (Kind::Robots, robots_key(&robots)),
        ];
        for (kind, name) in names {
            assert_eq!(archive.get(kind, name).await.unwrap(), None, "{kind:?}");
        }
        for gone in [&home, &flying, &lost] {
            for kind in Kind::ALL {
                let name = if *kind == Kind::Page { content_of(gone) } else { gone.version.content };
                let held = world.parts.stores.archive.get(*kind, name).await.unwrap();
                assert_eq!(held, None, "{kind:?} of {}", gone.url);
            }
        }
    }
    proved(&world, &kept, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removed_site_is_forgotten_with_its_pages_and_messages_under_way() {
    a_site_is_removed(world()).await;
}

/// A feed was killed: its pages are archived and noted, the queues are gone.
#[tokio::test]
async fn pages_of_web_archives_that_were_lost_on_their_way_are_published_again() {
    let world = world();
    let site = world.seed(HOME).await;
    // Times of capture, which are their numbers: days since 2020-09-13.
    let captured = async |path: &str, days: u64| {
        let at = Timestamp(1_600_000_000_000 + days * DAY);
        let menu = ["sport".to_owned(), format!("{path} {days}")];
        let mut made =
            page(&format!("{HOME}{path}"), Why::Link, at.0, &menu.each_ref().map(String::as_str), &[]);
        made.fetched_at = at;
        world.archive_at(&made, at).await;
        update(world.parts.stores.state.as_ref(), &site, &[content_of(&made)], &[]).await.unwrap();
        made
    };
    let (counted, lost) = (captured("golf", 3).await, captured("chess", 3).await);
    let (newer, older) = (captured("tennis", 3).await, captured("tennis", 2).await);
    count(&world, &site, &[counted, newer]).await;
    let parts = &world.parts;
    let again = async || {
        let (frontier, state, archive) =
            (parts.stores.frontier.as_ref(), parts.stores.state.as_ref(), parts.stores.archive.as_ref());
        reconcile(frontier, state, archive, parts.broker.as_ref()).await.unwrap()
    };
    assert_eq!(again().await, 1);
    let delivery = parts.broker.consume(Queue::Pages, 1).await.unwrap().next().await.unwrap();
    let published: FetchedPage = envelope::open(&delivery.body).unwrap();
    assert_eq!((published.url, published.version.fetch), (lost.url.clone(), lost.version.fetch));
    count(&world, &site, &[lost]).await;
    assert_eq!(again().await, 0);
    // What counts is named by the sums; what a newer one replaced is named here alone.
    drop_counted(parts.stores.state.as_ref()).await.unwrap();
    assert_eq!(uncounted(parts.stores.state.as_ref(), &site).await.unwrap(), [content_of(&older)].into());
}

/// The same over Redis.
mod servers {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn pages_older_than_the_window_are_removed_from_redis() {
        let (_server, world) = served().await;
        the_window_slides(world).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_removed_site_is_forgotten_in_redis() {
        let (_server, world) = served().await;
        a_site_is_removed(world).await;
    }
}
