//! Reads mails: their subject, and their content as plain text and as HTML.

use base64::{Engine, engine::general_purpose::STANDARD};

/// A mail as it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReadMail {
    pub(crate) sender: String,
    pub(crate) subject: String,
    pub(crate) message_id: String,
    pub(crate) text: String,
    pub(crate) html: String,
}

/// Reads a mail with two parts in quoted-printable, as Homeward writes them.
pub(super) fn read_mail(content: &[u8]) -> ReadMail {
    let content = String::from_utf8_lossy(content);
    let (head, body) = content.split_once("\r\n\r\n").unwrap_or((&content, ""));
    let headers = head.replace("\r\n ", " ");
    let header = |name: &str| {
        let mut lines = headers.lines().filter_map(|line| line.split_once(": "));
        let found = lines.find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.to_owned()).unwrap_or_default()
    };
    let kind = header("Content-Type");
    let boundary = kind.split_once("boundary=\"").and_then(|(_, rest)| rest.split_once('"'));
    let boundary = format!("--{}", boundary.map_or("", |(boundary, _)| boundary));
    let part = |kind: &str| {
        let mut parts = body.split(boundary.as_str());
        let found = parts.find_map(|part| {
            let (head, content) = part.split_once("\r\n\r\n")?;
            head.contains(kind).then(|| decode_quoted(content))
        });
        found.unwrap_or_default()
    };
    ReadMail {
        sender: decode_words(&header("From")),
        subject: decode_words(&header("Subject")),
        message_id: header("Message-ID"),
        text: part("text/plain"),
        html: part("text/html"),
    }
}

/// Text of a header, with its encoded words decoded.
fn decode_words(value: &str) -> String {
    let decode = |word: &str| {
        let encoded = word.strip_prefix("=?utf-8?B?")?.strip_suffix("?=")?;
        String::from_utf8(STANDARD.decode(encoded).ok()?).ok()
    };
    let mut text = String::new();
    let mut was_encoded = false;
    for word in value.split(' ') {
        let decoded = decode(word);
        // Spaces between encoded words only separate them.
        if !(text.is_empty() || was_encoded && decoded.is_some()) {
            text.push(' ');
        }
        was_encoded = decoded.is_some();
        text.push_str(decoded.as_deref().unwrap_or(word));
    }
    text
}

fn decode_quoted(content: &str) -> String {
    let joined = content.replace("=\r\n", "");
    let mut bytes = Vec::with_capacity(joined.len());
    let mut rest = joined.as_str();
    while let Some((before, after)) = rest.split_once('=') {
        bytes.extend_from_slice(before.as_bytes());
        let byte = after.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.extend(byte);
        rest = if byte.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&bytes).replace("\r\n", "\n").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mail_is_read_as_it_was_written() {
        let content = "From: =?utf-8?B?QWNtw6k=?= <a@b.example>\r\nSubject: =?utf-8?B?R3I=?=\r\n \
                       =?utf-8?B?w7bDn2U=?=\r\nMessage-ID: <1@b.example>\r\n\
                       Content-Type: multipart/alternative;\r\n boundary=\"=_1\"\r\n\r\n\
                       --=_1\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n\
                       5 =E2=82=AC =3D f=C3=BC=\r\nnf\r\n\r\n--=_1\r\n\
                       Content-Type: text/html; charset=utf-8\r\n\r\n<p>5</p>\r\n\r\n--=_1--\r\n";
        let mail = read_mail(content.as_bytes());
        assert_eq!((mail.sender.as_str(), mail.subject.as_str()), ("Acmé <a@b.example>", "Größe"));
        assert_eq!((mail.text.as_str(), mail.html.as_str()), ("5 € = fünf", "<p>5</p>"));
        assert_eq!(read_mail(b"\xff nonsense =").subject, "");
    }
}
