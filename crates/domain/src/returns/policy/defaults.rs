//! The policy of a merchant who has not set one: thirty days, by mail, free of charge.
//!
//! The tags are those of goods that no store accepts by mail, under their common names. Nothing
//! here gives away money that the merchant did not promise: no bonus, no shipping refund.

use super::{MethodOffer, Policy, Reason, RefundAt, ShippingRefunded, TagEffect, TagRule};
use crate::merchants::language::Language;
use crate::returns::ReturnMethod;
use crate::withdrawal::terms::WithdrawalTerms;

const WINDOW_DAYS: u32 = 30;

const TAGS: [(&str, TagEffect); 11] = [
    ("final_sale", TagEffect::FinalSale),
    ("non_returnable", TagEffect::FinalSale),
    ("gift_card", TagEffect::GiftCard),
    ("pick_up_in_store", TagEffect::PickUpInStore),
    ("buy_online_pick_up_in_store", TagEffect::PickUpInStore),
    ("bopis", TagEffect::PickUpInStore),
    ("third_party", TagEffect::ThirdParty),
    ("marketplace", TagEffect::ThirdParty),
    ("customer_service", TagEffect::CustomerService),
    ("customer_service_required", TagEffect::CustomerService),
    ("cs_required", TagEffect::CustomerService),
];

/// A reason of the default policy.
#[derive(Clone, Copy)]
struct DefaultReason {
    code: &'static str,
    /// In the order of [`Language::ALL`].
    labels: [&'static str; 4],
    offers_exchange: bool,
    merchant_fault: bool,
}

const REASONS: [DefaultReason; 8] = [
    DefaultReason {
        code: "too_small",
        labels: ["Too small", "Zu klein", "Trop petit", "Demasiado pequeño"],
        offers_exchange: true,
        merchant_fault: false,
    },
    DefaultReason {
        code: "too_large",
        labels: ["Too large", "Zu groß", "Trop grand", "Demasiado grande"],
        offers_exchange: true,
        merchant_fault: false,
    },
    DefaultReason {
        code: "not_as_described",
        labels: [
            "Not as described",
            "Nicht wie beschrieben",
            "Non conforme à la description",
            "No coincide con la descripción",
        ],
        offers_exchange: true,
        merchant_fault: true,
    },
    DefaultReason {
        code: "damaged",
        labels: [
            "Arrived damaged",
            "Beschädigt angekommen",
            "Arrivé endommagé",
            "Ha llegado dañado",
        ],
        offers_exchange: true,
        merchant_fault: true,
    },
    DefaultReason {
        code: "wrong_item",
        labels: [
            "Not what I ordered",
            "Nicht, was ich bestellt habe",
            "Pas ce que j’ai commandé",
            "No es lo que pedí",
        ],
        offers_exchange: true,
        merchant_fault: true,
    },
    DefaultReason {
        code: "changed_mind",
        labels: [
            "Changed my mind",
            "Ich habe es mir anders überlegt",
            "J’ai changé d’avis",
            "He cambiado de opinión",
        ],
        offers_exchange: false,
        merchant_fault: false,
    },
    DefaultReason {
        code: "late",
        labels: [
            "Arrived too late",
            "Zu spät angekommen",
            "Arrivé trop tard",
            "Ha llegado demasiado tarde",
        ],
        offers_exchange: false,
        merchant_fault: true,
    },
    DefaultReason {
        code: "other",
        labels: ["Another reason", "Ein anderer Grund", "Une autre raison", "Otro motivo"],
        offers_exchange: true,
        merchant_fault: false,
    },
];

impl Default for Policy {
    fn default() -> Self {
        let tag = |(tag, effect): (&str, TagEffect)| TagRule { tag: tag.to_owned(), effect };
        Self {
            window_days: WINDOW_DAYS,
            tags: TAGS.map(tag).to_vec(),
            countries: Vec::new(),
            reasons: REASONS.map(reason_of).to_vec(),
            methods: vec![MethodOffer::free(ReturnMethod::MailBack)],
            exchanges: true,
            cheaper_exchanges: false,
            dearer_exchanges: false,
            gift_returns: false,
            gift_card: None,
            refund_at: RefundAt::CarrierScan,
            shipping_refunded: ShippingRefunded::Never,
            withdrawal: WithdrawalTerms::default(),
        }
    }
}

fn reason_of(default: DefaultReason) -> Reason {
    let [english, german, french, spanish] = default.labels.map(str::to_owned);
    let others =
        [(Language::German, german), (Language::French, french), (Language::Spanish, spanish)];
    Reason {
        code: default.code.to_owned(),
        label: english,
        labels: others.into(),
        offers_exchange: default.offers_exchange,
        merchant_fault: default.merchant_fault,
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
