//! Reconciliation: what a merchant holds is compared with the last message about each thing.
//!
//! A merchant lists what it holds as JSON objects, one per line or in a list. The list is split
//! into its objects while it arrives, so that its text is never in memory as a whole.

use std::cmp::Ordering;

use super::kind::MessageKind;
use crate::{
    faults::{FAULTS_MAX, FaultCode, Faults, FieldError},
    json,
    reader::{self, IDENTIFIER_MAX, Reader},
};

/// The most things that one request lists.
pub const ENTRIES_MAX: usize = 100_000;

/// The longest text of an entry, in bytes.
const ENTRY_BYTES_MAX: usize = 8 * 1024;

/// A thing that a merchant holds. Ordered by the bytes of kind and reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldEntry {
    pub kind: MessageKind,
    pub reference: Box<str>,
    pub state: HeldState,
}

/// What a merchant knows of the last message about a thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeldState {
    Sequence(i64),
    /// SHA-256 of the body.
    Hash(Box<[u8; 32]>),
}

impl HeldEntry {
    /// By kind, then by reference.
    pub fn key(&self) -> (&str, &str) {
        (self.kind.name(), &self.reference)
    }
}

/// How what a merchant holds differs from the last message about the thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldDifference {
    Older,
    /// It holds a message that was never sent.
    Newer,
}

/// Compares what is held with the last message. None if they are equal.
pub fn compare_state(held: &HeldState, sequence: i64, hash: &[u8]) -> Option<HeldDifference> {
    match held {
        HeldState::Sequence(held) => match held.cmp(&sequence) {
            Ordering::Less => Some(HeldDifference::Older),
            Ordering::Equal => None,
            Ordering::Greater => Some(HeldDifference::Newer),
        },
        HeldState::Hash(held) if held.as_slice() == hash => None,
        HeldState::Hash(_) => Some(HeldDifference::Older),
    }
}

/// Reads a list of entries that arrives in pieces.
#[derive(Debug)]
pub struct EntryReader {
    entries_max: usize,
    entries: Vec<HeldEntry>,
    /// How many objects were read, sound or not.
    count: usize,
    errors: Vec<FieldError>,
    error_count: usize,
    /// The object that is not complete.
    text: Vec<u8>,
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl Default for EntryReader {
    fn default() -> Self {
        Self::new(ENTRIES_MAX)
    }
}

impl EntryReader {
    /// A reader of at most so many entries.
    pub fn new(entries_max: usize) -> Self {
        Self {
            entries_max,
            entries: Vec::new(),
            count: 0,
            errors: Vec::new(),
            error_count: 0,
            text: Vec::new(),
            depth: 0,
            in_string: false,
            escaped: false,
        }
    }

    /// Reads the next piece. After an error that makes the rest unreadable, nothing more is read.
    pub fn push(&mut self, piece: &[u8]) -> Result<(), Faults> {
        for &byte in piece {
            if self.depth == 0 {
                match byte {
                    b'{' => (),
                    b'[' | b']' | b',' => continue,
                    _ if byte.is_ascii_whitespace() => continue,
                    _ => return Err(self.end_with("must be a JSON object")),
                }
            }
            if self.text.len() == ENTRY_BYTES_MAX {
                return Err(self.end_with(&format!("must have at most {ENTRY_BYTES_MAX} bytes")));
            }
            self.text.push(byte);
            self.follow(byte);
            if self.depth == 0 {
                self.read_entry()?;
            }
        }
        Ok(())
    }

    /// Follows strings and brackets.
    fn follow(&mut self, byte: u8) {
        match byte {
            _ if self.escaped => self.escaped = false,
            b'\\' if self.in_string => self.escaped = true,
            b'"' => self.in_string = !self.in_string,
            b'{' if !self.in_string => self.depth += 1,
            b'}' if !self.in_string => self.depth -= 1,
            _ => (),
        }
    }

    fn read_entry(&mut self) -> Result<(), Faults> {
        if self.count == self.entries_max {
            let reason = format!("is more than {} entries", self.entries_max);
            return Err(self.end_with(&reason));
        }
        let parsed = match json::parse(&self.text) {
            Ok(document) => reader::read(&document, false, read_entry).map(|(entry, _)| entry),
            Err(malformed) => Err(Faults {
                errors: vec![FieldError {
                    field: "$".to_owned(),
                    code: FaultCode::Invalid,
                    reason: format!("is not JSON: {malformed}"),
                }],
                total: 1,
            }),
        };
        match parsed {
            Ok(entry) => self.entries.push(entry),
            Err(faults) => self.note(faults),
        }
        self.count += 1;
        self.text.clear();
        Ok(())
    }

    /// Notes the faults of the entry that was read last, with its position.
    fn note(&mut self, faults: Faults) {
        self.error_count += faults.total;
        for error in faults.errors {
            if self.errors.len() < FAULTS_MAX {
                let root = format!("$[{}]", self.count);
                // Where one of two fields is required, both are named.
                let each = error.field.split(" | ").map(|path| path.replacen('$', &root, 1));
                let field = each.collect::<Vec<_>>().join(" | ");
                self.errors.push(FieldError { field, ..error });
            }
        }
    }

    fn end_with(&mut self, reason: &str) -> Faults {
        let error = FieldError {
            field: "$".to_owned(),
            code: FaultCode::Invalid,
            reason: reason.to_owned(),
        };
        self.note(Faults { errors: vec![error], total: 1 });
        Faults { errors: std::mem::take(&mut self.errors), total: self.error_count }
    }

    /// All entries in the order of their keys, or everything that is wrong with them.
    pub fn finish(mut self) -> Result<Vec<HeldEntry>, Faults> {
        if self.depth > 0 {
            return Err(self.end_with("is not complete"));
        }
        if self.error_count > 0 {
            return Err(Faults { errors: self.errors, total: self.error_count });
        }
        self.entries.sort_unstable_by(|a, b| a.key().cmp(&b.key()));
        Ok(self.entries)
    }
}

fn read_entry(root: &Reader<'_>) -> Option<HeldEntry> {
    root.object(|at| {
        let own_kind = |name: &str| MessageKind::parse(name).filter(|kind| kind.goes_to_merchant());
        let kind = at.required("kind", |at| at.named(own_kind, "must be a kind of message"));
        let reference = at.required("reference", |at| at.text(1..=IDENTIFIER_MAX).map(Box::from));
        let sequence = at.optional("sequence", |at| at.integer(0..=i64::MAX));
        let hash = at.optional("hash", |at| at.named(parse_hash, "must be a SHA-256 in hex"));
        let state = match (hash, sequence) {
            (Some(hash), _) => HeldState::Hash(Box::new(hash)),
            (None, Some(sequence)) => HeldState::Sequence(sequence),
            (None, None) if at.has("sequence") || at.has("hash") => return None,
            (None, None) => {
                at.note_neither_of(["sequence", "hash"]);
                return None;
            }
        };
        Some(HeldEntry { kind: kind?, reference: reference?, state })
    })?
}

fn parse_hash(text: &str) -> Option<[u8; 32]> {
    let mut hash = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (byte, digits) in hash.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&str]) -> Result<Vec<HeldEntry>, String> {
        let mut reader = EntryReader::default();
        for piece in pieces {
            reader.push(piece.as_bytes()).map_err(|faults| faults.summary())?;
        }
        reader.finish().map_err(|faults| faults.summary())
    }

    fn entry(kind: MessageKind, reference: &str, sequence: i64) -> HeldEntry {
        HeldEntry { kind, reference: reference.into(), state: HeldState::Sequence(sequence) }
    }

    #[test]
    fn lines_and_a_list_are_read_alike_however_they_are_cut() {
        let lines = "{\"kind\":\"rma\",\"reference\":\"B{\\\"\",\"sequence\":2}\n\
                     {\"kind\":\"outbound_asn\",\"reference\":\"Z\",\"sequence\":1}\n";
        let list = format!("[{}]", lines.trim().replace('\n', ", "));
        let expected =
            [entry(MessageKind::OutboundAsn, "Z", 1), entry(MessageKind::Rma, "B{\"", 2)];
        for text in [lines, &list] {
            for place in 0..text.len() {
                let (first, second) = text.split_at(place);
                assert_eq!(read(&[first, second]).unwrap(), expected, "{first}|{second}");
            }
        }
        assert_eq!(read(&["[]"]).unwrap(), []);
        assert_eq!(read(&[]).unwrap(), []);
    }

    #[test]
    fn every_wrong_entry_is_named_by_its_position() {
        let text = r#"[{"kind": "rma", "reference": "A", "sequence": 1},
            {"kind": "order", "reference": "", "hash": "12"},
            {"kind": "rma", "reference": "B"}]"#;
        let summary = read(&[text]).unwrap_err();
        for part in ["$[1].kind", "$[1].reference", "$[1].hash", "$[2].sequence | $[2].hash"] {
            assert!(summary.contains(part), "{part}: {summary}");
        }
    }

    #[test]
    fn text_that_is_no_list_of_objects_is_refused() {
        let long = format!("{{\"kind\":\"{}", "a".repeat(ENTRY_BYTES_MAX));
        for wrong in ["[1]", "{\"kind\":", "\"rma\"", "{{}", "{]}", &long] {
            assert!(read(&[wrong]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_sequence_or_a_hash_tells_what_is_held() {
        let hash = [7; 32];
        let other = HeldState::Hash(Box::new([8; 32]));
        assert_eq!(compare_state(&HeldState::Sequence(3), 3, &hash), None);
        let older = compare_state(&HeldState::Sequence(2), 3, &hash);
        assert_eq!(older, Some(HeldDifference::Older));
        let newer = compare_state(&HeldState::Sequence(4), 3, &hash);
        assert_eq!(newer, Some(HeldDifference::Newer));
        assert_eq!(compare_state(&HeldState::Hash(Box::new(hash)), 3, &hash), None);
        assert_eq!(compare_state(&other, 3, &hash), Some(HeldDifference::Older));
    }
}
