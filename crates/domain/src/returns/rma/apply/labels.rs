//! Labels: issued, canceled by the carrier, and requested again.

use jiff::Timestamp;

use super::goods::{advance, select_parcel, select_units};
use crate::returns::rma::event::{RmaEvent, RmaRefusal};
use crate::returns::rma::label::{Label, LabelDetails, LabelVoid, VoidReason};
use crate::returns::rma::record::{Rma, is_transported};
use crate::returns::rma::tracking::TrackingStatus;
use crate::returns::rma::unit::RmaUnit;

/// A return has at most this many labels, with those that are void.
const LABELS_MAX: usize = 500;

/// What the carrier reports about a new label.
struct IssuedLabel<'a> {
    tracking_number: &'a str,
    lines: &'a [String],
    /// None for the current one.
    generation: Option<i64>,
    details: &'a LabelDetails,
}

/// Applies an event about labels.
pub(super) fn change_labels(
    rma: &mut Rma,
    event: &RmaEvent,
    now: Timestamp,
) -> Result<(), RmaRefusal> {
    if let RmaEvent::LabelCreated { tracking_number, lines, generation, details } = event {
        let generation = *generation;
        attach_label(rma, &IssuedLabel { tracking_number, lines, generation, details }, now)
    } else if let RmaEvent::LabelVoided { tracking_number, generation } = event {
        void_labels(rma, tracking_number.as_deref(), *generation, now)
    } else if let RmaEvent::LabelRenewed { generation, reason } = event {
        renew_labels(rma, *generation, *reason, now)
    } else {
        Ok(())
    }
}

/// A unit keeps its first label. If a later label could replace it, a repeated event could bring
/// the old number back. So a label is replaced only after it was void.
fn attach_label(rma: &mut Rma, issued: &IssuedLabel<'_>, now: Timestamp) -> Result<(), RmaRefusal> {
    let current = rma.label_generation;
    let generation = issued.generation.unwrap_or(current);
    if generation > current {
        return Err(RmaRefusal::UnknownGeneration(generation));
    }
    let number = issued.tracking_number;
    if generation < current || rma.labels.iter().any(|label| label.is_void_number(number)) {
        return Ok(());
    }
    let units = match issued.details.parcel {
        Some(parcel) if issued.lines.is_empty() => select_parcel(rma, parcel)?,
        Some(_) | None => select_units(rma, None, issued.lines)?,
    };
    let is_new = !units.iter().any(|unit| unit.tracking_number.as_deref() == Some(number));
    let taken = units.iter().all(|unit| unit.tracking_number.is_some());
    if let Some(other) = units.first().and_then(|unit| unit.tracking_number.clone())
        && taken
        && is_new
    {
        return Err(RmaRefusal::Labeled(other));
    }
    for unit in units.into_iter().filter(|unit| unit.tracking_number.is_none()) {
        unit.tracking_number = Some(number.to_owned());
        advance(unit, TrackingStatus::PreTransit);
    }
    let is_full = rma.labels.len() >= LABELS_MAX;
    match rma.labels.iter_mut().find(|label| label.tracking_number == number) {
        // A number may be reported before the documents.
        Some(known) => {
            if known.details.documents.is_empty() && !issued.details.documents.is_empty() {
                known.details.clone_from(issued.details);
            }
        }
        None if is_full => return Err(RmaRefusal::TooManyLabels),
        None => rma.labels.push(Label {
            generation,
            tracking_number: number.to_owned(),
            issued_at: now,
            details: issued.details.clone(),
            void: None,
        }),
    }
    Ok(())
}

/// The carrier canceled labels: that with the number, or all of the generation.
fn void_labels(
    rma: &mut Rma,
    tracking_number: Option<&str>,
    generation: Option<i64>,
    now: Timestamp,
) -> Result<(), RmaRefusal> {
    if let Some(number) = tracking_number
        && !rma.labels.iter().any(|label| label.tracking_number == number)
    {
        return Err(RmaRefusal::UnknownParcel(number.to_owned()));
    }
    let is_meant = |label: &Label| {
        tracking_number.is_none_or(|number| label.tracking_number == number)
            && generation.is_none_or(|it| label.generation == it)
    };
    end_labels(rma, is_meant, &LabelVoid { at: now, reason: VoidReason::Carrier })
}

/// Ends the labels of a generation, so that new ones can be requested.
fn renew_labels(
    rma: &mut Rma,
    generation: i64,
    reason: VoidReason,
    now: Timestamp,
) -> Result<(), RmaRefusal> {
    if !is_transported(rma.return_method) {
        return Err(RmaRefusal::Kept);
    }
    if generation > rma.label_generation {
        return Err(RmaRefusal::UnknownGeneration(generation));
    }
    if generation < rma.label_generation {
        return Ok(());
    }
    let has_label = rma.labels.iter().any(|label| label.generation == generation);
    let is_valid = |label: &Label| label.generation == generation && label.void.is_none();
    if reason == VoidReason::NotIssued {
        // The carrier may have canceled the labels without issuing others.
        if rma.labels.iter().any(is_valid) {
            return Err(RmaRefusal::HasLabel);
        }
    } else if !has_label {
        return Err(RmaRefusal::NoLabel);
    }
    if let Some(refusal) = rma.units.iter().find_map(moved) {
        return Err(refusal);
    }
    end_labels(rma, |_| true, &LabelVoid { at: now, reason })?;
    rma.label_generation = generation.saturating_add(1);
    Ok(())
}

/// Units lose the number of a label that ends. Goods that move with it keep it from ending.
fn end_labels(
    rma: &mut Rma,
    is_meant: impl Fn(&Label) -> bool,
    end: &LabelVoid,
) -> Result<(), RmaRefusal> {
    let meant: Vec<usize> = rma
        .labels
        .iter()
        .enumerate()
        .filter(|(_, label)| label.void.is_none() && is_meant(label))
        .map(|(position, _)| position)
        .collect();
    let numbers: Vec<String> =
        meant.iter().filter_map(|it| Some(rma.labels.get(*it)?.tracking_number.clone())).collect();
    let has_one = |unit: &RmaUnit| {
        unit.tracking_number.as_ref().is_some_and(|number| numbers.contains(number))
    };
    if let Some(refusal) = rma.units.iter().filter(|unit| has_one(unit)).find_map(moved) {
        return Err(refusal);
    }
    for unit in rma.units.iter_mut().filter(|unit| has_one(unit)) {
        unit.tracking_number = None;
        unit.tracking = None;
    }
    for position in meant {
        if let Some(label) = rma.labels.get_mut(position) {
            label.void = Some(end.clone());
        }
    }
    Ok(())
}

/// Why the label of this unit cannot end. None if it can.
fn moved(unit: &RmaUnit) -> Option<RmaRefusal> {
    if unit.receipt.is_some() {
        return Some(RmaRefusal::LabelUsed);
    }
    match unit.tracking {
        None | Some(TrackingStatus::PreTransit | TrackingStatus::NotDroppedOff) => None,
        Some(
            TrackingStatus::Accepted
            | TrackingStatus::Transit
            | TrackingStatus::Failure
            | TrackingStatus::Delivered
            | TrackingStatus::Returned,
        ) => Some(RmaRefusal::LabelUsed),
    }
}
