//! A JSON value, and how it is written.

use std::borrow::Cow;
use std::num::NonZeroU32;
use std::ops::Range;

use super::text::write_text;

/// A value of a document. It borrows from the text that was parsed.
///
/// The tag is a whole word, because values are moved a lot and whole words move faster.
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

/// The keys of an object and their values. Keys are distinct and in the order of the document.
#[derive(Clone, Debug)]
pub struct Object<'a> {
    pub entries: Box<[JsonEntry<'a>]>,
    /// Where the object starts and ends in the document, if [`Json::write`] would write the same
    /// bytes. Two halves of a word, so that objects do not make values larger.
    span: Option<(u32, NonZeroU32)>,
}

/// Objects are equal when their entries are, wherever they were in a document.
impl PartialEq for Object<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl Eq for Object<'_> {}

impl<'a> Object<'a> {
    /// An object that was parsed. `span` is given only if writing it would give the same bytes.
    pub(super) fn new(entries: Box<[JsonEntry<'a>]>, span: Option<(u32, NonZeroU32)>) -> Self {
        Self { entries, span }
    }

    /// The bytes of the document that are this object, if writing it would give the same bytes.
    pub fn as_sent(&self) -> Option<Range<usize>> {
        let (start, end) = self.span?;
        Some(usize::try_from(start).ok()?..usize::try_from(end.get()).ok()?)
    }
}

/// One key of an object and its value.
pub type JsonEntry<'a> = (Cow<'a, str>, Json<'a>);

impl Json<'_> {
    /// The value under `key`, if this is an object that has the key.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Json::Object(Object { entries, .. }) => {
                entries.iter().find(|(name, _)| name == key).map(|(_, value)| value)
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) | Json::List(_) => None,
        }
    }

    /// Appends the value without white space, with keys in their order and numbers as sent.
    pub fn write(&self, out: &mut Vec<u8>) {
        self.write_with(out, Keys::AsSent);
    }

    /// The value without white space and with sorted keys. Two values that differ only in layout
    /// and the order of keys have the same canonical bytes.
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
