//! The links that this process added to the frontier lately, so that it need not add them again: a listing shows the
//! same links at each visit, and a sitemap shows tens of thousands.
//!
//! After a while a link counts as new again, so that the frontier learns that it is still shown.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use newslode_common::schedule::name;
use newslode_common::store::{Again, NewUrl};
use newslode_page::reading::CanonicalUrl;
use newslode_page::time::Timestamp;

/// For how long [`RecentLinks::default`] remembers, in milliseconds.
const REMEMBERED_MS: u64 = 1_800_000;
/// Maximum number of links in one set. There are two.
const MAX_LINKS: usize = 500_000;

/// The links, in two sets. When the younger one is full or old, the older one is dropped as a whole.
pub(crate) struct RecentLinks {
    links: Mutex<RememberedLinks>,
    /// A link is forgotten after this to twice this time, in milliseconds.
    remembered_ms: u64,
}

impl Default for RecentLinks {
    fn default() -> RecentLinks {
        RecentLinks::for_ms(REMEMBERED_MS)
    }
}

#[derive(Default)]
struct RememberedLinks {
    young: HashSet<u64>,
    old: HashSet<u64>,
    since: Timestamp,
}

impl RecentLinks {
    /// Remembers links for this long to twice as long.
    pub(crate) fn for_ms(remembered_ms: u64) -> RecentLinks {
        RecentLinks { links: Mutex::default(), remembered_ms }
    }

    /// Leaves only links that were not added lately.
    pub(crate) fn retain_new(&self, urls: &mut Vec<NewUrl>) {
        let remembered = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = |key: u64| remembered.young.contains(&key) || remembered.old.contains(&key);
        urls.retain(|new| link_key(new).is_none_or(|key| !is_known(key)));
    }

    /// Whether a link was not added lately.
    pub(crate) fn is_new(&self, url: &CanonicalUrl) -> bool {
        let remembered = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        let key = name(url.as_str());
        !remembered.young.contains(&key) && !remembered.old.contains(&key)
    }

    /// Adds links that the frontier knows now.
    pub(crate) fn remember(&self, urls: &[NewUrl], now: Timestamp) {
        self.remember_keys(urls.iter().filter_map(link_key), now);
    }

    /// Adds pages by their addresses alone.
    pub(crate) fn remember_pages<'u>(&self, urls: impl Iterator<Item = &'u CanonicalUrl>, now: Timestamp) {
        self.remember_keys(urls.map(|url| name(url.as_str())), now);
    }

    fn remember_keys(&self, keys: impl Iterator<Item = u64>, now: Timestamp) {
        let mut remembered = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        if now.0 >= remembered.since.0 + self.remembered_ms || remembered.young.len() >= MAX_LINKS {
            remembered.old = std::mem::take(&mut remembered.young);
            remembered.since = now;
        }
        remembered.young.extend(keys);
    }
}

/// Names a link together with the change that is claimed for it, so that a page which is said to have changed is added
/// again. `None`: the link is added whatever is known.
fn link_key(new: &NewUrl) -> Option<u64> {
    let again = match new.again {
        Again::Never => 0,
        Again::Now => return None,
        Again::IfFetchedBefore(at) => at.0,
    };
    Some(name(new.url.as_str()) ^ again.rotate_left(32))
}

#[cfg(test)]
mod tests {
    use newslode_common::store::Why;

    use super::*;

    fn links(paths: &[&str]) -> Vec<NewUrl> {
        let url = |path: &&str| format!("https://a.test/{path}").parse().unwrap();
        paths.iter().map(|path| NewUrl::once(url(path), 0, Why::Link, 0)).collect()
    }

    fn new(recent: &RecentLinks, paths: &[&str]) -> usize {
        let mut urls = links(paths);
        recent.retain_new(&mut urls);
        urls.len()
    }

    #[test]
    fn a_link_is_new_again_after_a_while() {
        let recent = RecentLinks::default();
        recent.remember(&links(&["a", "b"]), Timestamp(REMEMBERED_MS));
        assert_eq!(new(&recent, &["a", "b", "c"]), 1);
        recent.remember(&links(&["c"]), Timestamp(2 * REMEMBERED_MS));
        assert_eq!(new(&recent, &["a", "b", "c"]), 0);
        recent.remember(&links(&["c"]), Timestamp(3 * REMEMBERED_MS));
        assert_eq!(new(&recent, &["a", "b", "c"]), 2);
    }

    #[test]
    fn a_page_that_is_said_to_have_changed_is_new() {
        let recent = RecentLinks::default();
        recent.remember(&links(&["a"]), Timestamp(5));
        let mut changed = links(&["a"]);
        changed[0].again = Again::IfFetchedBefore(Timestamp(9));
        recent.retain_new(&mut changed);
        assert_eq!(changed.len(), 1);
    }
}
