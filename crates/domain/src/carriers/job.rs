//! Work that is done at a carrier's API: it is a message in the outbox, and its body is a
//! [`CarrierJob`].
//!
//! A job only names its label. What is needed to make the label is read when the job is done, so
//! that an address that was corrected meanwhile is used.

use serde::{Deserialize, Serialize};

use super::label_request::LabelRequest;
use crate::returns::identifier::RmaId;

/// Something to do at a carrier's API. It is repeated until it is done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "job", rename_all = "snake_case")]
pub enum CarrierJob {
    BuyLabel(LabelKey),
    /// Give back an unused label, so that it costs nothing.
    RefundLabel(LabelKey),
}

/// Which label is meant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LabelKey {
    pub rma_identifier: RmaId,
    /// Counts the requests for labels of the return, from 1.
    pub generation: i64,
    /// Which parcel of the return, from 1.
    pub parcel: i64,
}

impl LabelKey {
    /// What distinguishes this label from all others at the carrier, so that its shipment is found
    /// again: `RMA-7K3Q-9XWD-2M4T-1`, and `RMA-7K3Q-9XWD-2M4T-1-2` for the second parcel.
    pub fn reference(&self) -> String {
        let Self { rma_identifier, generation, parcel } = self;
        if *parcel > 1 {
            format!("{rma_identifier}-{generation}-{parcel}")
        } else {
            format!("{rma_identifier}-{generation}")
        }
    }
}

/// A label to buy, with everything that the carrier must know about its parcel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelPurchase {
    pub key: LabelKey,
    pub request: LabelRequest,
}

impl LabelPurchase {
    /// The weight of the parcel. Items without a weight count as `unit_weight_grams` for each unit.
    pub fn weight_grams(&self, unit_weight_grams: i64) -> i64 {
        let weights = self.request.items.iter().map(|item| {
            let usual = item.quantity.saturating_mul(unit_weight_grams);
            item.weight_grams.unwrap_or(usual)
        });
        weights.fold(0_i64, i64::saturating_add).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn every_label_has_a_reference_of_its_own() {
        let key = samples::label_purchase().key;
        assert_eq!(key.reference(), "RMA-7K3Q-9XWD-2M4T-1");

        let second = LabelKey { generation: 2, ..key };
        assert_eq!(second.reference(), "RMA-7K3Q-9XWD-2M4T-2");
        assert_eq!(LabelKey { parcel: 3, ..second }.reference(), "RMA-7K3Q-9XWD-2M4T-2-3");
    }

    #[test]
    fn a_parcel_weighs_what_is_in_it_and_never_nothing() {
        let mut purchase = samples::label_purchase();
        assert_eq!(purchase.weight_grams(500), 360);

        purchase.request.items[0].weight_grams = None;
        assert_eq!(purchase.weight_grams(500), 1_000, "two units");
        assert_eq!(purchase.weight_grams(0), 1);
    }

    #[test]
    fn jobs_are_read_back_as_they_were_written() {
        let key = samples::label_purchase().key;
        for job in [CarrierJob::BuyLabel(key.clone()), CarrierJob::RefundLabel(key)] {
            let written = serde_json::to_string(&job).unwrap();
            assert_eq!(serde_json::from_str::<CarrierJob>(&written).unwrap(), job);
        }
    }
}
