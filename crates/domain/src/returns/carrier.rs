//! What the carrier gateway reports: the body of a request with carrier events.
//!
//! An event names a return, a parcel, or both. Whether they exist is checked later.

pub mod label;
#[cfg(test)]
mod tests;

use jiff::Timestamp;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use self::label::{ReportedLabel, read_label};
use super::identifier::{RmaId, read_rma_identifier};
use super::rma::event::{CarrierScan, RmaEvent};
use super::rma::label::LabelDocument;
use crate::faults::Faults;
use crate::json::Json;
use crate::reader::fields::Fields;
use crate::reader::{IDENTIFIER_MAX, read};

/// A request has at most this many events.
pub const EVENTS_MAX: usize = 1_000;

/// More labels than this were never requested for one return.
const GENERATIONS_MAX: i64 = 1_000_000;

/// The events of a request have at most this many documents that we fetch.
const FETCHED_MAX: usize = 20;

/// An event names at most this many lines.
pub const LINES_MAX: usize = 1_000;

/// The events of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CarrierEvents {
    /// In the order in which they happened, as far as it is known.
    #[schema(max_items = 1000)]
    pub events: Vec<CarrierEvent>,
}

/// Something that happened to a return in transit. Repeated and late events are harmless.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CarrierEvent {
    #[serde(rename = "type")]
    pub kind: CarrierEventKind,
    /// The return. Required unless there is a `tracking_number`; for a label, both are.
    pub rma_identifier: Option<RmaId>,
    /// The carrier's tracking number. Only the units of this parcel are meant. For a label, it is
    /// the number that the units get.
    #[schema(example = "9400111899223197428490", max_length = 255)]
    pub tracking_number: Option<String>,
    /// The order lines that are meant. Empty or absent: all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, max_items = 1000)]
    pub order_line_item_identifiers: Vec<String>,
    /// Which request for labels is meant, for `label_created` and `label_voided`: the `generation`
    /// of the label request. Absent: the current one for a new label, and any for a canceled one.
    #[schema(example = 1, minimum = 1)]
    pub generation: Option<i64>,
    /// The label, for `label_created`.
    pub label: Option<ReportedLabel>,
    /// When it happened. Informational.
    #[schema(example = "2026-02-23T07:41:12Z")]
    pub occurred_at: Option<Timestamp>,
}

/// What happened to a return in transit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CarrierEventKind {
    /// A label with a tracking number was issued.
    LabelCreated,
    /// A label was canceled, and must not be used.
    LabelVoided,
    /// The drop-off point or the driver accepted the goods.
    Accepted,
    /// The carrier scanned the parcel.
    InTransit,
    /// The parcel arrived at its destination.
    Delivered,
    /// The parcel went back to the shopper.
    Returned,
    /// The carrier lost or damaged the parcel, or cannot deliver it.
    Failure,
    /// The shopper did not bring the goods to the drop-off point. Only for express-returns.
    NotDroppedOff,
}

impl CarrierEventKind {
    pub const ALL: [Self; 8] = [
        Self::LabelCreated,
        Self::LabelVoided,
        Self::Accepted,
        Self::InTransit,
        Self::Delivered,
        Self::Returned,
        Self::Failure,
        Self::NotDroppedOff,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::LabelCreated => "label_created",
            Self::LabelVoided => "label_voided",
            Self::Accepted => "accepted",
            Self::InTransit => "in_transit",
            Self::Delivered => "delivered",
            Self::Returned => "returned",
            Self::Failure => "failure",
            Self::NotDroppedOff => "not_dropped_off",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The scan that it reports. A label is not a scan.
    const fn scan(self) -> Option<CarrierScan> {
        match self {
            Self::LabelCreated | Self::LabelVoided => None,
            Self::Accepted => Some(CarrierScan::Accepted),
            Self::InTransit => Some(CarrierScan::InTransit),
            Self::Delivered => Some(CarrierScan::Delivered),
            Self::Returned => Some(CarrierScan::Returned),
            Self::Failure => Some(CarrierScan::Failure),
            Self::NotDroppedOff => Some(CarrierScan::NotDroppedOff),
        }
    }
}

impl CarrierEvent {
    /// This event from the point of view of the return. `documents` are those of the label, as
    /// they are stored.
    pub fn rma_event(&self, documents: Vec<LabelDocument>) -> RmaEvent {
        let lines = self.order_line_item_identifiers.clone();
        let (tracking_number, generation) = (self.tracking_number.clone(), self.generation);
        match self.kind.scan() {
            Some(scan) => RmaEvent::Scanned { scan, tracking_number, lines },
            None if self.kind == CarrierEventKind::LabelVoided => {
                RmaEvent::LabelVoided { tracking_number, generation }
            }
            // A label is never read without its number.
            None => RmaEvent::LabelCreated {
                tracking_number: tracking_number.unwrap_or_default(),
                lines,
                generation,
                details: self
                    .label
                    .as_ref()
                    .map_or_else(Box::default, |it| it.details(documents).into()),
            },
        }
    }
}

/// Reads the events of a request, or returns everything wrong with them.
pub fn read_carrier_events(document: &Json<'_>) -> Result<Vec<CarrierEvent>, Faults> {
    let (events, _) = read(document, false, |root| {
        root.object(|at| {
            at.refuse_unknown();
            let events = at.objects_up_to(EVENTS_MAX, "events", read_carrier_event);
            let labels = events.iter().filter_map(|event| event.label.as_ref());
            let documents = labels.flat_map(|label| &label.documents);
            if documents.filter(|it| it.url.is_some()).count() > FETCHED_MAX {
                at.note("events", "must have at most 20 documents with an address to fetch");
            }
            events
        })
    })?;
    Ok(events)
}

fn read_carrier_event(at: &Fields<'_>) -> CarrierEvent {
    at.refuse_unknown();
    let kind = at.required("type", |value| {
        let refused = "must be one of label_created, label_voided, accepted, in_transit, delivered, returned, \
                       failure, not_dropped_off";
        value.named(CarrierEventKind::parse, refused)
    });
    let (rma, number) = if kind == Some(CarrierEventKind::LabelCreated) {
        let rma = at.required("rma_identifier", read_rma_identifier);
        (rma, Some(at.identifier("tracking_number")))
    } else {
        let rma = at.optional("rma_identifier", read_rma_identifier);
        let number = at.optional_identifier("tracking_number");
        if rma.is_none() && number.is_none() && at.sound(&["rma_identifier", "tracking_number"]) {
            at.note_neither_of(["rma_identifier", "tracking_number"]);
        }
        (rma, number)
    };
    let lines = at.optional("order_line_item_identifiers", |value| {
        value.list(LINES_MAX, |line| line.text(1..=IDENTIFIER_MAX).map(str::to_owned))
    });
    CarrierEvent {
        kind: kind.unwrap_or(CarrierEventKind::Failure),
        rma_identifier: rma,
        tracking_number: number,
        order_line_item_identifiers: lines.unwrap_or_default(),
        generation: at.optional("generation", |value| value.integer(1..=GENERATIONS_MAX)),
        label: at.optional_object("label", read_label),
        occurred_at: at.optional_time("occurred_at"),
    }
}
