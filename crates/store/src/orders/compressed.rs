//! Orders are stored compressed: in a third of the space, because what most of an order consists
//! of is the same in all of them, the names of its fields. They are in a dictionary, which is a
//! typical order with usual values.
//!
//! A compressed order begins with the number of its dictionary and its length. JSON never begins
//! with such a byte, so an order that is stored as it was sent is known by its first byte: a short
//! one, and one that an older version has stored.
//!
//! A dictionary never changes: what was compressed with it cannot be read with another one.

use bytes::Bytes;
use lz4_flex::block::{compress_into_with_dict, decompress_with_dict, get_maximum_output_size};

use crate::core::{body::corrupt, error::EngineError};

const DICTIONARY_1: &[u8] = include_bytes!("order_dictionary_1.json");
/// The number of the dictionary, and the length of the order as it was sent.
const HEAD_BYTES: usize = 5;
/// More than any order that is accepted.
const ORDER_BYTES_MAX: usize = 64 << 20;

/// An order as it is stored.
pub fn compress_order(order: Bytes) -> Bytes {
    let Ok(length) = u32::try_from(order.len()) else { return order };
    if order.len() > ORDER_BYTES_MAX {
        return order;
    }
    let mut compressed = vec![0; HEAD_BYTES + get_maximum_output_size(order.len())];
    let Some((head, block)) = compressed.split_at_mut_checked(HEAD_BYTES) else { return order };
    let [number, bytes @ ..] = head else { return order };
    *number = 1;
    bytes.copy_from_slice(&length.to_be_bytes());
    let Ok(written) = compress_into_with_dict(&order, block, DICTIONARY_1) else { return order };
    compressed.truncate(HEAD_BYTES + written);
    if compressed.len() >= order.len() {
        return order;
    }
    compressed.shrink_to_fit();
    compressed.into()
}

/// The stored order with this identifier, as it was sent.
pub(crate) fn decompress_order(order_id: &str, stored: Bytes) -> Result<Bytes, EngineError> {
    let Some((&[1, a, b, c, d], block)) = stored.split_first_chunk::<HEAD_BYTES>() else {
        return Ok(stored);
    };
    let length = usize::try_from(u32::from_be_bytes([a, b, c, d])).unwrap_or(usize::MAX);
    let unreadable = |why: &str| corrupt("orders", order_id, &why);
    if length > ORDER_BYTES_MAX {
        return Err(unreadable("it is longer than any order"));
    }
    match decompress_with_dict(block, length, DICTIONARY_1) {
        Ok(order) if order.len() == length => Ok(order.into()),
        Ok(_) => Err(unreadable("its length is not the one that it was stored with")),
        Err(error) => Err(unreadable(&error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use ring::digest::{SHA256, digest};

    use super::*;

    const SAMPLE: &str = include_str!("../../../domain/src/samples/returns_portal_order.json");

    fn round(order: &Bytes) -> usize {
        let stored = compress_order(order.clone());
        assert_eq!(decompress_order("ORD-1", stored.clone()).unwrap(), *order);
        stored.len()
    }

    #[test]
    fn a_compressed_order_is_read_byte_for_byte() {
        let sample = Bytes::from_static(SAMPLE.as_bytes());
        assert!(round(&sample) < sample.len() / 2);
        for length in 0..64 {
            round(&sample.slice(..length));
        }
        let long: Bytes = SAMPLE.repeat(200).into();
        assert!(round(&long) < long.len() / 50);
    }

    #[test]
    fn what_an_older_version_stored_is_read_as_it_is() {
        for order in ["{}", "", "\n{\"identifier\":\"ORD-1\"}", SAMPLE] {
            assert_eq!(decompress_order("ORD-1", Bytes::from(order)).unwrap(), order);
        }
    }

    #[test]
    fn an_order_that_cannot_be_compressed_is_stored_as_it_was_sent() {
        let order = Bytes::from_static(b"{\"a\":1}");
        assert_eq!(compress_order(order.clone()), order);
    }

    #[test]
    fn damaged_bytes_are_an_error_and_take_no_memory() {
        let stored = compress_order(Bytes::from_static(SAMPLE.as_bytes()));
        let damaged = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = stored.to_vec();
            change(&mut bytes);
            decompress_order("ORD-1", bytes.into()).unwrap_err().to_string()
        };
        assert!(damaged(&|it| it.truncate(40)).contains("row ORD-1 of orders is unreadable"));
        assert!(damaged(&|it| it[4] ^= 1).contains("row ORD-1 of orders is unreadable"));
        assert!(damaged(&|it| it[1] = 255).contains("longer than any order"));
        assert!(
            damaged(&|it| it.truncate(HEAD_BYTES)).contains("row ORD-1 of orders is unreadable")
        );
    }

    #[test]
    fn the_dictionary_stays_what_it_is() {
        let hash = digest(&SHA256, DICTIONARY_1);
        let first: Vec<String> =
            hash.as_ref().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(first.concat(), "6acac93362b4e242", "add another one instead");
    }
}
