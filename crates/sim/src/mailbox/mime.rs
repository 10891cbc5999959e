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
    /// The names of the files.
    pub(crate) attachments: Vec<String>,
}

/// Parts contain parts up to this depth: a mail with a file has its two texts in a part of it.
const DEPTH_MAX: u32 = 3;

/// Reads a mail with parts in quoted-printable, and perhaps with files, as Homeward writes them.
pub(super) fn read_mail(content: &[u8]) -> ReadMail {
    let content = String::from_utf8_lossy(content);
    let whole = Part::read(&content);
    let mut mail = ReadMail {
        sender: decode_words(&whole.header("From")),
        subject: decode_words(&whole.header("Subject")),
        message_id: whole.header("Message-ID"),
        ..ReadMail::default()
    };
    whole.collect(&mut mail, DEPTH_MAX);
    mail
}

/// A mail, or a part of one: headers, and a body.
struct Part<'a> {
    headers: String,
    body: &'a str,
}

impl<'a> Part<'a> {
    fn read(content: &'a str) -> Self {
        let (head, body) = content.split_once("\r\n\r\n").unwrap_or((content, ""));
        Self { headers: head.replace("\r\n ", " "), body }
    }

    fn header(&self, name: &str) -> String {
        let mut lines = self.headers.lines().filter_map(|line| line.split_once(": "));
        let found = lines.find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.to_owned()).unwrap_or_default()
    }

    /// Adds the texts and the names of files in this part to a mail.
    fn collect(&self, mail: &mut ReadMail, depth: u32) {
        let kind = self.header("Content-Type");
        let disposition = self.header("Content-Disposition");
        if disposition.starts_with("attachment") {
            mail.attachments.push(quoted_value(&disposition, "filename").to_owned());
        } else if kind.starts_with("multipart/") && depth > 0 {
            let boundary = format!("--{}", quoted_value(&kind, "boundary"));
            for part in self.body.split(&format!("{boundary}\r\n")).skip(1) {
                let (part, _) = part.split_once(&format!("{boundary}--")).unwrap_or((part, ""));
                Part::read(part).collect(mail, depth - 1);
            }
        } else if kind.starts_with("text/html") {
            mail.html = decode_quoted(self.body);
        } else if kind.starts_with("text/plain") {
            mail.text = decode_quoted(self.body);
        }
    }
}

/// The value of a parameter of a header, which is in quotes.
fn quoted_value<'a>(header: &'a str, name: &str) -> &'a str {
    let value = header.split_once(&format!("{name}=\"")).and_then(|(_, it)| it.split_once('"'));
    value.map_or("", |(value, _)| value)
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

    #[test]
    fn a_mail_with_a_file_has_its_texts_and_names_the_file() {
        let content = "Subject: Hi\r\nContent-Type: multipart/mixed;\r\n boundary=\"=_1-mixed\"\r\n\
                       \r\n--=_1-mixed\r\nContent-Type: multipart/alternative;\r\n \
                       boundary=\"=_1\"\r\n\r\n--=_1\r\n\
                       Content-Type: text/plain; charset=utf-8\r\n\r\nf=C3=BCnf\r\n\r\n--=_1\r\n\
                       Content-Type: text/html; charset=utf-8\r\n\r\n<p>5</p>\r\n\r\n--=_1--\r\n\
                       \r\n--=_1-mixed\r\nContent-Type: application/json\r\n\
                       Content-Transfer-Encoding: base64\r\n\
                       Content-Disposition: attachment; filename=\"WDR-1.json\"\r\n\r\ne30=\r\n\
                       --=_1-mixed--\r\n";
        let mail = read_mail(content.as_bytes());
        assert_eq!((mail.text.as_str(), mail.html.as_str()), ("fünf", "<p>5</p>"));
        assert_eq!(mail.attachments, ["WDR-1.json"]);
    }

    #[test]
    fn parts_that_contain_themselves_end() {
        let part = "Content-Type: multipart/mixed; boundary=\"x\"\r\n\r\n--x\r\n";
        assert_eq!(read_mail(part.repeat(99).as_bytes()).text, "");
    }
}
