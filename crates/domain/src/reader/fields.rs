//! The fields of one object, requested by name.
//!
//! Each request marks the key that it finds, so unknown fields are detected without a second list
//! of names that could drift from the first. A field that is not acceptable gives a placeholder
//! (empty text, zero, the epoch) and is remembered as unsound, so that a rule over several fields
//! can tell whether it has real values.

use std::cell::{Cell, RefCell};
use std::ops::RangeInclusive;

use jiff::Timestamp;

use super::path::PathStep;
use super::{IDENTIFIER_MAX, Reader, TEXT_MAX};
use crate::faults::FaultCode;
use crate::json::{Json, JsonEntry};

/// The most units of a line, or of a refund of a line.
pub const QUANTITY_MAX: i64 = 1_000;

/// The largest amount, in minor units of its currency.
pub const CENTS_MAX: i64 = 10_000_000_000_000;

/// The object that is being read.
pub struct Fields<'a> {
    reader: &'a Reader<'a>,
    entries: &'a [JsonEntry<'a>],
    /// Senders mostly write fields in the order in which we request them: try the next one first.
    expected: Cell<usize>,
    /// One bit for each of the first 128 entries that was requested.
    requested: Cell<u128>,
    /// The positions of later entries that were requested.
    requested_beyond: RefCell<Vec<usize>>,
    unsound: RefCell<Vec<&'static str>>,
    unknown: Cell<UnknownFields>,
}

/// What happens to a field that is not requested.
#[derive(Clone, Copy)]
enum UnknownFields {
    Kept,
    Dropped,
    Refused,
}

/// An object in a list, with what a rule over several of them needs to know.
pub struct ListElement<T> {
    pub value: T,
    pub position: usize,
    unsound: Vec<&'static str>,
}

impl<T> ListElement<T> {
    /// Whether the value has what was sent for `key`, not a placeholder.
    pub fn sound(&self, key: &'static str) -> bool {
        !self.unsound.contains(&key)
    }
}

#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the methods of a reader are not general enough in its lifetime to be passed"
)]
impl<'a> Fields<'a> {
    fn of(reader: &'a Reader<'a>, entries: &'a [JsonEntry<'a>]) -> Self {
        Self {
            reader,
            entries,
            expected: Cell::new(0),
            requested: Cell::new(0),
            requested_beyond: RefCell::default(),
            unsound: RefCell::default(),
            unknown: Cell::new(UnknownFields::Kept),
        }
    }

    /// The object itself, to note something about it or its fields.
    pub fn reader(&self) -> &'a Reader<'a> {
        self.reader
    }

    /// Unknown fields of this object are not stored, and their warnings say so.
    pub fn drop_unknown(&self) {
        self.unknown.set(UnknownFields::Dropped);
    }

    /// Unknown fields of this object are faults: for documents where a misspelled field would
    /// silently leave something at its default.
    pub fn refuse_unknown(&self) {
        self.unknown.set(UnknownFields::Refused);
    }

    /// Whether the object has `key`, even if its value is null.
    pub fn has(&self, key: &'static str) -> bool {
        self.find(key).is_some()
    }

    /// Whether the values of all `keys` are what was sent (or left out, if optional).
    pub fn sound(&self, keys: &[&'static str]) -> bool {
        let unsound = self.unsound.borrow();
        unsound.is_empty() || !keys.iter().any(|key| unsound.contains(key))
    }

    /// Notes that the value of `key` is not acceptable.
    pub fn note(&self, key: &'static str, reason: &str) {
        self.unsound.borrow_mut().push(key);
        self.reader.note_at(&[PathStep::Key(key)], FaultCode::Invalid, reason);
    }

    /// Notes a doubt about the value of `key`: a warning, or a fault if reading is strict.
    pub fn doubt(&self, key: &'static str, reason: &str) {
        self.reader.doubt_at(&[PathStep::Key(key)], reason);
    }

    /// Notes a doubt about the value of `key` that is a warning in any case.
    pub fn warn(&self, key: &'static str, message: &str) {
        self.reader.warn_at(&[PathStep::Key(key)], message);
    }

    /// Notes that two fields are missing, of which one is required.
    pub fn note_neither_of(&self, keys: [&'static str; 2]) {
        self.unsound.borrow_mut().extend(keys);
        self.reader.note_neither_of(keys);
    }

    /// Reads a required field.
    pub fn required<T>(
        &self,
        key: &'static str,
        read: impl FnOnce(&Reader<'_>) -> Option<T>,
    ) -> Option<T> {
        let value = self.find(key).unwrap_or(&Json::Null);
        let result = self.reader.below(PathStep::Key(key), value).required(read);
        if result.is_none() {
            self.unsound.borrow_mut().push(key);
        }
        result
    }

    /// Reads a field that may be absent or null.
    pub fn optional<T>(
        &self,
        key: &'static str,
        read: impl FnOnce(&Reader<'_>) -> Option<T>,
    ) -> Option<T> {
        let value = self.find(key).filter(|value| !matches!(value, Json::Null))?;
        let result = read(&self.reader.below(PathStep::Key(key), value));
        if result.is_none() {
            self.unsound.borrow_mut().push(key);
        }
        result
    }

    pub fn text(&self, key: &'static str) -> String {
        self.required(key, |value| value.text(0..=TEXT_MAX).map(str::to_owned)).unwrap_or_default()
    }

    pub fn optional_text(&self, key: &'static str) -> Option<String> {
        self.optional(key, |value| value.text(0..=TEXT_MAX).map(str::to_owned))
    }

    /// Text for which `acceptable` holds; `reason` says what it requires.
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

    /// An identifier: not empty, and short enough to search for.
    pub fn identifier(&self, key: &'static str) -> String {
        self.identifier_of(key, 1..=IDENTIFIER_MAX)
    }

    /// An identifier that must be sent, but may be empty.
    pub fn identifier_or_empty(&self, key: &'static str) -> String {
        self.identifier_of(key, 0..=IDENTIFIER_MAX)
    }

    fn identifier_of(&self, key: &'static str, length: RangeInclusive<usize>) -> String {
        self.required(key, |value| value.text(length).map(str::to_owned)).unwrap_or_default()
    }

    /// An identifier that may be absent. Some senders write empty text instead.
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

    /// An identifier that systems write as text or as an integer.
    pub fn identifier_or_number(&self, key: &'static str) -> String {
        self.required(key, |value| value.text_or_digits(1)).unwrap_or_default()
    }

    /// One that may be absent. Some senders write empty text instead.
    pub fn optional_identifier_or_number(&self, key: &'static str) -> Option<String> {
        self.optional(key, |value| value.text_or_digits(0))
            .filter(|identifier| !identifier.is_empty())
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

    /// A list of texts, empty if it is absent.
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

    /// A list of at most `most` objects. Nothing is read from a longer list.
    pub fn objects_up_to<T>(
        &self,
        most: usize,
        key: &'static str,
        mut read: impl FnMut(&Fields<'_>) -> T,
    ) -> Vec<T> {
        self.required(key, |value| value.list(most, |element| element.object(&mut read)))
            .unwrap_or_default()
    }

    /// A list of objects, empty if it is absent.
    pub fn optional_objects<T>(
        &self,
        key: &'static str,
        mut read: impl FnMut(&Fields<'_>) -> T,
    ) -> Vec<T> {
        self.optional(key, |value| value.list(usize::MAX, |element| element.object(&mut read)))
            .unwrap_or_default()
    }

    /// Combines `value`, which was read from here, with its position and its unsound fields.
    pub fn element<T>(&self, value: T) -> ListElement<T> {
        ListElement {
            value,
            position: self.reader.path.position().unwrap_or_default(),
            unsound: self.unsound.take(),
        }
    }

    /// The value of `key`, which now counts as requested.
    fn find(&self, key: &'static str) -> Option<&'a Json<'a>> {
        let expected = self.expected.get();
        let matches =
            |position: &usize| self.entries.get(*position).is_some_and(|(name, _)| name == key);
        let position =
            Some(expected).filter(matches).or_else(|| (0..self.entries.len()).find(matches))?;
        self.expected.set(position + 1);
        match mask(position) {
            Some(mask) => self.requested.set(self.requested.get() | mask),
            None => self.requested_beyond.borrow_mut().push(position),
        }
        self.entries.get(position).map(|(_, value)| value)
    }

    /// Warns of the fields that were not requested, or notes them as faults.
    fn report_unknown(&self) {
        let beyond = self.requested_beyond.borrow();
        for (position, (key, _)) in self.entries.iter().enumerate() {
            let requested = match mask(position) {
                Some(mask) => self.requested.get() & mask != 0,
                None => beyond.contains(&position),
            };
            if requested {
                continue;
            }
            let field = [PathStep::Key(key)];
            match self.unknown.get() {
                UnknownFields::Kept => self.reader.warn_at(&field, "unknown field, kept as sent"),
                UnknownFields::Dropped => self.reader.warn_at(&field, "unknown field, ignored"),
                UnknownFields::Refused => {
                    self.reader.note_at(&field, FaultCode::Invalid, "is not a known field");
                }
            }
        }
    }
}

impl Reader<'_> {
    /// An object, read with `read`. Fields that `read` does not request are reported as unknown.
    pub fn object<T>(&self, read: impl FnOnce(&Fields<'_>) -> T) -> Option<T> {
        let fields = Fields::of(self, self.entries()?);
        let value = read(&fields);
        fields.report_unknown();
        Some(value)
    }
}

/// The bit of an entry, if it has one.
fn mask(position: usize) -> Option<u128> {
    u32::try_from(position).ok().and_then(|position| 1_u128.checked_shl(position))
}

fn texts(value: &Reader<'_>) -> Option<Vec<String>> {
    value.list(usize::MAX, |element| element.text(0..=TEXT_MAX).map(str::to_owned))
}
