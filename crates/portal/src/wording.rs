//! What rules say, in the shopper's language.
//!
//! Rules are known by their names and facts, and each has its sentence here. The sentences that the
//! domain writes are for merchants and operators, and no shopper reads them.

use domain::{
    merchants::language::Language,
    returns::{
        ReturnMethod,
        quote::OfferRule,
        returnability::{ReturnRule, RuleAnswer},
        rma::{RmaRefusal, RmaStatus},
    },
};

use crate::{
    locale::last_day,
    words::{TitledText, Words},
};

/// What stands against a return of a unit.
pub(super) fn objection(answer: &RuleAnswer, words: &Words, language: Language) -> String {
    match (answer.rule, answer.ended_at) {
        (ReturnRule::Window, Some(end)) => (words.rules.window_ended_on)(&last_day(language, end)),
        (rule, _) => rule_words(rule, words).to_owned(),
    }
}

const fn rule_words(rule: ReturnRule, words: &Words) -> &'static str {
    let rules = &words.rules;
    match rule {
        ReturnRule::OrderStatus => rules.order_canceled,
        ReturnRule::Shipped => rules.not_shipped,
        ReturnRule::Window => rules.window,
        ReturnRule::FinalSale => rules.final_sale,
        ReturnRule::GiftCard => rules.gift_card,
        ReturnRule::PickUpInStore => rules.pick_up_in_store,
        ReturnRule::ThirdParty => rules.third_party,
        ReturnRule::CustomerService => rules.customer_service,
        // No tag that is not known stands against anything.
        ReturnRule::Tags => rules.not_possible,
        ReturnRule::Country => rules.country,
        ReturnRule::Method => rules.no_method,
        ReturnRule::AlreadyReturned => rules.already_returned,
        ReturnRule::AlreadyRefunded => rules.already_refunded,
    }
}

const fn offer_words(rule: OfferRule, words: &Words) -> &'static str {
    let rules = &words.rules;
    match rule {
        OfferRule::MethodOffered => rules.method_offered,
        OfferRule::MethodCountry => rules.method_country,
        OfferRule::MethodWeight => rules.method_weight,
        OfferRule::MethodAmount => rules.method_amount,
        OfferRule::MethodReason => rules.method_reason,
        OfferRule::ReasonKnown => rules.reason_known,
        OfferRule::ExchangeOffered => rules.exchange_offered,
        OfferRule::GiftCardOffered => rules.gift_card_offered,
    }
}

/// What a rule said that refused a return, by its name.
pub(super) fn refusal(rule: &str, words: &Words) -> &'static str {
    let known = ReturnRule::ALL.into_iter().find(|known| known.name() == rule);
    let offer = OfferRule::ALL.into_iter().find(|known| known.name() == rule);
    match (known, offer, rule) {
        (Some(known), _, _) => rule_words(known, words),
        (None, Some(offer), _) => offer_words(offer, words),
        (None, None, "one_exchange_order") => words.rules.one_exchange,
        (None, None, "variant_available") => words.rules.variant_sold_out,
        (None, None, _) => words.rules.not_possible,
    }
}

/// A way back, and what the shopper does.
pub(super) const fn method(method: ReturnMethod, words: &Words) -> TitledText {
    match method {
        ReturnMethod::MailBack => words.methods.mail_back,
        ReturnMethod::ExpressReturns => words.methods.express,
        ReturnMethod::CustomerKeep => words.methods.keep,
        ReturnMethod::HomePickup => words.methods.pickup,
    }
}

/// Why a return cannot be cancelled.
pub(super) const fn too_late(refusal: &RmaRefusal, words: &Words) -> &'static str {
    match refusal {
        RmaRefusal::DroppedOff | RmaRefusal::Scanned => words.status.too_late_moving,
        RmaRefusal::Received => words.status.too_late_received,
        RmaRefusal::Refunded => words.status.too_late_refunded,
        RmaRefusal::ExchangePending | RmaRefusal::ExchangePlaced(_) => {
            words.status.too_late_exchange
        }
        RmaRefusal::Canceled
        | RmaRefusal::Kept
        | RmaRefusal::UnknownParcel(_)
        | RmaRefusal::UnknownLine(_)
        | RmaRefusal::UnknownSku(_)
        | RmaRefusal::Labelled(_)
        | RmaRefusal::NotExpressReturns
        | RmaRefusal::ReceivingNotManaged
        | RmaRefusal::ReceivingClosed
        | RmaRefusal::NotAwaited
        | RmaRefusal::NoExchange(_) => words.status.too_late,
    }
}

/// How far a return has come, in a word or two.
pub(super) const fn standing(status: RmaStatus, words: &Words) -> &'static str {
    match status {
        RmaStatus::Created => words.status.is_created,
        RmaStatus::PendingExchange => words.status.is_pending,
        RmaStatus::PartialRefund => words.status.is_partial,
        RmaStatus::Refunded => words.status.is_refunded,
        RmaStatus::Canceled => words.status.is_canceled,
    }
}
