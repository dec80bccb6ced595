//! One article that is found under several addresses: print and mobile pages, other spellings of an address, what a
//! redirect led to.
//!
//! Readers know the article under one address, its *primary*. That is the address which heard of it first, or the one
//! that other pages declare as theirs. Pages of other sites are never merged: the same text there is a link.
//! Start at [`primary`].

use std::collections::{BTreeMap, BTreeSet};

use newslode_common::message::{Ending, GonePage};
use newslode_common::schedule::Role;
use newslode_common::store::{Note, StoreResult};
use newslode_page::reading::CanonicalUrl;
use newslode_page::time::Timestamp;

use super::life::{Fetch, Life, name_of};
use super::{beginning, lose, named, put, texts};
use crate::work::error::BatchError;
use crate::work::parts::Parts;

/// Most articles of other sites that are linked as having the same text.
const MOST_LINKS: usize = 8;

/// The lives that may be this article's: of what has nearly the same text, of the address it declares, of its
/// primary. A twin stands for its primary.
pub(super) async fn near(parts: &Parts, life: &Life, now: Timestamp) -> StoreResult<Vec<Life>> {
    let mut names: BTreeSet<_> = life.canonical.iter().chain(&life.twin_of).map(name_of).collect();
    if life.print.words > 0 {
        names.extend(texts::meet(parts.state.as_ref(), life.print.text, name_of(&life.url), now).await?);
    }
    let mut near: BTreeMap<CanonicalUrl, Life> = BTreeMap::new();
    for name in names {
        let Some(found) = named(parts, name).await? else { continue };
        if let Some(primary) = found.twin_of.as_ref().filter(|primary| **primary != life.url) {
            let primary = named(parts, name_of(primary)).await?;
            near.extend(primary.map(|primary| (primary.url.clone(), primary)));
        }
        near.insert(found.url.clone(), found);
    }
    near.remove(&life.url);
    Ok(near.into_values().collect())
}

/// The life under which readers know the article that was read at this address. `None`: this one.
pub(super) fn primary<'n>(life: &Life, near: &'n [Life]) -> Option<&'n Life> {
    let known = near.iter().filter(|other| other.is_told() && other.url.site() == life.url.site());
    known.filter(|other| is_twin(life, other)).find(|other| yields(life, other))
}

/// Whether two pages of a site show one article.
fn is_twin(life: &Life, other: &Life) -> bool {
    let is_declared = is_declared_by(life, other) || is_declared_by(other, life);
    life.print.is_same_story(&other.print) || is_declared && life.print.may_be_same_story(&other.print)
}

fn is_declared_by(by: &Life, life: &Life) -> bool {
    by.canonical.as_ref() == Some(&life.url)
}

/// Whether of two addresses of one article readers know the other one.
fn yields(life: &Life, other: &Life) -> bool {
    match (is_declared_by(life, other), is_declared_by(other, life)) {
        (true, false) => true,
        (false, true) => false,
        _ => !life.is_told() || began(other) < began(life),
    }
}

/// When readers heard of an article first; of two at once the address decides.
fn began(life: &Life) -> (Option<Timestamp>, &CanonicalUrl) {
    (life.events.first().map(|event| event.at), &life.url)
}

/// Makes an address one of the primary's. If readers know it, it ends.
pub(super) async fn join(
    parts: &Parts,
    labels: &BTreeMap<String, String>,
    mut life: Life,
    fetch: Fetch,
    mut primary: Life,
    now: Timestamp,
) -> Result<(), BatchError> {
    if life.is_told() {
        lose(parts, labels, &mut life, Ending::SameAs(primary.url.clone()), fetch).await?;
    }
    let before = primary.clone();
    primary.take_over(&life);
    if primary != before {
        put(parts, &primary, now).await?;
    }
    life.read_as_twin(fetch, &primary.url);
    Ok(put(parts, &life, now).await?)
}

/// What was another's address and is an article of its own now leaves that one. Returns it, changed.
pub(super) fn part(life: &Life, near: &[Life]) -> Vec<Life> {
    let was =
        |other: &&Life| life.twin_of.as_ref() == Some(&other.url) && other.addresses.contains(&life.url);
    let mut left: Vec<Life> = near.iter().filter(was).cloned().collect();
    for other in &mut left {
        other.addresses.remove(&life.url);
    }
    left
}

/// Takes over those that are the same article and yield to this one. Returns them.
pub(super) fn adopt(life: &mut Life, near: Vec<Life>) -> Vec<Life> {
    let site = life.url.site();
    let is_mine = |other: &Life| {
        let is_twin = other.is_told() && is_twin(life, other) && yields(other, life);
        other.url.site() == site && (is_twin || other.twin_of.as_ref() == Some(&life.url))
    };
    let twins: Vec<Life> = near.into_iter().filter(is_mine).collect();
    twins.iter().for_each(|twin| life.take_over(twin));
    twins
}

/// Ends the life of a twin that this one took over, if readers know it.
pub(super) async fn end(
    parts: &Parts,
    labels: &BTreeMap<String, String>,
    mut twin: Life,
    life: &Life,
    now: Timestamp,
) -> Result<(), BatchError> {
    if !twin.is_told() {
        return Ok(());
    }
    let fetch = Fetch { number: twin.fetch, at: life.fetched_at };
    lose(parts, labels, &mut twin, Ending::SameAs(life.url.clone()), fetch).await?;
    twin.twin_of = Some(life.url.clone());
    twin.addresses.clear();
    leave(parts, &twin.url, now).await?;
    Ok(put(parts, &twin, now).await?)
}

/// Takes an address out of the schedule. If a crawler holds it now, its next change does.
async fn leave(parts: &Parts, url: &CanonicalUrl, now: Timestamp) -> StoreResult<()> {
    let Some(entry) = parts.frontier.entry(url).await? else { return Ok(()) };
    let Some(mut schedule) = entry.schedule.filter(|known| known.role == Role::Page) else { return Ok(()) };
    schedule.told_elsewhere();
    let note = Note { url: url.clone(), fetch: entry.fetch, at: now, next: None, schedule };
    parts.frontier.note(&note).await.map(drop)
}

/// Links articles of other sites that have the same text with this one. Returns those that changed.
pub(super) fn link(life: &mut Life, near: &[Life]) -> Vec<Life> {
    let site = life.url.site();
    let mut changed = Vec::new();
    for other in near.iter().filter(|other| other.url.site() != site && other.is_told()) {
        if life.same_text.len() >= MOST_LINKS || !life.print.is_same_text(&other.print) {
            continue;
        }
        life.same_text.insert(other.url.clone());
        if other.same_text.len() < MOST_LINKS && !other.same_text.contains(&life.url) {
            let mut other = other.clone();
            other.same_text.insert(life.url.clone());
            changed.push(other);
        }
    }
    changed
}

/// Lets the article of an address go on where it moved to: found when and where it was found first.
pub(super) async fn moved(
    parts: &Parts,
    held: Option<&Life>,
    gone: &GonePage,
    target: &CanonicalUrl,
    now: Timestamp,
) -> Result<(), BatchError> {
    let mut life = match held {
        Some(life) => life.clone(),
        None => beginning(parts, &gone.url, gone.at).await?,
    };
    let before = super::read(parts, target).await?;
    let twin_of = before.as_ref().and_then(|target| target.twin_of.as_ref());
    if target.site() != life.url.site() || twin_of.is_some_and(|primary| *primary != life.url) {
        return Ok(());
    }
    let mut after = match before.clone() {
        Some(target) => target,
        None => Life::unread(target, life.first_seen, life.discovered_on.clone()),
    };
    after.take_over(&life);
    after.twin_of = None;
    if before.as_ref() != Some(&after) {
        put(parts, &after, now).await?;
    }
    if held.is_none() {
        life.twin_of = Some(target.clone());
        put(parts, &life, now).await?;
    }
    Ok(())
}
