//! Random numbers that follow from a seed, for simulations, samples and tests.
//!
//! Nothing here is secret: the seed determines every number. Rules use no randomness, and keys and
//! tokens come from the operating system.

/// A generator of numbers (SplitMix64). The same seed always gives the same numbers.
#[derive(Clone, Debug)]
pub struct SeededRandom(u64);

impl SeededRandom {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to `limit - 1`; 0 when the limit is 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.number() % limit.max(1)
    }

    /// From `least` to `most`, both included.
    pub fn between(&mut self, least: i64, most: i64) -> i64 {
        let span = u64::try_from(most.saturating_sub(least)).unwrap_or(0).saturating_add(1);
        least.wrapping_add_unsigned(self.below(span))
    }

    /// The same for a number of things.
    pub fn count(&mut self, least: usize, most: usize) -> usize {
        least + self.index(most.saturating_sub(least) + 1)
    }

    /// A position in a list of this length.
    pub fn index(&mut self, length: usize) -> usize {
        let limit = u64::try_from(length).unwrap_or(u64::MAX);
        usize::try_from(self.below(limit)).unwrap_or(0)
    }

    /// An element of `all`; None when there are none.
    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        all.get(self.index(all.len()))
    }

    /// True in `percent` of 100 cases.
    pub fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// True in one of `many` cases.
    pub fn one_in(&mut self, many: u64) -> bool {
        self.below(many) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers_and_another_gives_others() {
        let draw = |seed| {
            let mut random = SeededRandom::new(seed);
            [0; 8].map(|_| random.number())
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        assert_eq!(draw(1_234_567)[..2], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }

    #[test]
    fn every_number_of_a_range_comes_up_and_no_other() {
        let mut random = SeededRandom::new(1);
        let mut seen = [false; 7];
        for _ in 0..1_000 {
            seen[usize::try_from(random.between(-3, 3) + 3).unwrap()] = true;
        }
        assert_eq!(seen, [true; 7]);
    }

    #[test]
    fn empty_ranges_and_lists_are_harmless() {
        let mut random = SeededRandom::new(1);
        assert_eq!(random.pick::<u8>(&[]), None);
        assert_eq!(random.between(5, 5), 5);
        assert_eq!(random.count(3, 3), 3);
        assert_eq!(random.below(0), 0);
    }
}
