//! Mails to shoppers: they are committed with what they are about, and sent like messages.

pub mod enqueue;
pub mod platform;
pub mod preview;
pub(crate) mod profile;
pub mod reminders;
pub(crate) mod return_mails;
mod server;
pub mod settings;

pub(crate) use self::profile::MailProfiles;
pub(crate) use self::server::{find_mail_channel, mail_secret_context};
