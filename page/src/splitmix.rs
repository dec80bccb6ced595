//! Pseudorandom numbers, the same in every run and on every machine: for sampling, hashing of numbers and
//! made-up data, not for secrets.

/// The generator splitmix64 (Steele et al., 2014). The field is its state, at first the seed.
#[derive(Clone, Debug)]
pub struct SplitMix(pub u64);

impl SplitMix {
    /// The next number. The first number drawn from a state is also a hash of that state: different states give
    /// different numbers, and neighbouring states numbers that lie far apart.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_publication() {
        let mut numbers = SplitMix(1_234_567);
        assert_eq!([numbers.draw(), numbers.draw()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }
}
