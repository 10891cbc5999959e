//! The settings of `[mail]`: the platform's mail server, and where shoppers reach this one.

use std::path::{Path, PathBuf};

use app::messages::mail::platform::PlatformMail;
use delivery::mail::check_key;
use domain::messages::mail::{
    address::{is_domain, is_mail_address},
    settings::{DkimKey, MailSecurity, SmtpLogin, SmtpServer},
};
use serde::Deserialize;
use world::Secret;

use super::{origin::refuse, public_url::check_public_url};

const DKIM_INCOMPLETE: &str =
    "is missing: mail.dkim_domain, mail.dkim_selector and mail.dkim_key_file are set together";

/// The table `[mail]` of the configuration file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MailOptions {
    host: Option<String>,
    port: Option<u16>,
    tls: Option<MailSecurity>,
    username: Option<String>,
    password_file: Option<PathBuf>,
    from: Option<String>,
    from_name: Option<String>,
    dkim_domain: Option<String>,
    dkim_selector: Option<String>,
    dkim_key_file: Option<PathBuf>,
    public_url: Option<String>,
    operators: Option<String>,
}

impl MailOptions {
    pub(super) fn resolve(self) -> anyhow::Result<PlatformMail> {
        let public_url = self.public_url.clone();
        if let Some(url) = &public_url {
            check_public_url(url).map_err(|problem| refuse("mail.public_url", problem))?;
        }
        let operators = self.operators.clone();
        if let Some(address) = operators.as_deref().filter(|it| !is_mail_address(it)) {
            return Err(refuse_address("mail.operators", address));
        }
        Ok(PlatformMail { server: self.resolve_server()?, public_url, operators })
    }

    fn resolve_server(self) -> anyhow::Result<Option<SmtpServer<Secret>>> {
        let Some(host) = self.host.clone() else {
            if self.from.is_some() || self.username.is_some() || self.password_file.is_some() {
                return Err(refuse("mail.host", "is missing"));
            }
            return Ok(None);
        };
        let from = self.from.clone().ok_or_else(|| refuse("mail.from", "is missing"))?;
        if !is_mail_address(&from) {
            return Err(refuse_address("mail.from", &from));
        }
        let security = self.tls.unwrap_or_default();
        let server = SmtpServer {
            host,
            port: self.port.unwrap_or_else(|| security.default_port()),
            security,
            login: self.read_login()?,
            from,
            from_name: self.from_name.clone(),
            dkim: self.read_dkim()?,
        };
        if security == MailSecurity::None && !server.is_local() {
            let allowed = "must be starttls or tls, unless mail.host is this machine";
            return Err(refuse("mail.tls", allowed));
        }
        Ok(Some(server))
    }

    fn read_login(&self) -> anyhow::Result<Option<SmtpLogin<Secret>>> {
        match (&self.username, &self.password_file) {
            (Some(username), Some(file)) => {
                let password = Secret::new(read_secret("mail.password_file", file)?);
                Ok(Some(SmtpLogin { username: username.clone(), password }))
            }
            (None, None) => Ok(None),
            (Some(_), None) => Err(refuse("mail.username", "is set but mail.password_file is not")),
            (None, Some(_)) => Err(refuse("mail.password_file", "is set but mail.username is not")),
        }
    }

    fn read_dkim(&self) -> anyhow::Result<Option<DkimKey<Secret>>> {
        let Self { dkim_domain, dkim_selector, dkim_key_file, .. } = self;
        match (dkim_domain, dkim_selector, dkim_key_file) {
            (Some(domain), Some(selector), Some(file)) => {
                require_domain("mail.dkim_domain", domain)?;
                require_domain("mail.dkim_selector", selector)?;
                let key = read_secret("mail.dkim_key_file", file)?;
                check_key(&key).map_err(|why| refuse("mail.dkim_key_file", why))?;
                let (domain, selector) = (domain.clone(), selector.clone());
                Ok(Some(DkimKey { domain, selector, key: Secret::new(key) }))
            }
            (None, None, None) => Ok(None),
            (None, _, _) => Err(refuse("mail.dkim_domain", DKIM_INCOMPLETE)),
            (_, None, _) => Err(refuse("mail.dkim_selector", DKIM_INCOMPLETE)),
            (_, _, None) => Err(refuse("mail.dkim_key_file", DKIM_INCOMPLETE)),
        }
    }
}

fn refuse_address(name: &'static str, address: &str) -> anyhow::Error {
    refuse(name, format!("must be an e-mail address, not {address}"))
}

fn require_domain(name: &'static str, text: &str) -> anyhow::Result<()> {
    if is_domain(text) {
        return Ok(());
    }
    Err(refuse(name, format!("must be a domain name, not {text}")))
}

fn read_secret(name: &'static str, file: &Path) -> anyhow::Result<String> {
    let text = std::fs::read_to_string(file).map_err(|why| {
        refuse(name, format!("names {}, which cannot be read: {why}", file.display()))
    })?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(text: &str) -> anyhow::Result<PlatformMail> {
        toml::from_str::<MailOptions>(text)?.resolve()
    }

    #[test]
    fn a_server_has_the_usual_port_of_its_security() {
        let mail = resolve("host = \"mail.example\"\nfrom = \"a@b.example\"").unwrap();
        let server = mail.server.unwrap();
        assert_eq!((server.port, server.security), (587, MailSecurity::Starttls));
        assert!(resolve("").unwrap().server.is_none());
        let local = "host = \"localhost\"\nfrom = \"a@b.example\"\ntls = \"none\"";
        assert_eq!(resolve(local).unwrap().server.unwrap().port, 25);
    }

    #[test]
    fn incomplete_and_unsafe_settings_are_refused() {
        for text in [
            "from = \"a@b.example\"",
            "host = \"mail.example\"",
            "host = \"mail.example\"\nfrom = \"returns\"",
            "host = \"mail.example\"\nfrom = \"a@b\"\ntls = \"none\"",
            "host = \"mail.example\"\nfrom = \"a@b\"\nusername = \"a\"",
            "host = \"mail.example\"\nfrom = \"a@b\"\ndkim_domain = \"b\"",
            "public_url = \"returns.example.com\"",
            "public_url = \"https://returns.example.com/?shop=1\"",
            "public_url = \"https://returns.example.com/#start\"",
            "operators = \"us\"",
            "sender = \"a@b\"",
        ] {
            assert!(resolve(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_refusal_names_the_setting_and_what_is_wrong_with_it() {
        let refuse = |text: &str| format!("{:#}", resolve(text).unwrap_err());
        let server = "host = \"mail.example\"\nfrom = \"a@b.example\"\nusername = \"a\"\n";
        let text = refuse(&format!("{server}password_file = \"/none\""));
        let begins = "mail.password_file names /none, which cannot be read: ";
        assert!(text.starts_with(begins), "{text}");
        let text = refuse("public_url = \"https://a.example/#start\"");
        assert!(text.starts_with("mail.public_url must be an address such as "), "{text}");
        assert!(text.ends_with(", not https://a.example/#start"), "{text}");
        assert_eq!(
            refuse("operators = \"us\""),
            "mail.operators must be an e-mail address, not us"
        );
    }
}
