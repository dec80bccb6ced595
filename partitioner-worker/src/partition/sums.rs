//! Least sums over two rows of numbers: the inner loop of the dynamic program.
//!
//! Costs are whole units; in four bytes twice as many are added at once as in eight, so scopes are tried
//! with `i32` first. Invariant: two numbers below [`Sum::LIMIT`] and two costs of joining can be added.

use std::ops::Add;

use super::cost::ONE;

/// Numbers added at once.
const LANES: usize = 16;
/// More than two costs of joining together: each has five factors of at most one.
const HEADROOM: u64 = 16 * ONE;

/// A whole number of units.
pub(crate) trait Sum: Copy + Ord + Add<Output = Self> {
    /// No cost at all.
    const MOST: Self;
    /// Costs from here on do not fit.
    const LIMIT: Self;

    /// A cost of joining: at most five.
    fn from_units(units: u64) -> Self;
}

impl Sum for i32 {
    const MOST: i32 = i32::MAX;
    const LIMIT: i32 = (1 << 30) - HEADROOM as i32;

    fn from_units(units: u64) -> i32 {
        units as i32
    }
}

impl Sum for i64 {
    const MOST: i64 = i64::MAX;
    const LIMIT: i64 = (1 << 62) - HEADROOM as i64;

    fn from_units(units: u64) -> i64 {
        units as i64
    }
}

/// The least `a[k] + b[k]`, over the shorter of the two; [`Sum::MOST`] of nothing.
pub(crate) fn least_sum<T: Sum>(a: &[T], b: &[T]) -> T {
    let len = a.len().min(b.len());
    let (a, a_rest) = a[..len].as_chunks::<LANES>();
    let (b, b_rest) = b[..len].as_chunks::<LANES>();
    let mut least = [T::MOST; LANES];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            least[lane] = least[lane].min(a[lane] + b[lane]);
        }
    }
    let rest = a_rest.iter().zip(b_rest).map(|(&a, &b)| a + b);
    rest.chain(least).min().unwrap_or(T::MOST)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lanes_miss_nothing(pairs in prop::collection::vec((0i32..1_000, 0i32..1_000), 0..70)) {
            let (a, b): (Vec<i32>, Vec<i32>) = pairs.iter().copied().unzip();
            let plain = pairs.iter().map(|(a, b)| a + b).min().unwrap_or(i32::MAX);
            prop_assert_eq!(least_sum(&a, &b), plain);
        }
    }
}
