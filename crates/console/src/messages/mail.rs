//! The mails of a merchant: how they are sent, and which.

use app::messages::mail::settings::{
    MailServerView, MailSettingsView, load_mail_settings, set_mail_settings,
};
use askama::Template;
use axum::{Router, response::Response, routing::get};
use domain::{
    identifier::MerchantId,
    messages::mail::{MailKind, settings::MailSecurity},
};
use serde_json::{Value, json};

use super::mail_labels::mail_label;
use crate::access::{
    merchant_visit::{MerchantForm, MerchantVisit},
    visit::MemberForm,
    visitor::Visitor,
};
use crate::{
    core::{
        field::{Field, FormState, to_document},
        form::Form,
        frame::{Frame, Section, form_status, redirect_with_notice, render_page},
    },
    merchants::tabs::{MerchantTab, MerchantTabs},
};
use server::requests::mail::read_mail_settings;
use server::{Web, error::ApiError, json_body::JsonBody};

const DELIVERIES: [(&str, &str); 3] = [
    ("smtp", "Send them by mail"),
    ("message", "Give them to the merchant as messages of kind mail"),
    ("off", "Send none"),
];
const SECURITIES: [(&str, &str); 3] =
    [("starttls", "STARTTLS"), ("tls", "TLS"), ("none", "None, only on this machine")];

pub(crate) fn routes() -> Router<Web> {
    Router::new().route("/console/merchants/{merchant}/mail", get(show).post(set))
}

pub(super) fn mail_url(merchant: &MerchantId) -> String {
    format!("/console/merchants/{merchant}/mail")
}

#[derive(Template)]
#[template(path = "messages/mail.html", whitespace = "minimize")]
struct MailPage<'a> {
    frame: Frame<'a>,
    tabs: MerchantTabs,
    platform_server: bool,
    kinds: Vec<MailRow>,
    form: FormState,
}

/// One kind of mail.
struct MailRow {
    kind: MailKind,
    label: &'static str,
    sent: bool,
    /// The languages in which the merchant has its own words.
    own_words: String,
}

fn list_kinds(settings: &MailSettingsView) -> Vec<MailRow> {
    let row = |kind: MailKind| {
        let own = settings.texts.get(&kind).into_iter().flatten();
        let codes: Vec<&str> = own.map(|(language, _)| language.code()).collect();
        let sent = !settings.disabled.contains(&kind);
        MailRow { kind, label: mail_label(kind), sent, own_words: codes.join(", ") }
    };
    MailKind::ALL.map(row).into()
}

fn form_fields(settings: &MailSettingsView) -> Vec<Field> {
    let server = settings.server.as_ref();
    let text = |value: Option<&String>| value.cloned().unwrap_or_default();
    let port = server.map(|server| server.port.to_string());
    let security = server.map_or(MailSecurity::default(), |server| server.security);
    vec![
        Field::choice("delivery", "Mails to shoppers", &DELIVERIES).value(settings.delivery.name()),
        Field::text("server.host", "Mail server")
            .value(text(server.map(|it| &it.host)))
            .hint("Leave empty to use the server of the platform.")
            .optional(),
        Field::choice("server.security", "Security", &SECURITIES).value(security.name()),
        Field::number("server.port", "Port", 0)
            .value(port.unwrap_or_default())
            .hint("1 to 65535. Leave empty for the usual one."),
        Field::text("server.username", "User name")
            .value(text(server.and_then(|it| it.username.as_ref())))
            .optional(),
        Field::secret("server.password", "Password")
            .hint("Leave empty to keep the one that is set.")
            .optional(),
        Field::text("server.from", "Sender address")
            .value(text(server.map(|it| &it.from)))
            .optional(),
        Field::text("server.from_name", "Sender name")
            .value(text(server.and_then(|it| it.from_name.as_ref())))
            .hint("The merchant’s name if empty.")
            .optional(),
        Field::text("technical_contact", "Technical contact")
            .value(text(settings.technical_contact.as_ref()))
            .hint("The e-mail address that hears of problems with the merchant’s systems.")
            .optional(),
    ]
}

/// The settings of the form, with what the form does not show.
fn read_form(settings: &MailSettingsView, form: &Form) -> Value {
    let mut document = to_document(&form_fields(settings), form);
    let has_server = !form.text("server.host").is_empty();
    if let Some(root) = document.as_object_mut() {
        if !has_server {
            root.remove("server");
        }
        let is_off = |kind: &MailKind| kind.is_optional() && !form.is_set(kind.name());
        let disabled: Vec<MailKind> = MailKind::ALL.into_iter().filter(is_off).collect();
        root.insert("disabled".to_owned(), json!(disabled));
        root.insert("texts".to_owned(), json!(settings.texts));
        let server = root.get_mut("server").and_then(Value::as_object_mut);
        if let Some(server) = server {
            if form.text("server.port").is_empty() {
                server.remove("port");
            }
            let dkim =
                settings.server.as_ref().and_then(|MailServerView { dkim, .. }| dkim.clone());
            server.extend(dkim.map(|dkim| ("dkim".to_owned(), json!(dkim))));
        }
    }
    document
}

async fn render(
    web: &Web,
    visitor: &Visitor,
    merchant: &MerchantId,
    sent: Option<FormState>,
) -> Result<Response, ApiError> {
    let settings = load_mail_settings(&web.app, merchant).await?;
    let status = form_status(sent.is_some());
    let content = MailPage {
        frame: Frame::new(visitor, Section::Merchants, format!("Mails of {merchant}")),
        tabs: MerchantTabs::new(merchant, MerchantTab::Mail),
        platform_server: settings.platform_server,
        kinds: list_kinds(&settings),
        form: sent.unwrap_or_else(|| FormState::new(form_fields(&settings))),
    };
    Ok(render_page(visitor, status, &content))
}

async fn show(
    MerchantVisit { web, visitor, merchant }: MerchantVisit,
) -> Result<Response, ApiError> {
    render(&web, &visitor, &merchant, None).await
}

async fn set(
    MerchantForm { web, merchant, sent: MemberForm { visitor, form, .. } }: MerchantForm,
) -> Result<Response, ApiError> {
    let current = load_mail_settings(&web.app, &merchant).await?;
    let body = JsonBody::from(read_form(&current, &form).to_string());
    let result = match body.read(read_mail_settings) {
        Ok(settings) => {
            let scope = visitor.session.scope(&web.app).for_merchant(&merchant);
            set_mail_settings(scope, &settings).await.map_err(ApiError::from)
        }
        Err(error) => Err(error),
    };
    match result {
        Ok(_) => {
            let notice = "Mail settings saved. Send a test mail to check them.";
            Ok(redirect_with_notice(&web, &mail_url(&merchant), notice))
        }
        Err(error) => {
            let mut state = FormState::filled(form_fields(&current), &form);
            state.assign_faults(error)?;
            render(&web, &visitor, &merchant, Some(state)).await
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_left_out_only_if_it_is_empty() {
        let settings = json!({
            "merchant": "acme", "delivery": "smtp", "platform_server": true, "disabled": [],
            "texts": {}
        });
        let settings: MailSettingsView = serde_json::from_value(settings).unwrap();
        let read = |port: &str| {
            let host = ("server.host", "mail.example");
            let form = Form::of(&[host, ("server.security", "tls"), ("server.port", port)]);
            read_form(&settings, &form)["server"].get("port").cloned()
        };
        assert_eq!(read(""), None);
        assert_eq!(read("465"), Some(json!(465)));
        assert_eq!(read("0"), Some(json!(0)), "it is refused, as the hint says");
    }
}
