//! Carriers as couriers: a job is a message in the outbox, and doing it is an attempt.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use domain::{
    carriers::{account::CarrierAccount, job::CarrierJob},
    identifier::MerchantId,
};
use tokio::time::{Instant, timeout};
use world::Secret;

use super::{
    CarrierApi, CarrierDesk, connect,
    failure::CarrierFailure,
    job::{JobTools, run_job},
};
use crate::{
    address::Refused,
    channel::{Courier, CourierAttempt},
    sender::{CallResult, OutgoingMessage, client::HttpClient},
};

/// A job is several calls. What is left of it is done by the next attempt.
const JOB_TIME_MAX: Duration = Duration::from_secs(60);

/// Does the jobs of one merchant at its carrier.
pub struct CarrierCourier {
    api: Arc<dyn CarrierApi>,
    desk: Arc<dyn CarrierDesk>,
}

impl CarrierCourier {
    /// Prepares the calls for an account, or says why they can never be made.
    pub fn new(
        merchant: &MerchantId,
        account: &CarrierAccount<Secret>,
        desk: Arc<dyn CarrierDesk>,
        client: &HttpClient,
    ) -> Result<Self, Refused> {
        Ok(Self { api: connect(merchant, account, client)?, desk })
    }

    async fn run(&self, message: &OutgoingMessage<'_>) -> Result<(), CarrierFailure> {
        let job: CarrierJob = serde_json::from_slice(message.body)
            .map_err(|_| CarrierFailure::lasting("the message is not a job for a carrier"))?;
        // Once for the whole job, which takes longer than the permit holds: what another node does
        // at the same time buys nothing twice.
        message.permit.check()?;
        let work = run_job(&job, JobTools { api: self.api.as_ref(), desk: self.desk.as_ref() });
        timeout(JOB_TIME_MAX, work)
            .await
            .unwrap_or_else(|_| Err(CarrierFailure::passing("timeout")))
    }
}

impl Courier for CarrierCourier {
    fn attempt<'a>(&'a self, message: &'a OutgoingMessage<'a>) -> CourierAttempt<'a> {
        Box::pin(async move {
            let started = Instant::now();
            let outcome = self.run(message).await;
            to_call_result(outcome, started.elapsed())
        })
    }
}

fn to_call_result(outcome: Result<(), CarrierFailure>, latency: Duration) -> CallResult {
    let (status, failure) = match outcome {
        Ok(()) => (Some(200), None),
        Err(failure) => (failure.status, Some(failure)),
    };
    CallResult {
        status,
        was_forbidden: failure.as_ref().is_some_and(|it| it.was_forbidden),
        is_final: failure.as_ref().is_some_and(|it| it.is_final),
        retry_after_ms: failure.as_ref().and_then(|it| it.retry_after_ms),
        error: failure.map(|it| it.error),
        latency,
        answer: Bytes::new(),
    }
}
