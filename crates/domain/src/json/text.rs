//! JSON strings: which characters are escaped, and how.

/// Appends `text` in quotes and escapes only what the grammar requires.
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

/// How many bytes at the beginning need no escape between quotes.
///
/// Parsing and writing spend most of their time here, so eight bytes are checked together: in
/// `(word - low) & !word & HIGH`, the first byte with its high bit set is the first byte of
/// `word` that is less than its byte of `low`.
pub(super) fn plain_length(bytes: &[u8]) -> usize {
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

/// Whether a byte needs an escape between quotes.
fn must_escape(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}
