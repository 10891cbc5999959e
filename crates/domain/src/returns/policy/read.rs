//! Reads a policy field by field, in the order in which its faults are reported.

use std::collections::BTreeMap;

use super::{
    GiftCardOffer, MethodOffer, Policy, Reason, ReasonFee, RefundAt, ShippingRefunded, TagEffect,
    TagRule,
};
use crate::faults::{FaultCode, Faults};
use crate::json::Json;
use crate::merchants::language::Language;
use crate::orders::tags::{has_letters, is_same_tag};
use crate::reader::fields::{CENTS_MAX, Fields, ListElement};
use crate::reader::path::PathStep;
use crate::reader::{IDENTIFIER_MAX, Reader, read};
use crate::returns::ReturnMethod;
use crate::withdrawal::terms::WithdrawalTerms;

const DAYS_MAX: i64 = 3_650;
const TAGS_MAX: usize = 100;
const COUNTRIES_MAX: usize = 250;
const REASONS_MAX: usize = 50;
const CODE_MAX: usize = 64;
const LABEL_MAX: usize = 200;
const PER_MILLE_MAX: i64 = 1_000;

const DUPLICATE: &str = "must be unique";

impl Policy {
    /// Reads a policy, or returns everything wrong with it.
    pub fn read(document: &Json<'_>) -> Result<Self, Faults> {
        let (policy, _) = read(document, true, |root| root.object(read_policy))?;
        Ok(policy)
    }
}

fn read_policy(at: &Fields<'_>) -> Policy {
    at.refuse_unknown();
    let default = Policy::default();
    let window_days = at.optional("window_days", read_days).unwrap_or(default.window_days);
    let tags = at.optional("tags", read_tags).unwrap_or(default.tags);
    let countries = read_countries(at);
    let reasons = at.optional("reasons", read_reasons);
    let known = match &reasons {
        // A reason with an unreadable code may be the one that another field refers to.
        Some(reasons) => KnownReasons {
            reasons: reasons.iter().map(|reason| reason.value.clone()).collect(),
            complete: reasons.iter().all(|reason| reason.sound("code")),
        },
        None => KnownReasons { reasons: default.reasons, complete: at.sound(&["reasons"]) },
    };
    let methods = at.optional("methods", |value| read_methods(value, &known));
    let exchanges = at.optional_flag("exchanges").unwrap_or(default.exchanges);
    let cheaper_exchanges = at.optional_flag("cheaper_exchanges").unwrap_or_default();
    let dearer_exchanges = at.optional_flag("dearer_exchanges").unwrap_or_default();
    let gift_returns = at.optional_flag("gift_returns").unwrap_or_default();
    let gift_card = at.optional_object("gift_card", read_gift_card);
    let refund_at = at.optional("refund_at", |value| {
        read_name(value, RefundAt::parse, &RefundAt::ALL.map(RefundAt::name))
    });
    let shipping_refunded = at.optional("shipping_refunded", |value| {
        read_name(
            value,
            ShippingRefunded::parse,
            &ShippingRefunded::ALL.map(ShippingRefunded::name),
        )
    });
    let withdrawal = at.optional_object("withdrawal", WithdrawalTerms::read);
    Policy {
        window_days,
        tags,
        countries,
        methods: methods.unwrap_or(default.methods),
        reasons: known.reasons,
        exchanges,
        cheaper_exchanges,
        dearer_exchanges,
        gift_returns,
        gift_card,
        refund_at: refund_at.unwrap_or(default.refund_at),
        shipping_refunded: shipping_refunded.unwrap_or(default.shipping_refunded),
        withdrawal: withdrawal.unwrap_or_default(),
    }
}

/// The reasons that other fields may refer to.
struct KnownReasons {
    reasons: Vec<Reason>,
    complete: bool,
}

fn read_days(value: &Reader<'_>) -> Option<u32> {
    u32::try_from(value.integer(0..=DAYS_MAX)?).ok()
}

fn read_tags(value: &Reader<'_>) -> Option<Vec<TagRule>> {
    let rules = value.list(TAGS_MAX, |element| element.object(read_tag_rule))?;
    let same = |left: &TagRule, right: &TagRule| is_same_tag(&left.tag, &right.tag);
    note_duplicates(value, &rules, "tag", same);
    Some(rules.into_iter().map(|rule| rule.value).collect())
}

fn read_tag_rule(at: &Fields<'_>) -> ListElement<TagRule> {
    at.refuse_unknown();
    let tag = at.required("tag", |value| match value.text(1..=IDENTIFIER_MAX)? {
        tag if !has_letters(tag) => value.invalid("must have a letter or a digit"),
        tag => Some(tag.to_owned()),
    });
    let effect = at.required("effect", |value| match value.text(0..=CODE_MAX)? {
        "final_sale" => Some(TagEffect::FinalSale),
        "gift_card" => Some(TagEffect::GiftCard),
        "pick_up_in_store" => Some(TagEffect::PickUpInStore),
        "third_party" => Some(TagEffect::ThirdParty),
        "customer_service" => Some(TagEffect::CustomerService),
        "window" => Some(TagEffect::Window { days: 0 }),
        _ => value.invalid(
            "must be one of final_sale, gift_card, pick_up_in_store, third_party, \
             customer_service, window",
        ),
    });
    let effect = match effect {
        Some(TagEffect::Window { .. }) => {
            Some(TagEffect::Window { days: at.required("days", read_days).unwrap_or_default() })
        }
        effect => {
            if at.has("days") && effect.is_some() {
                at.note("days", "must be sent only with the effect window");
            }
            effect
        }
    };
    let effect = effect.unwrap_or(TagEffect::CustomerService);
    at.element(TagRule { tag: tag.unwrap_or_default(), effect })
}

fn read_countries(at: &Fields<'_>) -> Vec<String> {
    let countries = at.optional("countries", |value| {
        let countries = value.list(COUNTRIES_MAX, read_country)?;
        note_duplicate_texts(value, &countries);
        Some(countries)
    });
    countries.unwrap_or_default()
}

fn read_country(value: &Reader<'_>) -> Option<String> {
    match value.text(0..=CODE_MAX)? {
        code if matches!(code.len(), 2 | 3) && code.bytes().all(|b| b.is_ascii_alphabetic()) => {
            Some(code.to_ascii_uppercase())
        }
        _ => value.invalid("must be a country code such as US"),
    }
}

fn read_reasons(value: &Reader<'_>) -> Option<Vec<ListElement<Reason>>> {
    let reasons = value.list(REASONS_MAX, |element| element.object(read_reason))?;
    if reasons.is_empty() {
        return value.invalid("must have at least one element");
    }
    note_duplicates(value, &reasons, "code", |left, right| left.code == right.code);
    Some(reasons)
}

fn read_reason(at: &Fields<'_>) -> ListElement<Reason> {
    at.refuse_unknown();
    let allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_');
    let code = at.required("code", |value| match value.text(1..=CODE_MAX)? {
        code if code.bytes().all(allowed) => Some(code.to_owned()),
        _ => value.invalid("must consist of the letters a to z, digits, and underscores"),
    });
    let label = at.required("label", |value| value.text(1..=LABEL_MAX).map(str::to_owned));
    let reason = Reason {
        code: code.unwrap_or_default(),
        label: label.unwrap_or_default(),
        labels: at.optional_object("labels", read_labels).unwrap_or_default(),
        offers_exchange: at.optional_flag("offers_exchange").unwrap_or_default(),
        merchant_fault: at.optional_flag("merchant_fault").unwrap_or_default(),
    };
    at.element(reason)
}

fn read_labels(at: &Fields<'_>) -> BTreeMap<Language, String> {
    at.refuse_unknown();
    let label = |language: Language| {
        let read = |value: &Reader<'_>| value.text(1..=LABEL_MAX).map(str::to_owned);
        Some((language, at.optional(language.code(), read)?))
    };
    Language::ALL.into_iter().filter_map(label).collect()
}

fn read_methods(value: &Reader<'_>, known: &KnownReasons) -> Option<Vec<MethodOffer>> {
    let offers = value
        .list(ReturnMethod::ALL.len(), |element| element.object(|at| read_method(at, known)))?;
    if offers.is_empty() {
        return value.invalid("must have at least one element");
    }
    note_duplicates(value, &offers, "method", |left, right| left.method == right.method);
    Some(offers.into_iter().map(|offer| offer.value).collect())
}

fn read_method(at: &Fields<'_>, known: &KnownReasons) -> ListElement<MethodOffer> {
    at.refuse_unknown();
    let method = at.required("method", |value| {
        read_name(value, ReturnMethod::parse, &ReturnMethod::ALL.map(ReturnMethod::name))
    });
    let offer = MethodOffer {
        method: method.unwrap_or(ReturnMethod::MailBack),
        fee_cents: at.optional_cents("fee_cents").unwrap_or_default(),
        fees_by_reason: at
            .optional("fees_by_reason", |value| read_reason_fees(value, known))
            .unwrap_or_default(),
        countries: read_countries(at),
        reasons: at
            .optional("reasons", |value| {
                let codes = value.list(REASONS_MAX, |element| read_known_reason(element, known))?;
                note_duplicate_texts(value, &codes);
                Some(codes)
            })
            .unwrap_or_default(),
        unit_weight_max: at.optional_number("unit_weight_max"),
        amount_max_cents: at.optional_cents("amount_max_cents"),
    };
    at.element(offer)
}

fn read_reason_fees(value: &Reader<'_>, known: &KnownReasons) -> Option<Vec<ReasonFee>> {
    let fees = value.list(REASONS_MAX, |element| {
        element.object(|at| {
            at.refuse_unknown();
            let reason = at.required("reason", |value| {
                let code = read_known_reason(value, known)?;
                let mut reasons = known.reasons.iter();
                if reasons.any(|reason| reason.code == code && reason.merchant_fault) {
                    return value.invalid("must not be a reason for which the merchant is at fault, because no fee is charged then");
                }
                Some(code)
            });
            let fee_cents = at.cents("fee_cents");
            at.element(ReasonFee { reason: reason.unwrap_or_default(), fee_cents })
        })
    })?;
    note_duplicates(value, &fees, "reason", |left, right| left.reason == right.reason);
    Some(fees.into_iter().map(|fee| fee.value).collect())
}

fn read_known_reason(value: &Reader<'_>, known: &KnownReasons) -> Option<String> {
    let code = value.text(1..=CODE_MAX)?;
    if known.complete && !known.reasons.iter().any(|reason| reason.code == code) {
        return value.invalid("must be the code of one of the policy's reasons");
    }
    Some(code.to_owned())
}

fn read_gift_card(at: &Fields<'_>) -> GiftCardOffer {
    at.refuse_unknown();
    let per_mille = at.optional("bonus_per_mille", |value| value.integer(0..=PER_MILLE_MAX));
    GiftCardOffer {
        sku: at.identifier("sku"),
        bonus_per_mille: per_mille.and_then(|it| u32::try_from(it).ok()).unwrap_or_default(),
        bonus_max_cents: at.optional("bonus_max_cents", |value| value.integer(0..=CENTS_MAX)),
    }
}

/// One of several names.
fn read_name<T>(value: &Reader<'_>, parse: fn(&str) -> Option<T>, names: &[&str]) -> Option<T> {
    let name = value.text(0..=CODE_MAX)?;
    parse(name).or_else(|| value.invalid(&format!("must be one of {}", names.join(", "))))
}

/// Notes every element with the same `key` as an element before it.
fn note_duplicates<T>(
    list: &Reader<'_>,
    elements: &[ListElement<T>],
    key: &'static str,
    same: impl Fn(&T, &T) -> bool,
) {
    let mut seen: Vec<&T> = Vec::with_capacity(elements.len());
    for element in elements.iter().filter(|element| element.sound(key)) {
        if seen.iter().any(|before| same(before, &element.value)) {
            let steps = [PathStep::Index(element.position), PathStep::Key(key)];
            list.note_at(&steps, FaultCode::Invalid, DUPLICATE);
        }
        seen.push(&element.value);
    }
}

fn note_duplicate_texts(list: &Reader<'_>, texts: &[String]) {
    for (position, text) in texts.iter().enumerate() {
        if texts.iter().take(position).any(|before| before == text) {
            list.note_at(&[PathStep::Index(position)], FaultCode::Invalid, DUPLICATE);
        }
    }
}
