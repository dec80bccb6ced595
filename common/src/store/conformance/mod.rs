//! The promises of the stores, one function per sentence.
//!
//! Every implementation of [`Frontier`](super::Frontier), [`SiteState`](super::SiteState) and
//! [`PageArchive`](super::PageArchive) runs all checks of its trait: `frontier::all`, `state::all`,
//! `archive::all`, and `aged::all` if it is an [`AgedArchive`](super::AgedArchive). A check panics with the broken promise. Each check uses a site (or content) with a name of
//! its own and cleans up before and after, so the checks may share a store that holds other data. But they
//! run one after another, since claims take turns over all sites.
//!
//! An implementation that breaks a promise proves the promise's check. `CHECKS` lists the checks by name, so
//! that a test can say which ones must fail. Start at [`frontier`].

pub mod aged;
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

/// The time at which most checks start: arbitrary, far from zero.
const START: Timestamp = Timestamp(1_700_000_000_000);

/// Declares a trait's checks once: makes the list by name and the runner.
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

/// A name that no earlier run of the checks used, for values that cannot be deleted.
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

    /// A number below `bound`, which must not be 0.
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
