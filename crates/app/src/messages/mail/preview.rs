//! An operator looks at mails as shoppers would get them, and sends one as a test.

use boxed::boxed;
use domain::{
    bodies::WriteJson,
    identifier::{MerchantId, MessageId},
    merchants::language::Language,
    messages::{
        kind::MessageKind,
        mail::{Mail, MailKind, address::is_mail_address, content::MailContent},
    },
    samples,
};
use serde_json::json;
use store::Transaction;

use super::profile::{find_profile, load_profile};
use crate::{
    App, AppError,
    access::lookup_limit::{TEST_MAILS_MAX, count_test_mail},
    core::{audit_trail::record_change, commit_once::commit_once, scope::RequestScope},
    messages::{
        message_log::filter_by_reference,
        outbox::{self, About},
        test_endpoint::TestMessage,
    },
};

/// The recipient of a mail that is only looked at.
const NO_RECIPIENT: &str = "shopper@example.com";

/// The portal that links of the sample lead to.
const SAMPLE_PORTAL: &str = "/portal/acme/";

/// A mail with sample facts.
#[derive(Clone, Copy, Debug)]
pub struct MailSample {
    pub kind: MailKind,
    pub language: Language,
}

/// A mail of a merchant as it would be with the current settings.
#[boxed]
pub async fn preview_mail(
    app: &App,
    merchant: &MerchantId,
    sample: MailSample,
) -> Result<Mail, AppError> {
    let settings = app.store.mail_settings(merchant).await?.value;
    let profile = load_profile(app, merchant, settings).await?;
    let content = sample_content(merchant, sample.kind);
    Ok(profile.render(sample.kind, sample.language, NO_RECIPIENT, content))
}

/// The facts of the sample, with links to the portal of this merchant.
fn sample_content(merchant: &MerchantId, kind: MailKind) -> MailContent {
    let mut content = samples::mail_content(kind);
    if let Some(link) = &mut content.link {
        link.url = link.url.replacen(SAMPLE_PORTAL, &format!("/portal/{merchant}/"), 1);
    }
    content
}

/// Sends a mail with sample facts.
#[boxed]
pub async fn send_test_mail(
    scope: RequestScope<'_>,
    sample: MailSample,
    recipient: &str,
) -> Result<TestMessage, AppError> {
    let (app, merchant) = (scope.app, scope.merchant()?);
    if !is_mail_address(recipient) {
        return Err(AppError::Conflict("the recipient is not an e-mail address".to_owned()));
    }
    let MailSample { kind, language } = sample;
    let reference = format!("test-{}", app.world.readable::<10>());
    let reference: String = commit_once(scope, || async {
        let Some(profile) = find_profile(app, merchant).await? else {
            let why = "mails are off, or there is no mail server to send them with";
            return Err(AppError::Conflict(why.to_owned()));
        };
        if !count_test_mail(app, merchant).await? {
            let why = format!("{TEST_MAILS_MAX} test mails were sent within an hour: wait a while");
            return Err(AppError::Conflict(why));
        }
        let content = sample_content(merchant, kind);
        let mail = profile.render(kind, language, recipient, content);
        let body = mail.to_json();
        let about = About { kind: MessageKind::Mail, reference: &reference, sequence: 1 };
        let mut transaction = Transaction::new("sending a test mail");
        transaction.enqueue(outbox::message(app, merchant, &about, body.into()));
        let detail = json!({ "mail": kind, "language": language, "ref": reference });
        record_change(scope, &mut transaction, "mail.test", &detail);
        Ok((reference.clone(), transaction))
    })
    .await?;
    let sent = app.store.messages(merchant, &filter_by_reference(&reference, 1)).await?.0;
    let number = sent.first().ok_or(AppError::NotFound("message"))?.message_id;
    Ok(TestMessage { id: MessageId { merchant: merchant.clone(), number }.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_links_of_a_sample_lead_to_the_portal_of_the_merchant() {
        let merchant = MerchantId::parse("harbor").unwrap();
        let links = MailKind::ALL.map(|kind| sample_content(&merchant, kind).link);
        let urls: Vec<String> = links.into_iter().flatten().map(|link| link.url).collect();
        assert!(urls.iter().any(|url| url.contains("/portal/harbor/returns/")), "{urls:?}");
        assert!(urls.iter().any(|url| url.contains("/portal/harbor/withdrawals/")), "{urls:?}");
        assert!(!urls.iter().any(|url| url.contains("acme")), "{urls:?}");
    }
}
