//! Arguments of several commands: how they are parsed, and how they become part of a request.

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

pub(crate) fn parse_kind(text: &str) -> Result<MessageKind, String> {
    MessageKind::parse(text).ok_or_else(|| {
        let names = MessageKind::ALL.map(MessageKind::name);
        format!("the kinds of messages are {}", names.join(", "))
    })
}

pub(crate) fn parse_message_id(text: &str) -> Result<MessageId, String> {
    MessageId::parse(text).ok_or_else(|| "not a message such as msg_acme_42".to_owned())
}

pub(crate) fn parse_time(text: &str) -> Result<Timestamp, String> {
    text.parse().map_err(|_| "not a time such as 2026-02-14T16:00:00Z".to_owned())
}

/// A path for a kind: `rma=/returns/rma`.
pub(crate) fn parse_kind_path(text: &str) -> Result<(MessageKind, String), String> {
    let (name, path) = text.split_once('=').ok_or("not KIND=PATH, such as rma=/returns/rma")?;
    Ok((parse_kind(name)?, path.to_owned()))
}

/// Reads `file` or, for `-`, standard input. Returns the text and the name of its source.
fn read_text(file: &Path) -> anyhow::Result<(String, String)> {
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

/// Reads a secret: the first line of `file`, or of standard input for `-`.
pub(crate) fn read_first_line(file: &Path) -> anyhow::Result<String> {
    let (text, name) = read_text(file)?;
    let line = text.lines().next().unwrap_or_default();
    ensure!(!line.is_empty(), "{name} is empty");
    Ok(line.to_owned())
}

/// Reads the authentication of an endpoint's calls from `file` or, for `-`, standard input.
pub(crate) fn read_auth(file: &Path) -> anyhow::Result<Value> {
    let (text, name) = read_text(file)?;
    let auth: Value = serde_json::from_str(&text).with_context(|| format!("{name} is not JSON"))?;
    ensure!(
        auth.get("type").is_some(),
        "{name} must be an object such as {{\"type\": \"bearer\", \"token\": \"...\"}}"
    );
    Ok(auth)
}

/// A value as one segment of a path. It may contain any character.
pub(crate) fn encode_segment(value: &str) -> String {
    utf8_percent_encode(value, NON_ALPHANUMERIC).to_string()
}

/// A path of the server with a query. Values may contain any character.
#[derive(Clone, Debug)]
pub(crate) struct PathAndQuery {
    text: String,
    has_query: bool,
}

impl PathAndQuery {
    pub(crate) fn new(path: &str) -> Self {
        Self { text: path.to_owned(), has_query: false }
    }

    /// Adds `name=value` to the query if there is a value.
    #[must_use]
    pub(crate) fn with(mut self, name: &str, value: Option<impl Display>) -> Self {
        if let Some(value) = value {
            self.text.push(if self.has_query { '&' } else { '?' });
            self.has_query = true;
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
    fn values_may_contain_any_character() {
        let path = PathAndQuery::new("/a").with("ref", Some("x&y=1 #ü")).with("kind", None::<&str>);
        assert_eq!(path.with("n", Some(7)).as_str(), "/a?ref=x%26y%3D1%20%23%C3%BC&n=7");
    }

    #[test]
    fn errors_say_what_is_expected() {
        assert_eq!(parse_kind("rma"), Ok(MessageKind::Rma));
        assert!(parse_kind("rmas").unwrap_err().contains("rma, exchange_variants, exchange_order"));
        assert!(parse_message_id("msg_acme_42").is_ok());
        assert!(parse_message_id("msg_acme/../x").is_err());
        assert!(parse_time("2026-02-14T16:00:00Z").is_ok());
        assert!(parse_time("yesterday").is_err());
    }

    #[test]
    fn a_path_is_given_for_a_kind() {
        assert_eq!(parse_kind_path("rma=/a=b"), Ok((MessageKind::Rma, "/a=b".to_owned())));
        assert!(parse_kind_path("rma").is_err());
        assert!(parse_kind_path("rmas=/a").is_err());
    }
}
