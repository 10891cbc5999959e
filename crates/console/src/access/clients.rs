//! The credentials of a merchant's systems, and the secret that signs its messages. A secret is shown on the
//! page that answers the form, and never again.

use app::access::{
    add_client::add_client,
    change_client::set_client_disabled,
    rotate_secret::{rotate_client_secret, rotate_signing_secret},
};
use askama::Template;
use axum::{Router, extract::State, http::StatusCode, response::Response, routing::post};
use serde_json::json;

use super::visit::{OperatorForm, Visitor};
use crate::core::frame::{Frame, Section, done, page};
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

/// Something to be copied now.
#[derive(Template)]
#[template(path = "access/new_secret.html", whitespace = "minimize")]
struct ShownOnce<'a> {
    frame: Frame<'a>,
    words: &'a str,
    /// What each is called, and what it is.
    secrets: Vec<(&'static str, String)>,
    back: String,
}

fn shown_once(
    visitor: &Visitor,
    title: &str,
    words: &str,
    (secrets, back): (Vec<(&'static str, String)>, String),
) -> Response {
    let frame = Frame::new(visitor, Section::Merchants, title);
    page(visitor, StatusCode::OK, &ShownOnce { frame, words, secrets, back })
}

async fn add(
    State(web): State<Web>,
    Path(merchant): Path<String>,
    OperatorForm { visitor, form, .. }: OperatorForm,
) -> Result<Response, ApiError> {
    let merchant = parse_merchant(&merchant)?;
    let scopes = domain::access::scope::Scopes::merchant().to_string();
    let chosen: Vec<&str> = scopes.split(' ').filter(|scope| !form.raw(scope).is_empty()).collect();
    let name = Some(form.text("name")).filter(|name| !name.is_empty());
    let body = json!({ "merchant": merchant, "name": name, "scope": chosen.join(" ") });
    let new = JsonBody::from(body.to_string()).read(read_new_client)?;
    let added = add_client(&web.app, visitor.session.request(), &new).await?;
    let secrets = vec![
        ("Client identifier", added.client_id),
        ("Client secret", added.client_secret),
        ("Scope", added.scope),
    ];
    let words = "Give these to the system. The secret is not shown again.";
    let back = format!("/console/merchants/{merchant}");
    Ok(shown_once(&visitor, "A client is added", words, (secrets, back)))
}

async fn rotate(
    State(web): State<Web>,
    Path(client): Path<String>,
    OperatorForm { visitor, form, .. }: OperatorForm,
) -> Result<Response, ApiError> {
    let client = parse_client(&client)?;
    let revoke_old = !form.raw("revoke_old").is_empty();
    let rotated =
        rotate_client_secret(&web.app, visitor.session.request(), &client, revoke_old).await?;
    let secrets =
        vec![("Client identifier", rotated.client_id), ("Client secret", rotated.client_secret)];
    let words = if revoke_old {
        "The old secrets and every token have ended. The new secret is not shown again."
    } else {
        "The newest old secret stays live beside this one. It is not shown again."
    };
    let back = format!("/console/merchants/{}", client.merchant());
    Ok(shown_once(&visitor, "A new secret", words, (secrets, back)))
}

async fn rotate_signing(
    State(web): State<Web>,
    Path(merchant): Path<String>,
    OperatorForm { visitor, .. }: OperatorForm,
) -> Result<Response, ApiError> {
    let merchant = parse_merchant(&merchant)?;
    let rotated = rotate_signing_secret(&web.app, visitor.session.request(), &merchant).await?;
    let words = "Messages are signed with this secret and the one before it, until the next \
                 rotation. It is not shown again.";
    let secrets = vec![("Signing secret", rotated.signing_secret)];
    let back = format!("/console/merchants/{merchant}");
    Ok(shown_once(&visitor, "A new signing secret", words, (secrets, back)))
}

async fn disable(
    State(web): State<Web>,
    Path(client): Path<String>,
    OperatorForm { visitor, form, .. }: OperatorForm,
) -> Result<Response, ApiError> {
    let client = parse_client(&client)?;
    let disabled = form.text("disabled") == "true";
    set_client_disabled(&web.app, visitor.session.request(), &client, disabled).await?;
    let words = if disabled { "disabled; its tokens have ended" } else { "enabled again" };
    let to = format!("/console/merchants/{}", client.merchant());
    Ok(done(&web, &to, &format!("{client} is {words}.")))
}
