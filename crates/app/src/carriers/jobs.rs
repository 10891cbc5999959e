//! The work at carriers' APIs, as messages in the outbox.

use bytes::Bytes;
use domain::{
    carriers::job::{CarrierJob, LabelKey},
    identifier::MerchantId,
    messages::kind::MessageKind,
    returns::{ReturnMethod, rma::Rma},
};
use store::Transaction;

use crate::{
    App,
    messages::outbox::{self, About},
};

/// Every return is sent in one parcel for now.
const PARCEL: i64 = 1;

/// Buys the label that a return needs now.
pub(crate) fn enqueue_purchase(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    rma: &Rma,
) {
    enqueue(app, transaction, merchant, &CarrierJob::BuyLabel(key_of(rma, rma.label_generation)));
}

/// Gives back the label of a generation, if it was bought.
pub(crate) fn enqueue_refund(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    rma: &Rma,
    generation: i64,
) {
    if rma.return_method != ReturnMethod::CustomerKeep {
        enqueue(app, transaction, merchant, &CarrierJob::RefundLabel(key_of(rma, generation)));
    }
}

fn key_of(rma: &Rma, generation: i64) -> LabelKey {
    LabelKey { rma_identifier: rma.rma_identifier.clone(), generation, parcel: PARCEL }
}

fn enqueue(app: &App, transaction: &mut Transaction, merchant: &MerchantId, job: &CarrierJob) {
    // A label is bought, then perhaps given back; then comes the next one.
    let (key, is_refund) = match job {
        CarrierJob::BuyLabel(key) => (key, 0),
        CarrierJob::RefundLabel(key) => (key, 1),
    };
    let about = About {
        kind: MessageKind::CarrierRequest,
        reference: key.rma_identifier.as_str(),
        sequence: key.generation.saturating_mul(2).saturating_sub(1).saturating_add(is_refund),
    };
    let body = serde_json::to_vec(job).expect("a job has string keys");
    transaction.enqueue(outbox::message(app, merchant, &about, Bytes::from(body)));
}
