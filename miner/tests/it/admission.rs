//! What the miner believes of a message: a forged or damaged one is a dead letter with its reason, and counts nothing.

use std::time::Duration;

use newslode_common::broker::{Broker, Queue};
use newslode_common::config::MinerConfig;
use newslode_common::message::{Ending, GonePage, PartitionedPage, envelope, wire};
use newslode_common::outcome::Outcome;
use newslode_common::schedule::{Class, Next, PageSchedule};
use newslode_common::store::{Completion, NewUrl, Validators, Why};
use newslode_common::time;
use newslode_common::version::{ContentHash, FIRST_DATE, Version};
use newslode_miner::work::histories::read_history;
use newslode_miner::work::service::run;
use newslode_page::contribution::Table;
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;
use tokio_util::sync::CancellationToken;

use crate::world::{NOW, World, content_of, page, served, url, world};

/// Sends messages, and waits until the miner has ended all of them. Returns the reasons of the dead letters.
async fn sent(world: &World, messages: Vec<Vec<u8>>) -> Vec<String> {
    sent_to(world, Queue::Partitions, messages, false).await
}

async fn sent_to(world: &World, queue: Queue, messages: Vec<Vec<u8>>, old_removals: bool) -> Vec<String> {
    let (broker, stop) = (world.broker.clone(), CancellationToken::new());
    for message in messages {
        broker.publish(queue, message.into()).await.unwrap();
    }
    let config = MinerConfig { fold_s: 0, views_s: 0, old_removals, ..MinerConfig::default() };
    let service = run(world.parts.clone(), config, stop.clone());
    let watch = async {
        tokio::time::timeout(Duration::from_secs(20), broker.idle()).await.unwrap();
        stop.cancel();
    };
    let (ended, ()) = tokio::join!(service, watch);
    ended.unwrap();
    let dead = broker.dead(queue, 99).await.unwrap();
    broker.drop_dead(queue, &[]).await.unwrap();
    dead.into_iter().map(|letter| letter.reason).collect()
}

fn sealed(page: &PartitionedPage) -> Vec<u8> {
    envelope::seal(page).unwrap()
}

async fn refused(world: &World, page: &PartitionedPage) -> String {
    sent(world, vec![sealed(page)]).await.pop().unwrap_or_default()
}

async fn counted(world: &World, site: &Site, at: &str) -> Option<Version> {
    world.parts.stores.state.versions(site, &[url(at)]).await.unwrap().remove(0)
}

fn story(fetch: u64) -> PartitionedPage {
    page("https://a.test/story", Why::Link, fetch, &["sport"], &[])
}

#[tokio::test]
async fn a_page_that_was_never_fetched_is_refused() {
    let world = world();
    let site = world.seed("https://a.test/").await;
    let reason = refused(&world, &story(1)).await;
    assert!(reason.contains("neither fetched by a crawler nor fed from an archive"), "{reason}");
    assert_eq!(counted(&world, &site, "https://a.test/story").await, None);

    // An address that waits in the frontier was not fetched either.
    let waiting = NewUrl::once(url("https://a.test/story"), 1, Why::Link, 0);
    world.parts.stores.frontier.add(&[waiting], NOW).await.unwrap();
    let reason = refused(&world, &story(1)).await;
    assert!(reason.contains("neither fetched"), "{reason}");

    world.archive(&story(1)).await;
    assert_eq!(sent(&world, vec![sealed(&story(1))]).await, [""; 0]);
    assert_eq!(counted(&world, &site, "https://a.test/story").await, Some(story(1).version));
}

#[tokio::test]
async fn the_content_of_another_page_is_refused() {
    let world = world();
    world.seed("https://a.test/").await;
    let other = page("https://a.test/other", Why::Link, 1, &["arts"], &[]);
    world.archive(&other).await;
    let forged = PartitionedPage { version: other.version, ..story(1) };
    let reason = refused(&world, &forged).await;
    assert!(reason.contains("its content is that of `https://a.test/other`"), "{reason}");
    // Nor may it delete what is archived of a page, by way of a site that no seed named.
    let elsewhere = page("https://unknown.test/", Why::Link, 1, &[], &[]);
    let reason = refused(&world, &PartitionedPage { version: other.version, ..elsewhere }).await;
    assert!(reason.contains("its content is that of"), "{reason}");
}

#[tokio::test]
async fn a_fetch_number_from_the_far_future_does_not_shadow_the_next_fetch() {
    let world = world();
    let site = world.seed("https://a.test/").await;
    world.archive(&story(3)).await;
    let forged = |fetch| PartitionedPage { version: Version { fetch, ..story(3).version }, ..story(3) };
    for fetch in [4, u64::from(u32::MAX), FIRST_DATE - 1] {
        let reason = refused(&world, &forged(fetch)).await;
        assert!(reason.contains(&format!("fetch {fetch} was never claimed; the last one is 3")), "{reason}");
    }
    let far = time::now().plus(Duration::from_secs(3 * 86_400));
    let reason = refused(&world, &forged(far.0)).await;
    assert!(reason.contains("the time of its capture is over a day ahead"), "{reason}");
    let reason = refused(&world, &PartitionedPage { fetched_at: far, ..story(3) }).await;
    assert!(reason.contains("the time of its fetch is over a day ahead"), "{reason}");

    let next = page("https://a.test/story", Why::Link, 4, &["sport", "cup"], &[]);
    world.archive(&next).await;
    assert_eq!(sent(&world, vec![sealed(&story(3)), sealed(&next)]).await, [""; 0]);
    assert_eq!(counted(&world, &site, "https://a.test/story").await, Some(next.version));
}

#[tokio::test]
async fn a_capture_is_taken_up_to_a_day_ahead() {
    let world = world();
    let site = world.seed("https://a.test/").await;
    let at = Timestamp(1_700_000_000_000);
    let content = story(1).version.content;
    let capture = PartitionedPage { version: Version { fetch: at.0, content }, fetched_at: at, ..story(1) };
    world.archive(&capture).await;
    assert_eq!(sent(&world, vec![sealed(&capture)]).await, [""; 0]);
    assert_eq!(counted(&world, &site, "https://a.test/story").await, Some(capture.version));
}

#[tokio::test]
async fn a_page_with_more_than_a_page_can_have_is_refused_by_name() {
    let world = world();
    world.seed("https://a.test/").await;
    world.archive(&story(1)).await;
    let mut large = story(1);
    large.contribution.labels[0].form = "x".repeat(9 << 20);
    let reason = refused(&world, &large).await;
    assert!(
        reason.contains("`https://a.test/story`: `labels` has 9437") && reason.contains("2097152"),
        "{reason}"
    );
    let reason = refused(&world, &PartitionedPage { site: "b.test".parse().unwrap(), ..story(1) }).await;
    assert!(reason.contains("is not a page of the site `b.test`"), "{reason}");
}

/// The archived contribution is what will be subtracted one day.
#[tokio::test]
async fn a_content_that_counts_keeps_its_contribution() {
    let world = world();
    let site = world.seed("https://a.test/").await;
    world.archive(&story(1)).await;
    assert_eq!(sent(&world, vec![sealed(&story(1)), sealed(&story(1))]).await, [""; 0]);
    let before =
        newslode_common::store::state_digest(world.parts.stores.state.as_ref(), &site).await.unwrap();
    let mut forged = story(1);
    forged.contribution.labels.clear();
    let reason = refused(&world, &forged).await;
    assert!(reason.contains("with another contribution"), "{reason}");
    // The next content takes the place of what was counted, and nothing of that is left.
    let next = page("https://a.test/story", Why::Link, 2, &["arts"], &[]);
    world.archive(&next).await;
    assert_eq!(sent(&world, vec![sealed(&next)]).await, [""; 0]);
    let fresh = crate::world::world();
    fresh.seed("https://a.test/").await;
    fresh.archive(&next).await;
    sent(&fresh, vec![sealed(&next)]).await;
    let digest = async |world: &World| {
        newslode_common::store::state_digest(world.parts.stores.state.as_ref(), &site).await.unwrap()
    };
    assert_ne!(digest(&world).await, before);
    assert_eq!(digest(&world).await, digest(&fresh).await);
}

#[tokio::test]
async fn what_no_crawler_can_tell_removes_nothing() {
    let world = world();
    let site = world.seed("https://a.test/").await;
    world.archive(&story(3)).await;
    sent(&world, vec![sealed(&story(3))]).await;
    let gone = |fetch, ending| {
        let gone = GonePage { url: url("https://a.test/story"), site: site.clone(), fetch, at: NOW, ending };
        envelope::seal(&gone).unwrap()
    };
    for (message, reason) in [
        (gone(3, Ending::Forgotten), "no crawler can tell"),
        (gone(FIRST_DATE - 1, Ending::NotFound), "was never claimed"),
        (
            envelope::seal(&GonePage {
                url: url("https://a.test/story"),
                site: site.clone(),
                fetch: 3,
                at: time::now().plus(Duration::from_secs(3 * 86_400)),
                ending: Ending::NotFound,
            })
            .unwrap(),
            "over a day ahead",
        ),
    ] {
        let dead = sent_to(&world, Queue::Gone, vec![message], false).await;
        assert!(dead.len() == 1 && dead[0].contains(reason), "{dead:?}");
    }
    let dead = sent(&world, vec![gone(3, Ending::NotFound)]).await;
    assert!(dead[0].contains("belongs on the queue `gone`"), "{dead:?}");
    assert_eq!(counted(&world, &site, "https://a.test/story").await, Some(story(3).version));
    assert_eq!(sent_to(&world, Queue::Gone, vec![gone(3, Ending::NotFound)], false).await, [""; 0]);
    let removed = counted(&world, &site, "https://a.test/story").await.unwrap();
    assert_eq!((removed.fetch, removed.content), (3, ContentHash::NONE));

    let next = page("https://a.test/story", Why::Link, 4, &["arts"], &[]);
    world.archive(&next).await;
    sent(&world, vec![sealed(&next)]).await;
    let older = vec![gone(4, Ending::NotFound)];
    assert_eq!(sent_to(&world, Queue::Partitions, older, true).await, [""; 0]);
    let removed = counted(&world, &site, "https://a.test/story").await.unwrap();
    assert_eq!((removed.fetch, removed.content), (4, ContentHash::NONE));
}

fn gone(site: &Site, at: &str, fetch: u64, ending: Ending) -> Vec<u8> {
    envelope::seal(&GonePage { url: url(at), site: site.clone(), fetch, at: NOW, ending }).unwrap()
}

/// Adds a page to the frontier and fetches it, as a crawler does, until the page leaves. Returns it under the number of its claim.
async fn fetched(world: &World, at: &str, leaves: bool) -> PartitionedPage {
    // By the service's clock: a URL that has left is remembered for months.
    let now = time::now();
    let (frontier, schedule) = (&world.parts.stores.frontier, Some(PageSchedule::page(None, now)));
    let new = NewUrl { schedule, ..NewUrl::once(url(at), 1, Why::Link, 0) };
    frontier.add(&[new], now).await.unwrap();
    // The front page goes first.
    let claim = loop {
        let claimed = frontier.claim(now, Duration::from_secs(60), 1).await.unwrap().claims;
        let claim = claimed.into_iter().next().expect("the page is due");
        if claim.url == url(at) {
            break claim;
        }
    };
    let page = page(at, Why::Link, claim.fetch, &["sport"], &[]);
    world.archive(&page).await;
    let (content, validators) = (Some(content_of(&page)), Validators::default());
    let next = (!leaves).then_some(Next { due: now.plus(Duration::from_secs(60)), class: Class::Rest });
    let completion = Completion::Done { outcome: Outcome::Fetched, content, validators, next, schedule };
    frontier.complete(&claim, completion, now).await.unwrap();
    page
}

/// A removal of each of a million addresses would otherwise stay in the store for good.
#[tokio::test]
async fn the_removal_of_an_address_that_nobody_knows_is_refused_and_leaves_nothing() {
    let (_server, served) = served().await;
    for world in [world(), served] {
        let site = world.seed("https://a.test/").await;
        let endings =
            [Ending::NotFound, Ending::Disallowed, Ending::Noindex, Ending::Moved(url("https://a.test/"))];
        let invented = "https://a.test/invented";
        let messages = endings.map(|ending| gone(&site, invented, 1, ending)).to_vec();
        let dead = sent_to(&world, Queue::Gone, messages, false).await;
        assert!(dead.len() == 4 && dead.iter().all(|reason| reason.contains("is not known")), "{dead:?}");
        assert_eq!(counted(&world, &site, invented).await, None);
        assert_eq!(world.parts.stores.state.pages(&site).await.unwrap(), []);
        assert!(read_history(world.parts.stores.archive.as_ref(), &url(invented)).await.unwrap().is_none());
    }
}

/// The page waits in the queue of partitioners while its removal, which needs none, is carried out.
#[tokio::test]
async fn a_removal_that_overtakes_the_page_holds_while_the_url_waits_and_after_it_left() {
    for leaves in [false, true] {
        for ending in [Ending::NotFound, Ending::Moved(url("https://a.test/new-address"))] {
            let world = world();
            let site = world.seed("https://a.test/").await;
            let page = fetched(&world, "https://a.test/story", leaves).await;
            let number = page.version.fetch;
            let removal = gone(&site, "https://a.test/story", number + 1, ending.clone());
            let is_there = world.parts.stores.frontier.entry(&page.url).await.unwrap().is_some();
            assert_eq!(is_there, !leaves);
            for _ in 0..2 {
                let dead = sent_to(&world, Queue::Gone, vec![removal.clone()], false).await;
                assert_eq!(dead, [""; 0], "{ending:?} {leaves}");
            }
            for _ in 0..2 {
                assert_eq!(sent(&world, vec![sealed(&page)]).await, [""; 0], "{ending:?} {leaves}");
            }
            let removed = Version { fetch: number + 1, content: ContentHash::NONE };
            assert_eq!(
                counted(&world, &site, "https://a.test/story").await,
                Some(removed),
                "{ending:?} {leaves}"
            );
            let sums = world.parts.stores.state.sums(&site, Table::ALL).await.unwrap();
            assert!(sums.values().all(|cells| cells.is_empty()), "{ending:?} {leaves}: {sums:?}");
        }
    }
}

/// Addresses that only redirect are many. None takes a place in the store.
#[tokio::test]
async fn a_page_that_redirected_before_it_was_ever_read_leaves_no_number() {
    let world = world();
    let site = world.seed("https://a.test/").await;
    let at = "https://a.test/?p=1";
    let new = NewUrl::once(url(at), 1, Why::Link, 0);
    world.parts.stores.frontier.add(&[new], NOW).await.unwrap();
    let moved = gone(&site, at, 1, Ending::Moved(url("https://a.test/story")));
    assert_eq!(sent_to(&world, Queue::Gone, vec![moved], false).await, [""; 0]);
    assert_eq!(counted(&world, &site, at).await, None);
}

#[tokio::test]
async fn whoever_may_add_sites_may_not_remove_them() {
    let world = world();
    let site = world.seed("https://a.test/").await;
    let is_there = async || world.parts.stores.frontier.site(&site).await.unwrap().is_some();
    let message = |text: &str| vec![text.as_bytes().to_vec()];
    let remove = r#"{"version":1,"remove":"https://a.test/"}"#;
    for removal in [remove, r#"{"version":1,"forget":"https://a.test/"}"#] {
        let dead = sent_to(&world, Queue::Seeds, message(removal), false).await;
        assert!(dead[0].contains("belong on the queue `removals`"), "{dead:?}");
    }
    let pause = r#"{"version":1,"pause":"https://a.test/"}"#;
    let dead = sent_to(&world, Queue::Removals, message(pause), false).await;
    assert!(dead[0].contains("only `remove` and `forget`"), "{dead:?}");
    assert!(is_there().await);
    assert_eq!(sent_to(&world, Queue::Removals, message(remove), false).await, [""; 0]);
    assert!(!is_there().await);

    world.seed("https://a.test/").await;
    assert_eq!(sent_to(&world, Queue::Seeds, message(remove), true).await, [""; 0]);
    assert!(!is_there().await);
}

/// 0.1.0 sent partitions without a checksum; a flipped bit of one was counted.
#[tokio::test]
async fn a_damaged_message_is_refused_and_one_of_an_older_version_is_taken() {
    let world = world();
    let site = world.seed("https://a.test/").await;
    world.archive(&story(1)).await;
    let good = sealed(&story(1));
    let flips = (40..good.len()).step_by(7).map(|at| {
        let mut damaged = good.clone();
        damaged[at] ^= 4;
        damaged
    });
    let flips: Vec<Vec<u8>> = flips.collect();
    let count = flips.len();
    let dead = sent(&world, flips).await;
    assert_eq!(dead.len(), count.min(99));
    assert!(dead.iter().all(|reason| reason.contains("its checksum does not match")), "{dead:?}");
    assert_eq!(counted(&world, &site, "https://a.test/story").await, None);
    // Its body ended before what a listing says, and had the article in the wire form.
    let PartitionedPage {
        url,
        site: of,
        depth,
        why,
        version,
        fetched_at,
        contribution,
        notes,
        canonical,
        ..
    } = story(1);
    let body = (url, of, depth, why, version, fetched_at, contribution, None::<()>, notes, canonical);
    let older = [&good[..4], &[3], &wire::encode(&body).unwrap()].concat();
    assert_eq!(sent(&world, vec![older]).await, [""; 0]);
    assert_eq!(counted(&world, &site, "https://a.test/story").await, Some(story(1).version));
}
