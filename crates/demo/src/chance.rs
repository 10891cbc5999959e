//! Chance that falls the same way in every demo: it is drawn from the name of what it is about.

/// Another number makes another history.
const SEED: u64 = 0x5eed_0f4c_3e00_0001;

#[derive(Clone, Debug)]
pub(crate) struct Chance(u64);

impl Chance {
    /// The chance of whatever has this name.
    pub(crate) fn of(name: &str) -> Self {
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Self(name.bytes().fold(SEED, mix))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from `least` to `most`.
    pub(crate) fn between(&mut self, least: i64, most: i64) -> i64 {
        let span = u64::try_from(most - least + 1).unwrap_or(1).max(1);
        least + i64::try_from(self.next() % span).unwrap_or(0)
    }

    /// Whether it happens, of a hundred times so often.
    pub(crate) fn percent(&mut self, often: i64) -> bool {
        self.between(0, 99) < often
    }

    /// One of `all`; nothing of nothing.
    pub(crate) fn pick<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        let last = i64::try_from(all.len()).unwrap_or(i64::MAX) - 1;
        all.get(usize::try_from(self.between(0, last.max(0))).unwrap_or(0))
    }

    /// One of some words.
    pub(crate) fn word(&mut self, all: &[&'static str]) -> &'static str {
        self.pick(all).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_name_has_the_same_chance_and_another_has_another() {
        let drawn = |name: &str| {
            let mut chance = Chance::of(name);
            [0; 8].map(|_| chance.between(0, 1_000_000))
        };
        assert_eq!(drawn("order 7"), drawn("order 7"));
        assert_ne!(drawn("order 7"), drawn("order 8"));
    }

    #[test]
    fn every_number_of_a_range_comes_up_and_no_other() {
        let mut chance = Chance::of("range");
        let mut seen = [false; 7];
        for _ in 0..1_000 {
            seen[usize::try_from(chance.between(-3, 3) + 3).unwrap()] = true;
        }
        assert_eq!(seen, [true; 7]);
        assert_eq!(chance.pick::<u8>(&[]), None);
    }
}
