//! Messages about returns whose reference is something else, so that they are not found by the
//! return: exchange orders, by the original order, and inventory receipts, by the license plate.
//! They are about the person who returns goods: with a gift, that is not the buyer.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    identifier::MerchantId,
    json::{self, Json},
    messages::kind::MessageKind,
    returns::{
        identifier::RmaId,
        journal::ReturnChange,
        rma::{Rma, RmaEvent},
    },
};
use store::{MessageFilter, MessageRow, Versioned};

use crate::{
    App, AppError,
    returns::{change_return::order_ids, history::load_journal},
};

/// More exchange orders than there can be for one order, and receipts for one unit.
const MESSAGES_MAX: usize = 100;

/// The messages and the units of some returns.
#[derive(Default)]
pub(crate) struct ReturnMessages {
    /// The identifier of the return, by merchant and number of the message.
    returns: BTreeMap<(String, i64), String>,
    /// The license plates of what came with each return, by merchant and return.
    plates: BTreeMap<(MerchantId, RmaId), BTreeSet<String>>,
}

impl ReturnMessages {
    /// The identifier of the return that a message is about.
    pub(crate) fn return_of(&self, message: &MessageRow) -> Option<&str> {
        let key = (message.merchant.clone(), message.message_id);
        self.returns.get(&key).map(String::as_str)
    }

    /// The license plates of what came with a return.
    pub(crate) fn plates(&self, merchant: &MerchantId, rma: &RmaId) -> BTreeSet<&str> {
        let plates = self.plates.get(&(merchant.clone(), rma.clone()));
        plates.into_iter().flatten().map(String::as_str).collect()
    }

    fn insert(&mut self, message: MessageRow, rma: &RmaId, messages: &mut Vec<MessageRow>) {
        self.returns.insert((message.merchant.clone(), message.message_id), rma.to_string());
        messages.push(message);
    }
}

/// Finds the messages about these returns, and adds them to `messages`.
pub(crate) async fn find_return_messages(
    app: &App,
    returns: &[(MerchantId, Versioned<Rma>)],
    messages: &mut Vec<MessageRow>,
) -> Result<ReturnMessages, AppError> {
    let mut found = ReturnMessages::default();
    for (merchant, rma) in returns {
        let id = &rma.value.rma_identifier;
        for order_id in order_ids(&rma.value) {
            let sent = messages_about(app, merchant, MessageKind::ExchangeOrder, order_id).await?;
            for message in sent {
                let stored = app.store.message(merchant, message.message_id).await?;
                if stored.is_some_and(|(_, body)| names_return(&body, id)) {
                    found.insert(message, id, messages);
                }
            }
        }
        let plates = find_plates(app, merchant, &rma.value).await?;
        for plate in &plates {
            let sent = messages_about(app, merchant, MessageKind::InventoryReceipt, plate).await?;
            for message in sent {
                found.insert(message, id, messages);
            }
        }
        found.plates.insert((merchant.clone(), id.clone()), plates);
    }
    Ok(found)
}

async fn messages_about(
    app: &App,
    merchant: &MerchantId,
    kind: MessageKind,
    reference: &str,
) -> Result<Vec<MessageRow>, AppError> {
    let filter = MessageFilter {
        kind: Some(kind),
        reference: Some(reference.to_owned()),
        limit: MESSAGES_MAX,
        ..MessageFilter::default()
    };
    Ok(app.store.messages(merchant, &filter).await?.0)
}

/// Whether an exchange order is that of a return. An erasure keeps the identifier.
fn names_return(body: &[u8], rma: &RmaId) -> bool {
    let Ok(message) = json::parse(body) else { return false };
    matches!(message.get("rma_identifier"), Some(Json::Text(id)) if id.as_ref() == rma.as_str())
}

/// The license plates of all units that were received for a return or rejected from it, also of
/// those whose receipts were taken back.
async fn find_plates(
    app: &App,
    merchant: &MerchantId,
    rma: &Rma,
) -> Result<BTreeSet<String>, AppError> {
    let receipts = rma.units.iter().filter_map(|unit| unit.receipt.as_ref());
    let wrong = rma.wrong_items.iter().map(|item| &item.receipt_identifier);
    let now = receipts.map(|receipt| &receipt.receipt_identifier).chain(wrong);
    let mut plates: BTreeSet<String> = now.cloned().collect();
    for event in load_journal(app, merchant, &rma.rma_identifier).await? {
        match event.change {
            ReturnChange::Event(RmaEvent::Received { receipt_identifier, .. }) => {
                plates.insert(receipt_identifier);
            }
            ReturnChange::Event(RmaEvent::WrongItemRejected(item)) => {
                plates.insert(item.receipt_identifier);
            }
            ReturnChange::Event(_) | ReturnChange::State(_) => (),
        }
    }
    Ok(plates)
}
