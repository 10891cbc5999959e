//! The person who is logged in, as pages show them.

use app::access::sessions::Session;

/// The cookie that contains the token of the session. Over TLS its name makes browsers accept it
/// only from this very host and over TLS, so that no other host of the domain can plant one.
pub(crate) const fn session_cookie_name(secure: bool) -> &'static str {
    if secure { "__Host-homeward_console" } else { "homeward_console" }
}

/// The cookie that contains a sentence for the next page.
pub(crate) const NOTICE: &str = "homeward_notice";

pub(crate) struct Visitor {
    pub(crate) session: Session,
    /// What was just done, to be shown once.
    pub(crate) notice: Option<String>,
}
