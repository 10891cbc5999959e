//! The JSON grammar, in one pass over the bytes.
//!
//! The whole document is checked to be UTF-8 first, which is faster than checking string by
//! string and lets every string borrow. The values of a list or an object that is still open wait
//! on a stack that the whole document shares, so each finished list is allocated once, in its
//! final size.

use std::borrow::Cow;
use std::num::NonZeroU32;

use super::malformed::Malformed;
use super::text::plain_length;
use super::value::{Json, Object};

/// Lists and objects may be nested this many levels deep.
pub const DEPTH_MAX: usize = 64;

/// Objects with no more keys than this are searched pair by pair for duplicates. Beyond it, the
/// keys are sorted, so that a hostile object does not take quadratic time.
const FEW_KEYS: usize = 32;

/// What is wrong, and at which byte. Boxed, because results are moved for every value.
struct SyntaxFault {
    at: usize,
    why: String,
}

type Parsed<T> = Result<T, Box<SyntaxFault>>;

/// A key, its position in the document, and its value.
struct OpenEntry<'a> {
    at: usize,
    key: Cow<'a, str>,
    value: Json<'a>,
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    /// The position after the last byte that would be written differently: a space or an escape.
    untidy_until: usize,
    depth: usize,
    values_max: usize,
    values_left: usize,
    open_values: Vec<Json<'a>>,
    open_entries: Vec<OpenEntry<'a>>,
}

pub(super) fn parse(bytes: &[u8], values_max: usize) -> Result<Json<'_>, Malformed> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let sound = bytes.get(..error.valid_up_to()).unwrap_or_default();
        malformed_after(sound, "the bytes are not UTF-8".to_owned())
    })?;
    let mut parser = Parser {
        text,
        at: 0,
        untidy_until: 0,
        depth: 0,
        values_max,
        values_left: values_max,
        open_values: Vec::new(),
        open_entries: Vec::new(),
    };
    parser
        .document()
        .map_err(|fault| malformed_after(bytes.get(..fault.at).unwrap_or(bytes), fault.why))
}

/// The fault at the position right after the bytes `before`.
fn malformed_after(before: &[u8], why: String) -> Malformed {
    let line_starts =
        before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let in_line = before.get(line_starts..).unwrap_or_default();
    Malformed {
        line: before.split(|byte| *byte == b'\n').count(),
        column: String::from_utf8_lossy(in_line).chars().count() + 1,
        why,
    }
}

impl<'a> Parser<'a> {
    fn document(&mut self) -> Parsed<Json<'a>> {
        if self.text.starts_with('\u{feff}') {
            return Err(self.fault("the document starts with a byte order mark"));
        }
        self.skip_space();
        let value = self.value()?;
        self.skip_space();
        match self.peek() {
            None => Ok(value),
            Some(_) => Err(self.fault("unexpected data after the end of the document")),
        }
    }

    fn value(&mut self) -> Parsed<Json<'a>> {
        self.values_left = self.values_left.checked_sub(1).ok_or_else(|| {
            self.fault(&format!("the document has more than {} values", self.values_max))
        })?;
        match self.peek() {
            Some(b'"') => self.string().map(Json::Text),
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::list),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            Some(_) => Err(self.fault("expected a value")),
            None => Err(self.fault("the document ends where a value is expected")),
        }
    }

    /// Steps over the opening bracket and reads what is inside, unless it is nested too deep.
    fn nested(&mut self, read: fn(&mut Self) -> Parsed<Json<'a>>) -> Parsed<Json<'a>> {
        if self.depth == DEPTH_MAX {
            return Err(self.fault(&format!("nested deeper than {DEPTH_MAX} levels")));
        }
        self.depth += 1;
        self.at += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn list(&mut self) -> Parsed<Json<'a>> {
        let first = self.open_values.len();
        self.skip_space();
        if !self.skip(b']') {
            loop {
                let value = self.value()?;
                self.open_values.push(value);
                if !self.another(b']', "expected `,` or `]`")? {
                    break;
                }
            }
        }
        Ok(Json::List(self.open_values.drain(first..).collect()))
    }

    fn object(&mut self) -> Parsed<Json<'a>> {
        let (first, start) = (self.open_entries.len(), self.at - 1);
        self.skip_space();
        if !self.skip(b'}') {
            loop {
                let at = self.at;
                if self.peek() != Some(b'"') {
                    return Err(self.fault("expected a key in double quotes"));
                }
                let key = self.string()?;
                self.skip_space();
                if !self.skip(b':') {
                    return Err(self.fault("expected `:`"));
                }
                self.skip_space();
                let value = self.value()?;
                self.open_entries.push(OpenEntry { at, key, value });
                if !self.another(b'}', "expected `,` or `}`")? {
                    break;
                }
            }
        }
        refuse_duplicate_key(self.open_entries.get(first..).unwrap_or_default())?;
        let entries = self.open_entries.drain(first..).map(|entry| (entry.key, entry.value));
        let entries = entries.collect();
        Ok(Json::Object(Object::new(entries, self.tidy_span(start))))
    }

    /// After an element: steps over a comma (true) or the closing bracket (false).
    fn another(&mut self, close: u8, otherwise: &str) -> Parsed<bool> {
        self.skip_space();
        if self.skip(b',') {
            self.skip_space();
            Ok(true)
        } else if self.skip(close) {
            Ok(false)
        } else {
            Err(self.fault(otherwise))
        }
    }

    fn word(&mut self, word: &str, value: Json<'a>) -> Parsed<Json<'a>> {
        if self.rest().starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(value)
        } else {
            Err(self.fault("expected a value"))
        }
    }

    fn number(&mut self) -> Parsed<Json<'a>> {
        let start = self.at;
        self.skip(b'-');
        if !self.skip(b'0') {
            self.digits()?;
        }
        if self.skip(b'.') {
            self.digits()?;
        }
        if self.skip(b'e') || self.skip(b'E') {
            let _signed = self.skip(b'+') || self.skip(b'-');
            self.digits()?;
        }
        Ok(Json::Number(self.since(start)))
    }

    /// Steps over one or more digits.
    fn digits(&mut self) -> Parsed<()> {
        let count = self.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 {
            return Err(self.fault("expected a digit"));
        }
        self.at += count;
        Ok(())
    }

    /// Reads a string, from its opening quote to its closing quote.
    fn string(&mut self) -> Parsed<Cow<'a, str>> {
        self.at += 1;
        let plain = self.plain();
        if self.skip(b'"') {
            return Ok(Cow::Borrowed(plain));
        }
        let mut unescaped = plain.to_owned();
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Cow::Owned(unescaped));
                }
                Some(b'\\') => unescaped.push(self.escape()?),
                Some(_) => return Err(self.fault("unescaped control character in a string")),
                None => return Err(self.fault("the document ends within a string")),
            }
            unescaped.push_str(self.plain());
        }
    }

    /// Steps over the characters of a string that are not escaped.
    fn plain(&mut self) -> &'a str {
        let start = self.at;
        self.at += plain_length(self.rest());
        self.since(start)
    }

    fn escape(&mut self) -> Parsed<char> {
        let start = self.at;
        self.at += 1;
        let letter = self.peek();
        self.at += 1;
        self.untidy_until = self.at;
        match letter {
            Some(same @ (b'"' | b'\\' | b'/')) => Ok(char::from(same)),
            Some(b'b') => Ok('\u{8}'),
            Some(b'f') => Ok('\u{c}'),
            Some(b'n') => Ok('\n'),
            Some(b'r') => Ok('\r'),
            Some(b't') => Ok('\t'),
            Some(b'u') => self.unicode_escape(start),
            Some(_) | None => {
                self.at = start;
                Err(self.fault("unknown escape sequence"))
            }
        }
    }

    /// The character of a `\u` escape with the digits that come next, or of a pair of escapes.
    fn unicode_escape(&mut self, start: usize) -> Parsed<char> {
        let first = self.four_digits()?;
        let mut code = first;
        if (0xd800..0xdc00).contains(&first) && self.rest().starts_with(b"\\u") {
            self.at += 2;
            let second = self.four_digits()?;
            if (0xdc00..0xe000).contains(&second) {
                code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
            }
        }
        char::from_u32(code).ok_or_else(|| {
            self.at = start;
            self.fault("unpaired surrogate")
        })
    }

    fn four_digits(&mut self) -> Parsed<u32> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            let digit = digit.ok_or_else(|| self.fault("expected a hexadecimal digit"))?;
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
            self.untidy_until = self.at;
        }
    }

    /// Steps over `byte` if it comes next.
    fn skip(&mut self, byte: u8) -> bool {
        let comes_next = self.peek() == Some(byte);
        self.at += usize::from(comes_next);
        comes_next
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// From `start` to here, if nothing in between would be written differently.
    fn tidy_span(&self, start: usize) -> Option<(u32, NonZeroU32)> {
        let tidy = self.untidy_until <= start;
        let end = u32::try_from(self.at).ok().and_then(NonZeroU32::new)?;
        tidy.then_some((u32::try_from(start).ok()?, end))
    }

    /// The text from `start` to here. Both are next to an ASCII character, so no character is cut.
    fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    #[expect(clippy::unnecessary_box_returns, reason = "every caller needs the box")]
    fn fault(&self, why: &str) -> Box<SyntaxFault> {
        Box::new(SyntaxFault { at: self.at, why: why.to_owned() })
    }
}

fn refuse_duplicate_key(entries: &[OpenEntry<'_>]) -> Parsed<()> {
    let repeated = if entries.len() <= FEW_KEYS {
        let mut seen = 0_u128;
        entries.iter().enumerate().find_map(|(position, entry)| {
            let mark = 1_u128 << hash_key(&entry.key);
            let maybe_seen = seen & mark != 0;
            seen |= mark;
            let mut earlier = entries.iter().take(position);
            (maybe_seen && earlier.any(|other| other.key == entry.key)).then_some(entry)
        })
    } else {
        let mut sorted: Vec<&OpenEntry<'_>> = entries.iter().collect();
        sorted.sort_by(|left, right| left.key.cmp(&right.key));
        let repeated = sorted.windows(2).filter_map(|pair| match pair {
            [first, second] if first.key == second.key => Some(*second),
            _ => None,
        });
        repeated.min_by_key(|entry| entry.at)
    };
    match repeated {
        None => Ok(()),
        Some(entry) => Err(Box::new(SyntaxFault {
            at: entry.at,
            why: format!("duplicate key {:?} in one object", entry.key),
        })),
    }
}

/// A number below 128 that is the same for equal keys and usually differs for others.
fn hash_key(key: &str) -> u32 {
    let bytes = key.as_bytes();
    let byte = |at: usize| bytes.get(at).map_or(0, |byte| u32::from(*byte));
    let middle = byte(bytes.len() / 2);
    let mixed = byte(0) * 31 + middle * 7 + byte(bytes.len().saturating_sub(2)) * 3;
    (mixed + u32::try_from(bytes.len()).unwrap_or(u32::MAX)) % 128
}
