//! Mails: the channel that goes through mail servers.
//!
//! A mail is a message of the outbox, and an attempt is one SMTP dialogue ([`dialogue`]), over a
//! connection that went through the address guard. The mail is written as MIME ([`mime`]) and, if
//! there is a key, signed ([`dkim`]). Its Message-ID is made from the identifier of the message, so
//! that a mail that is sent twice is recognized as the same one.

mod courier;
mod dialogue;
mod dkim;
mod failure;
mod mime;
mod reply;
#[cfg(test)]
mod tests;

pub use self::courier::{MailCourier, MailSender};
pub use self::dkim::check_key;
