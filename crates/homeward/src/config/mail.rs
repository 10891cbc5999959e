//! The settings of `[mail]`: the platform's mail server, and where shoppers reach this one.

use std::path::PathBuf;

use anyhow::{Context, bail};
use app::messages::mail::platform::PlatformMail;
use delivery::mail::check_key;
use domain::messages::mail::{
    address::{is_domain, is_mail_address},
    settings::{DkimKey, MailSecurity, SmtpLogin, SmtpServer},
};
use serde::Deserialize;
use world::Secret;

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
        if let Some(url) = &public_url
            && !(url.starts_with("https://") || url.starts_with("http://"))
        {
            bail!("mail.public_url must be an address such as https://returns.example.com");
        }
        let operators = self.operators.clone();
        if operators.as_deref().is_some_and(|address| !is_mail_address(address)) {
            bail!("mail.operators must be an e-mail address");
        }
        Ok(PlatformMail { server: self.resolve_server()?, public_url, operators })
    }

    fn resolve_server(self) -> anyhow::Result<Option<SmtpServer<Secret>>> {
        let Some(host) = self.host.clone() else {
            if self.from.is_some() || self.username.is_some() || self.password_file.is_some() {
                bail!("mail.host is missing");
            }
            return Ok(None);
        };
        let from = self.from.clone().context("mail.from is missing")?;
        if !is_mail_address(&from) {
            bail!("mail.from must be an e-mail address");
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
            bail!("mail.tls must be starttls or tls, unless mail.host is this machine");
        }
        Ok(Some(server))
    }

    fn read_login(&self) -> anyhow::Result<Option<SmtpLogin<Secret>>> {
        match (&self.username, &self.password_file) {
            (Some(username), Some(file)) => {
                let password = Secret::new(read_secret(file)?);
                Ok(Some(SmtpLogin { username: username.clone(), password }))
            }
            (None, None) => Ok(None),
            (Some(_), None) => bail!("mail.username is set but mail.password_file is not"),
            (None, Some(_)) => bail!("mail.password_file is set but mail.username is not"),
        }
    }

    fn read_dkim(&self) -> anyhow::Result<Option<DkimKey<Secret>>> {
        let Self { dkim_domain, dkim_selector, dkim_key_file, .. } = self;
        match (dkim_domain, dkim_selector, dkim_key_file) {
            (Some(domain), Some(selector), Some(file)) => {
                if !is_domain(domain) || !is_domain(selector) {
                    bail!("mail.dkim_domain and mail.dkim_selector must be domain names");
                }
                let key = read_secret(file)?;
                if let Err(why) = check_key(&key) {
                    bail!("mail.dkim_key_file {why}");
                }
                let (domain, selector) = (domain.clone(), selector.clone());
                Ok(Some(DkimKey { domain, selector, key: Secret::new(key) }))
            }
            (None, None, None) => Ok(None),
            _ => bail!(
                "mail.dkim_domain, mail.dkim_selector and mail.dkim_key_file are set together"
            ),
        }
    }
}

fn read_secret(file: &PathBuf) -> anyhow::Result<String> {
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("{} cannot be read", file.display()))?;
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
            "operators = \"us\"",
            "sender = \"a@b\"",
        ] {
            assert!(resolve(text).is_err(), "{text}");
        }
    }
}
