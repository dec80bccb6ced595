//! When readers hear of a new article: at once, or when it was read with what its site's other pages tell.
//!
//! A page alone often says less than it does among the pages of its site: templates and siblings correct its body soon after.
//! Where [`Announcements::held`] is used, a new article waits until a view has read it, so that its first event already says
//! what the view says. The wait is in its history, so a kill does not lose it: the site's next view finds the page again. An
//! article that waits longer than the limit is announced as its page alone was read, and the event says so (`provisional`).

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use newslode_common::store::{Kind, StoreResult};
use newslode_common::time;
use newslode_page::article::Article;
use newslode_page::extract::SiteKnowledge;
use newslode_page::reading::CanonicalUrl;
use newslode_page::time::Timestamp;
use tokio_util::sync::CancellationToken;

use super::error::BatchError;
use super::histories::read_history;
use super::knowledge::Knowledge;
use super::parts::Parts;
use super::waiting::pause;
use crate::mining::articles::is_view;

/// Time between two looks at which articles have waited too long.
const CHECK_EVERY: Duration = Duration::from_secs(2);

/// When new articles are announced.
#[derive(Debug, Default)]
pub struct Announcements {
    /// The longest wait for a view; none: new articles are announced at once.
    longest: Option<Duration>,
    /// Articles that wait, and until when, in that order.
    waiting: Mutex<VecDeque<(Timestamp, CanonicalUrl)>>,
}

impl Announcements {
    /// New articles wait for a view, but no longer than this.
    #[must_use]
    pub fn held(longest: Duration) -> Announcements {
        Announcements { longest: Some(longest), waiting: Mutex::default() }
    }

    /// Whether new articles wait.
    #[must_use]
    pub fn are_held(&self) -> bool {
        self.longest.is_some()
    }

    /// Notes that an article waits from now on.
    pub fn wait(&self, url: &CanonicalUrl, now: Timestamp) {
        let Some(longest) = self.longest else { return };
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push_back((now.plus(longest), url.clone()));
    }

    /// All articles that wait.
    fn take_all(&self) -> Vec<CanonicalUrl> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.drain(..).map(|(_, url)| url).collect()
    }

    /// Articles whose wait ended before this time.
    fn overdue(&self, now: Timestamp) -> Vec<CanonicalUrl> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let mut overdue = Vec::new();
        // A clock that was set back must not make them wait for long.
        let is_over = |until: Timestamp| {
            until <= now || self.longest.is_some_and(|longest| until > now.plus(2 * longest))
        };
        while waiting.front().is_some_and(|(until, _)| is_over(*until)) {
            overdue.extend(waiting.pop_front().map(|(_, url)| url));
        }
        overdue
    }
}

/// The miner's loop: announces articles that waited too long for a view.
///
/// # Errors
/// Never; what fails is tried again by the site's next view.
pub(super) async fn run(parts: Parts, stop: CancellationToken) -> anyhow::Result<()> {
    while pause(CHECK_EVERY, &stop).await {
        for url in parts.announcements.overdue(time::now()) {
            if let Err(error) = announce_now(&parts, &url, time::now()).await {
                tracing::warn!(%url, %error, "cannot announce an article; the next view of its site tries again");
            }
        }
    }
    Ok(())
}

/// Announces all articles that wait, for a run that ends: no other view will read them.
///
/// # Errors
/// When a store or the broker fails; then it may be repeated.
pub async fn announce_all(parts: &Parts, now: Timestamp) -> Result<(), BatchError> {
    for url in parts.announcements.take_all() {
        announce_now(parts, &url, now).await?;
    }
    Ok(())
}

/// Announces an article as it is archived, if it still waits.
///
/// # Errors
/// When a store or the broker fails; then it may be repeated.
pub async fn announce_now(parts: &Parts, url: &CanonicalUrl, now: Timestamp) -> Result<(), BatchError> {
    // Most were announced by a view.
    if !is_waiting(parts, url).await? {
        return Ok(());
    }
    let counted = parts.stores.state.versions(&url.site(), std::slice::from_ref(url)).await?;
    let Some(version) = counted.into_iter().flatten().next() else { return Ok(()) };
    let Some(json) = parts.stores.archive.get(Kind::Article, version.content).await? else { return Ok(()) };
    let Ok(article) = serde_json::from_slice::<Article>(&json) else { return Ok(()) };
    // It may be archived as a view has read it, with what a site that is old enough tells.
    let (knowledge, _) = Knowledge::read(parts.stores.state.as_ref(), &url.site()).await?;
    let is_final = is_view(&article) && tells_enough(&knowledge.site_knowledge());
    parts.histories().announce(&article, !is_final, now).await
}

/// Whether a site is old enough to tell what an article of it says.
pub(super) fn tells_enough(known: &SiteKnowledge) -> bool {
    !known.templates().is_empty() || known.kinds().is_enough()
}

/// Whether the article of a URL waits to be announced.
///
/// # Errors
/// When the archive fails.
pub(super) async fn is_waiting(parts: &Parts, url: &CanonicalUrl) -> StoreResult<bool> {
    if !parts.announcements.are_held() {
        return Ok(false);
    }
    let history = read_history(parts.stores.archive.as_ref(), url).await?;
    Ok(history.is_some_and(|history| history.is_waiting()))
}

/// Announces an article if it still waits, as a view has read it.
///
/// # Errors
/// When a store or the broker fails; then it may be repeated.
pub(super) async fn announce_if_waiting(
    parts: &Parts,
    article: &Article,
    now: Timestamp,
) -> Result<(), BatchError> {
    let Ok(url) = article.url.parse::<CanonicalUrl>() else { return Ok(()) };
    if !is_waiting(parts, &url).await? {
        return Ok(());
    }
    parts.histories().announce(article, false, now).await
}
