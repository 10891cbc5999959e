//! The carrier reports what happens to parcels, and asks which labels are wanted.
//!
//! A batch is answered event by event: one that is unknown, late or contradictory does no harm to
//! the others. Events of different returns are stored together; those of one return stay in order.

use std::collections::BTreeMap;

use domain::{
    identifier::MerchantId,
    merchant::Carrier,
    returns::{
        carrier::{CarrierEvent, CarrierEventKind},
        identifier::RmaId,
        rma::Rma,
    },
    time::from_micros,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use store::Transaction;
use utoipa::ToSchema;

use crate::{
    App, AppError,
    asn_receipts::Scanned,
    authenticate::Caller,
    change_return::{Effect, owner, tell},
    commit_once::{Repeatable, Request, answered, commit_once},
};

/// What became of each event, in the order of the request.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct CarrierResults {
    /// One for each event.
    pub results: Vec<EventResult>,
}

/// What became of one event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EventResult {
    pub result: EventOutcome,
    /// The return that was meant. Absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "RMA-7K3Q-9XWD-2M4T")]
    pub rma_identifier: Option<String>,
    /// Why it was refused, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What became of something that was reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EventOutcome {
    /// The return changed, and its merchant is told.
    Applied,
    /// It was known before, or comes too late to matter.
    Unchanged,
    /// It contradicts what is known of the return; nothing changed.
    Refused,
    /// There is no such return or parcel.
    Unknown,
    /// The unit did not fit: it is kept, and an operator is asked. `message` says why.
    Exception,
}

impl EventResult {
    pub(crate) fn of(rma: Option<&RmaId>, effect: &Effect) -> Self {
        let (result, message) = match effect {
            Effect::Changed(_) => (EventOutcome::Applied, None),
            Effect::Unchanged => (EventOutcome::Unchanged, None),
            Effect::Refused(refusal) => (EventOutcome::Refused, Some(refusal.to_string())),
            Effect::Unknown => (EventOutcome::Unknown, None),
        };
        Self { result, rma_identifier: rma.map(ToString::to_string), message }
    }
}

impl EventResult {
    pub(crate) fn of_scan(scanned: &Scanned) -> Self {
        let (result, message) = match scanned {
            Scanned::Received => (EventOutcome::Applied, None),
            Scanned::Repeat => (EventOutcome::Unchanged, None),
            Scanned::Asked(why) => (EventOutcome::Exception, Some(why.clone())),
        };
        Self { result, rma_identifier: None, message }
    }
}

pub async fn take_in_carrier_events(
    app: &App,
    caller: &Caller,
    events: &[CarrierEvent],
    repeatable: Option<&Repeatable>,
) -> Result<CarrierResults, AppError> {
    let request = Request { client: &caller.client, repeatable };
    if let Some(answer) = answered(app, request).await? {
        return Ok(answer);
    }
    let mut lanes: BTreeMap<Option<RmaId>, Vec<(usize, Option<MerchantId>)>> = BTreeMap::new();
    for (position, event) in events.iter().enumerate() {
        let found = meant(app, caller, event).await?;
        let (merchant, rma) = found.unzip();
        lanes.entry(rma).or_default().push((position, merchant));
    }
    let told = lanes.iter().map(|(rma, lane)| tell_all(app, rma.as_ref(), lane, events));
    let told = futures_util::future::try_join_all(told).await?;
    let mut results: Vec<(usize, EventResult)> = told.into_iter().flatten().collect();
    results.sort_by_key(|(position, _)| *position);
    let results = CarrierResults { results: results.into_iter().map(|(_, it)| it).collect() };
    // Events told again are harmless, so the answer may be kept after them.
    commit_once(app, request, || async {
        Ok((results.clone(), Transaction::new("keeping an answer")))
    })
    .await
}

/// The return that an event means.
async fn meant(
    app: &App,
    caller: &Caller,
    event: &CarrierEvent,
) -> Result<Option<(MerchantId, RmaId)>, AppError> {
    if let Some(rma) = &event.rma_identifier {
        return Ok(owner(app, caller, rma).await?.map(|merchant| (merchant, rma.clone())));
    }
    let Some(number) = &event.tracking_number else { return Ok(None) };
    let found = app.store.returns_by_parcel(caller.merchant.as_ref(), number).await?;
    Ok(found.into_iter().next_back())
}

/// The events of one return, one after the other.
async fn tell_all(
    app: &App,
    rma: Option<&RmaId>,
    lane: &[(usize, Option<MerchantId>)],
    events: &[CarrierEvent],
) -> Result<Vec<(usize, EventResult)>, AppError> {
    let mut results = Vec::with_capacity(lane.len());
    for (position, merchant) in lane {
        let effect = match (rma, merchant, events.get(*position)) {
            (Some(rma), Some(merchant), Some(event)) => happen(app, merchant, rma, event).await?,
            _ => Effect::Unknown,
        };
        let known = merchant.as_ref().and(rma);
        results.push((*position, EventResult::of(known, &effect)));
    }
    Ok(results)
}

async fn happen(
    app: &App,
    merchant: &MerchantId,
    rma: &RmaId,
    event: &CarrierEvent,
) -> Result<Effect, AppError> {
    let label = event.tracking_number.as_deref();
    let label = label.filter(|_| event.kind == CarrierEventKind::LabelCreated);
    tell(app, merchant, (rma, &event.event()), |transaction| {
        if let Some(number) = label {
            transaction.put_parcel(merchant, number, rma);
            transaction.end_label_request(merchant, rma);
        }
    })
    .await
}

/// A label that a carrier is asked for.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct WantedLabel {
    /// The return.
    #[schema(example = "RMA-7K3Q-9XWD-2M4T")]
    pub rma_identifier: String,
    #[schema(example = "acme")]
    pub merchant: String,
    /// When the return began.
    #[schema(value_type = String, format = DateTime)]
    pub requested_at: Timestamp,
}

/// The oldest labels that external carriers are asked for, of those that the caller may see.
pub async fn wanted_labels(app: &App, caller: &Caller) -> Result<Vec<WantedLabel>, AppError> {
    let wanted = app.store.label_requests(Carrier::External.name(), (0, ""), LABELS_MAX).await?;
    let seen =
        wanted.into_iter().filter(|it| caller.merchant.as_ref().is_none_or(|m| *m == it.merchant));
    let view = |it: store::LabelRequest| WantedLabel {
        rma_identifier: it.rma_id,
        merchant: it.merchant.to_string(),
        requested_at: from_micros(it.requested_us).unwrap_or_default(),
    };
    Ok(seen.map(view).collect())
}

const LABELS_MAX: i64 = 1_000;

/// The simulated carrier: makes the labels that are asked of it, and tells how many.
pub async fn issue_simulated_labels(app: &App) -> Result<usize, AppError> {
    let wanted = app.store.label_requests(Carrier::Simulated.name(), (0, ""), LABELS_MAX).await?;
    let issue = |request: store::LabelRequest| async move {
        let Some(rma) = RmaId::parse(&request.rma_id) else { return Ok(()) };
        let event = CarrierEvent {
            kind: CarrierEventKind::LabelCreated,
            rma_identifier: Some(rma.clone()),
            tracking_number: Some(tracking_number(app)),
            order_line_item_identifiers: Vec::new(),
            occurred_at: None,
        };
        match happen(app, &request.merchant, &rma, &event).await? {
            Effect::Changed(Rma { .. }) => Ok(()),
            // Somebody cancelled it, or another node made the label.
            Effect::Unchanged | Effect::Refused(_) | Effect::Unknown => {
                let mut transaction = Transaction::new("ending a wish for a label");
                transaction.end_label_request(&request.merchant, &rma);
                Ok::<_, AppError>(app.commit(transaction).await?)
            }
        }
    };
    let count = wanted.len();
    futures_util::future::try_join_all(wanted.into_iter().map(issue)).await?;
    Ok(count)
}

/// A number of twenty digits that cannot be mistaken for a real carrier's.
fn tracking_number(app: &App) -> String {
    let random = u64::from_be_bytes(app.world.random::<8>()) % 1_000_000_000_000_000;
    format!("SIM00{random:015}")
}
