//! The work at carriers' APIs, as messages in the outbox.

use bytes::Bytes;
use domain::{
    bodies::WriteJson,
    carriers::job::{CarrierJob, LabelKey},
    identifier::MerchantId,
    messages::kind::MessageKind,
    returns::rma::Rma,
};
use store::{NewMessage, Transaction};

use crate::{
    App, AppError,
    messages::outbox::{self, About, lane_number},
};

/// Buys the labels that a return needs now, one for each parcel.
pub(crate) fn enqueue_purchase(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    rma: &Rma,
) {
    for key in keys_of(rma, rma.label_generation) {
        enqueue(app, transaction, merchant, &CarrierJob::BuyLabel(key));
    }
}

/// Gives back the labels of a generation, if we buy them. A purchase that is under way now gives
/// back what it bought when it finds that the label is not wanted any more.
pub(crate) async fn enqueue_refund(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    rma: &Rma,
    generation: i64,
) -> Result<(), AppError> {
    for key in keys_of(rma, generation) {
        // The merchant may use another carrier by now.
        if app.store.carrier_shipment(merchant, &key.reference()).await?.is_some() {
            enqueue(app, transaction, merchant, &CarrierJob::RefundLabel(key));
        }
    }
    Ok(())
}

fn keys_of(rma: &Rma, generation: i64) -> impl Iterator<Item = LabelKey> {
    let id = &rma.rma_identifier;
    (1..=rma.parcel_count).map(move |parcel| LabelKey {
        rma_identifier: id.clone(),
        generation,
        parcel,
    })
}

fn enqueue(app: &App, transaction: &mut Transaction, merchant: &MerchantId, job: &CarrierJob) {
    // A label is bought, then perhaps given back.
    let (key, is_refund) = match job {
        CarrierJob::BuyLabel(key) => (key, 0),
        CarrierJob::RefundLabel(key) => (key, 1),
    };
    let about = About {
        kind: MessageKind::CarrierRequest,
        reference: key.rma_identifier.as_str(),
        sequence: key.generation.saturating_mul(2).saturating_sub(1).saturating_add(is_refund),
    };
    let message = outbox::message(app, merchant, &about, Bytes::from(job.to_json()));
    // A lane for each label: the next one must not wait until the carrier took this one back.
    let lane = lane_number(about.kind.queue(), &key.reference());
    transaction.enqueue(NewMessage { lane, ..message });
}
