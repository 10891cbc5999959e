//! An operator sets the addresses of a merchant's systems, and pauses and resumes endpoints.

use std::collections::BTreeMap;

use base64::{Engine, engine::general_purpose::STANDARD};
use boxed::boxed;
use delivery::EndpointStatus;
use domain::{
    identifier::MerchantId,
    messages::{
        endpoint::{Auth, EndpointOverride, Endpoints},
        kind::MessageKind,
    },
};
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::Transaction;
use world::Secret;

use crate::core::idempotency::replayable;
use crate::{
    App, AppError,
    core::{audit_trail::record_change, commit_once::commit_once, scope::RequestScope},
    messages::{endpoint_target::endpoint_secret_context, reload_endpoints::reload_endpoints},
};

/// A change of a merchant's endpoints.
#[derive(Clone, Debug)]
pub enum EndpointsChange {
    /// Sets the base address, its authentication, and paths that differ from the default.
    Base {
        base_url: String,
        auth: Auth<Secret>,
        paths: BTreeMap<MessageKind, String>,
    },
    /// Sets an address for one kind.
    One {
        kind: MessageKind,
        url: String,
        auth: Auth<Secret>,
    },
    /// Returns one kind to the base address.
    Forget {
        kind: MessageKind,
    },
    Pause {
        kind: MessageKind,
    },
    Resume {
        kind: MessageKind,
    },
}

/// One endpoint as operators see it.
#[omit_none]
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct EndpointView {
    pub kind: MessageKind,
    /// Absent if no address is set. Then messages wait.
    pub url: Option<String>,
    /// none, basic, header, bearer or oauth2.
    #[schema(example = "bearer")]
    pub auth: String,
    /// Whether an operator has paused it.
    pub paused: bool,
    /// The state of the endpoint on this node. Present only in lists, and only for endpoints that
    /// were used.
    pub state: Option<EndpointHealth>,
}

/// The state of an endpoint.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct EndpointHealth {
    /// closed (healthy), throttled (failing: one attempt at a time) or suspended (probed from time
    /// to time).
    #[schema(example = "closed")]
    pub breaker: String,
    /// Waiting messages that this node knows of.
    pub waiting: u64,
    /// Attempts in progress.
    pub in_flight: usize,
    /// The most attempts at the same time.
    pub limit: usize,
}

/// The endpoints of a merchant, one for each kind.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct EndpointsView {
    /// In a fixed order of kinds.
    pub endpoints: Vec<EndpointView>,
}

replayable!(EndpointsView);

#[boxed]
pub async fn list_endpoints(app: &App, merchant: &MerchantId) -> Result<EndpointsView, AppError> {
    app.store.merchant(merchant).await?.ok_or(AppError::NotFound("merchant"))?;
    let endpoints = app.store.endpoints(merchant).await?.value;
    let statuses = app.dispatcher.endpoint_statuses(merchant).await;
    Ok(view_endpoints(&endpoints, &statuses))
}

fn view_endpoints(endpoints: &Endpoints<String>, statuses: &[EndpointStatus]) -> EndpointsView {
    let one = |kind: MessageKind| {
        let target = endpoints.target(kind);
        let status = statuses.iter().find(|status| status.kind == kind);
        EndpointView {
            kind,
            auth: target.as_ref().map_or("none", |(_, auth)| auth.name()).to_owned(),
            url: target.map(|(url, _)| url),
            paused: endpoints.paused.contains(&kind),
            state: status.map(|status| EndpointHealth {
                breaker: status.breaker.to_owned(),
                waiting: status.waiting,
                in_flight: status.in_flight,
                limit: status.limit,
            }),
        }
    };
    EndpointsView { endpoints: MessageKind::to_merchant().map(one).collect() }
}

#[boxed]
pub async fn set_endpoints(
    scope: RequestScope<'_>,
    change: &EndpointsChange,
) -> Result<EndpointsView, AppError> {
    let (app, merchant) = (scope.app, scope.merchant()?);
    let changed = commit_once(scope, || async {
        app.store.merchant(merchant).await?.ok_or(AppError::NotFound("merchant"))?;
        let found = app.store.endpoints(merchant).await?;
        let (endpoints, detail) = apply_change(scope, found.value, change)?;
        let mut transaction = Transaction::new("setting endpoints");
        transaction.put_endpoints(merchant, &endpoints, found.version);
        record_change(scope, &mut transaction, "endpoints.set", &detail);
        Ok((view_endpoints(&endpoints, &[]), transaction))
    })
    .await;
    reload_endpoints(app, merchant, &changed);
    changed
}

/// The endpoints after `change`, and the details for the audit trail, without secrets.
fn apply_change(
    scope: RequestScope<'_>,
    mut endpoints: Endpoints<String>,
    change: &EndpointsChange,
) -> Result<(Endpoints<String>, serde_json::Value), AppError> {
    let (app, merchant) = (scope.app, scope.merchant()?);
    let before = endpoints.clone();
    let detail = match change {
        EndpointsChange::Base { base_url, auth, paths } => {
            endpoints.base_url = Some(base_url.clone());
            endpoints.auth = seal_auth(app, merchant, auth);
            endpoints.paths.clone_from(paths);
            json!({ "base_url": base_url, "auth": auth.name(), "paths": paths })
        }
        EndpointsChange::One { kind, url, auth } => {
            let other = EndpointOverride { url: url.clone(), auth: seal_auth(app, merchant, auth) };
            endpoints.overrides.insert(*kind, other);
            json!({ "kind": kind, "url": url, "auth": auth.name() })
        }
        EndpointsChange::Forget { kind } => {
            endpoints.overrides.remove(kind);
            json!({ "kind": kind, "url": null })
        }
        EndpointsChange::Pause { kind } => {
            endpoints.paused.insert(*kind);
            json!({ "kind": kind, "paused": true })
        }
        EndpointsChange::Resume { kind } => {
            if app.certificate_required
                && *kind != MessageKind::Mail
                && !endpoints.is_certified(*kind)
            {
                let why = format!(
                    "the address for {kind} is not certified: check it first, with homeward \
                     endpoint certify {merchant}"
                );
                return Err(AppError::Conflict(why));
            }
            endpoints.paused.remove(kind);
            json!({ "kind": kind, "paused": false })
        }
    };
    if app.certificate_required {
        endpoints.pause_uncertified(&before);
    }
    Ok((endpoints, detail))
}

fn seal_auth(app: &App, merchant: &MerchantId, auth: &Auth<Secret>) -> Auth<String> {
    let seal = |secret: Secret| {
        let context = endpoint_secret_context(merchant);
        let bytes = app.vault.seal(&app.world, context, secret.reveal().as_bytes());
        Ok::<_, std::convert::Infallible>(STANDARD.encode(bytes))
    };
    match auth.clone().try_map(seal) {
        Ok(sealed) => sealed,
        Err(never) => match never {},
    }
}
