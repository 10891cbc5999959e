//! Mails to shoppers: what they are about, and what a mail is in the outbox.
//!
//! A mail is rendered when it is decided, so that what was sent is what is shown later.

pub mod address;
pub mod content;
pub mod occasion;
pub mod settings;
pub mod template;
#[cfg(test)]
mod tests;

use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use self::content::MailContent;
use crate::merchants::language::Language;
use crate::orders::erasure::{ERASED, ERASED_EMAIL};

/// What a mail is about. Merchants can switch off and reword each kind.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum MailKind {
    /// A return started: what to do next, and the label.
    ReturnConfirmed,
    /// A label arrived later than its return started, or replaces another one.
    LabelReady,
    /// The carrier has the goods.
    ParcelSeen,
    /// The warehouse has received everything that it expected, or has given up or rejected some.
    Received,
    /// The merchant reported a refund, or a gift card was issued.
    RefundReported,
    /// What replaces goods is on its way.
    ExchangeShipped,
    /// An exchange is not possible, so the shopper gets a refund.
    ExchangeRefunded,
    /// The label can be used only a few more days.
    Reminder,
    /// The return was canceled.
    Canceled,
    /// A code that proves that the shopper reads the mails of an address.
    ProofCode,
    /// A statement of withdrawal was received.
    WithdrawalAcknowledged,
}

impl MailKind {
    pub const ALL: [Self; 11] = [
        Self::ReturnConfirmed,
        Self::LabelReady,
        Self::ParcelSeen,
        Self::Received,
        Self::RefundReported,
        Self::ExchangeShipped,
        Self::ExchangeRefunded,
        Self::Reminder,
        Self::Canceled,
        Self::ProofCode,
        Self::WithdrawalAcknowledged,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::ReturnConfirmed => "return_confirmed",
            Self::LabelReady => "label_ready",
            Self::ParcelSeen => "parcel_seen",
            Self::Received => "received",
            Self::RefundReported => "refund_reported",
            Self::ExchangeShipped => "exchange_shipped",
            Self::ExchangeRefunded => "exchange_refunded",
            Self::Reminder => "reminder",
            Self::Canceled => "canceled",
            Self::ProofCode => "proof_code",
            Self::WithdrawalAcknowledged => "withdrawal_acknowledged",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether a merchant may switch it off. Shoppers wait for a code, and the law requires the
    /// acknowledgement of a withdrawal.
    pub const fn is_optional(self) -> bool {
        match self {
            Self::ProofCode | Self::WithdrawalAcknowledged => false,
            Self::ReturnConfirmed
            | Self::LabelReady
            | Self::ParcelSeen
            | Self::Received
            | Self::RefundReported
            | Self::ExchangeShipped
            | Self::ExchangeRefunded
            | Self::Reminder
            | Self::Canceled => true,
        }
    }
}

impl std::fmt::Display for MailKind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A mail in the outbox. A merchant that sends its own mails gets it as a message.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Mail {
    pub mail: MailKind,
    pub language: Language,
    #[schema(example = "dana.whitfield@example.com")]
    pub recipient: String,
    #[schema(example = "Your return RMA-7K3Q-9XWD-2M4T is confirmed")]
    pub subject: String,
    /// The facts of the mail, for shops that write their own.
    pub content: MailContent,
    /// The mail as plain text.
    pub text: String,
    /// The mail as an HTML document.
    pub html: String,
    /// A file that comes with the mail.
    pub attachment: Option<MailAttachment>,
}

/// A JSON file that comes with a mail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MailAttachment {
    #[schema(example = "W-7K3Q-9XWD-2M4T.json")]
    pub name: String,
    /// The content of the file.
    pub text: String,
}

impl Mail {
    /// The mail without what is about its shopper: what it was about, and when, remains known.
    #[must_use]
    pub fn erased(&self) -> Self {
        let MailContent { order_number, return_number, .. } = self.content.clone();
        Self {
            mail: self.mail,
            language: self.language,
            recipient: ERASED_EMAIL.to_owned(),
            subject: ERASED.to_owned(),
            content: MailContent { order_number, return_number, ..MailContent::default() },
            text: ERASED.to_owned(),
            html: ERASED.to_owned(),
            attachment: None,
        }
    }

    /// Whether its shopper was erased.
    pub fn is_erased(&self) -> bool {
        self.recipient == ERASED_EMAIL
    }
}
