//! New and changed articles, changes of the taxonomy, and concepts that rise, as server-sent events.
//!
//! After each snapshot its changes of the taxonomy are sent, the concepts that began to rise, and the articles that are new or
//! changed in it, in the order in which they were found. An event's
//! id is the time of the last snapshot that was sent completely, so a listener that returns with it misses no new article; it
//! may get some twice. The stream waits for a listener that reads slowly, and then sends the differences between two snapshots.
//! It ends for one that reads nothing.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use newslode_miner::mining::registry::TaxonomyChange;
use newslode_miner::mining::taxonomy::Concept;
use newslode_miner::work::registry::ChangeLine;
use newslode_page::time::Timestamp;
use serde::Serialize;
use tokio::sync::mpsc;

use crate::console::access::Caller;
use crate::console::answer::Problem;
use crate::console::snapshot::{ArticleSummary, ByDay, Snapshot, TEXT_REMOVED};
use crate::console::state::{Console, ConsoleAddress};

/// Where they are.
pub(in crate::console) const PATH: &str = "/api/v1/events";
/// Maximum number of listeners.
pub(in crate::console) const MOST: usize = 64;
/// Maximum number of listeners of one client.
const MOST_OF_CLIENT: usize = 8;
/// Events that wait for a listener. An event may be as large as an article.
const WAITING: usize = 4;
/// An article may be shown so long after it was found.
const SLACK: u64 = 600_000;
/// The stream of a listener that reads nothing for so long ends.
const STALLED: Duration = Duration::from_secs(60);
/// A comment so often keeps the connection open.
const ALIVE: Duration = Duration::from_secs(15);

pub(super) async fn stream_events(
    State(console): State<Arc<Console>>,
    Extension(caller): Extension<Arc<Caller>>,
    address: ConsoleAddress,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let share = console.listening.take(caller.counted(), MOST_OF_CLIENT).ok_or_else(|| {
        console.refused("stream");
        let sentence =
            format!("You listen {MOST_OF_CLIENT} times already. Close one of these connections first.");
        Problem::new(StatusCode::TOO_MANY_REQUESTS, "too_many", sentence)
    })?;
    let place = console.listeners.clone().try_acquire_owned().map_err(|_| {
        console.refused("stream");
        let sentence = format!("{MOST} listen already. Try again later.");
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "too_many", sentence)
    })?;
    let first = console.snapshot().await?;
    let since = last_event_time(&headers)?;
    let (send, receive) = mpsc::channel(WAITING);
    let stop = console.stop.clone();
    console.work.clone().spawn(async move {
        let _places = (place, share);
        // Also ends when the listener is gone, because nothing more can be sent then.
        let _ = stop
            .run_until_cancelled(send_until_closed(&console, first, since, &Listener { to: send, address }))
            .await;
    });
    let events = futures::stream::unfold(receive, async |mut receive| {
        let event: Event = receive.recv().await?;
        Some((Ok::<_, Infallible>(event), receive))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(ALIVE)).into_response())
}

/// The time from which a returning listener wants events.
fn last_event_time(headers: &HeaderMap) -> Result<Option<Timestamp>, Problem> {
    let Some(text) = headers.get("last-event-id").filter(|text| !text.is_empty()) else { return Ok(None) };
    let number = text.to_str().ok().and_then(|text| text.parse().ok());
    number
        .map(|number| Some(Timestamp(number)))
        .ok_or_else(|| Problem::bad("`Last-Event-ID` is no id of these events."))
}

/// The listener is gone or reads nothing, or the archive cannot be read: the stream ends.
struct StreamEnded;

/// Where events are sent.
struct Listener {
    to: mpsc::Sender<Event>,
    /// The console's address as the listener wrote it.
    address: ConsoleAddress,
}

impl Listener {
    /// Sends an event. A stream that waits for its listener holds a whole snapshot in memory, so the wait has a limit.
    async fn send(&self, event: Event) -> Result<(), StreamEnded> {
        self.to.send_timeout(event, STALLED).await.map_err(|_| StreamEnded)
    }
}

/// Sends the events of each new snapshot until the listener or the console goes.
async fn send_until_closed(
    console: &Console,
    first: Arc<Snapshot>,
    since: Option<Timestamp>,
    listener: &Listener,
) -> Result<(), StreamEnded> {
    let mut read = console.read.clone();
    let mut before = first;
    // This gives an id even to a listener that goes before the first article.
    listener.send(Event::default().id(before.made.0.to_string()).comment("listening")).await?;
    if let Some(since) = since {
        let missed = |article: &ArticleSummary| article.found.is_some_and(|found| found.0 + SLACK >= since.0);
        let missed = before.mined.newest().filter(|article| missed(article)).map(|article| ("new", article));
        let changes = &before.registry.changes;
        let old = changes.partition_point(|change| change.at.0 + SLACK < since.0);
        send_concepts(since, changes.get(old..).unwrap_or_default(), &[], listener).await?;
        send_articles(console, &before, since, missed.collect(), listener).await?;
    }
    loop {
        tokio::select! {
            changed = read.changed() => changed.map_err(|_| StreamEnded)?,
            () = listener.to.closed() => return Err(StreamEnded),
        }
        let Some(now) = read.borrow_and_update().snapshot.clone() else { continue };
        let changes = now.registry.changes_since(before.registry.last_number());
        send_concepts(before.made, changes, &risen(&before, &now), listener).await?;
        if !Arc::ptr_eq(&now.mined, &before.mined) {
            send_articles(console, &now, before.made, differences(&before, &now), listener).await?;
        }
        before = now;
    }
}

/// The articles that are new or changed between two snapshots.
fn differences<'a>(before: &Snapshot, now: &'a Snapshot) -> Vec<(&'static str, &'a ArticleSummary)> {
    let event = |article: &ArticleSummary| match before.mined.article(&article.id) {
        None => Some("new"),
        Some(before) if before.reading != article.reading && article.reading != TEXT_REMOVED => {
            Some("changed")
        }
        Some(_) => None,
    };
    now.mined.newest().filter_map(|article| Some((event(article)?, article))).collect()
}

/// A concept that began to rise.
#[derive(Serialize)]
struct RisenConcept<'a> {
    /// Its identifier; none if the registry has not followed the taxonomy yet.
    id: Option<&'a str>,
    key: &'a str,
    label: &'a str,
    /// Articles of the last eight days, the oldest day first.
    days: ByDay,
}

/// The concepts that rise now, and did not in the snapshot before.
fn risen<'a>(before: &Snapshot, now: &'a Snapshot) -> Vec<RisenConcept<'a>> {
    if Arc::ptr_eq(&before.rising, &now.rising) || now.rising.concepts.is_empty() {
        return Vec::new();
    }
    let rose: BTreeSet<&str> = rising_concepts(before).map(|(concept, _)| concept.key.as_str()).collect();
    let ids = now.registry.identifiers();
    let began = rising_concepts(now).filter(|(concept, _)| !rose.contains(concept.key.as_str()));
    let risen = began.map(|(concept, days)| RisenConcept {
        id: ids.get(concept.key.as_str()).copied(),
        key: &concept.key,
        label: &concept.label,
        days,
    });
    risen.collect()
}

/// The concepts that rise in a snapshot, with their articles by day.
fn rising_concepts(snapshot: &Snapshot) -> impl Iterator<Item = (&Concept, ByDay)> {
    let concepts = &snapshot.mined.taxonomy.concepts;
    let rising = snapshot.rising.concepts.iter();
    rising.filter_map(|rising| Some((concepts.get(rising.concept as usize)?, rising.days)))
}

/// Sends changes of the taxonomy, and concepts that began to rise.
async fn send_concepts(
    before: Timestamp,
    changes: &[TaxonomyChange],
    risen: &[RisenConcept<'_>],
    listener: &Listener,
) -> Result<(), StreamEnded> {
    let changes = changes.iter().map(|change| ("taxonomy", serde_json::to_string(&ChangeLine::new(change))));
    let risen = risen.iter().map(|concept| ("rising", serde_json::to_string(concept)));
    for (name, data) in changes.chain(risen) {
        let data = data.map_err(|_| StreamEnded)?;
        listener.send(Event::default().event(name).id(before.0.to_string()).data(data)).await?;
    }
    Ok(())
}

/// Sends the articles of one snapshot, in the order in which they were found.
async fn send_articles(
    console: &Console,
    snapshot: &Snapshot,
    before: Timestamp,
    mut articles: Vec<(&'static str, &ArticleSummary)>,
    listener: &Listener,
) -> Result<(), StreamEnded> {
    articles.sort_by_key(|(_, article)| (article.found.unwrap_or(article.at), Reverse(article.order())));
    let last = articles.len().saturating_sub(1);
    for (at, (event, summary)) in articles.into_iter().enumerate() {
        let read = console.lines.line(&console.source.parts, snapshot, summary).await;
        // While the archive is unreachable nothing is sent: the listener returns with the last id, and gets all of it.
        // An article that was read again since the snapshot is a change of the next one.
        let Some(line) = read.map_err(|_| StreamEnded)? else { continue };
        let told = if at == last { snapshot.made } else { before };
        let event = Event::default()
            .event(event)
            .id(told.0.to_string())
            .data(listener.address.add_to(&line, summary.id));
        listener.send(event).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::snapshot::{Mined, OlderArticles, Rising, RisingConcept};
    use crate::html::taxonomy::tests::test_concept;
    use newslode_miner::mining::taxonomy::Taxonomy;

    /// A snapshot of one article with this reading.
    fn snapshot(reading: u64) -> Snapshot {
        let url: newslode_page::reading::CanonicalUrl = "https://a.test/2026/11/28/rain".parse().unwrap();
        let html =
            format!("<meta property=og:type content=article><h1>Rain</h1><p>{}", "It rained. ".repeat(80));
        let page = newslode_page::Page::parse(&url, None, html.as_bytes());
        let article = newslode_page::article(&page, Timestamp(9)).1.unwrap();
        let content = newslode_common::version::ContentHash::NONE;
        let under = (Vec::new(), [].as_slice());
        let summary =
            ArticleSummary::of(&url, &article, content, None, under, Default::default(), Timestamp(9));
        let articles = vec![Arc::new(ArticleSummary { reading, ..summary })];
        let mined =
            Mined::of((Arc::default(), Vec::new()), (articles, OlderArticles::default()), Timestamp(9));
        Snapshot { mined: Arc::new(mined), ..Snapshot::default() }
    }

    #[test]
    fn a_text_that_was_removed_to_save_space_is_no_change() {
        let events = |before: u64, now: u64| -> Vec<&'static str> {
            let (before, now) = (snapshot(before), snapshot(now));
            differences(&before, &now).into_iter().map(|(event, _)| event).collect()
        };
        assert_eq!(events(1, 1), [""; 0]);
        assert_eq!(events(1, 2), ["changed"]);
        assert_eq!(events(1, TEXT_REMOVED), [""; 0]);
    }

    #[test]
    fn a_concept_that_began_to_rise_is_told_once() {
        let rising = |concepts: &[u32]| {
            let taxonomy = Taxonomy {
                concepts: ["en:art", "en:chess", "en:sport"].map(test_concept).into(),
                ..Taxonomy::default()
            };
            let concepts =
                concepts.iter().map(|concept| RisingConcept { concept: *concept, usual: 0.0, days: [1; 8] });
            let rising = Rising { concepts: concepts.collect(), ..Rising::default() };
            let mined = Mined { taxonomy: Arc::new(taxonomy), ..Mined::default() };
            Snapshot { mined: Arc::new(mined), rising: Arc::new(rising), ..Snapshot::default() }
        };
        let (before, now) = (rising(&[2]), rising(&[1, 2]));
        let told: Vec<&str> = risen(&before, &now).iter().map(|concept| concept.key).collect();
        assert_eq!(told, ["en:chess"]);
        assert!(risen(&now, &before).is_empty() && risen(&now, &now).is_empty());
    }

    #[test]
    fn a_listener_says_what_it_heard_last() {
        let said = |text: &str| {
            last_event_time(&HeaderMap::from_iter([(
                "last-event-id".parse().unwrap(),
                text.parse().unwrap(),
            )]))
        };
        assert_eq!(last_event_time(&HeaderMap::new()).unwrap(), None);
        assert_eq!(said("1700000000000").unwrap(), Some(Timestamp(1_700_000_000_000)));
        assert!(said("yesterday").is_err());
    }
}
