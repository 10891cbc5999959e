//! Puts a mail into the transaction that decides it. It is rendered there and then, so that what is
//! sent is what is shown later.

use boxed::boxed;
use domain::{
    bodies::WriteJson,
    identifier::MerchantId,
    merchants::language::Language,
    messages::{
        kind::MessageKind,
        mail::{Mail, MailAttachment, MailKind, content::MailContent},
    },
};
use store::Transaction;

use super::profile::find_profile;
use crate::{
    App, AppError,
    messages::outbox::{self, About},
};

/// A mail to a shopper.
#[derive(Clone, Debug)]
pub struct NewMail<'a> {
    pub kind: MailKind,
    pub recipient: &'a str,
    /// The shopper's language, if it is known.
    pub language: Option<Language>,
    /// The return or the order that it is about. Mails about one thing are sent in order.
    pub reference: &'a str,
    /// Its number among the mails about that thing.
    pub sequence: i64,
    pub content: MailContent,
    pub attachment: Option<MailAttachment>,
}

/// Enqueues a mail, unless the merchant sends none of this kind. Returns whether it did.
#[boxed]
pub async fn enqueue_mail(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    mail: NewMail<'_>,
) -> Result<bool, AppError> {
    let profile = find_profile(app, merchant).await?;
    let Some(profile) = profile.filter(|profile| profile.settings.sends(mail.kind)) else {
        return Ok(false);
    };
    let language = profile.language(mail.language);
    let rendered = profile.render(mail.kind, language, mail.recipient, mail.content);
    let rendered = Mail { attachment: mail.attachment, ..rendered };
    let NewMail { reference, sequence, .. } = mail;
    let about = About { kind: MessageKind::Mail, reference, sequence };
    transaction.enqueue(outbox::message(app, merchant, &about, rendered.to_json().into()));
    Ok(true)
}
