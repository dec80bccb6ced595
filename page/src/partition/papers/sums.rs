//! Least sums over two rows of numbers: the inner loop of the dynamic program.
//!
//! Costs are integers. Twice as many of four bytes as of eight are added at once, so scopes are tried with `i32`
//! first. Any tree over m leaves has m - 1 joins, so each join can count [`Sum::USUAL`] less than it costs:
//! comparisons stay the same, and the numbers stay near zero.
//! Invariant: two numbers between -LIMIT and LIMIT and two costs of joining can be added.

use std::ops::{Add, Neg, Sub};

use super::cost::ONE;

/// Numbers added at once: four vector registers on any machine.
const LANES: usize = 16;
/// Numbers added at once at the end of a row.
const FEW: usize = 4;
/// More than two costs of joining: each has five factors of at most one.
const HEADROOM: u64 = 16 * ONE;

/// The usual cost of a join on front pages: about three quarters.
const USUAL_COST: u64 = ONE / 4 * 3;

/// An integer type for costs in units.
pub(crate) trait Sum:
    Copy + Ord + Add<Output = Self> + Sub<Output = Self> + Neg<Output = Self>
{
    /// Larger than any cost.
    const MOST: Self;
    /// Costs from this on, or below its negative, do not fit.
    const LIMIT: Self;
    /// The amount by which each join counts less than it costs.
    const USUAL: Self;

    /// Converts a cost of joining, which is at most five.
    fn from_units(units: u64) -> Self;
}

impl Sum for i32 {
    const MOST: i32 = i32::MAX;
    const LIMIT: i32 = (1 << 30) - HEADROOM as i32;
    const USUAL: i32 = USUAL_COST as i32;

    fn from_units(units: u64) -> i32 {
        units as i32
    }
}

impl Sum for i64 {
    const MOST: i64 = i64::MAX;
    const LIMIT: i64 = (1 << 62) - HEADROOM as i64;
    const USUAL: i64 = USUAL_COST as i64;

    fn from_units(units: u64) -> i64 {
        units as i64
    }
}

/// The least `a[k] + b[k]`, up to the end of the shorter row; [`Sum::MOST`] if one is empty.
pub(crate) fn least_sum<T: Sum>(a: &[T], b: &[T]) -> T {
    let len = a.len().min(b.len());
    if len == 0 {
        return T::MOST;
    }
    let (a, a_rest) = a[..len].as_chunks::<LANES>();
    let (b, b_rest) = b[..len].as_chunks::<LANES>();
    let mut least = [T::MOST; LANES];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            least[lane] = least[lane].min(a[lane] + b[lane]);
        }
    }
    let (a, a_rest) = a_rest.as_chunks::<FEW>();
    let (b, b_rest) = b_rest.as_chunks::<FEW>();
    for (a, b) in a.iter().zip(b) {
        for lane in 0..FEW {
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
