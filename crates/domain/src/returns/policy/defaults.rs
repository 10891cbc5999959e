//! The policy of a merchant who has said nothing: thirty days, by mail, free of charge.
//!
//! The tags are the spellings that shops use for what no shop takes back by mail. Nothing here
//! gives money away that the merchant did not promise: no bonus, no shipping refund.

use super::{MethodOffer, Policy, Reason, RefundAt, ShippingRefunded, TagEffect, TagRule};
use crate::merchants::language::Language;
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

/// Code, label in every language, whether an exchange is offered, whether the merchant is at fault.
type KnownReason = (&'static str, [&'static str; 4], bool, bool);

const REASONS: [KnownReason; 8] = [
    ("too_small", ["Too small", "Zu klein", "Trop petit", "Demasiado pequeño"], true, false),
    ("too_large", ["Too large", "Zu groß", "Trop grand", "Demasiado grande"], true, false),
    (
        "not_as_described",
        [
            "Not as described",
            "Nicht wie beschrieben",
            "Non conforme à la description",
            "No coincide con la descripción",
        ],
        true,
        true,
    ),
    (
        "damaged",
        ["Arrived damaged", "Beschädigt angekommen", "Arrivé endommagé", "Ha llegado dañado"],
        true,
        true,
    ),
    (
        "wrong_item",
        [
            "Not what I ordered",
            "Nicht, was ich bestellt habe",
            "Pas ce que j’ai commandé",
            "No es lo que pedí",
        ],
        true,
        true,
    ),
    (
        "changed_mind",
        [
            "Changed my mind",
            "Ich habe es mir anders überlegt",
            "J’ai changé d’avis",
            "He cambiado de opinión",
        ],
        false,
        false,
    ),
    (
        "late",
        [
            "Arrived too late",
            "Zu spät angekommen",
            "Arrivé trop tard",
            "Ha llegado demasiado tarde",
        ],
        false,
        true,
    ),
    (
        "other",
        ["Another reason", "Ein anderer Grund", "Une autre raison", "Otro motivo"],
        true,
        false,
    ),
];

impl Default for Policy {
    fn default() -> Self {
        let tag = |(tag, effect): (&str, TagEffect)| TagRule { tag: tag.to_owned(), effect };
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

fn reason((code, labels, offers_exchange, merchant_fault): KnownReason) -> Reason {
    let [english, german, french, spanish] = labels.map(str::to_owned);
    let others =
        [(Language::German, german), (Language::French, french), (Language::Spanish, spanish)];
    Reason {
        code: code.to_owned(),
        label: english,
        labels: others.into(),
        offers_exchange,
        merchant_fault,
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
