//! Work that is done at a carrier's API: it is a message in the outbox, and its body is a
//! [`CarrierJob`].

use serde::{Deserialize, Serialize};

use super::label_request::LabelRequest;
use crate::returns::identifier::RmaId;

/// Something to do at a carrier's API. It is repeated until it is done, so each job says exactly
/// which label is meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "job", rename_all = "snake_case")]
pub enum CarrierJob {
    BuyLabel(LabelPurchase),
    VoidLabel(LabelVoid),
}

/// Buy the label of one parcel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelPurchase {
    pub request: LabelRequest,
    /// Which parcel of the return, from 1.
    pub parcel: i64,
}

/// Give back an unused label, so that it costs nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelVoid {
    pub rma_identifier: RmaId,
    pub generation: i64,
    pub parcel: i64,
    /// What the carrier's API calls the shipment of the label.
    pub shipment_id: String,
}

impl LabelPurchase {
    /// What distinguishes this label from all others at the carrier, so that its shipment is found
    /// again: `RMA-7K3Q-9XWD-2M4T-1`, and `RMA-7K3Q-9XWD-2M4T-1-2` for the second of several
    /// parcels.
    pub fn reference(&self) -> String {
        let LabelRequest { rma_identifier, generation, parcel_count, .. } = &self.request;
        if *parcel_count > 1 {
            format!("{rma_identifier}-{generation}-{}", self.parcel)
        } else {
            format!("{rma_identifier}-{generation}")
        }
    }

    /// The weight of the parcel: the goods are spread evenly over the parcels. Items without a
    /// weight count as `unit_weight_grams` for each unit.
    pub fn weight_grams(&self, unit_weight_grams: i64) -> i64 {
        let weights = self.request.items.iter().map(|item| {
            let usual = item.quantity.saturating_mul(unit_weight_grams);
            item.weight_grams.unwrap_or(usual)
        });
        let total = weights.fold(0_i64, i64::saturating_add);
        // Rounded up, because the carrier charges for a parcel that is heavier than its label says.
        let parcels = self.request.parcel_count.max(1);
        (total.saturating_add(parcels - 1) / parcels).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn every_label_has_a_reference_of_its_own() {
        let mut purchase = samples::label_purchase();
        assert_eq!(purchase.reference(), "RMA-7K3Q-9XWD-2M4T-1");

        purchase.request.generation = 2;
        assert_eq!(purchase.reference(), "RMA-7K3Q-9XWD-2M4T-2");

        purchase.request.parcel_count = 3;
        purchase.parcel = 1;
        assert_eq!(purchase.reference(), "RMA-7K3Q-9XWD-2M4T-2-1");
    }

    #[test]
    fn a_parcel_weighs_its_part_rounded_up_and_never_nothing() {
        let mut purchase = samples::label_purchase();
        assert_eq!(purchase.weight_grams(500), 360);

        purchase.request.parcel_count = 7;
        assert_eq!(purchase.weight_grams(500), 52);

        purchase.request.items[0].weight_grams = None;
        purchase.request.parcel_count = 1;
        assert_eq!(purchase.weight_grams(500), 1_000, "two units");
        assert_eq!(purchase.weight_grams(0), 1);
    }

    #[test]
    fn jobs_are_read_back_as_they_were_written() {
        let purchase = samples::label_purchase();
        let void = LabelVoid {
            rma_identifier: purchase.request.rma_identifier.clone(),
            generation: 1,
            parcel: 1,
            shipment_id: "shp_1".to_owned(),
        };
        for job in [CarrierJob::BuyLabel(purchase), CarrierJob::VoidLabel(void)] {
            let written = serde_json::to_string(&job).unwrap();
            assert_eq!(serde_json::from_str::<CarrierJob>(&written).unwrap(), job);
        }
    }
}
