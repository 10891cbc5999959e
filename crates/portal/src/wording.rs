//! What rules say, in the shopper's language.
//!
//! Rules are known by their names and facts, and each has its sentence here. The sentences that the
//! domain writes are for merchants and operators, and no shopper reads them.

use domain::{
    merchants::language::Language,
    returns::{
        ReturnMethod,
        quote::OfferRule,
        returnability::{Answer, Rule},
        rma::{Refusal, Status},
    },
};

use crate::{
    locale::last_day,
    words::{TitledText, Words},
};

/// What stands against a return of a unit.
pub(super) fn objection(answer: &Answer, words: &Words, language: Language) -> String {
    match (answer.rule, answer.ended_at) {
        (Rule::Window, Some(end)) => (words.rules.window_ended_on)(&last_day(language, end)),
        (rule, _) => rule_words(rule, words).to_owned(),
    }
}

const fn rule_words(rule: Rule, words: &Words) -> &'static str {
    let rules = &words.rules;
    match rule {
        Rule::OrderStatus => rules.order_canceled,
        Rule::Shipped => rules.not_shipped,
        Rule::Window => rules.window,
        Rule::FinalSale => rules.final_sale,
        Rule::GiftCard => rules.gift_card,
        Rule::PickUpInStore => rules.pick_up_in_store,
        Rule::ThirdParty => rules.third_party,
        Rule::CustomerService => rules.customer_service,
        // No tag that is not known stands against anything.
        Rule::Tags => rules.not_possible,
        Rule::Country => rules.country,
        Rule::Method => rules.no_method,
        Rule::AlreadyReturned => rules.already_returned,
        Rule::AlreadyRefunded => rules.already_refunded,
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
    let known = Rule::ALL.into_iter().find(|known| known.name() == rule);
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
pub(super) const fn too_late(refusal: &Refusal, words: &Words) -> &'static str {
    match refusal {
        Refusal::DroppedOff | Refusal::Scanned => words.status.too_late_moving,
        Refusal::Received => words.status.too_late_received,
        Refusal::Refunded => words.status.too_late_refunded,
        Refusal::ExchangePending | Refusal::ExchangePlaced(_) => words.status.too_late_exchange,
        Refusal::Canceled
        | Refusal::Kept
        | Refusal::UnknownParcel(_)
        | Refusal::UnknownLine(_)
        | Refusal::UnknownSku(_)
        | Refusal::Labelled(_)
        | Refusal::NotExpressReturns
        | Refusal::ReceivingNotManaged
        | Refusal::ReceivingClosed
        | Refusal::NotAwaited
        | Refusal::NoExchange(_) => words.status.too_late,
    }
}

/// How far a return has come, in a word or two.
pub(super) const fn standing(status: Status, words: &Words) -> &'static str {
    match status {
        Status::Created => words.status.is_created,
        Status::PendingExchange => words.status.is_pending,
        Status::PartialRefund => words.status.is_partial,
        Status::Refunded => words.status.is_refunded,
        Status::Canceled => words.status.is_canceled,
    }
}
