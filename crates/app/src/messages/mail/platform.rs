//! What the configuration says about mails, for all merchants.

use domain::messages::mail::settings::SmtpServer;
use world::Secret;

/// The settings of the platform. Without a server, only merchants with their own send mails.
#[derive(Clone, Debug, Default)]
pub struct PlatformMail {
    pub server: Option<SmtpServer<Secret>>,
    /// Where shoppers reach this server, for links. Without it, mails have none.
    pub public_url: Option<String>,
    /// Who hears of problems with the platform.
    pub operators: Option<String>,
}

impl PlatformMail {
    /// The address of a page.
    pub(crate) fn link_to(&self, path: &str) -> Option<String> {
        Some(format!("{}{path}", self.public_url.as_deref()?.trim_end_matches('/')))
    }
}
