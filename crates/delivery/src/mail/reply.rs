//! Replies of a mail server, read without any I/O.

/// The most bytes of a reply, over all of its lines.
pub(super) const REPLY_MAX_BYTES: usize = 16 * 1024;

/// A complete reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) code: u16,
    /// The texts of its lines, one per line.
    pub(super) text: String,
}

/// What the beginning of `bytes` is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ParsedReply {
    /// A reply, and how many bytes it has.
    Complete(Reply, usize),
    Incomplete,
    /// Not a reply.
    Unreadable,
}

/// Reads the reply that `bytes` begin with.
pub(super) fn parse_reply(bytes: &[u8]) -> ParsedReply {
    let mut lines: Vec<String> = Vec::new();
    let (mut code, mut used) = (None, 0);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if !line.ends_with(b"\n") {
            break;
        }
        used += line.len();
        let text = String::from_utf8_lossy(line);
        let text = text.trim_end_matches(['\r', '\n']);
        let number = text.get(..3).and_then(|digits| digits.parse::<u16>().ok());
        let Some(number) = number.filter(|it| (200..600).contains(it)) else {
            return ParsedReply::Unreadable;
        };
        if code.is_some_and(|code| code != number) {
            return ParsedReply::Unreadable;
        }
        code = Some(number);
        let rest = text.get(3..).unwrap_or_default();
        let is_last = !rest.starts_with('-');
        lines.push(rest.get(1..).unwrap_or_default().to_owned());
        if is_last {
            let reply = Reply { code: number, text: lines.join("\n") };
            return ParsedReply::Complete(reply, used);
        }
    }
    if bytes.len() >= REPLY_MAX_BYTES { ParsedReply::Unreadable } else { ParsedReply::Incomplete }
}

impl Reply {
    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.code)
    }

    /// The words of the line about an extension, such as `AUTH PLAIN LOGIN`, in capitals.
    pub(super) fn extension(&self, name: &str) -> Option<Vec<String>> {
        self.text.lines().find_map(|line| {
            let line = line.to_ascii_uppercase();
            let mut words = line.split_ascii_whitespace().map(str::to_owned);
            (words.next()? == name).then(|| words.collect())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_ends_with_its_last_line() {
        let hello = b"250-mail.example\r\n250-STARTTLS\r\n250 AUTH plain LOGIN\r\n220 more";
        let ParsedReply::Complete(reply, used) = parse_reply(hello) else { panic!() };
        assert_eq!((reply.code, used), (250, hello.len() - "220 more".len()));
        assert_eq!(reply.extension("STARTTLS"), Some(Vec::new()));
        assert_eq!(reply.extension("AUTH").unwrap(), ["PLAIN", "LOGIN"]);
        assert_eq!(reply.extension("SIZE"), None);

        let short = Reply { code: 354, text: String::new() };
        assert_eq!(parse_reply(b"354\r\n"), ParsedReply::Complete(short, 5));
        for partial in [&b""[..], b"250", b"250-a\r\n", b"250-a\r\n250 b"] {
            assert_eq!(parse_reply(partial), ParsedReply::Incomplete);
        }
    }

    #[test]
    fn what_is_not_a_reply_is_refused() {
        for bytes in
            [&b"HTTP/1.1 400 Bad Request\r\n"[..], b"250-a\r\n550 b\r\n", b"99 x\r\n", b"\r\n"]
        {
            assert_eq!(parse_reply(bytes), ParsedReply::Unreadable);
        }
        let endless = b"250-x\r\n".repeat(REPLY_MAX_BYTES);
        assert_eq!(parse_reply(&endless), ParsedReply::Unreadable);
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_break_the_reading(bytes in proptest::collection::vec(0_u8.., 0..200)) {
            if let ParsedReply::Complete(_, used) = parse_reply(&bytes) {
                proptest::prop_assert!(used <= bytes.len());
            }
        }
    }
}
