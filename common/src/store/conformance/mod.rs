//! What the stores promise, one function a sentence.
//!
//! Every implementation of [`Frontier`](super::Frontier), [`SiteState`](super::SiteState) and
//! [`PageArchive`](super::PageArchive) runs all checks of its trait: `frontier::all`, `state::all`,
//! `archive::all`. A check panics with the promise that was broken. Each works on a site (or content)
//! of its own name and cleans up before and after, so the checks may share one store that holds other
//! data, but they run one after another: claims take turns over all sites.
//!
//! A check is proved by an implementation that breaks its promise: `CHECKS` lists them by name, so that
//! a test can say which of them must fail. Start at [`frontier`].

pub mod archive;
pub mod frontier;
mod histories;
pub mod state;

use std::sync::atomic::{AtomicU64, Ordering};

use super::StoreResult;
use crate::time;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::splitmix::SplitMix;
use newslode_page::time::Timestamp;

/// The time at which most checks start; arbitrary, far from zero.
const START: Timestamp = Timestamp(1_700_000_000_000);

/// Declares a trait's checks once: the list by name and the runner.
macro_rules! checks {
    ($trait:ident: $($name:ident,)*) => {
        /// A check: panics if the store breaks the promise.
        pub type Check = for<'a> fn(&'a dyn $trait) -> futures::future::BoxFuture<'a, ()>;

        /// All checks by name, in the order of [`all`].
        pub const CHECKS: &[(&str, Check)] = &[
            $((stringify!($name), |store| Box::pin($name(store))),)*
        ];

        /// Runs all checks, one after another.
        ///
        /// # Panics
        /// With the first promise that the store breaks.
        pub async fn all(store: &dyn $trait) {
            for (_, check) in CHECKS {
                check(store).await;
            }
        }
    };
}
use checks;

/// The value, or a panic that says what failed.
#[track_caller]
fn ok<T>(result: StoreResult<T>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("the store failed: {error}"),
    }
}

/// The site of a check.
fn site(name: &str) -> Site {
    Site::of_host(&format!("{name}.example"))
}

/// A page of a check's site.
fn url(name: &str, path: &str) -> CanonicalUrl {
    let text = format!("https://{name}.example/{path}");
    text.parse().unwrap_or_else(|error| panic!("`{text}` is not a URL: {error}"))
}

/// A name that no run of the checks used before, for what cannot be deleted again.
fn fresh(name: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("conformance/{name}/{}-{}-{count}", std::process::id(), time::now().0)
}

/// Deterministic pseudo-random numbers (splitmix64): the same on every run and machine.
struct Dice(SplitMix);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0.draw()
    }

    /// A number below `bound`, which is not 0.
    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap_or(0)
    }

    /// Puts the items into a random order.
    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}
