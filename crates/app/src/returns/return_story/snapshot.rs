//! A return as one message describes it, and what is new since the message before.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Deserialize;

/// The fields of a message that show what happened. Messages of older releases may lack any of
/// them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ReturnSnapshot {
    status: String,
    pub(super) updated_at: Option<Timestamp>,
    receiving_complete: bool,
    items: Vec<SnapshotItem>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct SnapshotItem {
    order_identifier: String,
    is_exchange: bool,
    tracking_number: Option<String>,
    package_tracking_status: Option<String>,
    receiving_status: Option<String>,
    warehouse_receipt_condition: Option<String>,
}

impl SnapshotItem {
    /// Whether the unit never arrived. A rejected one has a condition.
    fn is_missing(&self) -> bool {
        self.receiving_status.as_deref() == Some("NOT_RECEIVED")
            && self.warehouse_receipt_condition.is_none()
    }
}

impl ReturnSnapshot {
    pub(super) fn read(body: &[u8]) -> Self {
        serde_json::from_slice(body).unwrap_or_default()
    }

    /// What is new since the message before, without the facts that the return itself stores with a
    /// time.
    pub(super) fn describe_changes(&self, before: &Self) -> Vec<String> {
        let mut changes = Vec::new();
        let mut moved: BTreeMap<String, usize> = BTreeMap::new();
        let mut labeled: BTreeMap<&str, usize> = BTreeMap::new();
        let (mut missing, mut refunded_instead) = (0, Vec::new());
        for (new, old) in self.items.iter().zip(&before.items) {
            if let (Some(number), None) = (&new.tracking_number, &old.tracking_number) {
                *labeled.entry(number).or_default() += 1;
            } else if let (Some(status), true) = (
                &new.package_tracking_status,
                new.package_tracking_status != old.package_tracking_status,
            ) {
                *moved.entry(describe_tracking(status)).or_default() += 1;
            }
            missing += usize::from(new.is_missing() && !old.is_missing());
            if old.is_exchange
                && !new.is_exchange
                && !refunded_instead.contains(&&new.order_identifier)
            {
                refunded_instead.push(&new.order_identifier);
            }
        }
        for (number, units) in labeled {
            changes.push(format!("Label created for {}: {number}", format_units(units)));
        }
        for (status, units) in moved {
            changes.push(format!("{status}: {}", format_units(units)));
        }
        for order in refunded_instead {
            changes.push(format!("No exchange for order {order}: refunded instead"));
        }
        if self.receiving_complete && !before.receiving_complete {
            changes.push(match missing {
                0 => "Receiving complete: nothing more is expected".to_owned(),
                units => format!("Receiving closed: {} never arrived", format_units(units)),
            });
        }
        if self.status != before.status {
            changes.push(format!("Status: {}", self.status));
        }
        changes
    }
}

fn describe_tracking(name: &str) -> String {
    let words = match name {
        "PRE_TRANSIT" => "Waiting for the carrier",
        "NOT_DROPPED_OFF" => "Not dropped off",
        "ACCEPTED" => "Accepted by the carrier",
        "TRANSIT" => "In transit",
        "FAILURE" => "Delivery failed",
        "DELIVERED" => "Delivered",
        "RETURNED" => "Returned to the shopper",
        other => other,
    };
    words.to_owned()
}

pub(super) fn format_units(units: usize) -> String {
    if units == 1 { "1 unit".to_owned() } else { format!("{units} units") }
}
