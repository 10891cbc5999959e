//! A merchant's endpoints are checked before they go live. What passed is remembered by address.

use std::{
    collections::{BTreeSet, HashSet},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use base64::{Engine, engine::general_purpose::STANDARD};
use boxed::boxed;
use delivery::{CertifyProgress, CertifyTarget, certify};
use domain::{
    identifier::MerchantId,
    messages::{
        certificate::{Certificate, CertifyVerdict},
        endpoint::Endpoints,
        kind::MessageKind,
        mail::settings::MailDelivery,
    },
};
use serde_json::json;
use store::Transaction;
use tokio::time::timeout;
use world::{Secret, VaultError};

use crate::{
    AppError,
    access::secrets,
    core::{
        audit_trail::record_change, commit_once::commit_once, idempotency::replayable,
        scope::RequestScope,
    },
    messages::endpoint_target::endpoint_secret_context,
};

/// A check that takes longer is given up.
pub const CERTIFY_TIME_MAX: Duration = Duration::from_secs(120);
const CALL_TIME_MAX: Duration = Duration::from_secs(10);

/// The merchants whose endpoints are being checked by this node. A check is a lot of work, so there
/// is one for a merchant at a time.
#[derive(Default)]
pub(crate) struct CertifyTurns(Mutex<HashSet<MerchantId>>);

impl CertifyTurns {
    fn take(&self, merchant: &MerchantId) -> Result<CertifyTurn<'_>, AppError> {
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if running.insert(merchant.clone()) {
            Ok(CertifyTurn { turns: self, merchant: merchant.clone() })
        } else {
            Err(AppError::Conflict("a check of these endpoints is already running".to_owned()))
        }
    }
}

/// Lets the next check begin when it is dropped.
struct CertifyTurn<'a> {
    turns: &'a CertifyTurns,
    merchant: MerchantId,
}

impl Drop for CertifyTurn<'_> {
    fn drop(&mut self) {
        self.turns.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.merchant);
    }
}

/// Which endpoints to check.
#[derive(Clone, Debug, Default)]
pub struct CertifyRequest {
    /// Empty for all that have an address.
    pub kinds: BTreeSet<MessageKind>,
    /// Where the merchant lists what it holds.
    pub held_url: Option<String>,
}

/// Calls the endpoints of a merchant, and remembers those that follow the rules.
#[boxed]
pub async fn certify_endpoints(
    scope: RequestScope<'_>,
    request: &CertifyRequest,
) -> Result<Certificate, AppError> {
    let target = prepare(scope, scope.merchant()?, request).await?;
    certify_target(scope, &target, &mut |_: &CertifyVerdict| ()).await
}

/// The same, for a target that was prepared; `progress` is called after each rule.
pub(super) async fn certify_target(
    scope: RequestScope<'_>,
    target: &CertifyTarget,
    progress: CertifyProgress<'_>,
) -> Result<Certificate, AppError> {
    let (app, merchant) = (scope.app, scope.merchant()?);
    let _turn = app.certify_turns.take(merchant)?;
    let check = Box::pin(certify(target, &app.http, &app.world, progress));
    let conflict = |why: String| AppError::Conflict(why);
    let certificate = timeout(CERTIFY_TIME_MAX, check)
        .await
        .map_err(|_| {
            conflict(format!("the check took longer than {} s", CERTIFY_TIME_MAX.as_secs()))
        })?
        .map_err(|refused| conflict(format!("the endpoints cannot be called: {refused}")))?;
    remember(scope, target, &certificate).await
}

pub(super) async fn prepare(
    scope: RequestScope<'_>,
    merchant: &MerchantId,
    request: &CertifyRequest,
) -> Result<CertifyTarget, AppError> {
    let app = scope.app;
    let owner = app.store.merchant(merchant).await?.ok_or(AppError::NotFound("merchant"))?;
    let open = |text: String| -> Result<Secret, VaultError> {
        let sealed = STANDARD.decode(text).unwrap_or_default();
        secrets::open_secret(&app.vault, endpoint_secret_context(merchant), &sealed)
    };
    let endpoints: Endpoints<Secret> = app.store.endpoints(merchant).await?.value.try_map(open)?;
    let delivery = app.store.mail_settings(merchant).await?.value.delivery;
    let is_wanted = |kind: &MessageKind| {
        let is_named = request.kinds.is_empty() || request.kinds.contains(kind);
        let is_sent = *kind != MessageKind::Mail || delivery == MailDelivery::Message;
        is_named && is_sent && endpoints.target(*kind).is_some()
    };
    let kinds: BTreeSet<MessageKind> = MessageKind::to_merchant().filter(is_wanted).collect();
    if kinds.is_empty() {
        return Err(AppError::Conflict("no address is set for these kinds".to_owned()));
    }
    let mut signing = secrets::signing_secrets(app, &owner.value)?.into_iter();
    Ok(CertifyTarget {
        merchant: merchant.clone(),
        endpoints,
        secret: signing.next().ok_or(AppError::NotFound("signing secret"))?,
        kinds,
        held_url: request.held_url.clone(),
        time_max: CALL_TIME_MAX,
    })
}

replayable!(Certificate);

/// Stores which addresses were certified, and an audit record also if none was.
async fn remember(
    scope: RequestScope<'_>,
    target: &CertifyTarget,
    certificate: &Certificate,
) -> Result<Certificate, AppError> {
    let (app, merchant) = (scope.app, scope.merchant()?);
    commit_once(scope, || async {
        let found = app.store.endpoints(merchant).await?;
        let mut endpoints = found.value;
        for kind in &target.kinds {
            match target.endpoints.target(*kind).filter(|_| certificate.passed) {
                Some((url, _)) => endpoints.certified.insert(*kind, url),
                None => endpoints.certified.remove(kind),
            };
        }
        let mut transaction = Transaction::new("certifying endpoints");
        transaction.put_endpoints(merchant, &endpoints, found.version);
        let detail = json!({ "kinds": target.kinds, "passed": certificate.passed });
        record_change(scope, &mut transaction, "endpoints.certify", &detail);
        Ok((certificate.clone(), transaction))
    })
    .await
}
