//! GS1 symbols: what a barcode on an article or a carton says besides a bare number.
//!
//! A scanner hands over an element string (`0109506000134352` and further elements, of which those
//! of variable length end with a separator), its printed form with identifiers in parentheses, or
//! a GS1 Digital Link. The lengths of elements and the check digit are those of the GS1 General
//! Specifications.
//!
//! The separator is a control character that a keyboard cannot type. A scanner that acts as a
//! keyboard types something else instead, such as `<GS>` or `|`. No element can contain these
//! characters, so they are read as separators.

#[cfg(test)]
mod tests;

/// What ends an element of variable length: the character that FNC1 is transmitted as.
const SEPARATOR: char = '\u{1d}';
/// What scanners type instead of the separator. None of it is allowed in an element.
const SUBSTITUTES: [&str; 12] = [
    "<GS>", "{GS}", "[GS]", "\\u001d", "\\u001D", "\\x1d", "\\x1D", "^]", "\u{241d}", "|", "~", "^",
];
/// The longest serial and batch numbers.
const TEXT_ELEMENT_MAX: usize = 20;
/// The longest text that is read.
const LENGTH_MAX: usize = 2_048;

/// The elements of a symbol that say what it is on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gs1Symbol {
    /// The article, in 14 digits.
    pub gtin: Option<String>,
    /// The carton or pallet, in 18 digits.
    pub sscc: Option<String>,
    /// The serial number of the unit.
    pub serial: Option<String>,
    /// The batch or lot that the unit belongs to.
    pub batch: Option<String>,
}

impl Gs1Symbol {
    /// Reads a symbol. None if the text is not a GS1 symbol with an article or a carton.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.len() > LENGTH_MAX {
            return None;
        }
        let elements = if text.starts_with('(') {
            split_printed(text)?
        } else if is_link(text) {
            split_link(text)?
        } else {
            split_transmitted(text)?
        };
        let mut symbol = Self::default();
        for (identifier, value) in elements {
            symbol.add(&identifier, value)?;
        }
        (symbol.gtin.is_some() || symbol.sscc.is_some()).then_some(symbol)
    }

    /// Takes over an element. The same element twice must say the same.
    fn add(&mut self, identifier: &str, value: String) -> Option<()> {
        let is_number = |digits| value.len() == digits && is_checked(&value);
        let is_text = (1..=TEXT_ELEMENT_MAX).contains(&value.len());
        let (field, fits) = match identifier {
            "01" => (&mut self.gtin, is_number(14)),
            "00" => (&mut self.sscc, is_number(18)),
            "21" => (&mut self.serial, is_text),
            "10" => (&mut self.batch, is_text),
            _ => return Some(()),
        };
        let agrees = field.as_ref().is_none_or(|known| *known == value);
        (fits && agrees).then(|| *field = Some(value))
    }
}

/// Whether the last digit is the check digit of the others: they weigh 3 and 1 in turn, from
/// the right.
pub(super) fn is_checked(digits: &str) -> bool {
    let mut sum = 0;
    for (position, byte) in digits.bytes().rev().enumerate() {
        if !byte.is_ascii_digit() {
            return false;
        }
        let weight = if position % 2 == 0 { 1 } else { 3 };
        sum = (sum + weight * u32::from(byte - b'0')) % 10;
    }
    sum == 0 && !digits.is_empty()
}

/// Scanners write the address of a link as it is in the symbol, where capitals take less room.
fn is_link(text: &str) -> bool {
    let scheme = text.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|it| ["http", "https"].iter().any(|known| it.eq_ignore_ascii_case(known)))
}

/// The text behind the mark of its symbology: `]`, a letter, and a digit or letter.
fn without_mark(text: &str) -> &str {
    let mut rest = text.chars();
    let mark = (rest.next(), rest.next(), rest.next());
    match mark {
        (Some(']'), Some(kind), Some(option))
            if kind.is_ascii_alphabetic() && option.is_ascii_alphanumeric() =>
        {
            rest.as_str()
        }
        _ => text,
    }
}

/// `(01)09506000134352(21)AB-1`.
fn split_printed(text: &str) -> Option<Vec<(String, String)>> {
    let mut elements = Vec::new();
    for element in text.strip_prefix('(')?.split('(') {
        let (identifier, value) = element.split_once(')')?;
        elements.push((identifier.to_owned(), value.trim().to_owned()));
    }
    Some(elements)
}

/// `https://id.gs1.org/01/09506000134352/21/AB-1?10=L7`: pairs in the path from the first key on,
/// and more in the query.
fn split_link(text: &str) -> Option<Vec<(String, String)>> {
    let text = text.split('#').next().unwrap_or_default();
    let (address, query) = text.split_once('?').unwrap_or((text, ""));
    let (_, path) = address.split_once("://")?;
    let parts: Vec<&str> = path.split('/').skip(1).filter(|part| !part.is_empty()).collect();
    let key = parts.iter().position(|part| matches!(*part, "01" | "00"))?;
    let mut elements = Vec::new();
    for pair in parts.get(key..)?.chunks(2) {
        let [identifier, value] = pair else { return None };
        let value = decode(value)?;
        // Leading zeros may be left out of an article's number.
        let value = if *identifier == "01" { format!("{value:0>14}") } else { value };
        elements.push(((*identifier).to_owned(), value));
    }
    for pair in query.split(['&', ';']).filter_map(|pair| pair.split_once('=')) {
        elements.push((pair.0.to_owned(), decode(pair.1)?));
    }
    Some(elements)
}

/// Resolves `%2F` and the like.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
            let value = digit(rest.next())? * 16 + digit(rest.next())?;
            bytes.push(u8::try_from(value).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// The elements as a scanner transmits them. Those of a fixed length follow each other directly.
fn split_transmitted(text: &str) -> Option<Vec<(String, String)>> {
    if text.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return None;
    }
    let text = restore_separators(without_mark(text));
    let mut rest = text.trim_start_matches(SEPARATOR);
    let mut elements = Vec::new();
    while !rest.is_empty() {
        let (identifier, length) = identify(rest)?;
        let value = rest.get(identifier.len()..)?;
        let end = match length {
            Some(length) => length,
            None => value.find(SEPARATOR).unwrap_or(value.len()),
        };
        elements.push((identifier.to_owned(), value.get(..end)?.to_owned()));
        rest = value.get(end..)?.trim_start_matches(SEPARATOR);
    }
    Some(elements)
}

/// The text with separators in place of what a scanner typed instead.
pub(super) fn restore_separators(text: &str) -> String {
    let restore = |text: String, it: &&str| text.replace(*it, "\u{1d}");
    SUBSTITUTES.iter().fold(text.to_owned(), restore)
}

/// The identifier that a text begins with, and the length of its value if that is fixed.
fn identify(text: &str) -> Option<(&str, Option<usize>)> {
    let two = text.get(..2).filter(|two| two.bytes().all(|byte| byte.is_ascii_digit()))?;
    let (digits, length) = match two {
        "00" => (2, Some(18)),
        "01" | "02" | "03" => (2, Some(14)),
        "04" => (2, Some(16)),
        "11" | "12" | "13" | "14" | "15" | "16" | "17" | "18" | "19" => (2, Some(6)),
        "20" => (2, Some(2)),
        "31" | "32" | "33" | "34" | "35" | "36" => (4, Some(6)),
        "41" => (3, Some(13)),
        "10" | "21" | "22" | "30" | "37" | "90" | "91" | "92" | "93" | "94" | "95" | "96"
        | "97" | "98" | "99" => (2, None),
        "23" | "24" | "25" | "40" | "42" | "71" => (3, None),
        "39" | "43" | "70" | "72" | "80" | "81" | "82" => (4, None),
        _ => return None,
    };
    let identifier = text.get(..digits)?;
    identifier.bytes().all(|byte| byte.is_ascii_digit()).then_some((identifier, length))
}
