//! The SMTP dialogue: as much of it as sending one mail needs.

use base64::{Engine, engine::general_purpose::STANDARD};
use domain::messages::mail::settings::SmtpLogin;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use world::Secret;

use super::{
    failure::MailFailure,
    reply::{ParsedReply, Reply, parse_reply},
};
use crate::sender::{permit::Permit, send_error::SendError};

/// A connection to a mail server.
pub(super) struct Dialogue<S> {
    stream: S,
    /// What was read and not used yet.
    buffer: Vec<u8>,
}

/// A mail, ready to be sent.
pub(super) struct Envelope<'a> {
    pub(super) from: &'a str,
    pub(super) recipient: &'a str,
    /// Headers and body.
    pub(super) message: &'a [u8],
}

impl<S: AsyncRead + AsyncWrite + Unpin> Dialogue<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream, buffer: Vec::new() }
    }

    /// Reads the greeting, and greets back. Returns what the server can do.
    pub(super) async fn greet(&mut self, own_name: &str) -> Result<Reply, MailFailure> {
        let greeting = self.read_reply().await?;
        if greeting.code != 220 {
            return Err(MailFailure::of_server("the greeting", &greeting));
        }
        self.say_hello(own_name).await
    }

    /// Asks what the server can do.
    pub(super) async fn say_hello(&mut self, own_name: &str) -> Result<Reply, MailFailure> {
        let offered = self.command(&format!("EHLO {own_name}")).await?;
        if offered.is_success() {
            Ok(offered)
        } else {
            Err(MailFailure::of_server("EHLO", &offered))
        }
    }

    /// Agrees on TLS. What follows belongs to the handshake: a server that has said more already
    /// may have been made to by someone in between.
    pub(super) async fn start_tls(mut self, offered: &Reply) -> Result<S, MailFailure> {
        if offered.extension("STARTTLS").is_none() {
            return Err(MailFailure::passing("the mail server does not offer STARTTLS"));
        }
        let agreed = self.command("STARTTLS").await?;
        if agreed.code != 220 {
            return Err(MailFailure::of_server("STARTTLS", &agreed));
        }
        if !self.buffer.is_empty() {
            return Err(MailFailure::passing("the mail server sent text before the handshake"));
        }
        Ok(self.stream)
    }

    pub(super) async fn log_in(
        &mut self,
        offered: &Reply,
        login: &SmtpLogin<Secret>,
    ) -> Result<(), MailFailure> {
        let ways = offered.extension("AUTH").unwrap_or_default();
        let is_offered = |way: &str| ways.iter().any(|offered| offered == way);
        let password = login.password.reveal();
        let reply = if is_offered("PLAIN") {
            let response = STANDARD.encode(format!("\0{}\0{password}", login.username));
            self.command(&format!("AUTH PLAIN {response}")).await?
        } else if is_offered("LOGIN") {
            let mut reply = self.command("AUTH LOGIN").await?;
            for answer in [login.username.as_str(), password] {
                if reply.code == 334 {
                    reply = self.command(&STANDARD.encode(answer)).await?;
                }
            }
            reply
        } else {
            return Err(MailFailure::passing("the mail server offers no known way to log in"));
        };
        if reply.is_success() { Ok(()) } else { Err(MailFailure::of_server("login", &reply)) }
    }

    /// Hands over a mail. It is sent as soon as the server has seen its end, so the permit is
    /// checked immediately before.
    pub(super) async fn send(
        &mut self,
        envelope: &Envelope<'_>,
        permit: &Permit,
    ) -> Result<Reply, MailFailure> {
        let from = self.command(&format!("MAIL FROM:<{}>", envelope.from)).await?;
        if !from.is_success() {
            // The sender is a setting, which can be corrected.
            return Err(MailFailure::of_server("MAIL FROM", &from));
        }
        let recipient = self.command(&format!("RCPT TO:<{}>", envelope.recipient)).await?;
        if !recipient.is_success() {
            return Err(MailFailure::of_mail(&recipient));
        }
        let data = self.command("DATA").await?;
        if data.code != 354 {
            return Err(MailFailure::of_mail(&data));
        }
        let stuffed = stuff_dots(envelope.message);
        permit.check()?;
        self.write(&stuffed).await?;
        let accepted = self.read_reply().await?;
        if accepted.is_success() { Ok(accepted) } else { Err(MailFailure::of_mail(&accepted)) }
    }

    /// Takes leave. The mail is accepted already, so the answer does not matter.
    pub(super) async fn quit(&mut self) {
        let _ = self.write(b"QUIT\r\n").await;
        let _ = self.stream.shutdown().await;
    }

    async fn command(&mut self, line: &str) -> Result<Reply, MailFailure> {
        self.write(format!("{line}\r\n").as_bytes()).await?;
        self.read_reply().await
    }

    async fn write(&mut self, bytes: &[u8]) -> Result<(), MailFailure> {
        self.stream.write_all(bytes).await?;
        Ok(self.stream.flush().await?)
    }

    async fn read_reply(&mut self) -> Result<Reply, MailFailure> {
        loop {
            match parse_reply(&self.buffer) {
                ParsedReply::Complete(reply, used) => {
                    self.buffer.drain(..used);
                    return Ok(reply);
                }
                ParsedReply::Unreadable => {
                    return Err(MailFailure::passing("the server's reply is not SMTP"));
                }
                ParsedReply::Incomplete => (),
            }
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                return Err(SendError::Closed.into());
            }
        }
    }
}

/// The message as it is sent: a dot at the beginning of a line is doubled, and a line with only a
/// dot ends it.
fn stuff_dots(message: &[u8]) -> Vec<u8> {
    let mut stuffed = Vec::with_capacity(message.len() + message.len() / 32 + 8);
    for line in message.split_inclusive(|byte| *byte == b'\n') {
        if line.starts_with(b".") {
            stuffed.push(b'.');
        }
        stuffed.extend_from_slice(line);
    }
    if !stuffed.ends_with(b"\r\n") {
        stuffed.extend_from_slice(b"\r\n");
    }
    stuffed.extend_from_slice(b".\r\n");
    stuffed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dot_never_ends_a_message_early() {
        assert_eq!(stuff_dots(b"a\r\n.\r\n..b\r\nc."), b"a\r\n..\r\n...b\r\nc.\r\n.\r\n");
        assert_eq!(stuff_dots(b".\r\n"), b"..\r\n.\r\n");
    }
}
