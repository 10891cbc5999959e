//! The texts and both forms of mails.

use domain::{
    merchants::{language::Language, portal::Portal},
    messages::mail::{Mail, MailKind, settings::MailText, template::check_text},
    samples,
};

use crate::{MailLook, render, words::words_in};

fn render_sample(kind: MailKind, language: Language, own_text: Option<&MailText>) -> Mail {
    let portal = Portal::default();
    let look = MailLook { shop: "Acme & Sons", portal: &portal, own_text };
    render(kind, language, look, "dana.whitfield@example.com", samples::mail_content(kind))
}

#[test]
fn every_usual_text_has_only_placeholders_of_its_kind() {
    for language in Language::ALL {
        for kind in MailKind::ALL {
            let words = words_in(language).of(kind);
            for text in [words.subject, words.text] {
                assert_eq!(check_text(kind, text), Ok(()), "{kind} {language:?}: {text}");
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
