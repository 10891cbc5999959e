//! The message that would be sent about a thing now, from its current state.
//!
//! Only a message that contains the complete state of its thing can be made again. The others
//! report something that happened.

use boxed::boxed;
use bytes::Bytes;
use domain::{
    bodies::WriteJson,
    identifier::MerchantId,
    messages::kind::MessageKind,
    returns::{identifier::RmaId, message::RmaMessage},
    warehouse::{outbound_message::messages, shipment::Shipment},
    withdrawal::identifier::WithdrawalId,
};
use store::Versioned;

use crate::{App, AppError};

/// A message from the current state of its thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrentMessage {
    /// The number of the last message about the thing.
    pub sequence: i64,
    pub body: Bytes,
}

/// None if the thing does not exist, or if its messages do not contain its complete state.
#[boxed]
pub async fn current_message(
    app: &App,
    merchant: &MerchantId,
    kind: MessageKind,
    reference: &str,
) -> Result<Option<CurrentMessage>, AppError> {
    match kind {
        MessageKind::Rma => current_rma(app, merchant, reference).await,
        MessageKind::OutboundAsn => current_shipment(app, merchant, reference).await,
        MessageKind::Withdrawal => recorded_withdrawal(app, merchant, reference).await,
        MessageKind::ExchangeVariants
        | MessageKind::ExchangeOrder
        | MessageKind::InventoryReceipt
        | MessageKind::DropShipmentConfirmation
        | MessageKind::DropShipmentCancellation
        | MessageKind::DropShipmentPartialCancellation
        | MessageKind::CarrierRequest
        | MessageKind::Mail => Ok(None),
    }
}

async fn current_rma(
    app: &App,
    merchant: &MerchantId,
    reference: &str,
) -> Result<Option<CurrentMessage>, AppError> {
    let Some(id) = RmaId::parse(reference) else { return Ok(None) };
    let rma = app.store.rma(merchant, &id).await?;
    Ok(rma.map(|Versioned { value: rma, .. }| {
        let body = RmaMessage::of(&rma).to_json();
        CurrentMessage { sequence: rma.messages_sent, body: Bytes::from(body) }
    }))
}

/// The record of a withdrawal never changes, and its only message has the same bytes.
async fn recorded_withdrawal(
    app: &App,
    merchant: &MerchantId,
    reference: &str,
) -> Result<Option<CurrentMessage>, AppError> {
    let Some(id) = WithdrawalId::parse(reference) else { return Ok(None) };
    let row = app.store.withdrawal(merchant, &id).await?;
    Ok(row.map(|row| CurrentMessage { sequence: 1, body: Bytes::from(row.record) }))
}

/// A shipment that is reported in several messages has a reference for each.
async fn current_shipment(
    app: &App,
    merchant: &MerchantId,
    reference: &str,
) -> Result<Option<CurrentMessage>, AppError> {
    let whole = app.store.shipment(merchant, reference).await?;
    let shipment = match (whole, reference.rsplit_once('_')) {
        (None, Some((number, _))) => app.store.shipment(merchant, number).await?,
        (whole, _) => whole,
    };
    Ok(shipment.and_then(|it| part_of_shipment(&it.value, reference)))
}

fn part_of_shipment(shipment: &Shipment, reference: &str) -> Option<CurrentMessage> {
    let part = messages(shipment).find(|part| part.asn_number.as_str() == reference)?;
    let body = part.to_json();
    Some(CurrentMessage { sequence: shipment.announcements, body: Bytes::from(body) })
}
