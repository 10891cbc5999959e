//! The policy of a merchant who has said nothing: thirty days, by mail, free of charge.
//!
//! The tags are the spellings that shops use for what no shop takes back by mail. Nothing here
//! gives money away that the merchant did not promise: no bonus, no shipping refund.

use super::{MethodOffer, Policy, Reason, RefundAt, ShippingRefunded, TagEffect, TagRule};
use crate::returns::ReturnMethod;

const WINDOW_DAYS: u32 = 30;

const TAGS: [(&str, TagEffect); 10] = [
    ("final_sale", TagEffect::FinalSale),
    ("non_returnable", TagEffect::FinalSale),
    ("gift_card", TagEffect::GiftCard),
    ("pick_up_in_store", TagEffect::PickUpInStore),
    ("buy_online_pick_up_in_store", TagEffect::PickUpInStore),
    ("buy_online_pickup_in_store", TagEffect::PickUpInStore),
    ("bopis", TagEffect::PickUpInStore),
    ("third_party", TagEffect::ThirdParty),
    ("marketplace", TagEffect::ThirdParty),
    ("customer_service", TagEffect::CustomerService),
];

/// Code, label, whether an exchange is offered, whether the merchant is at fault.
const REASONS: [(&str, &str, bool, bool); 8] = [
    ("too_small", "Too small", true, false),
    ("too_large", "Too large", true, false),
    ("not_as_described", "Not as described", true, true),
    ("damaged", "Arrived damaged", true, true),
    ("wrong_item", "Not what I ordered", true, true),
    ("changed_mind", "Changed my mind", false, false),
    ("late", "Arrived too late", false, true),
    ("other", "Another reason", true, false),
];

impl Default for Policy {
    fn default() -> Self {
        let tag = |(tag, effect): (&str, TagEffect)| TagRule { tag: tag.to_owned(), effect };
        let reason =
            |(code, label, offers_exchange, merchant_fault): (&str, &str, bool, bool)| Reason {
                code: code.to_owned(),
                label: label.to_owned(),
                offers_exchange,
                merchant_fault,
            };
        Self {
            window_days: WINDOW_DAYS,
            tags: TAGS.map(tag).to_vec(),
            countries: Vec::new(),
            reasons: REASONS.map(reason).to_vec(),
            methods: vec![MethodOffer::free(ReturnMethod::MailBack)],
            exchanges: true,
            gift_card: None,
            refund_at: RefundAt::CarrierScan,
            shipping_refunded: ShippingRefunded::Never,
        }
    }
}

impl MethodOffer {
    /// A method that costs nothing and is always offered.
    pub fn free(method: ReturnMethod) -> Self {
        Self {
            method,
            fee_cents: 0,
            fees_by_reason: Vec::new(),
            countries: Vec::new(),
            reasons: Vec::new(),
            unit_weight_max: None,
            amount_max_cents: None,
        }
    }
}
