//! The world's only source of randomness: splitmix64, so that a seed gives the same bytes everywhere.
//!
//! Every part of the world draws from a named generator of its own (`rng.fork("menu")`), so that a new draw in one
//! place changes nothing elsewhere. Nothing depends on time, memory addresses or the order of a hash map.

/// A small deterministic generator. Not for secrets.
#[derive(Debug, Clone)]
pub struct Rng {
    seed: u64,
    state: u64,
}

impl Rng {
    /// A generator whose values depend on `seed` alone.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { seed, state: seed }
    }

    /// A generator for the part called `name`. It does not depend on earlier draws from this one.
    #[must_use]
    pub fn fork(&self, name: &str) -> Self {
        // FNV-1a: the name only has to be spread; splitmix does the mixing.
        let hash = name
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        let mut mixed = Self::new(self.seed ^ hash);
        Self::new(mixed.next_u64())
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `0..n`; 0 where `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        // The bias of the remainder is under 2^-50 for the sizes used here.
        (self.next_u64() % (n.max(1) as u64)) as usize
    }

    /// A number in `low..=high`.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// True with a probability of `percent` in 100.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of `items`, which must not be empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Puts `items` into random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// `n` of the numbers `0..len` without repetition (all if there are fewer), in random order.
    pub fn sample(&mut self, len: usize, n: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..len).collect();
        self.shuffle(&mut all);
        all.truncate(n);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix64_gives_its_published_first_values() {
        let mut rng = Rng::new(1_234_567);
        assert_eq!(rng.next_u64(), 6_457_827_717_110_365_317);
        assert_eq!(rng.next_u64(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn a_fork_does_not_depend_on_draws_of_its_parent() {
        let mut used = Rng::new(9);
        let fresh = used.clone();
        used.next_u64();
        assert_eq!(used.fork("a").next_u64(), fresh.fork("a").next_u64());
        assert_ne!(fresh.fork("a").next_u64(), fresh.fork("b").next_u64());
    }

    #[test]
    fn a_sample_has_no_repetition() {
        let mut found = Rng::new(3).sample(20, 20);
        found.sort_unstable();
        assert_eq!(found, (0..20).collect::<Vec<_>>());
        assert_eq!(Rng::new(3).sample(4, 9).len(), 4);
    }
}
