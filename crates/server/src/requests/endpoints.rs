//! Requests of the API and the console to set the endpoints of merchants.
//!
//! Secrets become [`Secret`] as soon as they are read.

use std::collections::BTreeMap;

use app::messages::set_endpoints::EndpointsChange;
use domain::{
    faults::Faults,
    identifier::MerchantId,
    json::Json,
    messages::{endpoint::Auth, kind::MessageKind},
    reader::{Reader, TEXT_MAX, fields::Fields},
};
use world::Secret;

use crate::{Web, json_body::read_object};

const AUTH_TYPES: [&str; 5] = ["none", "basic", "header", "bearer", "oauth2"];

/// The merchant whose endpoints are set: which addresses are allowed depends on it.
#[derive(Clone, Copy)]
struct EndpointOwner<'a> {
    web: &'a Web,
    merchant: &'a MerchantId,
}

pub fn read_base_change(
    web: &Web,
    merchant: &MerchantId,
    document: &Json<'_>,
) -> Result<EndpointsChange, Faults> {
    let owner = EndpointOwner { web, merchant };
    read_object(document, |at| {
        let base_url = at.required("base_url", |at| read_base_address(owner, at));
        let auth = read_auth(owner, at);
        let paths = at.optional("paths", read_paths).unwrap_or_default();
        Some(EndpointsChange::Base { base_url: base_url?, auth: auth?, paths })
    })
}

pub fn read_kind_change(
    web: &Web,
    merchant: &MerchantId,
    kind: MessageKind,
    document: &Json<'_>,
) -> Result<EndpointsChange, Faults> {
    let owner = EndpointOwner { web, merchant };
    read_object(document, |at| {
        let url = at.required("url", |at| read_address(owner, at));
        Some(EndpointsChange::One { kind, url: url?, auth: read_auth(owner, at)? })
    })
}

/// An address that messages may be sent to, as far as its text shows.
fn read_address(owner: EndpointOwner<'_>, at: &Reader<'_>) -> Option<String> {
    let text = at.text(1..=TEXT_MAX)?;
    match owner.web.app.check_url(owner.merchant, text) {
        Ok(()) => Some(text.to_owned()),
        Err(why) => at.invalid(&why),
    }
}

/// An address that the path of each kind is appended to.
fn read_base_address(owner: EndpointOwner<'_>, at: &Reader<'_>) -> Option<String> {
    let address = read_address(owner, at)?;
    if address.contains(['?', '#']) {
        return at.invalid("must not have a query or a fragment, because paths are appended to it");
    }
    Some(address)
}

fn read_paths(at: &Reader<'_>) -> Option<BTreeMap<MessageKind, String>> {
    let pairs =
        at.map(|name, at| match MessageKind::parse(name).filter(|kind| kind.goes_to_merchant()) {
            Some(kind) => Some((kind, at.text(1..=TEXT_MAX)?.to_owned())),
            None => at.invalid("is not a kind of message to a merchant"),
        })?;
    Some(pairs.into_iter().collect())
}

fn read_auth(owner: EndpointOwner<'_>, at: &Fields<'_>) -> Option<Auth<Secret>> {
    if !at.has("auth") {
        return Some(Auth::None);
    }
    at.object("auth", |at| {
        let secret =
            |key| at.required(key, |at| at.text(1..=TEXT_MAX).map(|it| Secret::new(it.to_owned())));
        let text = |key| at.required(key, |at| at.text(1..=TEXT_MAX).map(str::to_owned));
        let kind = at.required("type", |at| at.text(1..=TEXT_MAX).map(str::to_owned))?;
        // Which fields there are depends on a type that is known.
        if AUTH_TYPES.contains(&kind.as_str()) {
            at.refuse_unknown();
        }
        match kind.as_str() {
            "none" => Some(Auth::None),
            "basic" => {
                let (username, password) = (text("username"), secret("password"));
                Some(Auth::Basic { username: username?, password: password? })
            }
            "header" => {
                let (name, value) = (text("name"), secret("value"));
                Some(Auth::Header { name: name?, value: value? })
            }
            "bearer" => Some(Auth::Bearer { token: secret("token")? }),
            "oauth2" => {
                let token_url = at.required("token_url", |at| read_address(owner, at));
                let (client_id, client_secret) = (text("client_id"), secret("client_secret"));
                let scope = at.optional_text("scope");
                Some(Auth::Oauth2 {
                    token_url: token_url?,
                    client_id: client_id?,
                    client_secret: client_secret?,
                    scope,
                })
            }
            _ => {
                at.note("type", &format!("must be one of {}", AUTH_TYPES.join(", ")));
                None
            }
        }
    })?
}
