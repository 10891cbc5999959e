//! Messages with exchange orders. Their reference is the original order, so they are not found by
//! the return. But they are about the person who returns goods: with a gift, that is not the buyer.

use std::collections::BTreeMap;

use domain::{
    identifier::MerchantId,
    json::{self, Json},
    messages::kind::MessageKind,
    returns::rma::Rma,
};
use store::{MessageFilter, MessageRow, Versioned};

use crate::{App, AppError, returns::change_return::order_ids};

/// More than there can be for one order.
const EXCHANGE_ORDERS_MAX: usize = 100;

/// The messages with the exchange orders of some returns.
#[derive(Default)]
pub(crate) struct ExchangeMessages {
    /// The identifier of the return, by merchant and number of the message.
    returns: BTreeMap<(String, i64), String>,
}

impl ExchangeMessages {
    /// The identifier of the return whose exchange order a message has.
    pub(crate) fn return_of(&self, message: &MessageRow) -> Option<&str> {
        let key = (message.merchant.clone(), message.message_id);
        self.returns.get(&key).map(String::as_str)
    }
}

/// Finds the messages with the exchange orders of these returns, and adds them to `messages`.
pub(crate) async fn find_exchange_messages(
    app: &App,
    returns: &[(MerchantId, Versioned<Rma>)],
    messages: &mut Vec<MessageRow>,
) -> Result<ExchangeMessages, AppError> {
    let mut found = ExchangeMessages::default();
    for (merchant, rma) in returns {
        let id = rma.value.rma_identifier.as_str();
        for order_id in order_ids(&rma.value) {
            let filter = MessageFilter {
                kind: Some(MessageKind::ExchangeOrder),
                reference: Some(order_id.to_owned()),
                limit: EXCHANGE_ORDERS_MAX,
                ..MessageFilter::default()
            };
            for message in app.store.messages(merchant, &filter).await?.0 {
                let stored = app.store.message(merchant, message.message_id).await?;
                if stored.is_some_and(|(_, body)| names_return(&body, id)) {
                    let key = (message.merchant.clone(), message.message_id);
                    found.returns.insert(key, id.to_owned());
                    messages.push(message);
                }
            }
        }
    }
    Ok(found)
}

/// Whether an exchange order is that of a return. An erasure keeps the identifier.
fn names_return(body: &[u8], rma: &str) -> bool {
    let Ok(message) = json::parse(body) else { return false };
    matches!(message.get("rma_identifier"), Some(Json::Text(id)) if id.as_ref() == rma)
}
