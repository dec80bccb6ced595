//! Full queues, servers that are away or refuse, panics, and the stop: no page is lost or counted twice.

use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::body::Body;
use newslode_common::outcome::Outcome;
use newslode_common::store::{Completion, Why};

use crate::world::{PAGE, SeenRequest, World, answer, html};

fn pages(request: &SeenRequest) -> Option<axum::response::Response> {
    if request.page.ends_with("/robots.txt") { None } else { html(PAGE) }
}

/// Pages that are slow to answer.
fn slow(request: &SeenRequest) -> Option<axum::response::Response> {
    if request.page.ends_with("/robots.txt") {
        return None;
    }
    let body = futures::stream::once(async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        Ok::<_, std::io::Error>(PAGE)
    });
    answer(200, [("content-type", "text/html")], Body::from_stream(body))
}

fn refused(world: &World) -> u64 {
    world.metrics.refused.with_label_values(&["pages"]).get()
}

#[tokio::test]
async fn a_page_that_the_queue_refused_is_published_once_and_completed_once() {
    let world = World::new(pages).await;
    world.broker.full.store(2, Ordering::SeqCst);
    world.broker.away.store(1, Ordering::SeqCst);
    world.add("http://a.test/", Why::Seed).await;
    world.crawl().await;
    assert_eq!((refused(&world), world.pages().len(), world.hits("a.test/")), (2, 1, 1));
    let ends = world.frontier.completions.lock().unwrap();
    let done = ends.iter().filter(|(_, end)| matches!(end, Completion::Done { .. })).count();
    assert_eq!(done, 1);
}

#[tokio::test]
async fn a_full_queue_holds_up_the_claims_and_a_stop_gives_them_back() {
    let mut world = World::new(pages).await;
    world.config.workers = 1;
    world.broker.full.store(usize::MAX, Ordering::SeqCst);
    world.add("http://a.test/", Why::Seed).await;
    world.add("http://b.test/", Why::Seed).await;
    world.crawl_until(|world| refused(world) >= 3).await.unwrap();
    let pages = world.hits("a.test/") + world.hits("b.test/");
    assert_eq!(pages, 1, "nothing new is fetched while a page is held");
    let mut completions = world.frontier.completions.lock().unwrap().clone();
    // The turns of robots.txt.
    completions.retain(|(_, end)| !matches!(end, Completion::Retry { counts: false, .. }));
    assert!(matches!(completions.as_slice(), [(_, Completion::Released)]), "{completions:?}");
    assert!(world.frontier.all().iter().all(|entry| entry.due.is_some() && !entry.leased));
    // The queue has room again. The next crawler does all of the work.
    world.broker.full.store(0, Ordering::SeqCst);
    world.crawl().await;
    assert_eq!(world.pages().len(), 2);
}

#[tokio::test]
async fn work_in_hand_is_finished_at_a_stop() {
    let world = World::new(slow).await;
    world.add("http://a.test/", Why::Seed).await;
    world.crawl_until(|world| world.hits("a.test/") == 1).await.unwrap();
    world.expect("http://a.test/", Outcome::Fetched);
    assert_eq!(world.pages().len(), 1);
}

#[tokio::test]
async fn a_claim_that_was_lost_is_not_counted() {
    let world = World::new(slow).await;
    world.add("http://a.test/", Why::Seed).await;
    let forget = |world: &World| {
        if world.hits("a.test/") == 0 {
            return false;
        }
        world.frontier.forget_all();
        true
    };
    world.crawl_until(forget).await.unwrap();
    let counted: u64 = Outcome::ALL.iter().map(|outcome| world.counted(*outcome)).sum();
    assert_eq!((counted, world.pages().len()), (0, 1));
}

#[tokio::test]
async fn the_crawler_waits_for_an_unreachable_store() {
    let world = World::new(pages).await;
    world.add("http://a.test/", Why::Seed).await;
    world.frontier.away.store(6, Ordering::SeqCst);
    world.crawl().await;
    world.expect("http://a.test/", Outcome::Fetched);
}

#[tokio::test]
async fn a_panic_costs_one_attempt_and_the_service_continues() {
    let world = World::new(pages).await;
    world.broker.panics.store(1, Ordering::SeqCst);
    world.add("http://a.test/", Why::Seed).await;
    world.crawl().await;
    world.expect("http://a.test/", Outcome::Fetched);
    assert_eq!(world.metrics.retries.get(), 2, "after robots.txt, and after the panic");
    let world = World::new(pages).await;
    world.broker.panics.store(usize::MAX, Ordering::SeqCst);
    world.add("http://a.test/", Why::Seed).await;
    world.crawl().await;
    world.expect("http://a.test/", Outcome::Unreachable);
}

/// A person gives a server more memory while the crawler waits.
#[tokio::test]
async fn the_crawler_waits_for_a_store_that_refuses() {
    let world = World::new(pages).await;
    world.add("http://a.test/", Why::Seed).await;
    world.frontier.refusing.store(6, Ordering::SeqCst);
    world.crawl().await;
    world.expect("http://a.test/", Outcome::Fetched);
}

#[tokio::test]
async fn errors_that_waiting_does_not_solve_end_the_service() {
    let world = World::new(pages).await;
    world.add("http://a.test/", Why::Seed).await;
    world.broker.deleted.store(true, Ordering::SeqCst);
    let error = format!("{:#}", world.crawl_until(|_| false).await.unwrap_err());
    assert!(error.contains("http://a.test/") && error.contains("was the queue deleted"), "{error}");
    assert!(!world.entry("http://a.test/").leased, "the claim is given back");
    world.frontier.broken.store(true, Ordering::SeqCst);
    let error = format!("{:#}", world.crawl_until(|_| false).await.unwrap_err());
    assert!(error.contains("cannot claim") && error.contains("not a record"), "{error}");
}

#[tokio::test]
async fn a_wrong_configuration_is_named() {
    let mut world = World::new(pages).await;
    world.config.user_agent = "two\nlines".to_owned();
    let error = world.crawl_until(|_| false).await.unwrap_err().to_string();
    assert!(error.contains("crawler.user_agent"), "{error}");
}
