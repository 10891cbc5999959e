//! The texts and both forms of mails.

use domain::{
    merchants::{language::Language, portal::Portal},
    messages::mail::{
        Mail, MailKind,
        content::{MailContent, MailPayment},
        settings::MailText,
        template::check_text,
    },
    returns::ReturnMethod,
    samples,
};

use crate::{MailLook, render, words::words_in};

fn render_sample(kind: MailKind, language: Language, own_text: Option<&MailText>) -> Mail {
    let portal = Portal::default();
    let look = MailLook { shop: "Acme & Sons", portal: &portal, own_text };
    render(kind, language, look, "dana.whitfield@example.com", samples::mail_content(kind))
}

/// Facts for which a mail of this kind has other words.
fn variants_of(kind: MailKind) -> [MailContent; 3] {
    let usual = samples::mail_content(kind);
    let card = Some(MailPayment::GiftCard);
    let kept = Some(ReturnMethod::CustomerKeep);
    [
        MailContent { paid_as: card, ..usual.clone() },
        MailContent { instead_of: card, ..usual.clone() },
        MailContent { method: kept, ..usual },
    ]
}

fn render_content(kind: MailKind, content: MailContent) -> Mail {
    let portal = Portal::default();
    let look = MailLook { shop: "Acme & Sons", portal: &portal, own_text: None };
    render(kind, Language::English, look, "dana.whitfield@example.com", content)
}

#[test]
fn a_mail_promises_what_the_shopper_gets_and_names_only_a_label_that_exists() {
    let [as_card, card_failed, _] = variants_of(MailKind::ExchangeRefunded);
    let gift = render_content(MailKind::ExchangeRefunded, as_card);
    assert_eq!(gift.subject, "Your exchange became a gift card");
    assert!(!gift.text.contains("refund") && gift.text.contains("gift card"), "{}", gift.text);
    let refunded = render_content(MailKind::ExchangeRefunded, card_failed);
    assert_eq!(refunded.subject, "Your gift card became a refund");
    assert!(!refunded.text.contains("in exchange"), "{}", refunded.text);
    let [_, _, kept] = variants_of(MailKind::Canceled);
    let kept = render_content(MailKind::Canceled, kept);
    assert!(!kept.text.contains("label"), "{}", kept.text);
}

#[test]
fn every_usual_text_has_only_placeholders_of_its_kind() {
    for language in Language::ALL {
        for kind in MailKind::ALL {
            for content in variants_of(kind) {
                let words = words_in(language).of(kind, &content);
                for text in [words.subject, words.text] {
                    assert_eq!(check_text(kind, text), Ok(()), "{kind} {language:?}: {text}");
                }
            }
        }
    }
}

#[test]
fn both_forms_say_the_same_and_escape_what_merchants_and_shoppers_write() {
    for language in Language::ALL {
        for kind in MailKind::ALL {
            let mail = render_sample(kind, language, None);
            assert!(!mail.subject.contains(['\n', '\r', '{']), "{}", mail.subject);
            assert!(mail.html.contains("Acme &#38; Sons") && !mail.html.contains("Acme & Sons"));
            assert!(mail.text.contains("Acme & Sons"), "{}", mail.text);
            // Everything that stands between two tags is in the text, too.
            let body = mail.html.split("<main").nth(1).unwrap();
            let visible = body.split('<').skip(1).filter_map(|tag| tag.split_once('>'));
            let flat: String = mail.text.split_whitespace().collect::<Vec<_>>().join(" ");
            for (_, shown) in visible {
                let shown =
                    shown.replace("&#38;", "&").replace("&#34;", "\"").replace("&#39;", "'");
                let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
                let is_heading = shown == mail.subject || shown == words_in(language).amounts;
                assert!(is_heading || flat.contains(&shown), "{kind}: {shown:?} not in {flat}");
            }
            assert!(mail.text.lines().all(|line| line.chars().count() < 120), "{}", mail.text);
        }
    }
}

#[test]
fn a_merchants_own_words_replace_the_usual_ones() {
    let own = MailText {
        subject: Some("Got it: {return_number}".to_owned()),
        text: Some("Hello!\n\nThat makes {amount} <b>soon</b>.".to_owned()),
    };
    let mail = render_sample(MailKind::ReturnConfirmed, Language::English, Some(&own));
    assert_eq!(mail.subject, "Got it: RMA-7K3Q-9XWD-2M4T");
    assert!(mail.text.starts_with("Hello!\n\nThat makes $46.10 <b>soon</b>.\n\n"), "{}", mail.text);
    assert!(mail.html.contains("<p>That makes $46.10 &#60;b&#62;soon&#60;/b&#62;.</p>"));
}

#[test]
fn mails_are_as_they_were_in_every_language() {
    for language in Language::ALL {
        let mails = MailKind::ALL.map(|kind| {
            let mail = render_sample(kind, language, None);
            format!("Subject: {}\n\n{}", mail.subject, mail.text)
        });
        insta::assert_snapshot!(language.code(), mails.join("\n==========\n\n"));
    }
    let html = render_sample(MailKind::ReturnConfirmed, Language::English, None).html;
    insta::assert_snapshot!("html", html);
}
