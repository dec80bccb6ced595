//! What this process has added to the frontier lately: a listing shows the same links at each visit, and a map
//! tens of thousands. What was added a while ago is added again, so that the frontier knows what is still shown.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use newslode_common::schedule::name;
use newslode_common::store::{Again, NewUrl};
use newslode_page::time::Timestamp;

/// What was added is forgotten after this to twice this time, in milliseconds.
const REMEMBERED: u64 = 1_800_000;
/// Links that are remembered at most, twice.
const MOST: usize = 500_000;

/// Links that were added lately.
#[derive(Default)]
pub(crate) struct Met(Mutex<Generations>);

#[derive(Default)]
struct Generations {
    young: HashSet<u64>,
    old: HashSet<u64>,
    since: Timestamp,
}

impl Met {
    /// Leaves only links that were not added lately.
    pub(super) fn retain_new(&self, urls: &mut Vec<NewUrl>) {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = |key: u64| held.young.contains(&key) || held.old.contains(&key);
        urls.retain(|new| key(new).is_none_or(|key| !is_known(key)));
    }

    /// Notes links that the frontier knows now.
    pub(super) fn added(&self, urls: &[NewUrl], now: Timestamp) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if now.0 >= held.since.0 + REMEMBERED || held.young.len() >= MOST {
            held.old = std::mem::take(&mut held.young);
            held.since = now;
        }
        held.young.extend(urls.iter().filter_map(key));
    }
}

/// Names a link with what is said of it: a page that changed is to be asked for again. `None` if it is to be asked
/// for whatever is known.
fn key(new: &NewUrl) -> Option<u64> {
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

    fn new(met: &Met, paths: &[&str]) -> usize {
        let mut urls = links(paths);
        met.retain_new(&mut urls);
        urls.len()
    }

    #[test]
    fn a_link_is_new_again_after_a_while() {
        let met = Met::default();
        met.added(&links(&["a", "b"]), Timestamp(REMEMBERED));
        assert_eq!(new(&met, &["a", "b", "c"]), 1);
        met.added(&links(&["c"]), Timestamp(2 * REMEMBERED));
        assert_eq!(new(&met, &["a", "b", "c"]), 0);
        met.added(&links(&["c"]), Timestamp(3 * REMEMBERED));
        assert_eq!(new(&met, &["a", "b", "c"]), 2);
    }

    #[test]
    fn a_page_that_is_said_to_have_changed_is_new() {
        let met = Met::default();
        met.added(&links(&["a"]), Timestamp(5));
        let mut changed = links(&["a"]);
        changed[0].again = Again::IfFetchedBefore(Timestamp(9));
        met.retain_new(&mut changed);
        assert_eq!(changed.len(), 1);
    }
}
