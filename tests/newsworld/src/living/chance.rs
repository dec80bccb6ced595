//! Draws from distributions, on top of the crate's [`Rng`].
//!
//! Logarithm and exponential are written with the four basic operations, whose results the IEEE standard fixes:
//! library versions differ in the last bit between systems, and a world must have the same bytes everywhere.

use std::f64::consts::{LN_2, SQRT_2};

use newslode_demo_world::Rng;

/// A source of chance with the distributions of a newsroom's day.
#[derive(Debug, Clone)]
pub(super) struct Chance(Rng);

impl Chance {
    /// A source whose draws depend on `seed` alone.
    pub(super) const fn new(seed: u64) -> Self {
        Self(Rng::new(seed))
    }

    /// A source for the part called `name`, independent of how often this one was used.
    pub(super) fn fork(&self, name: &str) -> Self {
        Self(self.0.fork(name))
    }

    /// The plain generator.
    pub(super) const fn rng(&mut self) -> &mut Rng {
        &mut self.0
    }

    /// The next 64 bits.
    pub(super) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number in `low..high`.
    pub(super) fn uniform(&mut self, low: f64, high: f64) -> f64 {
        // 53 bits: each such fraction is exact
        let unit = (self.bits() >> 11) as f64 / (1_u64 << 53) as f64;
        low + (high - low) * unit
    }

    /// True with `probability`.
    pub(super) fn happens(&mut self, probability: f64) -> bool {
        self.uniform(0.0, 1.0) < probability
    }

    /// One of `items`, which must not be empty.
    pub(super) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        *self.0.pick(items)
    }

    /// A waiting time with the mean `mean`.
    pub(super) fn exponential(&mut self, mean: f64) -> f64 {
        -ln(1.0 - self.uniform(0.0, 1.0)) * mean
    }

    /// A count with the mean `mean`, which should be small: the work grows with it.
    pub(super) fn poisson(&mut self, mean: f64) -> usize {
        let floor = exp(-mean);
        let mut product = self.uniform(0.0, 1.0);
        let mut count = 0;
        while product > floor {
            product *= self.uniform(0.0, 1.0);
            count += 1;
        }
        count
    }

    /// A number of tries, at least 1, with the mean `mean`.
    pub(super) fn geometric(&mut self, mean: f64) -> usize {
        let mut tries = 1;
        while !self.happens(1.0 / mean) {
            tries += 1;
        }
        tries
    }
}

/// Natural logarithm of a positive, normal number.
pub(super) fn ln(x: f64) -> f64 {
    let bits = x.to_bits();
    let mut exponent = ((bits >> 52) & 0x7ff) as f64 - 1023.0;
    let mut mantissa = f64::from_bits((bits & ((1 << 52) - 1)) | (1023 << 52));
    if mantissa > SQRT_2 {
        mantissa /= 2.0;
        exponent += 1.0;
    }
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    // the series of the inverse hyperbolic tangent; s is below 0.172, so ten terms reach the last bit
    let sum = (0..10).rev().fold(0.0, |sum, i| sum * s * s + 1.0 / f64::from(2 * i + 1));
    exponent * LN_2 + 2.0 * s * sum
}

/// The exponential of a number between -700 and 700.
pub(super) fn exp(x: f64) -> f64 {
    let power = (x / LN_2).round();
    let rest = x - power * LN_2;
    let series = (1..16).rev().fold(1.0, |sum, i| 1.0 + sum * rest / f64::from(i));
    series * f64::from_bits(((1023 + power as i64) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithm_and_exponential_are_those_of_the_library() {
        let mut chance = Chance::new(1);
        for _ in 0..10_000 {
            let x = chance.uniform(-30.0, 30.0);
            let y = exp(x);
            assert!((y / x.exp() - 1.0).abs() < 1e-13, "exp({x}) = {y}");
            assert!((ln(y) - x).abs() < 1e-12, "ln({y})");
        }
    }

    #[test]
    fn draws_have_their_means() {
        let mut chance = Chance::new(2);
        let mut mean = |draw: &mut dyn FnMut(&mut Chance) -> f64| {
            (0..40_000).map(|_| draw(&mut chance)).sum::<f64>() / 40_000.0
        };
        let near = |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 0.03, "{found}");
        near(mean(&mut |c| c.uniform(2.0, 4.0)), 3.0);
        near(mean(&mut |c| c.exponential(90.0)), 90.0);
        near(mean(&mut |c| c.poisson(0.4) as f64), 0.4);
        near(mean(&mut |c| c.geometric(1.94) as f64), 1.94);
        near(mean(&mut |c| f64::from(u8::from(c.happens(0.35)))), 0.35);
    }
}
