//! Rules, return methods and states in the shopper's language.
//!
//! Each rule has a sentence of its own. The sentences of the domain are for merchants and
//! operators; shoppers never read them.

use domain::{
    merchants::language::Language,
    returns::{
        ReturnMethod,
        quote::OfferRule,
        returnability::{ReturnRule, RuleAnswer},
        rma::{RmaRefusal, RmaStatus},
        start::StartRule,
    },
};

use super::texts::{TitledText, Words};
use domain::merchants::locale::format_last_day;

/// Why a unit cannot be returned.
pub(crate) fn objection_text(answer: &RuleAnswer, words: &Words, language: Language) -> String {
    match (answer.rule, answer.ended_at) {
        (ReturnRule::Window, Some(end)) => {
            (words.rules.window_ended_on)(&format_last_day(language, end))
        }
        (rule, _) => rule_text(rule, words).to_owned(),
    }
}

const fn rule_text(rule: ReturnRule, words: &Words) -> &'static str {
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
        // An unknown tag never refuses a return.
        ReturnRule::Tags => rules.not_possible,
        ReturnRule::Country => rules.country,
        ReturnRule::Method => rules.no_method,
        ReturnRule::AlreadyReturned => rules.already_returned,
        ReturnRule::AlreadyRefunded => rules.already_refunded,
    }
}

const fn offer_rule_text(rule: OfferRule, words: &Words) -> &'static str {
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

/// The sentence for a rule that refused a return.
pub(crate) const fn refusal_text(rule: StartRule, words: &Words) -> &'static str {
    match rule {
        StartRule::Unit(rule) => rule_text(rule, words),
        StartRule::Offer(rule) => offer_rule_text(rule, words),
        StartRule::OneExchangeOrder => words.rules.one_exchange,
        StartRule::VariantAvailable => words.rules.variant_sold_out,
        StartRule::VariantPrice => words.rules.variant_price,
        StartRule::OrderKnown
        | StartRule::LineKnown
        | StartRule::SameShopper
        | StartRule::SameCurrency
        | StartRule::GiftReturns => words.rules.not_possible,
    }
}

/// A return method, and what the shopper does.
pub(crate) const fn method_text(method: ReturnMethod, words: &Words) -> TitledText {
    match method {
        ReturnMethod::MailBack => words.methods.mail_back,
        ReturnMethod::ExpressReturns => words.methods.express,
        ReturnMethod::CustomerKeep => words.methods.keep,
        ReturnMethod::HomePickup => words.methods.pickup,
    }
}

/// Why a return cannot be canceled.
pub(crate) const fn cancel_refusal_text(refusal: &RmaRefusal, words: &Words) -> &'static str {
    match refusal {
        RmaRefusal::DroppedOff | RmaRefusal::Scanned => words.status.too_late_moving,
        RmaRefusal::Received => words.status.too_late_received,
        RmaRefusal::Refunded => words.status.too_late_refunded,
        RmaRefusal::ExchangePending | RmaRefusal::ExchangePlaced(_) => {
            words.status.too_late_exchange
        }
        RmaRefusal::Canceled
        | RmaRefusal::Kept
        | RmaRefusal::NoSuchParcel(_)
        | RmaRefusal::UnknownParcel(_)
        | RmaRefusal::UnknownLine(_)
        | RmaRefusal::UnknownSku(_)
        | RmaRefusal::Labeled(_)
        | RmaRefusal::UnknownGeneration(_)
        | RmaRefusal::NoLabel
        | RmaRefusal::HasLabel
        | RmaRefusal::TooManyLabels
        | RmaRefusal::LabelUsed
        | RmaRefusal::NotExpressReturns
        | RmaRefusal::ReceivingNotManaged
        | RmaRefusal::ReceivingClosed
        | RmaRefusal::NotAwaited
        | RmaRefusal::UnknownReceipt(_)
        | RmaRefusal::NoExchange(_)
        | RmaRefusal::UnknownRefund(_) => words.status.too_late,
    }
}

/// The status of a return in one or two words.
pub(crate) const fn status_text(status: RmaStatus, words: &Words) -> &'static str {
    match status {
        RmaStatus::Created => words.status.is_created,
        RmaStatus::PendingExchange => words.status.is_pending,
        RmaStatus::PartialRefund => words.status.is_partial,
        RmaStatus::Refunded => words.status.is_refunded,
        RmaStatus::Canceled => words.status.is_canceled,
    }
}
