//! Reads a document that may be wrong in many places, and collects every fault.
//!
//! A caller that sends a hundred orders wants to see every bad field at once, so reading does not
//! stop at the first fault. A [`Reader`] is one value in the document. An object is read through
//! its [`Fields`](fields::Fields), which return a placeholder for a field that is not acceptable
//! and note the fault. [`read`] returns the result only if nothing was noted, so no placeholder
//! ever gets out.
//!
//! A reader knows its path as a chain of steps through its parents. The path becomes text only
//! when there is something to report: reading a good document allocates nothing for paths.

pub mod fields;
pub mod path;
mod spelled_integer;
#[cfg(test)]
pub(crate) mod test_faults;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::ops::RangeInclusive;

use jiff::Timestamp;

use self::path::{FieldPath, PathStep};
use self::spelled_integer::{SpelledInteger, read_spelled_integer};
use crate::faults::{FAULTS_MAX, FaultCode, Faults, FieldError, WARNINGS_MAX, Warning};
use crate::json::{Json, JsonEntry};
use crate::time;

/// The longest text in a field that we understand, in characters.
pub const TEXT_MAX: usize = 4_000;

/// The longest identifier, in characters.
pub const IDENTIFIER_MAX: usize = 255;

/// What was noted while reading.
struct Notes {
    strict: bool,
    faults: RefCell<Faults>,
    warnings: RefCell<Vec<Warning>>,
}

/// A value of the document, and its path.
pub struct Reader<'a> {
    value: &'a Json<'a>,
    path: FieldPath<'a>,
    notes: &'a Notes,
}

/// Reads a whole document with `build`, or returns everything wrong with it. If `strict`, doubts
/// are faults instead of warnings.
pub fn read<T>(
    document: &Json<'_>,
    strict: bool,
    build: impl FnOnce(&Reader<'_>) -> Option<T>,
) -> Result<(T, Vec<Warning>), Faults> {
    let notes = Notes {
        strict,
        faults: RefCell::new(Faults { errors: Vec::new(), total: 0 }),
        warnings: RefCell::new(Vec::new()),
    };
    let root = Reader { value: document, path: FieldPath::root(), notes: &notes };
    let value = root.required(build);
    let faults = notes.faults.into_inner();
    match value {
        Some(value) if faults.total == 0 => Ok((value, notes.warnings.into_inner())),
        Some(_) | None => Err(faults),
    }
}

impl<'a> Reader<'a> {
    /// The value as it was sent.
    pub fn source(&self) -> &'a Json<'a> {
        self.value
    }

    /// Whether no fault was noted so far, here or anywhere before.
    pub fn is_faultless(&self) -> bool {
        self.notes.faults.borrow().total == 0
    }

    /// Notes that this value is not acceptable.
    pub fn note(&self, code: FaultCode, reason: &str) {
        self.note_at(&[], code, reason);
    }

    /// Notes that the value some `steps` below this one is not acceptable.
    pub fn note_at(&self, steps: &[PathStep<'_>], code: FaultCode, reason: &str) {
        self.note_field(code, reason, || self.path.below(steps));
    }

    /// Notes that both of two fields of this object are missing, of which one is required.
    fn note_neither_of(&self, keys: [&'static str; 2]) {
        self.note_field(FaultCode::MissingField, "must not both be missing", || {
            keys.map(|key| self.path.below(&[PathStep::Key(key)])).join(" | ")
        });
    }

    /// Notes a doubt about the value some `steps` below this one: a warning, or a fault if strict.
    pub fn doubt_at(&self, steps: &[PathStep<'_>], reason: &str) {
        if self.notes.strict {
            self.note_at(steps, FaultCode::Invalid, reason);
        } else {
            self.warn_at(steps, reason);
        }
    }

    fn warn_at(&self, steps: &[PathStep<'_>], message: &str) {
        let mut warnings = self.notes.warnings.borrow_mut();
        if warnings.len() < WARNINGS_MAX {
            let field = self.path.below(steps);
            warnings.push(Warning { field, message: message.to_owned() });
        }
    }

    fn note_field(&self, code: FaultCode, reason: &str, field: impl FnOnce() -> String) {
        let mut faults = self.notes.faults.borrow_mut();
        faults.total += 1;
        if faults.errors.len() < FAULTS_MAX {
            faults.errors.push(FieldError { field: field(), code, reason: reason.to_owned() });
        }
    }

    /// The reader of a value directly below this one.
    fn below<'b>(&'b self, step: PathStep<'b>, value: &'b Json<'b>) -> Reader<'b>
    where
        'a: 'b,
    {
        Reader { value, path: self.path.then(step), notes: self.notes }
    }

    /// Text whose length in characters is in the range.
    pub fn text(&self, length: RangeInclusive<usize>) -> Option<&'a str> {
        let Json::Text(text) = self.value else {
            return self.not_a("a string");
        };
        if text.is_empty() && *length.start() > 0 {
            return self.invalid("must not be empty");
        }
        // A text never has more characters than bytes, so short ones need no counting.
        if text.len() > *length.end() && text.chars().count() > *length.end() {
            return self.invalid(&format!("must have at most {} characters", length.end()));
        }
        if text.contains('\0') {
            return self.invalid("must not contain the character U+0000");
        }
        Some(text)
    }

    /// An identifier that systems write as text or as an integer: it is kept as text.
    pub fn text_or_digits(&self, shortest: usize) -> Option<String> {
        if let Json::Number(digits) = self.value
            && digits.bytes().all(|byte| byte.is_ascii_digit())
        {
            if digits.len() > IDENTIFIER_MAX {
                return self.invalid(&format!("must have at most {IDENTIFIER_MAX} digits"));
            }
            return Some((*digits).to_owned());
        }
        self.text(shortest..=IDENTIFIER_MAX).map(str::to_owned)
    }

    /// What `parse` makes of the name in this value; `refused` says which names are accepted.
    pub fn named<T>(&self, parse: impl FnOnce(&str) -> Option<T>, refused: &str) -> Option<T> {
        match parse(self.text(0..=usize::MAX)?) {
            Some(parsed) => Some(parsed),
            None => self.invalid(refused),
        }
    }

    /// An integer in the range. `3.0` and `3e0` are spellings of 3.
    pub fn integer(&self, range: RangeInclusive<i64>) -> Option<i64> {
        let Json::Number(text) = self.value else {
            return self.not_a("an integer");
        };
        let integer = match text.parse() {
            Ok(integer) => Some(integer),
            Err(_) => match read_spelled_integer(text) {
                SpelledInteger::Exact(integer) => Some(integer),
                SpelledInteger::Fraction => return self.not_a("an integer"),
                SpelledInteger::TooLarge => None,
            },
        };
        match integer {
            Some(integer) if range.contains(&integer) => Some(integer),
            Some(_) | None => {
                self.invalid(&format!("must be between {} and {}", range.start(), range.end()))
            }
        }
    }

    /// A number that is not negative.
    pub fn number(&self) -> Option<f64> {
        let Json::Number(text) = self.value else {
            return self.not_a("a number");
        };
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() && number >= 0.0 => Some(number),
            Ok(_) | Err(_) => self.invalid("must be a non-negative number"),
        }
    }

    pub fn flag(&self) -> Option<bool> {
        match self.value {
            Json::Bool(flag) => Some(*flag),
            Json::Null | Json::Number(_) | Json::Text(_) | Json::List(_) | Json::Object(_) => {
                self.not_a("true or false")
            }
        }
    }

    pub fn time(&self) -> Option<Timestamp> {
        let Json::Text(text) = self.value else {
            return self.not_a("a string with an ISO 8601 time");
        };
        match time::parse(text) {
            Some(time) => Some(time),
            None => self.invalid("must be an ISO 8601 time such as 2026-03-01T12:30:00Z"),
        }
    }

    /// A list of at most `most` elements, each read with `each`: all of them, or nothing.
    pub fn list<T>(
        &self,
        most: usize,
        mut each: impl FnMut(&Reader<'_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let Json::List(values) = self.value else {
            return self.not_a("a list");
        };
        if values.len() > most {
            return self.invalid(&format!("must have at most {most} elements"));
        }
        let mut read = Vec::with_capacity(values.len());
        for (position, value) in values.iter().enumerate() {
            read.extend(self.below(PathStep::Index(position), value).required(&mut each));
        }
        (read.len() == values.len()).then_some(read)
    }

    /// An object whose keys are data, each entry read with `each`: all of them, or nothing.
    pub fn map<T>(&self, mut each: impl FnMut(&str, &Reader<'_>) -> Option<T>) -> Option<Vec<T>> {
        let entries = self.entries()?;
        let mut read = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            read.extend(self.below(PathStep::Key(key), value).required(|reader| each(key, reader)));
        }
        (read.len() == entries.len()).then_some(read)
    }

    fn entries(&self) -> Option<&'a [JsonEntry<'a>]> {
        let Json::Object(object) = self.value else {
            return self.not_a("an object");
        };
        Some(&object.entries)
    }

    /// Reads this value, which is required.
    fn required<T>(&self, read: impl FnOnce(&Self) -> Option<T>) -> Option<T> {
        if matches!(self.value, Json::Null) {
            self.note(FaultCode::MissingField, "is missing");
            return None;
        }
        read(self)
    }

    fn not_a<T>(&self, kind: &str) -> Option<T> {
        self.note(FaultCode::InvalidType, &format!("must be {kind}"));
        None
    }

    /// Notes that the value is not acceptable, and returns None.
    pub fn invalid<T>(&self, reason: &str) -> Option<T> {
        self.note(FaultCode::Invalid, reason);
        None
    }
}
