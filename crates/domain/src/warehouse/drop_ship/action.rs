//! What the warehouse does about a drop-ship order: what it asks for, what is recorded of it, and
//! what is decided.

use std::fmt;

use jiff::Timestamp;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::read::distinct;
use super::{DropShipOrder, DropShipStatus, ITEMS_MAX};
use crate::faults::Faults;
use crate::json::Json;
use crate::reader::fields::{Fields, ListElement, QUANTITY_MAX};
use crate::reader::{TEXT_MAX, read};

/// Something that is done about an order.
#[derive(Clone, Debug, PartialEq)]
pub enum DropShipAction {
    /// Units leave the warehouse.
    Ship(DropShipShipRequest),
    /// Units will not be shipped.
    Cancel(DropShipCancelRequest),
}

/// The body of a request to ship units of an order.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DropShipShipRequest {
    #[schema(example = "UPS", min_length = 1, max_length = 255)]
    pub carrier: String,
    /// The carrier's service, in the carrier's words. The order's `shipping_method` when it is
    /// absent.
    #[schema(example = "UPS 2nd Day Air", max_length = 255)]
    pub shipping_method: Option<String>,
    #[schema(example = "1Z999AA10123456784", max_length = 255)]
    pub tracking_number: Option<String>,
    #[schema(example = 1.5, minimum = 0)]
    pub billed_weight: Option<f64>,
    #[schema(example = 595, minimum = 0)]
    pub shipping_cost_cents: Option<i64>,
    /// What leaves: at least one unit.
    #[schema(min_items = 1, max_items = 125)]
    pub items: Vec<DropShipItemQuantity>,
}

/// The body of a request to cancel units of an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DropShipCancelRequest {
    #[schema(example = "inventory damaged", min_length = 1, max_length = 4000)]
    pub reason: String,
    /// What the units become: `cancelled` when it is absent. Units can be rejected as long as
    /// nothing of the order was shipped.
    #[serde(default)]
    #[schema(required = false)]
    pub outcome: CancellationOutcome,
    /// What is cancelled; all that is open when it is empty or absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, max_items = 125)]
    pub items: Vec<DropShipItemQuantity>,
}

/// What becomes of units that will not be shipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CancellationOutcome {
    #[default]
    Cancelled,
    /// The warehouse refuses to ship them.
    Rejected,
}

impl CancellationOutcome {
    pub const ALL: [Self; 2] = [Self::Cancelled, Self::Rejected];

    /// The status of what has no other units.
    pub const fn status(self) -> DropShipStatus {
        match self {
            Self::Cancelled => DropShipStatus::Cancelled,
            Self::Rejected => DropShipStatus::Rejected,
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.status().name() == name)
    }
}

/// Units of a line of an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DropShipItemQuantity {
    /// The merchant's identifier of the line.
    #[schema(example = "DS-20417-1", min_length = 1, max_length = 255)]
    pub client_identifier: String,
    #[schema(example = 1, minimum = 1, maximum = 1000)]
    pub quantity: i64,
}

/// A shipment of units of an order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DropShipment {
    #[schema(example = 51101)]
    pub id: i64,
    /// Tells it from other actions, so that the same one can be told twice.
    pub action_identifier: String,
    #[schema(example = "UPS")]
    pub carrier: String,
    /// The carrier's service.
    #[schema(example = "UPS 2nd Day Air")]
    pub shipping_method: String,
    #[schema(example = "1Z999AA10123456784")]
    pub tracking_number: Option<String>,
    #[schema(example = 1.5)]
    pub billed_weight: Option<f64>,
    #[schema(example = 595)]
    pub shipping_cost_cents: Option<i64>,
    /// The units in it.
    pub items: Vec<DropShipmentItem>,
    #[schema(example = "2026-03-05T12:00:00Z")]
    pub created_at: Timestamp,
}

/// Units of a line within a shipment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DropShipmentItem {
    #[schema(example = 51102)]
    pub id: i64,
    /// The line of the order.
    #[schema(example = "DS-20417-1")]
    pub client_identifier: String,
    #[schema(example = 1, minimum = 1)]
    pub quantity: i64,
}

/// That units of an order will not be shipped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DropShipCancellation {
    /// Tells it from other actions, so that the same one can be told twice.
    pub action_identifier: String,
    #[schema(example = "inventory damaged")]
    pub reason: String,
    /// The units that are meant.
    pub items: Vec<DropShipItemQuantity>,
    #[schema(example = "2026-03-05T12:00:00Z")]
    pub created_at: Timestamp,
}

/// What an action comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct DropShipDecision {
    /// The order after the action.
    pub order: DropShipOrder,
    /// The message that the merchant is owed; nothing where nothing changed.
    pub owed: Option<DropShipNotice>,
}

/// A message about an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropShipNotice {
    /// Of the shipment with this `id`.
    Confirmation { shipment_id: i64 },
    /// Nothing of the order was shipped, and nothing is open any more.
    Cancellation,
    /// Some units are cancelled, and others are open or were shipped.
    PartialCancellation,
}

/// Why an action cannot be. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DropShipRefusal {
    /// The order has no such line.
    UnknownItem(String),
    /// The line has fewer open units than that, or the number of units is none.
    NotOpen { client_identifier: String, quantity_open: i64 },
    /// Nothing of the order is open.
    Closed(DropShipStatus),
    /// Units were shipped, so what is left of the order can be cancelled, but not rejected.
    Shipped,
    /// The action names no units.
    Nothing,
    /// The identifier of the action is that of an earlier one about other units.
    IdentifierUsed(String),
}

impl fmt::Display for DropShipRefusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownItem(item) => write!(formatter, "the order has no line {item}"),
            Self::NotOpen { client_identifier, quantity_open } => {
                write!(
                    formatter,
                    "line {client_identifier} has no more than {quantity_open} open units"
                )
            }
            Self::Closed(status) => write!(formatter, "the order is {} already", status.name()),
            Self::Shipped => {
                formatter.write_str("units of the order were shipped: cancel the rest instead")
            }
            Self::Nothing => formatter.write_str("no units are named"),
            Self::IdentifierUsed(identifier) => {
                write!(formatter, "{identifier} was used before, with other lines or quantities")
            }
        }
    }
}

impl std::error::Error for DropShipRefusal {}

/// Reads a request to ship units, or says everything wrong with it.
pub fn read_shipping(document: &Json<'_>) -> Result<DropShipAction, Faults> {
    let (request, _) = read(document, false, |root| {
        root.object(|at| {
            at.refuse_unknown();
            let items = at.objects_up_to(ITEMS_MAX, "items", quantity);
            if items.is_empty() && at.sound(&["items"]) {
                at.note("items", "must not be empty");
            }
            DropShipShipRequest {
                carrier: at.identifier("carrier"),
                shipping_method: at.optional_identifier("shipping_method"),
                tracking_number: at.optional_identifier("tracking_number"),
                billed_weight: at.optional_number("billed_weight"),
                shipping_cost_cents: at.optional_cents("shipping_cost_cents"),
                items: quantities(at, items),
            }
        })
    })?;
    Ok(DropShipAction::Ship(request))
}

/// Reads a request to cancel units, or says everything wrong with it.
pub fn read_cancellation(document: &Json<'_>) -> Result<DropShipAction, Faults> {
    let (request, _) = read(document, false, |root| {
        root.object(|at| {
            at.refuse_unknown();
            let reason = at.required("reason", |value| value.text(1..=TEXT_MAX).map(str::to_owned));
            let items = at.optional("items", |value| {
                value.list(ITEMS_MAX, |element| element.object(quantity))
            });
            let outcome = at.optional("outcome", |value| {
                value.named(CancellationOutcome::parse, "must be cancelled or rejected")
            });
            DropShipCancelRequest {
                reason: reason.unwrap_or_default(),
                outcome: outcome.unwrap_or_default(),
                items: quantities(at, items.unwrap_or_default()),
            }
        })
    })?;
    Ok(DropShipAction::Cancel(request))
}

fn quantity(at: &Fields<'_>) -> ListElement<DropShipItemQuantity> {
    at.refuse_unknown();
    let quantity = at.required("quantity", |value| value.integer(1..=QUANTITY_MAX));
    at.element(DropShipItemQuantity {
        client_identifier: at.identifier("client_identifier"),
        quantity: quantity.unwrap_or_default(),
    })
}

fn quantities(
    at: &Fields<'_>,
    items: Vec<ListElement<DropShipItemQuantity>>,
) -> Vec<DropShipItemQuantity> {
    distinct(at, "items", &items, |item| &item.client_identifier);
    items.into_iter().map(|item| item.value).collect()
}
