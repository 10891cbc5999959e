//! The mails that a change of a return causes, and when its shopper is reminded.

use domain::{
    identifier::MerchantId,
    messages::mail::{
        MailKind,
        content::{MailLink, MailLinkTarget},
        occasion::{MailOccasion, of_event, of_start, recipient, reminder_due_at},
    },
    returns::{
        ReturnMethod,
        rma::{Rma, RmaEvent},
    },
    time::micros,
};
use store::Transaction;

use super::{
    enqueue::{NewMail, enqueue_mail},
    profile::find_profile,
};
use crate::{App, AppError};

/// One change of a return.
pub(crate) struct ReturnStep<'a> {
    pub(crate) before: &'a Rma,
    pub(crate) event: &'a RmaEvent,
    pub(crate) after: &'a Rma,
}

/// Enqueues the mail about a return that starts.
pub(crate) async fn put_start_mail(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    rma: &Rma,
) -> Result<(), AppError> {
    enqueue_occasion(app, transaction, merchant, rma, of_start(rma)).await?;
    put_reminder(app, transaction, merchant, None, rma).await
}

/// Enqueues the mails about changes of a return.
pub(crate) async fn put_change_mails(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    steps: &[ReturnStep<'_>],
) -> Result<(), AppError> {
    for ReturnStep { before, event, after } in steps {
        for occasion in of_event(before, event, after) {
            enqueue_occasion(app, transaction, merchant, after, occasion).await?;
        }
    }
    if let (Some(first), Some(last)) = (steps.first(), steps.last()) {
        put_reminder(app, transaction, merchant, Some(first.before), last.after).await?;
    }
    Ok(())
}

/// Enqueues a mail about a return, with the link that leads on. A return without an address has
/// none.
pub(crate) async fn enqueue_occasion(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    rma: &Rma,
    occasion: MailOccasion,
) -> Result<(), AppError> {
    let Some(recipient) = recipient(rma) else { return Ok(()) };
    let MailOccasion { kind, mut content } = occasion;
    content.link = find_link(app, merchant, rma, kind);
    let mail = NewMail {
        kind,
        recipient,
        language: rma.language,
        reference: rma.rma_identifier.as_str(),
        sequence: rma.messages_sent,
        content,
        attachment: None,
    };
    enqueue_mail(app, transaction, merchant, mail).await.map(drop)
}

fn find_link(app: &App, merchant: &MerchantId, rma: &Rma, kind: MailKind) -> Option<MailLink> {
    let is_about_label = match kind {
        MailKind::ReturnConfirmed | MailKind::LabelReady | MailKind::Reminder => {
            rma.return_method != ReturnMethod::CustomerKeep && !rma.label_key.is_empty()
        }
        MailKind::ParcelSeen
        | MailKind::Received
        | MailKind::RefundReported
        | MailKind::ExchangeShipped
        | MailKind::ExchangeRefunded
        | MailKind::Canceled
        | MailKind::ProofCode
        | MailKind::WithdrawalAcknowledged => false,
    };
    let (opens, path) = if is_about_label {
        (MailLinkTarget::Label, format!("/labels/{}", rma.label_name()))
    } else {
        let path = format!("/portal/{merchant}/returns/{}", rma.rma_identifier);
        (MailLinkTarget::Return, path)
    };
    Some(MailLink { opens, url: app.mail.link_to(&path)? })
}

/// Plans the reminder, or drops it.
async fn put_reminder(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    before: Option<&Rma>,
    after: &Rma,
) -> Result<(), AppError> {
    let (planned, due) = (before.and_then(reminder_due_at), reminder_due_at(after));
    if planned == due || find_profile(app, merchant).await?.is_none() {
        return Ok(());
    }
    let id = &after.rma_identifier;
    match due {
        Some(due) => transaction.put_mail_reminder(merchant, id, micros(due)),
        None => transaction.delete_mail_reminder(merchant, id),
    }
    Ok(())
}
