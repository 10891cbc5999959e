//! Arguments that several commands have: how they are read, and how they get into an address.

use std::{
    fmt::Display,
    fs::File,
    io::{Read, stdin},
    path::Path,
};

use anyhow::{Context, ensure};
use domain::{identifier::MessageId, messages::kind::MessageKind};
use jiff::Timestamp;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

const SECRET_BYTES_MAX: u64 = 64 * 1024;

pub(crate) fn kind(text: &str) -> Result<MessageKind, String> {
    MessageKind::parse(text).ok_or_else(|| {
        let names = MessageKind::ALL.map(MessageKind::name);
        format!("the kinds of messages are {}", names.join(", "))
    })
}

pub(crate) fn message_id(text: &str) -> Result<MessageId, String> {
    MessageId::parse(text).ok_or_else(|| "not a message such as msg_acme_42".to_owned())
}

pub(crate) fn moment(text: &str) -> Result<Timestamp, String> {
    text.parse().map_err(|_| "not a time such as 2026-02-14T16:00:00Z".to_owned())
}

/// A path for a kind: `rma=/returns/rma`.
pub(crate) fn kind_path(text: &str) -> Result<(MessageKind, String), String> {
    let (name, path) = text.split_once('=').ok_or("not KIND=PATH, such as rma=/returns/rma")?;
    Ok((kind(name)?, path.to_owned()))
}

/// What stands in `file` or, for `-`, comes by standard input, and what to call that.
fn content(file: &Path) -> anyhow::Result<(String, String)> {
    let (source, name): (Box<dyn Read>, _) = if file == Path::new("-") {
        (Box::new(stdin()), "standard input".to_owned())
    } else {
        let name = file.display().to_string();
        (Box::new(File::open(file).with_context(|| format!("{name} cannot be read"))?), name)
    };
    let mut text = String::new();
    let read = source.take(SECRET_BYTES_MAX).read_to_string(&mut text);
    read.with_context(|| format!("{name} cannot be read"))?;
    Ok((text, name))
}

/// A secret that is alone on the first line of `file`, or of standard input for `-`.
pub(crate) fn first_line(file: &Path) -> anyhow::Result<String> {
    let (text, name) = content(file)?;
    let line = text.lines().next().unwrap_or_default();
    ensure!(!line.is_empty(), "{name} holds nothing");
    Ok(line.to_owned())
}

/// How an endpoint's calls prove who they come from, from `file` or, for `-`, standard input.
pub(crate) fn auth(file: &Path) -> anyhow::Result<Value> {
    let (text, name) = content(file)?;
    let auth: Value =
        serde_json::from_str(&text).with_context(|| format!("{name} holds no JSON"))?;
    ensure!(
        auth.get("type").is_some(),
        "{name} must hold an object such as {{\"type\": \"bearer\", \"token\": \"...\"}}"
    );
    Ok(auth)
}

/// A path of the server and what is asked of it; values may hold anything.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    text: String,
    asked: bool,
}

impl Address {
    pub(crate) fn new(path: &str) -> Self {
        Self { text: path.to_owned(), asked: false }
    }

    /// The same, asking for `name` to be `value` when there is one.
    #[must_use]
    pub(crate) fn with(mut self, name: &str, value: Option<impl Display>) -> Self {
        if let Some(value) = value {
            self.text.push(if self.asked { '&' } else { '?' });
            self.asked = true;
            self.text.push_str(name);
            self.text.push('=');
            self.text.extend(utf8_percent_encode(&value.to_string(), NON_ALPHANUMERIC));
        }
        self
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_holds_any_value() {
        let address = Address::new("/a").with("ref", Some("x&y=1 #ü")).with("kind", None::<&str>);
        assert_eq!(address.with("n", Some(7)).as_str(), "/a?ref=x%26y%3D1%20%23%C3%BC&n=7");
    }

    #[test]
    fn what_is_no_kind_message_or_time_is_told_what_would_be() {
        assert_eq!(kind("rma"), Ok(MessageKind::Rma));
        assert!(kind("rmas").unwrap_err().contains("rma, exchange_variants, exchange_order"));
        assert!(message_id("msg_acme_42").is_ok());
        assert!(message_id("msg_acme/../x").is_err());
        assert!(moment("2026-02-14T16:00:00Z").is_ok());
        assert!(moment("yesterday").is_err());
    }

    #[test]
    fn a_path_is_said_for_a_kind() {
        assert_eq!(kind_path("rma=/a=b"), Ok((MessageKind::Rma, "/a=b".to_owned())));
        assert!(kind_path("rma").is_err());
        assert!(kind_path("rmas=/a").is_err());
    }
}
