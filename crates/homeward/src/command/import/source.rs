//! The orders in a file, one after the other, without holding the file in memory.
//!
//! A file that starts with `{"returns_portal_order"` is a message envelope (or several), whatever
//! its line breaks. In every other file each line is an order. An envelope is split by counting
//! brackets outside of strings, so that only one order at a time is in memory, however long the
//! message is.

use std::io::BufRead;

use anyhow::bail;

/// The server accepts no longer body.
const ORDER_BYTES_MAX: usize = 10 << 20;

/// The text of one order, on one line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OrderText {
    /// Its line in an NDJSON file, or its position in an envelope, from 1.
    pub(super) number: u64,
    pub(super) bytes: Vec<u8>,
}

pub(super) struct OrderReader {
    source: Box<dyn BufRead>,
    /// The number of the last order or line.
    number: u64,
    /// None when every line is an order.
    envelope: Option<Envelope>,
}

impl OrderReader {
    pub(super) fn new(mut source: Box<dyn BufRead>) -> anyhow::Result<Self> {
        let begins = |bytes: &[u8]| {
            let visible = bytes.iter().filter(|byte| !byte.is_ascii_whitespace());
            visible.take(23).copied().eq(*b"{\"returns_portal_order\"")
        };
        let envelope = begins(source.fill_buf()?).then(Envelope::default);
        Ok(Self { source, number: 0, envelope })
    }

    /// Skips orders that were imported before.
    pub(super) fn skip(&mut self, orders: u64) -> anyhow::Result<()> {
        for _ in 0..orders {
            self.next()?;
        }
        Ok(())
    }

    /// The next order. A line that is too long is truncated, so that the server refuses it.
    pub(super) fn next(&mut self) -> anyhow::Result<Option<OrderText>> {
        let bytes = match &mut self.envelope {
            Some(envelope) => {
                self.number += 1;
                envelope.next(&mut self.source)?
            }
            None => next_line(&mut self.source, &mut self.number)?,
        };
        Ok(bytes.map(|bytes| OrderText { number: self.number, bytes }))
    }
}

/// The next line that is not blank.
fn next_line(source: &mut impl BufRead, number: &mut u64) -> std::io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let mut ended = false;
    while !ended {
        let buffer = source.fill_buf()?;
        if buffer.is_empty() {
            break;
        }
        let newline = buffer.iter().position(|&byte| byte == b'\n');
        let taken = newline.map_or(buffer.len(), |position| position + 1);
        let room = ORDER_BYTES_MAX.saturating_sub(line.len());
        line.extend(buffer.iter().take(taken.min(room)));
        source.consume(taken);
        if newline.is_some() {
            *number += 1;
            ended = !line.trim_ascii().is_empty();
            if !ended {
                line.clear();
            }
        }
    }
    if !ended && !line.trim_ascii().is_empty() {
        *number += 1;
        ended = true;
    }
    Ok(ended.then(|| line.trim_ascii().to_vec()))
}

/// The position in an envelope.
#[derive(Default)]
struct Envelope {
    depth: u32,
    in_string: bool,
    escaped: bool,
    /// The last string directly in the message's object: the key, when a list starts.
    key: Vec<u8>,
    in_orders: bool,
    element: Vec<u8>,
}

/// `{"returns_portal_order": {"orders": [` is three levels deep.
const MESSAGE_DEPTH: u32 = 2;
const ORDERS_DEPTH: u32 = 3;

impl Envelope {
    fn next(&mut self, source: &mut impl BufRead) -> anyhow::Result<Option<Vec<u8>>> {
        loop {
            let buffer = source.fill_buf()?;
            if buffer.is_empty() {
                if self.depth > 0 || self.in_string {
                    bail!("the file ends in the middle of a message");
                }
                return Ok(None);
            }
            let length = buffer.len();
            let mut order = None;
            let used = buffer.iter().position(|&byte| {
                order = self.push(byte);
                order.is_some()
            });
            source.consume(used.map_or(length, |position| position + 1));
            if order.is_some() {
                return Ok(order);
            }
        }
    }

    /// Takes one byte and returns the order that it completes, if it does.
    fn push(&mut self, byte: u8) -> Option<Vec<u8>> {
        if self.in_string {
            self.in_string = self.escaped || byte != b'"';
            self.escaped = !self.escaped && byte == b'\\';
            if self.depth == MESSAGE_DEPTH && self.in_string {
                self.key.push(byte);
            }
            self.keep(byte);
            return None;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.key.clear();
                self.keep(byte);
                None
            }
            b'{' | b'[' => {
                self.keep(byte);
                if byte == b'[' && self.depth == MESSAGE_DEPTH && self.key == b"orders" {
                    self.in_orders = true;
                }
                self.depth += 1;
                None
            }
            b'}' | b']' => self.close(byte),
            b',' if self.depth == ORDERS_DEPTH => self.take_element(),
            _ => {
                self.keep(byte);
                None
            }
        }
    }

    fn close(&mut self, byte: u8) -> Option<Vec<u8>> {
        let ended = if self.depth == ORDERS_DEPTH { self.take_element() } else { None };
        self.depth = self.depth.saturating_sub(1);
        if self.depth < ORDERS_DEPTH {
            self.in_orders = false;
        }
        self.keep(byte);
        ended
    }

    /// In the list of orders everything but the commas belongs to an order. Line breaks can only be
    /// between values, where a space is as good.
    fn keep(&mut self, byte: u8) {
        if self.in_orders && self.depth >= ORDERS_DEPTH && self.element.len() < ORDER_BYTES_MAX {
            self.element.push(if byte == b'\n' || byte == b'\r' { b' ' } else { byte });
        }
    }

    fn take_element(&mut self) -> Option<Vec<u8>> {
        let element = std::mem::take(&mut self.element);
        let trimmed = element.trim_ascii();
        (!trimmed.is_empty()).then(|| trimmed.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Cursor};

    use super::*;

    /// Reads with a tiny buffer, so that reads end at many positions.
    fn read_orders(text: &str) -> Vec<(u64, String)> {
        let source = BufReader::with_capacity(64, Cursor::new(text.as_bytes().to_vec()));
        let mut orders = OrderReader::new(Box::new(source)).unwrap();
        let mut all = Vec::new();
        while let Some(order) = orders.next().unwrap() {
            all.push((order.number, String::from_utf8(order.bytes).unwrap()));
        }
        all
    }

    fn numbered(texts: &[(u64, &str)]) -> Vec<(u64, String)> {
        texts.iter().map(|(number, text)| (*number, (*text).to_owned())).collect()
    }

    #[test]
    fn every_line_is_an_order_and_blank_lines_only_count() {
        let found = read_orders("{\"a\":1}\r\n\n  \nnot json\n{\"b\":2}");
        assert_eq!(found, numbered(&[(1, "{\"a\":1}"), (4, "not json"), (5, "{\"b\":2}")]));
    }

    #[test]
    fn an_envelope_is_split_into_its_orders() {
        let text = r#" { "returns_portal_order" : { "note": "orders [", "others": [{"x":1}],
            "orders": [
              { "a": "}],\"{" , "items": [1, 2] },
              null,
              { "b": {} }
            ] } }
            {"returns_portal_order":{"orders":[{"c":3}]}}"#;
        let expected = [
            (1, r#"{ "a": "}],\"{" , "items": [1, 2] }"#),
            (2, "null"),
            (3, r#"{ "b": {} }"#),
            (4, r#"{"c":3}"#),
        ];
        assert_eq!(read_orders(text), numbered(&expected));
    }

    #[test]
    fn an_incomplete_envelope_is_an_error() {
        let text = r#"{"returns_portal_order":{"orders":[{"a":1},{"b":"#;
        let mut orders = OrderReader::new(Box::new(Cursor::new(text.as_bytes()))).unwrap();
        assert_eq!(orders.next().unwrap().unwrap().bytes, br#"{"a":1}"#);
        assert!(orders.next().is_err());
    }

    #[test]
    fn orders_that_were_imported_before_are_skipped() {
        let mut orders = OrderReader::new(Box::new(Cursor::new(&b"1\n\n2\n3\n"[..]))).unwrap();
        orders.skip(2).unwrap();
        assert_eq!(orders.next().unwrap().unwrap(), OrderText { number: 4, bytes: b"3".to_vec() });
    }
}
