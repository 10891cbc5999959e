//! Requests to set how the mails of a merchant are sent.
//!
//! Secrets become [`Secret`] as soon as they are read.

use std::collections::{BTreeMap, BTreeSet};

use app::messages::mail::settings::NewSecret;
use delivery::mail::check_key;
use domain::{
    faults::Faults,
    json::Json,
    merchants::language::Language,
    messages::mail::{
        MailKind,
        address::{ADDRESS_MAX, is_domain, is_mail_address},
        settings::{
            DkimKey, MailDelivery, MailSecurity, MailSettings, MailText, SmtpLogin, SmtpServer,
        },
        template::check_text,
    },
    reader::{IDENTIFIER_MAX, Reader, TEXT_MAX, fields::Fields},
};
use world::Secret;

use crate::json_body::read_object;

const SUBJECT_MAX: usize = 200;
const MAIL_TEXT_MAX: usize = 2_000;
const SELECTOR_MAX: usize = 63;
const PORT_MAX: i64 = 65_535;

pub fn read_mail_settings(document: &Json<'_>) -> Result<MailSettings<NewSecret>, Faults> {
    read_object(document, |at| {
        let delivery = at.optional("delivery", |value| {
            value.named(MailDelivery::parse, "must be one of smtp, message, off")
        });
        let disabled =
            at.optional("disabled", |value| value.list(MailKind::ALL.len(), read_optional_kind));
        Some(MailSettings {
            delivery: delivery.unwrap_or_default(),
            server: at.optional_object("server", read_server),
            disabled: disabled.into_iter().flatten().collect::<BTreeSet<_>>(),
            texts: at.optional("texts", read_texts).unwrap_or_default(),
            technical_contact: at.optional("technical_contact", read_address),
        })
    })
}

fn read_optional_kind(value: &Reader<'_>) -> Option<MailKind> {
    let kind = value.named(MailKind::parse, "must be a kind of mail, such as parcel_seen")?;
    if kind.is_optional() {
        Some(kind)
    } else {
        value.invalid("is always sent, because shoppers wait for it or the law requires it")
    }
}

fn read_server(at: &Fields<'_>) -> SmtpServer<NewSecret> {
    at.refuse_unknown();
    let host = at.required("host", |value| {
        let text = value.text(1..=IDENTIFIER_MAX)?;
        let is_address = text.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok();
        if is_address || is_domain(text) {
            return Some(text.to_owned());
        }
        value.invalid("must be the name or the address of a mail server")
    });
    let security = at.optional("security", |value| {
        value.named(MailSecurity::parse, "must be one of starttls, tls, none")
    });
    let security = security.unwrap_or_default();
    let port = at.optional("port", |value| value.integer(1..=PORT_MAX));
    let port = port.and_then(|port| u16::try_from(port).ok());
    let username = at.optional("username", |value| read_line(value, IDENTIFIER_MAX));
    let password = at.optional("password", |value| read_line(value, TEXT_MAX).map(Secret::new));
    if password.is_some() && username.is_none() && at.sound(&["username"]) {
        at.note("username", "must be sent with a password");
    }
    let server = SmtpServer {
        host: host.unwrap_or_default(),
        port: port.unwrap_or_else(|| security.default_port()),
        security,
        login: username.map(|username| SmtpLogin { username, password }),
        from: at.required("from", read_address).unwrap_or_default(),
        from_name: at.optional("from_name", |value| read_line(value, IDENTIFIER_MAX)),
        dkim: at.optional_object("dkim", read_dkim),
    };
    if security == MailSecurity::None && at.sound(&["host", "security"]) && !server.is_local() {
        at.note("security", "must be starttls or tls, unless the server is this machine");
    }
    server
}

fn read_dkim(at: &Fields<'_>) -> DkimKey<NewSecret> {
    at.refuse_unknown();
    let name = |value: &Reader<'_>| {
        let text = value.text(1..=SELECTOR_MAX)?;
        if is_domain(text) { Some(text.to_owned()) } else { value.invalid("must be a domain name") }
    };
    DkimKey {
        domain: at.required("domain", name).unwrap_or_default(),
        selector: at.required("selector", name).unwrap_or_default(),
        key: at.optional("key", |value| {
            let text = value.text(1..=TEXT_MAX)?;
            match check_key(text) {
                Ok(()) => Some(Secret::new(text.to_owned())),
                Err(why) => value.invalid(why),
            }
        }),
    }
}

type MailTexts = BTreeMap<MailKind, BTreeMap<Language, MailText>>;

fn read_texts(value: &Reader<'_>) -> Option<MailTexts> {
    let kinds = value.map(|name, value| {
        let Some(kind) = MailKind::parse(name) else {
            return value.invalid("is not a kind of mail");
        };
        let texts = value.map(|code, value| {
            let Some(language) = Language::parse(code) else {
                return value.invalid("is not one of en, de, fr, es");
            };
            Some((language, value.object(|at| read_text(at, kind))?))
        })?;
        Some((kind, texts.into_iter().collect()))
    })?;
    Some(kinds.into_iter().collect())
}

/// Blank text counts as left out.
fn read_text(at: &Fields<'_>, kind: MailKind) -> MailText {
    at.refuse_unknown();
    let read = |key: &'static str, most: usize| {
        let text = at.optional(key, |value| {
            let text = value.text(0..=most)?;
            match check_text(kind, text) {
                Ok(()) => Some(text.to_owned()),
                Err(why) => value.invalid(&why),
            }
        });
        text.filter(|text| !text.trim().is_empty())
    };
    MailText { subject: read("subject", SUBJECT_MAX), text: read("text", MAIL_TEXT_MAX) }
}

fn read_address(value: &Reader<'_>) -> Option<String> {
    let text = value.text(1..=ADDRESS_MAX)?;
    if is_mail_address(text) {
        Some(text.to_owned())
    } else {
        value.invalid("must be an e-mail address such as returns@acme.example")
    }
}

fn read_line(value: &Reader<'_>, most: usize) -> Option<String> {
    let text = value.text(1..=most)?;
    if text.chars().any(char::is_control) {
        return value.invalid("must be one line");
    }
    Some(text.to_owned())
}
