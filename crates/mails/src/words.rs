//! The texts of mails, in every language.
//!
//! Each text is a field, so a language that lacks one does not compile. The subject and the first
//! paragraphs have placeholders, because a merchant may replace them with its own.

mod english;
mod french;
mod german;
mod spanish;

use domain::{
    merchants::language::Language,
    messages::mail::{
        MailKind,
        content::{MailAmountKind, MailContent, MailLinkTarget, MailPayment},
    },
    returns::ReturnMethod,
};

/// A sentence with a value in it.
type Sentence = fn(&str) -> String;

/// The usual subject and first paragraphs of a kind.
#[derive(Clone, Copy)]
pub(crate) struct KindWords {
    pub(crate) subject: &'static str,
    /// An empty line separates paragraphs.
    pub(crate) text: &'static str,
}

/// What the shopper does next, for each way to return goods.
pub(crate) struct NextWords {
    pub(crate) mail_back: &'static str,
    pub(crate) express: &'static str,
    pub(crate) keep: &'static str,
    pub(crate) pickup: &'static str,
}

/// All texts in one language.
pub(crate) struct MailWords {
    pub(crate) return_confirmed: KindWords,
    pub(crate) label_ready: KindWords,
    pub(crate) parcel_seen: KindWords,
    pub(crate) received: KindWords,
    pub(crate) refund_reported: KindWords,
    pub(crate) exchange_shipped: KindWords,
    pub(crate) exchange_refunded: KindWords,
    /// Who got a gift gets a gift card instead. A sentence of its own says so.
    pub(crate) exchange_became_card: KindWords,
    /// The shopper chose a gift card, and not an exchange.
    pub(crate) card_refunded: KindWords,
    pub(crate) reminder: KindWords,
    pub(crate) canceled: KindWords,
    /// There was nothing to send, and so no label.
    pub(crate) canceled_kept: KindWords,
    pub(crate) proof_code: KindWords,
    pub(crate) withdrawal_acknowledged: KindWords,
    pub(crate) next: NextWords,
    pub(crate) to_original_payment: &'static str,
    pub(crate) as_gift_card: &'static str,
    pub(crate) open_label: &'static str,
    pub(crate) open_return: &'static str,
    pub(crate) open_withdrawal: &'static str,
    /// What stands between a heading and what it is about.
    pub(crate) colon: &'static str,
    pub(crate) items: &'static str,
    pub(crate) more_items: Sentence,
    pub(crate) item_received: &'static str,
    pub(crate) item_not_received: &'static str,
    pub(crate) item_rejected: Sentence,
    pub(crate) item_exchanged: Sentence,
    pub(crate) amounts: &'static str,
    pub(crate) refund: &'static str,
    pub(crate) gift_card: &'static str,
    pub(crate) shipping: &'static str,
    pub(crate) fee: &'static str,
    pub(crate) bonus: &'static str,
    pub(crate) total: &'static str,
    pub(crate) return_number: Sentence,
    pub(crate) sent_by: Sentence,
}

/// The texts in a language.
pub(crate) const fn words_in(language: Language) -> &'static MailWords {
    match language {
        Language::English => &english::WORDS,
        Language::German => &german::WORDS,
        Language::French => &french::WORDS,
        Language::Spanish => &spanish::WORDS,
    }
}

impl MailWords {
    /// The words of a kind, for the facts of the mail.
    pub(crate) const fn of(&self, kind: MailKind, content: &MailContent) -> KindWords {
        match kind {
            MailKind::ReturnConfirmed => self.return_confirmed,
            MailKind::LabelReady => self.label_ready,
            MailKind::ParcelSeen => self.parcel_seen,
            MailKind::Received => self.received,
            MailKind::RefundReported => self.refund_reported,
            MailKind::ExchangeShipped => self.exchange_shipped,
            MailKind::ExchangeRefunded => match (content.paid_as, content.instead_of) {
                (Some(MailPayment::GiftCard), _) => self.exchange_became_card,
                (_, Some(MailPayment::GiftCard)) => self.card_refunded,
                (_, Some(MailPayment::OriginalPayment) | None) => self.exchange_refunded,
            },
            MailKind::Reminder => self.reminder,
            MailKind::Canceled => match content.method {
                Some(ReturnMethod::CustomerKeep) => self.canceled_kept,
                Some(
                    ReturnMethod::MailBack
                    | ReturnMethod::ExpressReturns
                    | ReturnMethod::HomePickup,
                )
                | None => self.canceled,
            },
            MailKind::ProofCode => self.proof_code,
            MailKind::WithdrawalAcknowledged => self.withdrawal_acknowledged,
        }
    }

    pub(crate) const fn next_step(&self, method: ReturnMethod) -> &'static str {
        match method {
            ReturnMethod::MailBack => self.next.mail_back,
            ReturnMethod::ExpressReturns => self.next.express,
            ReturnMethod::CustomerKeep => self.next.keep,
            ReturnMethod::HomePickup => self.next.pickup,
        }
    }

    pub(crate) const fn payment(&self, payment: MailPayment) -> &'static str {
        match payment {
            MailPayment::OriginalPayment => self.to_original_payment,
            MailPayment::GiftCard => self.as_gift_card,
        }
    }

    pub(crate) const fn link(&self, target: MailLinkTarget) -> &'static str {
        match target {
            MailLinkTarget::Label => self.open_label,
            MailLinkTarget::Return => self.open_return,
            MailLinkTarget::Withdrawal => self.open_withdrawal,
        }
    }

    pub(crate) const fn amount(&self, kind: MailAmountKind) -> &'static str {
        match kind {
            MailAmountKind::Refund => self.refund,
            MailAmountKind::GiftCard => self.gift_card,
            MailAmountKind::Shipping => self.shipping,
            MailAmountKind::Fee => self.fee,
            MailAmountKind::Bonus => self.bonus,
            MailAmountKind::Total => self.total,
        }
    }
}
