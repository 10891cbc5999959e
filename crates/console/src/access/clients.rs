//! The credentials of a merchant's systems, and the secret that signs its messages. A secret is
//! shown once, on the page that follows the form, to an operator who entered the password again.
//! The platform's clients are managed with the command line only.

use app::access::{
    add_client::add_client,
    change_client::set_client_disabled,
    rotate_secret::{rotate_client_secret, rotate_signing_secret},
};
use askama::Template;
use axum::{Router, extract::State, http::StatusCode, response::Response, routing::post};
use domain::identifier::ClientId;
use serde_json::json;

use super::{
    confirm::confirm_password, merchant_visit::MerchantForm, visit::MemberForm, visitor::Visitor,
};
use crate::core::{
    form::non_empty,
    frame::{Frame, Section, redirect_with_notice, render_page},
    urls::merchant_url,
};
use server::requests::{
    clients::read_new_client,
    identifiers::{parse_client, parse_merchant},
};
use server::{Web, error::ApiError, json_body::JsonBody, path::Path};

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/console/merchants/{merchant}/clients", post(add))
        .route("/console/merchants/{merchant}/signing-secret", post(rotate_signing))
        .route("/console/clients/{client}/secret", post(rotate))
        .route("/console/clients/{client}/disabled", post(disable))
}

/// A client that the console may change: one of a merchant. The platform's clients can do more than
/// any operator, so for the console they do not exist.
fn parse_merchants_client(text: &str) -> Result<ClientId, ApiError> {
    let client = parse_client(text)?;
    parse_merchant(client.merchant().as_str())?;
    Ok(client)
}

/// Credentials that must be copied now.
#[derive(Template)]
#[template(path = "access/new_secret.html", whitespace = "minimize")]
struct NewSecretPage<'a> {
    frame: Frame<'a>,
    message: &'a str,
    /// Labels and values.
    secrets: Vec<(&'static str, String)>,
    back_url: String,
}

/// What is shown once, and where to go then.
struct NewSecret {
    title: &'static str,
    message: &'static str,
    secrets: Vec<(&'static str, String)>,
    back_url: String,
}

fn render_secret(visitor: &Visitor, new: NewSecret) -> Response {
    let NewSecret { title, message, secrets, back_url } = new;
    let frame = Frame::new(visitor, Section::Merchants, title);
    let content = NewSecretPage { frame, message, secrets, back_url };
    render_page(visitor, StatusCode::OK, &content)
}

async fn add(
    MerchantForm { web, merchant, sent }: MerchantForm,
) -> axum::response::Result<Response> {
    confirm_password(&web, &sent).await?;
    let MemberForm { visitor, form, .. } = sent;
    let scopes = domain::access::scope::Scopes::merchant_most().to_string();
    let selected: Vec<&str> = scopes.split(' ').filter(|scope| form.is_set(scope)).collect();
    let name = non_empty(form.text("name"));
    let body = json!({ "merchant": merchant, "name": name, "scope": selected.join(" ") });
    let new = JsonBody::from(body.to_string()).read(read_new_client)?;
    let added = add_client(visitor.session.scope(&web.app), &new).await.map_err(ApiError::from)?;
    let secret = NewSecret {
        title: "Client added",
        message: "Copy these credentials now and give them to the system. The secret will not be \
                  shown again.",
        secrets: vec![
            ("Client ID", added.client_id),
            ("Client secret", added.client_secret),
            ("Scopes", added.scope),
        ],
        back_url: merchant_url(&merchant.to_string()),
    };
    Ok(render_secret(&visitor, secret))
}

async fn rotate(
    State(web): State<Web>,
    Path(client): Path<String>,
    sent: MemberForm,
) -> axum::response::Result<Response> {
    let client = parse_merchants_client(&client)?;
    confirm_password(&web, &sent).await?;
    let MemberForm { visitor, form, .. } = sent;
    let revoke_old = form.is_set("revoke_old");
    let rotated = rotate_client_secret(visitor.session.scope(&web.app), &client, revoke_old);
    let rotated = rotated.await.map_err(ApiError::from)?;
    let secret = NewSecret {
        title: "New client secret",
        message: if revoke_old {
            "The old secrets and all tokens were revoked. The new secret will not be shown again."
        } else {
            "The previous secret stays valid. The new secret will not be shown again."
        },
        secrets: vec![("Client ID", rotated.client_id), ("Client secret", rotated.client_secret)],
        back_url: merchant_url(&client.merchant().to_string()),
    };
    Ok(render_secret(&visitor, secret))
}

async fn rotate_signing(
    MerchantForm { web, merchant, sent }: MerchantForm,
) -> axum::response::Result<Response> {
    confirm_password(&web, &sent).await?;
    let visitor = sent.visitor;
    let scope = visitor.session.scope(&web.app).for_merchant(&merchant);
    let rotated = rotate_signing_secret(scope, false).await.map_err(ApiError::from)?;
    let secret = NewSecret {
        title: "New signing secret",
        message: "Until the next rotation, messages are signed with this secret and the previous \
                  one. It will not be shown again.",
        secrets: vec![("Signing secret", rotated.signing_secret)],
        back_url: merchant_url(&merchant.to_string()),
    };
    Ok(render_secret(&visitor, secret))
}

async fn disable(
    State(web): State<Web>,
    Path(client): Path<String>,
    MemberForm { visitor, form, .. }: MemberForm,
) -> Result<Response, ApiError> {
    let client = parse_merchants_client(&client)?;
    let disabled = form.text("disabled") == "true";
    set_client_disabled(visitor.session.scope(&web.app), &client, disabled).await?;
    let notice = if disabled {
        format!("{client} is disabled. Its tokens were revoked.")
    } else {
        format!("{client} is enabled again.")
    };
    Ok(redirect_with_notice(&web, &merchant_url(&client.merchant().to_string()), &notice))
}
