//! The fields of one object, asked for by name.
//!
//! Each question marks the key it finds, so what nobody asked for is known without a second
//! list of names that could drift from the first. A field that is not acceptable gives a
//! stand-in (empty text, zero, the epoch) and is remembered as unsound, so that a rule over
//! several fields can tell whether it has real values before it.

use std::cell::{Cell, RefCell};
use std::ops::RangeInclusive;

use jiff::Timestamp;

use super::path::PathStep;
use super::{IDENTIFIER_MAX, Reader, TEXT_MAX};
use crate::faults::FaultCode;
use crate::json::{Json, JsonEntry};

/// No line has more units, and no refund of one.
pub const QUANTITY_MAX: i64 = 1_000;

/// No amount is larger, in minor units of its currency.
pub const CENTS_MAX: i64 = 10_000_000_000_000;

/// The object that is being read.
pub struct Fields<'a> {
    reader: &'a Reader<'a>,
    entries: &'a [JsonEntry<'a>],
    /// Senders and we mostly name the fields in the same order: the next one is tried first.
    expected: Cell<usize>,
    /// One bit for each of the first 128 entries that was asked for.
    asked: Cell<u128>,
    /// The positions of the others that were.
    asked_beyond: RefCell<Vec<usize>>,
    unsound: RefCell<Vec<&'static str>>,
    unknown: Cell<Unknown>,
}

/// What becomes of a field that nobody asks for.
#[derive(Clone, Copy)]
enum Unknown {
    Kept,
    Dropped,
    Refused,
}

/// An element of a list that is an object, with what a rule over several of them must know.
pub struct ListElement<T> {
    pub value: T,
    pub position: usize,
    unsound: Vec<&'static str>,
}

impl<T> ListElement<T> {
    /// Whether the value has what was sent for `key`, not a stand-in.
    pub fn sound(&self, key: &'static str) -> bool {
        !self.unsound.contains(&key)
    }
}

#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the methods of a reader are not general enough in its lifetime to be passed"
)]
impl<'a> Fields<'a> {
    pub(super) fn of(reader: &'a Reader<'a>, entries: &'a [JsonEntry<'a>]) -> Self {
        Self {
            reader,
            entries,
            expected: Cell::new(0),
            asked: Cell::new(0),
            asked_beyond: RefCell::default(),
            unsound: RefCell::default(),
            unknown: Cell::new(Unknown::Kept),
        }
    }

    /// The object itself, to note something about it or what is below it.
    pub fn place(&self) -> &'a Reader<'a> {
        self.reader
    }

    /// Unknown fields of this object are not stored anywhere, and their warnings shall say so.
    pub fn drops_unknown(&self) {
        self.unknown.set(Unknown::Dropped);
    }

    /// Unknown fields of this object are faults: for documents where a misspelt field would
    /// silently leave something at its default.
    pub fn refuses_unknown(&self) {
        self.unknown.set(Unknown::Refused);
    }

    /// Whether the object has `key`, be it null.
    pub fn has(&self, key: &'static str) -> bool {
        self.find(key).is_some()
    }

    /// Whether the values for all `keys` are what was sent (or not sent, if optional).
    pub fn sound(&self, keys: &[&'static str]) -> bool {
        let unsound = self.unsound.borrow();
        unsound.is_empty() || !keys.iter().any(|key| unsound.contains(key))
    }

    /// Says that the value of `key` is not acceptable.
    pub fn note(&self, key: &'static str, reason: &str) {
        self.unsound.borrow_mut().push(key);
        self.reader.note_at(&[PathStep::Key(key)], FaultCode::Invalid, reason);
    }

    /// Says that the value of `key` is odd: a warning, or an error when reading strictly.
    pub fn doubt(&self, key: &'static str, reason: &str) {
        self.reader.doubt_at(&[PathStep::Key(key)], reason);
    }

    /// Says that one of two fields should be there.
    pub fn note_neither(&self, keys: [&'static str; 2]) {
        self.unsound.borrow_mut().extend(keys);
        self.reader.note_neither(keys);
    }

    /// Reads a field that must be there.
    pub fn required<T>(
        &self,
        key: &'static str,
        read: impl FnOnce(&Reader<'_>) -> Option<T>,
    ) -> Option<T> {
        let value = self.find(key).unwrap_or(&Json::Null);
        let read = self.reader.below(PathStep::Key(key), value).required(read);
        if read.is_none() {
            self.unsound.borrow_mut().push(key);
        }
        read
    }

    /// Reads a field that may be absent or null.
    pub fn optional<T>(
        &self,
        key: &'static str,
        read: impl FnOnce(&Reader<'_>) -> Option<T>,
    ) -> Option<T> {
        let value = self.find(key).filter(|value| **value != Json::Null)?;
        let read = read(&self.reader.below(PathStep::Key(key), value));
        if read.is_none() {
            self.unsound.borrow_mut().push(key);
        }
        read
    }

    pub fn text(&self, key: &'static str) -> String {
        self.required(key, |value| value.text(0..=TEXT_MAX).map(str::to_owned)).unwrap_or_default()
    }

    pub fn optional_text(&self, key: &'static str) -> Option<String> {
        self.optional(key, |value| value.text(0..=TEXT_MAX).map(str::to_owned))
    }

    /// Text that `acceptable` holds for; `reason` says what it asks.
    pub fn text_that(
        &self,
        key: &'static str,
        acceptable: impl FnOnce(&str) -> bool,
        reason: &str,
    ) -> String {
        let read = self.required(key, |value| match value.text(0..=TEXT_MAX) {
            Some(text) if !acceptable(text) => value.invalid(reason),
            text => text.map(str::to_owned),
        });
        read.unwrap_or_default()
    }

    /// An identifier: not empty, and short enough to be searched for.
    pub fn identifier(&self, key: &'static str) -> String {
        self.identifier_of(key, 1..=IDENTIFIER_MAX)
    }

    /// An identifier that must be sent, and is empty when the thing has none.
    pub fn identifier_or_empty(&self, key: &'static str) -> String {
        self.identifier_of(key, 0..=IDENTIFIER_MAX)
    }

    fn identifier_of(&self, key: &'static str, length: RangeInclusive<usize>) -> String {
        self.required(key, |value| value.text(length).map(str::to_owned)).unwrap_or_default()
    }

    /// An identifier that may be absent. Senders write "none" as empty text, too.
    pub fn optional_identifier(&self, key: &'static str) -> Option<String> {
        self.optional(key, |value| value.text(0..=IDENTIFIER_MAX).map(str::to_owned))
            .filter(|identifier| !identifier.is_empty())
    }

    /// A number of units, up to [`QUANTITY_MAX`].
    pub fn count(&self, key: &'static str) -> i64 {
        self.required(key, |value| value.integer(0..=QUANTITY_MAX)).unwrap_or_default()
    }

    pub fn optional_count(&self, key: &'static str) -> Option<i64> {
        self.optional(key, |value| value.integer(0..=QUANTITY_MAX))
    }

    /// An amount of money, up to [`CENTS_MAX`].
    pub fn cents(&self, key: &'static str) -> i64 {
        self.required(key, |value| value.integer(0..=CENTS_MAX)).unwrap_or_default()
    }

    pub fn optional_cents(&self, key: &'static str) -> Option<i64> {
        self.optional(key, |value| value.integer(0..=CENTS_MAX))
    }

    pub fn optional_integer(&self, key: &'static str) -> Option<i64> {
        self.optional(key, |value| value.integer(i64::MIN..=i64::MAX))
    }

    pub fn optional_number(&self, key: &'static str) -> Option<f64> {
        self.optional(key, |value| value.number())
    }

    pub fn optional_flag(&self, key: &'static str) -> Option<bool> {
        self.optional(key, |value| value.flag())
    }

    pub fn time(&self, key: &'static str) -> Timestamp {
        self.required(key, |value| value.time()).unwrap_or_default()
    }

    pub fn optional_time(&self, key: &'static str) -> Option<Timestamp> {
        self.optional(key, |value| value.time())
    }

    pub fn texts(&self, key: &'static str) -> Vec<String> {
        self.required(key, texts).unwrap_or_default()
    }

    /// A list of texts that is empty when it is absent.
    pub fn optional_texts(&self, key: &'static str) -> Vec<String> {
        self.optional(key, texts).unwrap_or_default()
    }

    pub fn object<T>(&self, key: &'static str, read: impl FnOnce(&Fields<'_>) -> T) -> Option<T> {
        self.required(key, |value| value.object(read))
    }

    pub fn optional_object<T>(
        &self,
        key: &'static str,
        read: impl FnOnce(&Fields<'_>) -> T,
    ) -> Option<T> {
        self.optional(key, |value| value.object(read))
    }

    /// A list of objects.
    pub fn objects<T>(&self, key: &'static str, mut read: impl FnMut(&Fields<'_>) -> T) -> Vec<T> {
        self.objects_up_to(usize::MAX, key, &mut read)
    }

    /// A list of at most so many objects; of a longer one nothing is read.
    pub fn objects_up_to<T>(
        &self,
        most: usize,
        key: &'static str,
        mut read: impl FnMut(&Fields<'_>) -> T,
    ) -> Vec<T> {
        self.required(key, |value| value.list(most, |element| element.object(&mut read)))
            .unwrap_or_default()
    }

    /// A list of objects that is empty when it is absent.
    pub fn optional_objects<T>(
        &self,
        key: &'static str,
        mut read: impl FnMut(&Fields<'_>) -> T,
    ) -> Vec<T> {
        self.optional(key, |value| value.list(usize::MAX, |element| element.object(&mut read)))
            .unwrap_or_default()
    }

    /// Joins `value`, which was read from here, with its position and what is unsound in it.
    pub fn element<T>(&self, value: T) -> ListElement<T> {
        ListElement {
            value,
            position: self.reader.path.position().unwrap_or_default(),
            unsound: self.unsound.take(),
        }
    }

    /// The value of `key`, which from now on counts as known.
    fn find(&self, key: &'static str) -> Option<&'a Json<'a>> {
        let expected = self.expected.get();
        let matches =
            |position: &usize| self.entries.get(*position).is_some_and(|(name, _)| name == key);
        let position =
            Some(expected).filter(matches).or_else(|| (0..self.entries.len()).find(matches))?;
        self.expected.set(position + 1);
        match mask(position) {
            Some(mask) => self.asked.set(self.asked.get() | mask),
            None => self.asked_beyond.borrow_mut().push(position),
        }
        self.entries.get(position).map(|(_, value)| value)
    }

    pub(super) fn judge_unknown(&self) {
        let beyond = self.asked_beyond.borrow();
        for (position, (key, _)) in self.entries.iter().enumerate() {
            let asked = match mask(position) {
                Some(mask) => self.asked.get() & mask != 0,
                None => beyond.contains(&position),
            };
            if asked {
                continue;
            }
            let field = [PathStep::Key(key)];
            match self.unknown.get() {
                Unknown::Kept => self.reader.warn_at(&field, "unknown field, kept as sent"),
                Unknown::Dropped => self.reader.warn_at(&field, "unknown field, ignored"),
                Unknown::Refused => {
                    self.reader.note_at(&field, FaultCode::Invalid, "is not known here")
                }
            }
        }
    }
}

/// The bit of an entry, if it has one.
fn mask(position: usize) -> Option<u128> {
    u32::try_from(position).ok().and_then(|position| 1_u128.checked_shl(position))
}

fn texts(value: &Reader<'_>) -> Option<Vec<String>> {
    value.list(usize::MAX, |element| element.text(0..=TEXT_MAX).map(str::to_owned))
}
