//! The kinds of mails in words.

use domain::messages::mail::MailKind;

pub(super) const fn mail_label(kind: MailKind) -> &'static str {
    match kind {
        MailKind::ReturnConfirmed => "Return confirmed",
        MailKind::LabelReady => "Label ready or replaced",
        MailKind::ParcelSeen => "Parcel seen by the carrier",
        MailKind::Received => "Goods received and checked",
        MailKind::RefundReported => "Refund reported",
        MailKind::ExchangeShipped => "Exchange on its way",
        MailKind::ExchangeRefunded => "Exchange turned into a refund",
        MailKind::Reminder => "Reminder before the label ends",
        MailKind::Canceled => "Return canceled",
        MailKind::ProofCode => "Code that proves an address",
        MailKind::WithdrawalAcknowledged => "Withdrawal acknowledged",
    }
}
