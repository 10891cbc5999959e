//! How the mails of a merchant are sent: show, set, and send a test.

use app::messages::{
    mail::{
        preview::{MailSample, send_test_mail},
        settings::{MailSettingsView, load_mail_settings, set_mail_settings},
    },
    test_endpoint::TestMessage,
};
use axum::{Json, extract::State};
use domain::{
    faults::FaultCode,
    merchants::language::Language,
    messages::mail::{
        MailKind,
        address::{ADDRESS_MAX, is_mail_address},
        settings::{MailDelivery, MailSecurity, MailText},
    },
};
use utoipa::ToSchema;

use crate::core::{
    admin_request::MerchantAdminRequest, caller::MerchantAdmin, idempotency::IdempotencyHeader,
    sample,
};
use server::error::{ApiError, Invalid, Message};
use server::json_body::read_object;
use server::requests::{identifiers::parse_merchant, mail::read_mail_settings};
use server::{Web, path::Path};

/// How the mails of a merchant are sent. Every field may be left out.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read field by field")]
pub(crate) struct MailSettingsBody {
    /// `smtp` if absent.
    delivery: Option<MailDelivery>,
    /// The merchant's own mail server. Absent: the platform's is used.
    server: Option<MailServerBody>,
    /// The kinds that are not sent.
    disabled: Option<Vec<MailKind>>,
    /// The merchant's own texts, by kind and language.
    #[schema(value_type = Option<std::collections::HashMap<String, std::collections::HashMap<String, MailText>>>)]
    texts: Option<MailText>,
    /// Who hears of problems with the merchant's systems.
    #[schema(example = "it@acme.example", max_length = 254)]
    technical_contact: Option<String>,
}

/// A mail server, and who mails come from.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read field by field")]
struct MailServerBody {
    /// The name or the address of the server.
    #[schema(example = "smtp.acme.example")]
    host: String,
    /// The usual port if absent: 587 for `starttls`, 465 for `tls`, 25 for `none`.
    #[schema(minimum = 1, maximum = 65535)]
    port: Option<u16>,
    /// `starttls` if absent. `none` only for a server on this machine.
    security: Option<MailSecurity>,
    /// Absent if the server needs no login.
    username: Option<String>,
    /// It is encrypted, and never shown. Absent: it stays what it is, if host, port and user name
    /// are the same.
    password: Option<String>,
    /// The address that mails come from.
    #[schema(example = "returns@acme.example", max_length = 254)]
    from: String,
    /// The merchant's name if absent.
    #[schema(example = "Acme Returns")]
    from_name: Option<String>,
    /// The key that mails are signed with.
    dkim: Option<DkimBody>,
}

/// A key that mails are signed with.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read field by field")]
struct DkimBody {
    /// The domain that signs.
    #[schema(example = "acme.example")]
    domain: String,
    /// The name of the public key in the DNS.
    #[schema(example = "homeward")]
    selector: String,
    /// The private key in PEM. It is encrypted, and never shown. Absent: it stays what it is, if
    /// domain and selector are the same.
    key: Option<String>,
}

/// A test mail.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read field by field")]
pub(crate) struct TestMailBody {
    /// The kind of the mail.
    mail: MailKind,
    /// The language of the mail.
    language: Language,
    /// Where it is sent.
    #[schema(example = "it@acme.example", max_length = 254)]
    recipient: String,
}

fn sample_settings() -> serde_json::Value {
    serde_json::json!({
        "merchant": "acme", "delivery": "smtp",
        "server": {
            "host": "smtp.acme.example", "port": 587, "security": "starttls",
            "username": "returns@acme.example", "from": "returns@acme.example",
            "from_name": "Acme Returns"
        },
        "platform_server": true, "disabled": ["parcel_seen"],
        "texts": { "canceled": { "en": { "subject": "We have canceled {return_number}" } } },
        "technical_contact": "it@acme.example"
    })
}

/// Show how a merchant's mails are sent
///
/// Without secrets. A merchant that never set anything has the defaults.
#[utoipa::path(
    get, operation_id = "show_mail_settings", path = "/merchants/{merchant}/mail",
    tag = "Operation",
    params(("merchant" = String, Path, description = "The merchant's identifier.",
        example = "acme")),
    responses(
        (status = 200, body = MailSettingsView, description = "The settings.",
            example = json!(sample_settings())),
    ),
    security(("token" = ["admin"]), ("token" = ["merchant:admin"]))
)]
pub(crate) async fn show(
    State(web): State<Web>,
    _: MerchantAdmin,
    Path(merchant): Path<String>,
) -> Result<Json<MailSettingsView>, ApiError> {
    Ok(Json(load_mail_settings(&web.app, &parse_merchant(&merchant)?).await?))
}

/// Set how a merchant's mails are sent
///
/// The body replaces everything. Absent fields get their defaults, except for secrets, which stay
/// what they are. Texts may contain placeholders such as `{return_number}`; one that mails of the
/// kind do not have is refused.
#[utoipa::path(
    put, operation_id = "set_mail_settings", path = "/merchants/{merchant}/mail",
    tag = "Operation",
    params(
        ("merchant" = String, Path, description = "The merchant's identifier.", example = "acme"),
        IdempotencyHeader,
    ),
    request_body(content = MailSettingsBody, example = json!({
        "server": {
            "host": "smtp.acme.example", "username": "returns@acme.example", "password": "...",
            "from": "returns@acme.example", "from_name": "Acme Returns"
        },
        "disabled": ["parcel_seen"],
        "texts": { "canceled": { "en": { "subject": "We have canceled {return_number}" } } },
        "technical_contact": "it@acme.example"
    })),
    responses(
        (status = 200, body = MailSettingsView, description = "The changed settings.",
            example = json!(sample_settings())),
        (status = 409, body = Message, description = "A secret is missing.",
            example = json!({ "message": "the password is missing" })),
        (status = 422, body = Invalid, description = "Every invalid field. Nothing was stored.",
            example = json!(sample::invalid_field(
                "$.texts.canceled.en.subject",
                FaultCode::Invalid,
                "has the unknown placeholder {number}; mails of this kind have {shop}, \
                 {order_number}, {return_number}",
            ))),
    ),
    security(("token" = ["admin"]), ("token" = ["merchant:admin"]))
)]
pub(crate) async fn set(
    State(web): State<Web>,
    request: MerchantAdminRequest<String>,
) -> Result<Json<MailSettingsView>, ApiError> {
    let merchant = parse_merchant(&request.path)?;
    let settings = request.body.read(read_mail_settings)?;
    let scope = request.scope(&web.app);
    Ok(Json(set_mail_settings(scope.for_merchant(&merchant), &settings).await?))
}

/// Send a test mail
///
/// A mail with sample facts, in the merchant's look and words. It is a message like any other: the
/// log says what became of it. A merchant can send 20 of them in an hour.
#[utoipa::path(
    post, operation_id = "send_test_mail", path = "/merchants/{merchant}/mail/test",
    tag = "Operation",
    params(
        ("merchant" = String, Path, description = "The merchant's identifier.", example = "acme"),
        IdempotencyHeader,
    ),
    request_body(content = TestMailBody, example = json!({
        "mail": "return_confirmed", "language": "en", "recipient": "it@acme.example"
    })),
    responses(
        (status = 200, body = TestMessage, description = "The mail is being sent.",
            example = json!({ "id": "msg_acme_42" })),
        (status = 409, body = Message, description = "The merchant sends no mails, or has sent \
            20 test mails within an hour.",
            example = json!({
                "message": "mails are off, or there is no mail server to send them with"
            })),
        (status = 422, body = Invalid, description = "Every invalid field. Nothing was sent.",
            example = json!(sample::invalid_field(
                "$.recipient",
                FaultCode::Invalid,
                "must be an e-mail address",
            ))),
    ),
    security(("token" = ["admin"]), ("token" = ["merchant:admin"]))
)]
pub(crate) async fn test(
    State(web): State<Web>,
    request: MerchantAdminRequest<String>,
) -> Result<Json<TestMessage>, ApiError> {
    let merchant = parse_merchant(&request.path)?;
    let (sample, recipient) = request.body.read(|document| {
        read_object(document, |at| {
            let kind = at.required("mail", |value| {
                value.named(MailKind::parse, "must be a kind of mail, such as parcel_seen")
            });
            let language = at.required("language", |value| {
                value.named(Language::parse, "must be one of en, de, fr, es")
            });
            let recipient = at.required("recipient", |value| {
                let text = value.text(1..=ADDRESS_MAX)?;
                let known = is_mail_address(text).then(|| text.to_owned());
                known.or_else(|| value.invalid("must be an e-mail address"))
            });
            Some((MailSample { kind: kind?, language: language? }, recipient?))
        })
    })?;
    let scope = request.scope(&web.app).for_merchant(&merchant);
    Ok(Json(send_test_mail(scope, sample, &recipient).await?))
}
