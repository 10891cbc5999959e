//! A JSON document exactly as it was sent: every digit, every key, in the sender's order.
//!
//! Merchants send fields that we do not know, and those are stored unchanged. So numbers keep
//! their text instead of becoming floats, objects keep the order of their keys, and a duplicate
//! key is refused instead of silently losing one of its values. Apart from that, parsing follows
//! RFC 8259 to the letter; see [`parse`] for the limits.

mod malformed;
mod parser;
mod pretty;
#[cfg(test)]
mod tests;
mod text;
mod value;

pub use self::malformed::Malformed;
pub use self::parser::DEPTH_MAX;
pub use self::pretty::pretty;
pub use self::text::write_text;
pub use self::value::{Json, JsonEntry, Object};

/// A document has at most this many values. A value takes at least 32 bytes of memory but as
/// little as two bytes of a request, so limiting the size of the request is not enough.
pub const VALUES_MAX: usize = 1_000_000;
/// The same limit for documents that list very many things, each with all of its fields.
pub const LARGE_VALUES_MAX: usize = 2_000_000;

/// Parses one document, which must be UTF-8 without a byte order mark.
///
/// Beyond the grammar, it refuses data after the document, more than [`DEPTH_MAX`] levels, more
/// than [`VALUES_MAX`] values, duplicate keys in one object, and unpaired surrogates.
pub fn parse(bytes: &[u8]) -> Result<Json<'_>, Malformed> {
    parser::parse(bytes, VALUES_MAX)
}

/// Parses one document that may be large: it has up to [`LARGE_VALUES_MAX`] values.
pub fn parse_large(bytes: &[u8]) -> Result<Json<'_>, Malformed> {
    parser::parse(bytes, LARGE_VALUES_MAX)
}
