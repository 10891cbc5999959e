//! Checks of endpoints that the console starts: they run in the background, with progress, because
//! they take longer than a request may.
//!
//! A check lives in the process that runs it. The newest one of each merchant is kept.

use std::sync::Arc;

use boxed::boxed;
use domain::{
    identifier::MerchantId,
    messages::certificate::{Certificate, CertifyRule, CertifyVerdict},
};
use jiff::Timestamp;
use store::with_causes;

use crate::{
    App, AppError,
    access::sessions::Session,
    messages::{
        certify_endpoints::{CertifyRequest, certify_target, prepare},
        jobs::{Job, JobState},
    },
};

/// A check of a merchant's endpoints.
#[derive(Clone, Debug)]
pub struct CertifyCheck {
    merchant: MerchantId,
    /// Where the merchant lists what it holds, or an empty text.
    pub held_url: String,
    /// How many rules are judged.
    pub judged: usize,
    pub state: CertifyCheckState,
}

#[derive(Clone, Debug)]
pub enum CertifyCheckState {
    Running,
    Done {
        certificate: Arc<Certificate>,
        at: Timestamp,
    },
    /// The endpoints could not be checked, for this reason.
    Refused(String),
}

impl CertifyCheck {
    /// How many rules there are.
    pub const RULES: usize = CertifyRule::ALL.len();

    pub const fn is_running(&self) -> bool {
        matches!(self.state, CertifyCheckState::Running)
    }
}

impl Job for CertifyCheck {
    /// There is one for each merchant.
    fn id(&self) -> &str {
        self.merchant.as_str()
    }

    fn state(&self) -> JobState {
        if self.is_running() { JobState::Running } else { JobState::Done }
    }
}

/// The newest check of a merchant's endpoints that this process runs or has run.
pub fn find_certify_check(app: &App, merchant: &MerchantId) -> Option<CertifyCheck> {
    app.certify_checks.change(merchant.as_str(), |_| ())
}

/// Starts to check the endpoints of a merchant for the person of `session`.
#[boxed]
pub async fn start_certify_check(
    app: &App,
    session: &Session,
    merchant: &MerchantId,
    request: &CertifyRequest,
) -> Result<(), AppError> {
    let target = prepare(session.scope(app), merchant, request).await?;
    let check = CertifyCheck {
        merchant: merchant.clone(),
        held_url: request.held_url.clone().unwrap_or_default(),
        judged: 0,
        state: CertifyCheckState::Running,
    };
    if !app.certify_checks.add_unless_running(check) {
        let why = "a check of these endpoints is already running";
        return Err(AppError::Conflict(why.to_owned()));
    }
    let (app, session, merchant) = (app.clone(), session.clone(), merchant.clone());
    tokio::spawn(async move {
        let id = merchant.as_str();
        let mut count = |_: &CertifyVerdict| {
            app.certify_checks.change(id, |check| check.judged += 1);
        };
        let scope = session.scope(&app).for_merchant(&merchant);
        let state = match certify_target(scope, &target, &mut count).await {
            Ok(certificate) => {
                let at = app.world.now();
                CertifyCheckState::Done { certificate: Arc::new(certificate), at }
            }
            Err(AppError::Conflict(why)) => CertifyCheckState::Refused(why),
            Err(error) => {
                let cause = with_causes(&error);
                tracing::error!("the check of the endpoints of {merchant} failed: {cause}");
                CertifyCheckState::Refused("the check failed: try again".to_owned())
            }
        };
        app.certify_checks.change(id, |check| check.state = state);
    });
    Ok(())
}
