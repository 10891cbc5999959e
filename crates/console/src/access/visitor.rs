//! The person who is logged in, as pages show them.

use app::access::sessions::Session;

/// The cookie that contains the token of the session.
pub(crate) const SESSION: &str = "homeward_console";
/// The cookie that contains a sentence for the next page.
pub(crate) const NOTICE: &str = "homeward_notice";

pub(crate) struct Visitor {
    pub(crate) session: Session,
    /// What was just done, to be shown once.
    pub(crate) notice: Option<String>,
}
