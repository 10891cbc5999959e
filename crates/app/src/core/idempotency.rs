//! Responses that are stored under an `Idempotency-Key`: the same request within a day gets the
//! first response again.
//!
//! A response may contain a new secret, so responses are sealed.

use boxed::boxed;
use domain::{
    bodies::WriteJson,
    merchants::retention::RetentionPeriods,
    returns::rma::Rma,
    warehouse::{
        drop_ship::DropShipOrder, return_routes::ReturnRoutes, settings::Warehouse,
        shipment::Shipment, unit::UnitRecord,
    },
};
use serde::de::Error;
use store::{ResponseKey, StoredResponse, Transaction};
use world::{Purpose, SealContext};

use crate::{App, AppError, core::scope::RequestScope};

/// How long a response is stored.
const RETENTION_US: i64 = 24 * 60 * 60 * 1_000_000;

/// A response that can be stored and replayed.
///
/// The code that reads and writes a type as JSON is large. Each implementation compiles it in this
/// crate once; a generic function would compile it again in every crate that waits for a use case.
pub(crate) trait Replayable: Sized + Send {
    fn parse(stored: &str) -> Result<Self, serde_json::Error>;

    fn to_json(&self) -> String;
}

macro_rules! replayable {
    ($($response:ty),+) => {
        $(impl $crate::core::idempotency::Replayable for $response {
            fn parse(stored: &str) -> Result<Self, serde_json::Error> {
                serde_json::from_str(stored)
            }

            fn to_json(&self) -> String {
                serde_json::to_string(self).expect("responses have string keys, finite numbers")
            }
        })+
    };
}

/// Writing the types that are stored by themselves, too, is compiled already.
macro_rules! replayable_as_stored {
    ($($response:ty),+) => {
        $(impl Replayable for $response {
            fn parse(stored: &str) -> Result<Self, serde_json::Error> {
                serde_json::from_str(stored)
            }

            fn to_json(&self) -> String {
                WriteJson::to_json(self)
            }
        })+
    };
}

pub(crate) use replayable;

replayable!(String);
replayable_as_stored!(
    DropShipOrder,
    RetentionPeriods,
    ReturnRoutes,
    Rma,
    Shipment,
    UnitRecord,
    Warehouse
);

/// The response that this request got before, if it has a key that was used.
pub(crate) async fn replay_response<T: Replayable>(
    scope: RequestScope<'_>,
) -> Result<Option<T>, AppError> {
    let Some(body) = find_response(scope).await? else { return Ok(None) };
    let response = str::from_utf8(&body).map_err(Error::custom).and_then(T::parse);
    response.map(Some).map_err(AppError::UnreadableResponse)
}

#[boxed]
async fn find_response(scope: RequestScope<'_>) -> Result<Option<Vec<u8>>, AppError> {
    let Some(idempotency) = scope.idempotency else { return Ok(None) };
    let cutoff_us = response_cutoff_us(scope.app);
    let stored = scope.app.store.stored_response(scope.client, &idempotency.key, cutoff_us).await?;
    let Some(stored) = stored else { return Ok(None) };
    if stored.request_hash != idempotency.request_hash {
        return Err(AppError::Conflict(
            "this Idempotency-Key was used for another request in the last 24 hours".to_owned(),
        ));
    }
    let stored_key = ResponseKey::new(scope.client, &idempotency.key);
    let row = stored_key.row();
    let context = response_context(&stored_key.merchant, &row);
    Ok(Some(scope.app.vault.open(context, &stored.body)?))
}

/// Stores the response with the change that it reports, if the request has a key.
pub(crate) fn store_response(
    scope: RequestScope<'_>,
    response: &impl Replayable,
    transaction: &mut Transaction,
) {
    let Some(idempotency) = scope.idempotency else { return };
    let app = scope.app;
    let stored_key = ResponseKey::new(scope.client, &idempotency.key);
    let row = stored_key.row();
    let context = response_context(&stored_key.merchant, &row);
    let stored = StoredResponse {
        request_hash: idempotency.request_hash.clone(),
        answered_us: app.world.now_us(),
        body: app.vault.seal(&app.world, context, response.to_json().as_bytes()).into(),
    };
    let cutoff_us = response_cutoff_us(app);
    transaction.store_response(scope.client, &idempotency.key, &stored, cutoff_us);
}

/// What a stored response is bound to: its merchant, its client and its key.
pub(crate) fn response_context<'a>(merchant: &'a str, row: &'a str) -> SealContext<'a> {
    SealContext { purpose: Purpose::Response, merchant, row }
}

/// Responses from before this time have expired.
pub(crate) fn response_cutoff_us(app: &App) -> i64 {
    app.world.now_us() - RETENTION_US
}
