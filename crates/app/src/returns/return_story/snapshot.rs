//! What a merchant was told of a return, message by message, and what is new in each.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Deserialize;

/// As much of a message about a return as tells what happened. Messages of older releases may lack anything.
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
}

impl ReturnSnapshot {
    pub(super) fn read(body: &[u8]) -> Self {
        serde_json::from_slice(body).unwrap_or_default()
    }

    /// What is new since the message before, other than what the return itself remembers the time of.
    pub(super) fn news(&self, before: &Self) -> Vec<String> {
        let mut news = Vec::new();
        let mut moved: BTreeMap<String, usize> = BTreeMap::new();
        let mut labelled: BTreeMap<&str, usize> = BTreeMap::new();
        let (mut missing, mut paid_instead) = (0, Vec::new());
        for (new, old) in self.items.iter().zip(&before.items) {
            if let (Some(number), None) = (&new.tracking_number, &old.tracking_number) {
                *labelled.entry(number).or_default() += 1;
            } else if let (Some(place), true) = (
                &new.package_tracking_status,
                new.package_tracking_status != old.package_tracking_status,
            ) {
                *moved.entry(whereabouts(place)).or_default() += 1;
            }
            let not_received =
                |item: &SnapshotItem| item.receiving_status.as_deref() == Some("NOT_RECEIVED");
            missing += usize::from(not_received(new) && !not_received(old));
            if old.is_exchange && !new.is_exchange && !paid_instead.contains(&&new.order_identifier)
            {
                paid_instead.push(&new.order_identifier);
            }
        }
        for (number, units) in labelled {
            news.push(format!("Label created for {}: {number}", count_units(units)));
        }
        for (place, units) in moved {
            news.push(format!("{place}: {}", count_units(units)));
        }
        for order in paid_instead {
            news.push(format!("No exchange for order {order}: refunded instead"));
        }
        if self.receiving_complete && !before.receiving_complete {
            news.push(match missing {
                0 => "Receiving closed: everything arrived".to_owned(),
                units => format!("Receiving closed: {} never arrived", count_units(units)),
            });
        }
        if self.status != before.status {
            news.push(format!("Status: {}", self.status));
        }
        news
    }
}

/// Where a parcel is, in words.
fn whereabouts(name: &str) -> String {
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

pub(super) fn count_units(units: usize) -> String {
    if units == 1 { "1 unit".to_owned() } else { format!("{units} units") }
}
