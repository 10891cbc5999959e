//! A JSON document as it was sent: every digit, every key, in the sender's order.
//!
//! Merchants send fields that we do not know, and those are stored as they came.
//! So numbers keep their text instead of becoming floats, objects keep their order,
//! and a key that stands twice is refused instead of losing one of its values.
//! Otherwise the reading follows RFC 8259 to the letter; see [`parse`] for the limits.

mod parser;
mod pretty;
#[cfg(test)]
mod tests;

pub use pretty::pretty;

use std::borrow::Cow;
use std::fmt;
use std::num::NonZeroU32;
use std::ops::Range;

/// Lists and objects may stand in one another this many levels deep.
pub const DEPTH_MAX: usize = 64;

/// A document has at most this many values. A value takes 32 bytes of memory or more,
/// but as little as two bytes of a request, so the size of the request is no limit.
pub const VALUES_MAX: usize = 1_000_000;
/// The same for documents that list very many things, each with all of its fields.
pub const LARGE_VALUES_MAX: usize = 2_000_000;

/// A value of a document, borrowing from the text that it was read from.
///
/// The tag is a whole word, because values are moved a lot and move faster in whole words.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Json<'a> {
    Null,
    Bool(bool),
    /// The number's own text: `1.50` stays `1.50`.
    Number(&'a str),
    Text(Cow<'a, str>),
    List(Vec<Json<'a>>),
    Object(Object<'a>),
}

/// The keys of an object and their values. The keys are distinct and in the order of the document.
#[derive(Clone, Debug)]
pub struct Object<'a> {
    pub entries: Box<[JsonEntry<'a>]>,
    /// Where it stands in the document, if it stands there just as [`Json::write`] would write it.
    /// Two halves of a word, so that objects make values no larger.
    tidy: Option<(u32, NonZeroU32)>,
}

/// Objects are equal when they say the same, wherever it stands.
impl PartialEq for Object<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl Eq for Object<'_> {}

impl Object<'_> {
    /// The bytes of the document that are this object, as long as writing it would give the same.
    pub fn as_sent(&self) -> Option<Range<usize>> {
        let (start, end) = self.tidy?;
        Some(usize::try_from(start).ok()?..usize::try_from(end.get()).ok()?)
    }
}

/// One key of an object and its value.
pub type JsonEntry<'a> = (Cow<'a, str>, Json<'a>);

/// Why bytes are not a document, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    pub why: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}, column {}: {}", self.line, self.column, self.why)
    }
}

impl std::error::Error for Malformed {}

/// Reads one document, which must be UTF-8 without a byte order mark.
///
/// Beyond the grammar it refuses: data after the document, more than [`DEPTH_MAX`] levels,
/// more than [`VALUES_MAX`] values, the same key twice in one object, and escapes that are
/// half of a surrogate pair.
pub fn parse(bytes: &[u8]) -> Result<Json<'_>, Malformed> {
    parser::parse(bytes, VALUES_MAX)
}

/// Reads one document that may be large: it has up to [`LARGE_VALUES_MAX`] values.
pub fn parse_large(bytes: &[u8]) -> Result<Json<'_>, Malformed> {
    parser::parse(bytes, LARGE_VALUES_MAX)
}

impl Json<'_> {
    /// The value under `key`, when this is an object that has one.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Json::Object(Object { entries, .. }) => {
                entries.iter().find(|(name, _)| name == key).map(|(_, value)| value)
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) | Json::List(_) => None,
        }
    }

    /// Appends the value without spaces, the keys in their order and the numbers as they stood.
    pub fn write(&self, out: &mut Vec<u8>) {
        self.write_with(out, Keys::AsSent);
    }

    /// The value without spaces and with sorted keys: two values that differ in nothing but
    /// layout and the order of keys have the same canonical bytes.
    pub fn canonical(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write_with(&mut out, Keys::Sorted);
        out
    }

    fn write_with(&self, out: &mut Vec<u8>, keys: Keys) {
        match self {
            Json::Null => out.extend_from_slice(b"null"),
            Json::Bool(true) => out.extend_from_slice(b"true"),
            Json::Bool(false) => out.extend_from_slice(b"false"),
            Json::Number(text) => out.extend_from_slice(text.as_bytes()),
            Json::Text(text) => write_text(text, out),
            Json::List(values) => {
                out.push(b'[');
                for (position, value) in values.iter().enumerate() {
                    if position > 0 {
                        out.push(b',');
                    }
                    value.write_with(out, keys);
                }
                out.push(b']');
            }
            Json::Object(object) => write_object(&object.entries, out, keys),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Keys {
    AsSent,
    Sorted,
}

fn write_object(entries: &[JsonEntry<'_>], out: &mut Vec<u8>, keys: Keys) {
    let mut write_entry = |position: usize, (key, value): &JsonEntry<'_>| {
        out.push(if position == 0 { b'{' } else { b',' });
        write_text(key, out);
        out.push(b':');
        value.write_with(out, keys);
    };
    if keys == Keys::Sorted {
        let mut sorted: Vec<&JsonEntry<'_>> = entries.iter().collect();
        sorted.sort_unstable_by(|(left, _), (right, _)| left.cmp(right));
        sorted.iter().enumerate().for_each(|(position, entry)| write_entry(position, entry));
    } else {
        entries.iter().enumerate().for_each(|(position, entry)| write_entry(position, entry));
    }
    if entries.is_empty() {
        out.push(b'{');
    }
    out.push(b'}');
}

/// Appends `text` in quotes, escaping only what the grammar demands.
pub fn write_text(text: &str, out: &mut Vec<u8>) {
    const HEXADECIMAL: &[u8; 16] = b"0123456789abcdef";

    out.reserve(text.len() + 2);
    out.push(b'"');
    let mut rest = text.as_bytes();
    loop {
        let (plain, escaped) = rest.split_at(plain_length(rest));
        out.extend_from_slice(plain);
        let Some((byte, after)) = escaped.split_first() else { break };
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0c => out.extend_from_slice(b"\\f"),
            control => {
                out.extend_from_slice(if *control < 0x10 { b"\\u000" } else { b"\\u001" });
                out.extend(HEXADECIMAL.get(usize::from(control & 0x0f)));
            }
        }
        rest = after;
    }
    out.push(b'"');
}

/// How many bytes at the beginning can stand for themselves between quotes.
///
/// Most of reading and writing is spent here, so eight bytes are looked at together: in
/// `(word - low) & !word & HIGH`, the first byte to have its high bit set is the first byte of
/// `word` that is less than its byte of `low`.
fn plain_length(bytes: &[u8]) -> usize {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * EACH;
    let less = |word: u64, low: u64| word.wrapping_sub(low * EACH) & !word & HIGH;

    let (words, _) = bytes.as_chunks();
    let has_special = |bytes: &[u8; 8]| {
        let word = u64::from_le_bytes(*bytes);
        let quote = less(word ^ (u64::from(b'"') * EACH), 1);
        let backslash = less(word ^ (u64::from(b'\\') * EACH), 1);
        (less(word, 0x20) | quote | backslash) != 0
    };
    let skipped = 8 * words.iter().position(has_special).unwrap_or(words.len());
    let rest = bytes.get(skipped..).unwrap_or_default();
    skipped + rest.iter().position(|byte| must_escape(*byte)).unwrap_or(rest.len())
}

/// The bytes that cannot stand for themselves between quotes.
fn must_escape(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}
