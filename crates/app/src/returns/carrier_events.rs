//! Carriers report what happens to parcels, and the simulated carrier issues labels.
//!
//! Each event of a batch has its own result: one that is unknown, late or contradictory does not
//! affect the others. Events of different returns are applied at the same time; those of one return
//! stay in order.

use std::collections::BTreeMap;

use boxed::boxed;
use domain::{
    identifier::MerchantId,
    merchants::merchant::CarrierMode,
    orders::erasure::is_marked_as_erased,
    returns::{
        carrier::{CarrierEvent, CarrierEventKind, label::ReportedLabel},
        identifier::RmaId,
        rma::Rma,
    },
};
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{Cursor, LabelRequestRow, Transaction, with_causes};
use utoipa::ToSchema;

use crate::core::idempotency::replayable;
use crate::{
    App, AppError,
    core::{
        audit_trail::record_change, commit_once::commit_once, idempotency::replay_response,
        scope::RequestScope,
    },
    returns::{
        change_return::{EventEffect, ReturnTarget, apply_event, find_owner},
        label_documents::{LabelFiles, load_documents, may_load},
        origin::Origin,
        renew_label::has_sender,
    },
};

/// The result of each event, in the order of the request.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct CarrierResults {
    /// One per event.
    pub results: Vec<EventResult>,
}

replayable!(CarrierResults);

/// The result of one event.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EventResult {
    pub result: EventOutcome,
    /// The return that the event is about, or one of them if several are in the parcel. Absent if
    /// there is none.
    #[schema(example = "RMA-7K3Q-9XWD-2M4T")]
    pub rma_identifier: Option<String>,
    /// Why the event was refused.
    pub message: Option<String>,
}

/// What happened to something that was reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EventOutcome {
    /// The return changed, and its merchant is notified.
    Applied,
    /// It was already known, or it came too late.
    Unchanged,
    /// It contradicts the return. Nothing changed.
    Refused,
    /// The return or the parcel is unknown.
    Unknown,
    /// The unit did not match. It is kept until an operator decides. `message` says why.
    Exception,
}

impl EventOutcome {
    /// Whether this outcome represents an event better, if the event is about several returns.
    fn outranks(self, other: Self) -> bool {
        let weight = |outcome: Self| match outcome {
            Self::Unknown => 0,
            Self::Unchanged => 1,
            Self::Refused => 2,
            Self::Exception => 3,
            Self::Applied => 4,
        };
        weight(self) > weight(other)
    }
}

impl EventResult {
    pub(crate) fn of(rma: Option<&RmaId>, effect: &EventEffect) -> Self {
        let (result, message) = match effect {
            EventEffect::Changed => (EventOutcome::Applied, None),
            EventEffect::Unchanged => (EventOutcome::Unchanged, None),
            EventEffect::Refused(why) => (EventOutcome::Refused, Some(why.clone())),
            EventEffect::Unknown => (EventOutcome::Unknown, None),
        };
        Self { result, rma_identifier: rma.map(ToString::to_string), message }
    }
}

/// Who reports events. What an operator reports by hand leaves audit records; what a carrier's
/// system reports does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reporter {
    Carrier,
    Operator,
}

#[boxed]
pub async fn apply_carrier_events(
    scope: RequestScope<'_>,
    reporter: Reporter,
    events: &[CarrierEvent],
) -> Result<CarrierResults, AppError> {
    if let Some(response) = replay_response(scope).await? {
        return Ok(response);
    }
    let mut lanes: BTreeMap<(MerchantId, RmaId), Vec<usize>> = BTreeMap::new();
    for (position, event) in events.iter().enumerate() {
        for affected in find_returns(scope, event).await? {
            lanes.entry(affected).or_default().push(position);
        }
    }
    let origin = match reporter {
        Reporter::Carrier => Origin::of_carrier(scope),
        Reporter::Operator => Origin::of_request(scope),
    };
    let applied = lanes.iter().map(|((merchant, rma), positions)| {
        let lane = positions.iter().filter_map(|it| Some((*it, events.get(*it)?)));
        let audited = (reporter == Reporter::Operator).then(|| scope.for_merchant(merchant));
        let target = ReturnTarget { app: scope.app, merchant, rma, origin: &origin };
        apply_in_order(target, audited, lane)
    });
    // All of them run to their end: what is committed must also be sent.
    let applied = futures_util::future::join_all(applied).await;
    let applied = applied.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut results = vec![EventResult::of(None, &EventEffect::Unknown); events.len()];
    for (position, result) in applied.into_iter().flatten() {
        if let Some(best) = results.get_mut(position)
            && result.result.outranks(best.result)
        {
            *best = result;
        }
    }
    let results = CarrierResults { results };
    // Events that are applied again change nothing, so the response may be stored after them.
    commit_once(scope, || async { Ok((results.clone(), Transaction::new("storing a response"))) })
        .await
}

/// The returns that an event is about: several may travel in one parcel.
async fn find_returns(
    scope: RequestScope<'_>,
    event: &CarrierEvent,
) -> Result<Vec<(MerchantId, RmaId)>, AppError> {
    if let Some(rma) = &event.rma_identifier {
        let owner = find_owner(scope, rma).await?;
        return Ok(owner.map(|merchant| (merchant, rma.clone())).into_iter().collect());
    }
    let Some(number) = &event.tracking_number else { return Ok(Vec::new()) };
    Ok(scope.app.store.returns_by_parcel(scope.merchant, number).await?)
}

/// Applies the events of one return, one after the other. Each has its position in the request.
async fn apply_in_order(
    target: ReturnTarget<'_>,
    audited: Option<RequestScope<'_>>,
    lane: impl Iterator<Item = (usize, &CarrierEvent)>,
) -> Result<Vec<(usize, EventResult)>, AppError> {
    let mut results = Vec::new();
    for (position, event) in lane {
        let effect = apply_carrier_event(target, audited, event).await?;
        results.push((position, EventResult::of(Some(target.rma), &effect)));
    }
    Ok(results)
}

/// Applies an event. `audited` is the request of an operator who reports it by hand.
pub(crate) async fn apply_carrier_event(
    target: ReturnTarget<'_>,
    audited: Option<RequestScope<'_>>,
    event: &CarrierEvent,
) -> Result<EventEffect, AppError> {
    let ReturnTarget { app, merchant, rma: id, .. } = target;
    let loaded = if may_load(app, merchant, id, event).await? {
        load_documents(app, event).await
    } else {
        Ok(LabelFiles::default())
    };
    let loaded = match loaded {
        Ok(loaded) => loaded,
        Err(why) => return Ok(EventEffect::Refused(why)),
    };
    let replaced_by = find_label_source(target, event).await?;
    // The return may be erased until it is changed.
    let may_replace =
        |rma: &Rma| rma.needs_another_label(app.world.now()) && !is_marked_as_erased(rma);
    let files = &loaded.files;
    let documents = files.iter().map(|file| file.document.clone()).collect();
    apply_event(target, &event.rma_event(documents), |rma, transaction| {
        for file in files.iter().filter(|file| file.belongs_to(rma)) {
            transaction.put_label_document(merchant, id, &file.document.sha256, &file.bytes);
        }
        let travels = |number: &&str| {
            rma.units.iter().any(|unit| unit.tracking_number.as_deref() == Some(*number))
        };
        if let Some(number) = event.tracking_number.as_deref().filter(travels) {
            transaction.put_parcel(merchant, number, id);
        }
        // A label may be for some lines only. Then the others still need one.
        if rma.units.iter().all(|unit| unit.tracking_number.is_some()) {
            transaction.end_label_request(merchant, id);
        } else if let Some(carrier) = replaced_by.filter(|_| may_replace(rma)) {
            transaction.request_label(merchant, id, carrier.name(), app.world.now_us());
        }
        if let Some(scope) = audited {
            let lines = &event.order_line_item_identifiers;
            let detail = json!({ "return": id, "event": event.kind.name(), "lines": lines });
            record_change(scope, transaction, "carrier.move", &detail);
        }
    })
    .await
}

/// The carrier that is asked for another label after it canceled one. None for other events, for
/// carriers from which labels are bought (an operator decides whether to buy another), and if the
/// shopper was erased.
async fn find_label_source(
    target: ReturnTarget<'_>,
    event: &CarrierEvent,
) -> Result<Option<CarrierMode>, AppError> {
    let ReturnTarget { app, merchant, rma: id, .. } = target;
    if event.kind != CarrierEventKind::LabelVoided {
        return Ok(None);
    }
    let Some(rma) = app.store.rma(merchant, id).await? else { return Ok(None) };
    if !has_sender(app, merchant, &rma.value).await? {
        return Ok(None);
    }
    let owner = app.store.merchant(merchant).await?;
    let carrier = owner.map(|owner| owner.value.settings.carrier);
    Ok(carrier.filter(|carrier| *carrier != CarrierMode::Easypost))
}

const LABELS_MAX: usize = 1_000;

/// The simulated carrier: issues the labels that are requested, and returns how many.
#[boxed]
pub async fn issue_simulated_labels(app: &App) -> Result<usize, AppError> {
    let carrier = CarrierMode::Simulated.name();
    let requests = app.store.label_requests(carrier, None, &Cursor::oldest(), LABELS_MAX).await?;
    let mut count = 0;
    let issue = requests.iter().map(|request| issue_simulated(app, request));
    let issued = futures_util::future::join_all(issue).await;
    for (request, result) in requests.iter().zip(issued) {
        match result {
            Ok(()) => count += 1,
            // The other returns got their labels all the same.
            Err(error) => {
                let LabelRequestRow { merchant, rma_id, .. } = request;
                let cause = with_causes(&error);
                tracing::warn!(
                    "issuing the labels of {rma_id} of {merchant} failed, will retry: {cause}"
                );
            }
        }
    }
    Ok(count)
}

/// Issues the labels of a return, one for each parcel.
async fn issue_simulated(app: &App, request: &LabelRequestRow) -> Result<(), AppError> {
    let (merchant, Some(id)) = (&request.merchant, RmaId::parse(&request.rma_id)) else {
        return Ok(());
    };
    let Some(rma) = app.store.rma(merchant, &id).await? else { return Ok(()) };
    let rma = rma.value;
    let origin = Origin::simulated_carrier();
    let target = ReturnTarget { app, merchant, rma: &id, origin: &origin };
    let mut effect = EventEffect::Unchanged;
    for parcel in rma.parcels_without_label() {
        let parcel = (rma.parcel_count > 1).then_some(parcel);
        let event = CarrierEvent {
            kind: CarrierEventKind::LabelCreated,
            rma_identifier: Some(id.clone()),
            tracking_number: Some(generate_tracking_number(app)),
            order_line_item_identifiers: Vec::new(),
            generation: None,
            label: Some(ReportedLabel { parcel, ..ReportedLabel::default() }),
            occurred_at: None,
        };
        effect = apply_carrier_event(target, None, &event).await?;
    }
    match effect {
        EventEffect::Changed => Ok(()),
        // The return was canceled, or another node issued the labels.
        EventEffect::Unchanged | EventEffect::Refused(_) | EventEffect::Unknown => {
            let mut transaction = Transaction::new("ending a label request");
            transaction.end_label_request(merchant, &id);
            Ok(app.commit(transaction).await?)
        }
    }
}

/// A number of twenty characters that no real carrier uses.
fn generate_tracking_number(app: &App) -> String {
    let random = u64::from_be_bytes(app.world.random::<8>()) % 1_000_000_000_000_000;
    format!("SIM00{random:015}")
}
