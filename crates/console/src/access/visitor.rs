//! The person who is logged in, as pages show them.

use app::access::sessions::Session;
use domain::{access::operator::Role, identifier::MerchantId};

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

impl Visitor {
    /// The merchant of a merchant's people, who reach no other.
    pub(crate) fn own_merchant(&self) -> Option<&MerchantId> {
        self.session.merchant.as_ref()
    }

    /// Whether the role is for one merchant, but none is known. Such a visitor must see nothing.
    pub(crate) fn lacks_merchant(&self) -> bool {
        self.session.role == Role::Merchant && self.session.merchant.is_none()
    }

    /// Whether the visitor sees and does everything.
    pub(crate) fn is_operator(&self) -> bool {
        self.session.role == Role::Operator
    }

    /// Whether the visitor may see what belongs to this merchant.
    pub(crate) fn reaches(&self, merchant: &MerchantId) -> bool {
        self.own_merchant().is_none_or(|own| own == merchant)
    }

    /// Narrows the filter of a list, whatever merchant was asked for.
    pub(crate) fn narrow(&self, merchant: &mut String) {
        if let Some(own) = self.own_merchant() {
            own.as_str().clone_into(merchant);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::fixtures::sample_visitor;

    #[test]
    fn a_merchants_person_without_a_merchant_is_no_operator() {
        let mut visitor = sample_visitor();
        assert!(!visitor.lacks_merchant(), "an operator belongs to none");
        visitor.session.role = Role::Merchant;
        assert!(visitor.lacks_merchant());
        visitor.session.merchant = MerchantId::parse("acme").ok();
        assert!(!visitor.lacks_merchant());
    }
}
