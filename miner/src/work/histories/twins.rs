//! Which of several URLs of one article readers know: print and mobile pages, other spellings of a URL, the target of a
//! redirect.
//!
//! Readers know the article under one URL, its *primary*. That is the URL where it was announced first, or the one that
//! other pages declare as canonical. Pages of other sites are never merged: the same text there is only linked.
//!
//! Everything here is a function of histories that were read before; the parent module reads and writes them.
//! Start at [`find_primary`].

use newslode_page::reading::CanonicalUrl;
use newslode_page::time::Timestamp;

use super::history::ArticleHistory;

/// Maximum number of articles of other sites that are linked as having the same text.
const MAX_LINKS: usize = 8;

/// The history under which readers know the article that was read at this URL. `None`: this one.
pub(super) fn find_primary<'n>(
    history: &ArticleHistory,
    candidates: &'n [ArticleHistory],
) -> Option<&'n ArticleHistory> {
    let living =
        candidates.iter().filter(|other| other.is_living() && other.url.site() == history.url.site());
    living.filter(|other| is_same_article(history, other)).find(|other| yields_to(history, other))
}

/// Removes this URL from the history of which it was a twin: it has an article of its own now. Returns the changed
/// histories.
pub(super) fn detach(history: &ArticleHistory, candidates: &[ArticleHistory]) -> Vec<ArticleHistory> {
    let was_primary = |other: &&ArticleHistory| {
        history.twin_of.as_ref() == Some(&other.url) && other.addresses.contains(&history.url)
    };
    let mut changed: Vec<ArticleHistory> = candidates.iter().filter(was_primary).cloned().collect();
    for other in &mut changed {
        other.addresses.remove(&history.url);
    }
    changed
}

/// Links this article with those of other sites that have the same text. Returns the changed histories of the others.
pub(super) fn link_same_texts(
    history: &mut ArticleHistory,
    candidates: &[ArticleHistory],
) -> Vec<ArticleHistory> {
    let site = history.url.site();
    let mut changed = Vec::new();
    for other in candidates.iter().filter(|other| other.url.site() != site && other.is_living()) {
        if history.same_text.len() >= MAX_LINKS || !history.fingerprint.is_same_text(&other.fingerprint) {
            continue;
        }
        history.same_text.insert(other.url.clone());
        if other.same_text.len() < MAX_LINKS && !other.same_text.contains(&history.url) {
            let mut other = other.clone();
            other.same_text.insert(history.url.clone());
            changed.push(other);
        }
    }
    changed
}

/// Absorbs the histories of the same article that yield to this one. Returns them.
pub(super) fn absorb_twins(
    history: &mut ArticleHistory,
    candidates: Vec<ArticleHistory>,
) -> Vec<ArticleHistory> {
    let site = history.url.site();
    let is_mine = |other: &ArticleHistory| {
        let is_twin = other.is_living() && is_same_article(history, other) && yields_to(other, history);
        other.url.site() == site && (is_twin || other.twin_of.as_ref() == Some(&history.url))
    };
    let twins: Vec<ArticleHistory> = candidates.into_iter().filter(is_mine).collect();
    twins.iter().for_each(|twin| history.absorb(twin));
    twins
}

/// Whether two pages of a site show one article.
fn is_same_article(history: &ArticleHistory, other: &ArticleHistory) -> bool {
    let is_declared = declares(history, other) || declares(other, history);
    history.fingerprint.is_same_story(&other.fingerprint)
        || is_declared && history.fingerprint.may_be_same_story(&other.fingerprint)
}

/// Whether a page declares the other's URL as canonical.
fn declares(history: &ArticleHistory, other: &ArticleHistory) -> bool {
    history.canonical.as_ref() == Some(&other.url)
}

/// Whether readers know the article under the other of its two URLs.
fn yields_to(history: &ArticleHistory, other: &ArticleHistory) -> bool {
    match (declares(history, other), declares(other, history)) {
        (true, false) => true,
        (false, true) => false,
        _ => !history.is_living() || announcement(other) < announcement(history),
    }
}

/// Sorts histories by the time of their first event, then by URL. Those that wait for theirs come last.
fn announcement(history: &ArticleHistory) -> (Timestamp, &CanonicalUrl) {
    (history.events.first().map_or(Timestamp(u64::MAX), |event| event.at), &history.url)
}
