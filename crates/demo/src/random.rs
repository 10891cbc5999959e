//! Random numbers that are the same in every demo: they follow from the name of what they are
//! about.

use domain::random::SeededRandom;

/// Another number makes another history.
const SEED: u64 = 0x5eed_0f4c_3e00_0001;

/// The random numbers for the thing with this name.
pub(crate) fn random_for(name: &str) -> SeededRandom {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    SeededRandom::new(name.bytes().fold(SEED, mix))
}

/// One of some words.
pub(crate) fn pick_word(random: &mut SeededRandom, words: &[&'static str]) -> &'static str {
    random.pick(words).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_name_gives_the_same_numbers_and_another_gives_others() {
        let draw = |name: &str| {
            let mut random = random_for(name);
            [0; 8].map(|_| random.between(0, 1_000_000))
        };
        assert_eq!(draw("order 7"), draw("order 7"));
        assert_ne!(draw("order 7"), draw("order 8"));
    }
}
