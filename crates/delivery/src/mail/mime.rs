//! Mails as MIME: headers, and the same content as plain text and as HTML.

use std::fmt::Write as _;

use base64::{Engine, engine::general_purpose::STANDARD};
use domain::messages::mail::MailAttachment;
use jiff::Timestamp;

/// Lines have at most this many characters, without their end.
const LINE_MAX: usize = 76;

/// How many bytes of text fit into one encoded word of a header.
const WORD_BYTES: usize = 42;

/// What a mail consists of.
pub(super) struct MimeMail<'a> {
    pub(super) from: &'a str,
    pub(super) from_name: &'a str,
    pub(super) recipient: &'a str,
    pub(super) subject: &'a str,
    pub(super) text: &'a str,
    pub(super) html: &'a str,
    pub(super) attachment: Option<&'a MailAttachment>,
    /// What distinguishes the mail from all others of the sender's domain.
    pub(super) id: &'a str,
    pub(super) domain: &'a str,
    pub(super) at: Timestamp,
}

/// The headers of a mail, in order, and its body.
pub(super) struct MimeMessage {
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Vec<u8>,
}

impl MimeMessage {
    pub(super) fn new(mail: &MimeMail<'_>) -> Self {
        // Quoted-printable writes "=" only before two digits or at the end of a line, and base64
        // only at its end, so this never occurs in a part.
        let boundary = format!("=_{}", mail.id);
        let mut body = String::new();
        for (kind, content) in [("plain", mail.text), ("html", mail.html)] {
            let _ = write!(
                body,
                "--{boundary}\r\nContent-Type: text/{kind}; charset=utf-8\r\n\
                 Content-Transfer-Encoding: quoted-printable\r\n\r\n"
            );
            write_quoted(&mut body, content);
            body.push_str("\r\n");
        }
        let _ = write!(body, "--{boundary}--\r\n");
        let mut content_type = format!("multipart/alternative;\r\n boundary=\"{boundary}\"");
        if let Some(attachment) = mail.attachment {
            let outer = format!("=__{}", mail.id);
            body = attach(&outer, &content_type, &body, attachment);
            content_type = format!("multipart/mixed;\r\n boundary=\"{outer}\"");
        }
        let headers = vec![
            ("Date", format_date(mail.at)),
            ("From", format!("{} <{}>", encode_text(mail.from_name), mail.from)),
            ("To", format!("<{}>", mail.recipient)),
            ("Subject", encode_text(mail.subject)),
            ("Message-ID", format!("<{}@{}>", mail.id, mail.domain)),
            ("MIME-Version", "1.0".to_owned()),
            ("Content-Type", content_type),
            ("Auto-Submitted", "auto-generated".to_owned()),
        ];
        Self { headers, body: body.into_bytes() }
    }

    /// The mail as it is sent.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.body.len() + 1024);
        for (name, value) in &self.headers {
            bytes.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
        }
        bytes.extend_from_slice(b"\r\n");
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

/// A body of two parts: what the mail says, and a file.
fn attach(boundary: &str, content_type: &str, body: &str, attachment: &MailAttachment) -> String {
    // The name is quoted, and we choose it.
    let name: String = attachment
        .name
        .chars()
        .filter(|it| it.is_ascii_alphanumeric() || "-._".contains(*it))
        .collect();
    let mut mixed = format!(
        "--{boundary}\r\nContent-Type: {content_type}\r\n\r\n{body}\r\n--{boundary}\r\n\
         Content-Type: application/json\r\nContent-Transfer-Encoding: base64\r\n\
         Content-Disposition: attachment; filename=\"{name}\"\r\n\r\n"
    );
    let encoded = STANDARD.encode(&attachment.text);
    let mut rest = encoded.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(LINE_MAX));
        mixed.push_str(line);
        mixed.push_str("\r\n");
        rest = after;
    }
    let _ = write!(mixed, "--{boundary}--\r\n");
    mixed
}

/// `Fri, 20 Feb 2026 10:15:00 +0000`.
fn format_date(at: Timestamp) -> String {
    at.strftime("%a, %d %b %Y %H:%M:%S +0000").to_string()
}

/// Text in a header: encoded words, unless it is harmless as it is.
fn encode_text(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" -_'!?".contains(&byte);
    if text.len() <= LINE_MAX - 16 && !text.is_empty() && text.bytes().all(is_plain) {
        return text.to_owned();
    }
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    for character in text.chars() {
        if word.len() + character.len_utf8() > WORD_BYTES {
            words.push(std::mem::take(&mut word));
        }
        word.push(character);
    }
    words.push(word);
    let encoded = words.iter().map(|word| format!("=?utf-8?B?{}?=", STANDARD.encode(word)));
    encoded.collect::<Vec<_>>().join("\r\n ")
}

/// Writes text as quoted-printable, with lines that end in CR and LF.
fn write_quoted(out: &mut String, text: &str) {
    for line in text.lines() {
        let bytes = line.as_bytes();
        let mut column = 0;
        for (position, byte) in bytes.iter().enumerate() {
            let is_last = position + 1 == bytes.len();
            let is_space = matches!(byte, b' ' | b'\t');
            let is_plain = (is_space && !is_last) || (byte.is_ascii_graphic() && *byte != b'=');
            let width = if is_plain { 1 } else { 3 };
            // One column is kept for the "=" that continues the line.
            if column + width > LINE_MAX - 1 {
                out.push_str("=\r\n");
                column = 0;
            }
            if is_plain {
                out.push(char::from(*byte));
            } else {
                let _ = write!(out, "={byte:02X}");
            }
            column += width;
        }
        out.push_str("\r\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_short_and_lose_nothing() {
        let mut out = String::new();
        write_quoted(&mut out, "Größe = 5 \n.\nende");
        assert_eq!(out, "Gr=C3=B6=C3=9Fe =3D 5=20\r\n.\r\nende\r\n");

        let mut long = String::new();
        write_quoted(&mut long, &"ü=x ".repeat(100));
        assert!(long.lines().all(|line| line.len() <= LINE_MAX), "{long}");
        assert_eq!(long.replace("=\r\n", "").matches("=C3=BC=3Dx").count(), 100);
    }

    #[test]
    fn a_header_is_harmless_whatever_its_text() {
        assert_eq!(encode_text("Your return"), "Your return");
        assert_eq!(encode_text("Größe"), "=?utf-8?B?R3LDtsOfZQ==?=");
        for text in ["a\r\nBcc: x@y", "\"a\" <b@c>", "", "é".repeat(100).as_str()] {
            let encoded = encode_text(text);
            assert!(encoded.starts_with("=?utf-8?B?"), "{encoded}");
            let folded = encoded.lines().skip(1).all(|line| line.starts_with(' '));
            assert!(folded && encoded.lines().all(|line| line.len() <= LINE_MAX), "{encoded}");
        }
    }

    #[test]
    fn a_date_is_written_as_mail_programs_expect_it() {
        let at = "2026-02-05T07:05:00Z".parse().unwrap();
        assert_eq!(format_date(at), "Thu, 05 Feb 2026 07:05:00 +0000");
    }
}
