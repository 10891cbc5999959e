//! How the mails of a merchant are sent, and what they say.

use std::collections::{BTreeMap, BTreeSet};

use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{MailKind, address::domain_of};
use crate::merchants::language::Language;

/// What is set for the mails of a merchant. `S` is a secret: sealed as it is stored, or open as it
/// is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailSettings<S> {
    pub delivery: MailDelivery,
    /// The merchant's own mail server. Without it, the platform's is used, if there is one.
    pub server: Option<SmtpServer<S>>,
    /// The kinds that are not sent.
    pub disabled: BTreeSet<MailKind>,
    /// The merchant's own texts.
    pub texts: BTreeMap<MailKind, BTreeMap<Language, MailText>>,
    /// Who hears of problems with the merchant's systems.
    pub technical_contact: Option<String>,
}

impl<S> Default for MailSettings<S> {
    fn default() -> Self {
        Self {
            delivery: MailDelivery::default(),
            server: None,
            disabled: BTreeSet::new(),
            texts: BTreeMap::new(),
            technical_contact: None,
        }
    }
}

/// How mails reach shoppers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MailDelivery {
    /// This service sends them.
    #[default]
    Smtp,
    /// The merchant gets them as messages of kind `mail`, and sends its own.
    Message,
    /// There are none.
    Off,
}

impl MailDelivery {
    pub const ALL: [Self; 3] = [Self::Smtp, Self::Message, Self::Off];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Smtp => "smtp",
            Self::Message => "message",
            Self::Off => "off",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|delivery| delivery.name() == name)
    }
}

/// A merchant's words for a kind of mail in one language.
#[omit_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct MailText {
    /// In place of the usual subject.
    #[schema(example = "Your return {return_number} is on its way", max_length = 200)]
    pub subject: Option<String>,
    /// In place of the usual first paragraphs. Plain text: an empty line separates paragraphs.
    #[schema(max_length = 2000)]
    pub text: Option<String>,
}

/// A mail server, and who mails come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SmtpServer<S> {
    pub host: String,
    pub port: u16,
    pub security: MailSecurity,
    pub login: Option<SmtpLogin<S>>,
    /// The address that mails come from.
    pub from: String,
    /// The name that mails come from. Absent: the merchant's name.
    pub from_name: Option<String>,
    pub dkim: Option<DkimKey<S>>,
}

/// The name and the password at a mail server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SmtpLogin<S> {
    pub username: String,
    pub password: S,
}

/// The key that signs mails, so that other servers can trust their sender.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DkimKey<S> {
    pub domain: String,
    pub selector: String,
    /// The private key in PEM: RSA or Ed25519.
    pub key: S,
}

/// How the connection to a mail server is protected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MailSecurity {
    /// TLS after a plain greeting. A server that does not offer it is not used.
    #[default]
    Starttls,
    /// TLS from the first byte.
    Tls,
    /// Plain text, only to this machine.
    None,
}

impl MailSecurity {
    pub const ALL: [Self; 3] = [Self::Starttls, Self::Tls, Self::None];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Starttls => "starttls",
            Self::Tls => "tls",
            Self::None => "none",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|security| security.name() == name)
    }

    /// The usual port.
    pub const fn default_port(self) -> u16 {
        match self {
            Self::Starttls => 587,
            Self::Tls => 465,
            Self::None => 25,
        }
    }
}

impl<S> SmtpServer<S> {
    /// The domain in the identifiers of mails.
    pub fn domain(&self) -> &str {
        domain_of(&self.from)
    }

    /// Whether the host is this machine, as far as its name shows.
    pub fn is_local(&self) -> bool {
        let address = self.host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
        self.host == "localhost" || address.is_ok_and(|address| address.is_loopback())
    }

    /// The same server with each secret replaced, such as sealed or opened.
    pub fn try_map<T, E>(
        self,
        mut change: impl FnMut(S) -> Result<T, E>,
    ) -> Result<SmtpServer<T>, E> {
        let login = self.login.map(|SmtpLogin { username, password }| {
            Ok(SmtpLogin { username, password: change(password)? })
        });
        let login = login.transpose()?;
        let dkim = self.dkim.map(|DkimKey { domain, selector, key }| {
            Ok(DkimKey { domain, selector, key: change(key)? })
        });
        Ok(SmtpServer {
            host: self.host,
            port: self.port,
            security: self.security,
            login,
            from: self.from,
            from_name: self.from_name,
            dkim: dkim.transpose()?,
        })
    }
}

impl<S> MailSettings<S> {
    /// The same settings with each secret replaced.
    pub fn try_map<T, E>(
        self,
        change: impl FnMut(S) -> Result<T, E>,
    ) -> Result<MailSettings<T>, E> {
        Ok(MailSettings {
            delivery: self.delivery,
            server: self.server.map(|server| server.try_map(change)).transpose()?,
            disabled: self.disabled,
            texts: self.texts,
            technical_contact: self.technical_contact,
        })
    }

    /// Whether mails of a kind are sent.
    pub fn sends(&self, kind: MailKind) -> bool {
        self.delivery != MailDelivery::Off && !self.disabled.contains(&kind)
    }

    /// The merchant's words for a kind of mail, if it has any.
    pub fn text(&self, kind: MailKind, language: Language) -> Option<&MailText> {
        self.texts.get(&kind)?.get(&language)
    }
}
