//! The links between the pages about one merchant. See `templates/merchants/tabs.html`.

use domain::identifier::MerchantId;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MerchantTab {
    Merchant,
    Endpoints,
    Mail,
    Policy,
    Disposition,
    Portal,
    Certify,
}

pub(crate) struct MerchantTabs {
    pub(crate) merchant: String,
    current: MerchantTab,
}

impl MerchantTabs {
    pub(crate) fn new(merchant: &MerchantId, current: MerchantTab) -> Self {
        Self { merchant: merchant.to_string(), current }
    }

    pub(crate) fn is(&self, name: &str) -> bool {
        let current = match self.current {
            MerchantTab::Merchant => "merchant",
            MerchantTab::Endpoints => "endpoints",
            MerchantTab::Mail => "mail",
            MerchantTab::Policy => "policy",
            MerchantTab::Disposition => "disposition",
            MerchantTab::Portal => "portal",
            MerchantTab::Certify => "certify",
        };
        current == name
    }
}
