//! Look-up by a number that the caller chose.
//!
//! Queues and owners are looked up several times per message. Their numbers come
//! from our own tables, not from outside, so the standard hasher's protection
//! against chosen keys would be paid for nothing.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

/// A map that is only ever looked up: its order means nothing.
pub(super) type NumberMap<K, V> = HashMap<K, V, BuildHasherDefault<NumberHasher>>;

/// Spreads a number over all bits by one multiplication.
#[derive(Default)]
pub(super) struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u32(u32::from(*byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        // The golden ratio as a fraction of 2^64: neighbours land far apart.
        self.0 = (self.0.rotate_left(32) ^ u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}
