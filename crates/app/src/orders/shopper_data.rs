//! Everything that is stored about a shopper, found by the e-mail address: orders, returns,
//! drop-ship orders, and the messages about them. Nothing is searched that is not the shopper's.

use std::collections::BTreeSet;

use boxed::boxed;
use domain::{
    bodies::WriteJson,
    identifier::MerchantId,
    json as document,
    messages::state::MessageState,
    orders::{
        erasure::PersonalTexts,
        order::{Order, OrderStatus},
        order_message::read_stored_order,
    },
    returns::{identifier::RmaId, rma::Rma},
    warehouse::drop_ship::DropShipOrder,
};
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::{
    ListedOrder, MessageRow, OrderPosition, ShopperKeyKind, StoreError, StoredOrder, Versioned,
    WithdrawalRow,
};
use utoipa::ToSchema;

use super::{
    return_messages::{ReturnMessages, find_return_messages},
    shopper_keys::{person_hash, shopper_hash},
};
use crate::{
    App, AppError,
    core::list_query::read_position,
    messages::message_log::{MessageView, filter_by_reference, message_id, view_message},
};

/// How many orders are exported or erased at a time.
const STEP: usize = 100;
/// More returns and drop-ship orders than a shopper can have without orders.
const REFERENCES_MAX: usize = 10_000;
/// More messages than there can be about one thing within the retention of messages.
const MESSAGES_MAX: usize = 10_000;

/// A shopper, at one merchant or at all.
#[derive(Clone, Debug)]
pub struct ShopperQuery {
    pub email: String,
    pub merchant: Option<MerchantId>,
    /// Where an earlier page ended.
    pub after: Option<String>,
}

/// What is stored about a shopper: one page of it.
#[omit_none]
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ShopperExport {
    /// The shopper's orders, as their merchants sent them.
    pub orders: Vec<ExportedItem>,
    /// The returns of these orders, and others with the shopper's e-mail address. A return of a
    /// gift is the recipient's, not the buyer's.
    pub returns: Vec<ExportedItem>,
    /// Drop-ship orders to the same people at the same postal codes.
    pub drop_ship_orders: Vec<ExportedItem>,
    /// Withdrawals from the contracts of these orders, as they were stated.
    #[serde(default)]
    pub withdrawals: Vec<ExportedItem>,
    /// Messages about all of them that are still stored, without those of earlier pages.
    pub messages: Vec<MessageView>,
    /// Pass as `after` to get the next page. Absent on the last page.
    pub next: Option<String>,
}

/// One order, return or drop-ship order.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ExportedItem {
    /// The merchant whose it is.
    #[schema(example = "acme")]
    pub merchant: String,
    /// Its identifier at the merchant, or of the return.
    #[schema(example = "ORD-100472")]
    pub identifier: String,
    /// Everything that is stored about it.
    #[schema(value_type = Object)]
    pub data: Value,
}

/// An order of the shopper.
pub(crate) struct FoundOrder {
    pub(crate) merchant: MerchantId,
    pub(crate) order: Order,
    pub(crate) stored: StoredOrder,
}

/// What belongs to a shopper, apart from orders of later pages.
#[derive(Default)]
pub(crate) struct FoundData {
    pub(crate) orders: Vec<FoundOrder>,
    pub(crate) returns: Vec<(MerchantId, Versioned<Rma>)>,
    pub(crate) drop_ship_orders: Vec<(MerchantId, Versioned<DropShipOrder>)>,
    pub(crate) messages: Vec<MessageRow>,
    /// Which of the messages are about the returns, although their references are others.
    pub(crate) return_messages: ReturnMessages,
    /// What they say about the shopper.
    pub(crate) known: PersonalTexts,
    /// The last order that was examined, if there may be more.
    pub(crate) end: Option<ListedOrder>,
}

#[boxed]
pub async fn export_shopper(app: &App, query: &ShopperQuery) -> Result<ShopperExport, AppError> {
    let mut found = find_shopper(app, query).await?;
    found.remove_returns_of_others(&query.email);
    let withdrawals = find_withdrawals(app, &mut found).await?;
    let item = |merchant: &MerchantId, identifier: &str, data: Value| ExportedItem {
        merchant: merchant.to_string(),
        identifier: identifier.to_owned(),
        data,
    };
    let to_value = |body: &[u8]| serde_json::from_slice(body).unwrap_or_default();
    let orders = found.orders.iter();
    let returns = found.returns.iter();
    let drop_ship = found.drop_ship_orders.iter();
    let withdrawn = withdrawals.iter();
    Ok(ShopperExport {
        orders: orders
            .map(|it| item(&it.merchant, &it.order.identifier, to_value(&it.stored.body)))
            .collect(),
        returns: returns
            .map(|(merchant, rma)| {
                let id = rma.value.rma_identifier.as_str();
                item(merchant, id, without_buyer(&rma.value, &query.email).to_value())
            })
            .collect(),
        drop_ship_orders: drop_ship
            .map(|(merchant, order)| {
                item(merchant, &order.value.client_identifier, order.value.to_value())
            })
            .collect(),
        withdrawals: withdrawn
            .map(|(merchant, row)| {
                item(merchant, &row.withdrawal_id, to_value(row.record.as_bytes()))
            })
            .collect(),
        messages: found.messages.into_iter().map(view_message).collect(),
        next: found.end.map(|it| format!("{}/{}", it.merchant, it.order_id)),
    })
}

/// A return as its shopper may see it: who got a gift must not learn the buyer's address.
fn without_buyer(rma: &Rma, email: &str) -> Rma {
    let mut rma = rma.clone();
    if rma.giftee_email.as_deref().is_some_and(|giftee| is_same_email(giftee, email)) {
        rma.email = rma.email.filter(|buyer| is_same_email(buyer, email));
    }
    rma
}

/// Finds the data of a shopper: the next orders with everything about them, and on the first page
/// also what is found without an order.
pub(crate) async fn find_shopper(app: &App, query: &ShopperQuery) -> Result<FoundData, AppError> {
    if let Some(merchant) = &query.merchant {
        app.store.merchant(merchant).await?.ok_or(AppError::NotFound("merchant"))?;
    }
    if !app.store.unkeyed_shoppers(1).await?.is_empty() {
        let why = "the keys of shoppers are still being added after an upgrade: try again later";
        return Err(AppError::Conflict(why.to_owned()));
    }
    let mut found = FoundData::default();
    found.known.add(&query.email);
    let mut returns = BTreeSet::new();
    if query.after.as_deref().is_none_or(str::is_empty) {
        returns = find_returns(app, query).await?;
    }
    find_orders(app, query, &mut found).await?;
    found.complete(app, returns).await?;
    Ok(found)
}

/// One order of a merchant.
pub(crate) async fn find_order(
    app: &App,
    merchant: &MerchantId,
    order_id: &str,
) -> Result<Option<FoundOrder>, AppError> {
    let Some(stored) = app.store.stored_order(merchant, order_id).await? else { return Ok(None) };
    let order = read_stored_order(&document::parse(&stored.body)?).map_err(|faults| {
        let (table, id) = ("orders", order_id.to_owned());
        StoreError::Corrupt { table, id, why: faults.summary() }
    })?;
    Ok(Some(FoundOrder { merchant: merchant.clone(), order, stored }))
}

/// The returns that name the e-mail address themselves: of gifts, and from before the address of
/// an order changed.
async fn find_returns(
    app: &App,
    query: &ShopperQuery,
) -> Result<BTreeSet<(MerchantId, RmaId)>, AppError> {
    let hash = shopper_hash(&query.email);
    let keys = app.store.shopper_references(query.merchant.as_ref(), hash, REFERENCES_MAX).await?;
    let mut returns = BTreeSet::new();
    for key in keys.into_iter().filter(|key| key.kind == ShopperKeyKind::Return) {
        let Some(id) = RmaId::parse(&key.reference) else { continue };
        let Some(rma) = app.store.rma(&key.merchant, &id).await? else { continue };
        let mut emails = [&rma.value.email, &rma.value.giftee_email].into_iter().flatten();
        if emails.any(|email| is_same_email(email, &query.email)) {
            returns.insert((key.merchant, id));
        }
    }
    Ok(returns)
}

async fn find_orders(
    app: &App,
    query: &ShopperQuery,
    found: &mut FoundData,
) -> Result<(), AppError> {
    let hash = shopper_hash(&query.email);
    let after = read_position("after", query.after.as_deref(), |after| after.split_once('/'))?;
    let after = after.map(|(merchant, order_id)| OrderPosition { merchant, order_id });
    let (merchant, after) = (query.merchant.as_ref(), after.unwrap_or_default());
    let page = app.store.orders_of_shopper_after(merchant, hash, after, STEP).await?;
    found.end = page.last().filter(|_| page.len() == STEP).cloned();
    for listed in page {
        let Ok(merchant) = MerchantId::parse(&listed.merchant) else { continue };
        let order = find_order(app, &merchant, &listed.order_id).await?;
        let is_theirs = |it: &FoundOrder| is_same_email(&it.order.customer.email, &query.email);
        found.orders.extend(order.filter(is_theirs));
    }
    Ok(())
}

/// The drop-ship orders that go to the same people at the same postal codes as the orders.
async fn find_drop_ship_orders(app: &App, found: &mut FoundData) -> Result<(), AppError> {
    let merchants: BTreeSet<&MerchantId> = found.orders.iter().map(|it| &it.merchant).collect();
    let mut references = BTreeSet::new();
    for merchant in merchants {
        for key in &found.known.person_keys {
            let hash = person_hash(key);
            references
                .extend(app.store.shopper_references(Some(merchant), hash, REFERENCES_MAX).await?);
        }
    }
    for reference in references {
        if reference.kind != ShopperKeyKind::DropShipOrder {
            continue;
        }
        let order = app.store.drop_ship_order(&reference.merchant, &reference.reference).await?;
        found.drop_ship_orders.extend(order.map(|order| (reference.merchant, order)));
    }
    Ok(())
}

/// The withdrawals from the orders. The messages about them are added: they are exported, although
/// an erasure leaves them as they are.
async fn find_withdrawals(
    app: &App,
    found: &mut FoundData,
) -> Result<Vec<(MerchantId, WithdrawalRow)>, AppError> {
    let mut withdrawals = Vec::new();
    for FoundOrder { merchant, order, .. } in &found.orders {
        let id = order.identifier.as_str();
        for row in app.store.withdrawals_of_order(merchant, id, REFERENCES_MAX).await? {
            let filter = filter_by_reference(&row.withdrawal_id, MESSAGES_MAX);
            found.messages.extend(app.store.messages(merchant, &filter).await?.0);
            withdrawals.push((merchant.clone(), row));
        }
    }
    Ok(withdrawals)
}

async fn find_messages(app: &App, found: &mut FoundData) -> Result<(), AppError> {
    let orders = found.orders.iter().map(|it| (&it.merchant, it.order.identifier.as_str()));
    let returns = found.returns.iter();
    let returns = returns.map(|(merchant, rma)| (merchant, rma.value.rma_identifier.as_str()));
    let drop_ship = found.drop_ship_orders.iter();
    let drop_ship = drop_ship.map(|(it, order)| (it, order.value.client_identifier.as_str()));
    let mut messages = Vec::new();
    for (merchant, reference) in orders.chain(returns).chain(drop_ship) {
        let filter = filter_by_reference(reference, MESSAGES_MAX);
        messages.extend(app.store.messages(merchant, &filter).await?.0);
    }
    found.return_messages = find_return_messages(app, &found.returns, &mut messages).await?;
    messages.sort_by(|a, b| (&a.merchant, a.message_id).cmp(&(&b.merchant, b.message_id)));
    messages.dedup_by(|a, b| (&a.merchant, a.message_id) == (&b.merchant, b.message_id));
    found.messages = messages;
    Ok(())
}

impl FoundData {
    /// These orders and returns, with everything that belongs to them.
    pub(crate) async fn of(
        app: &App,
        orders: Vec<FoundOrder>,
        returns: BTreeSet<(MerchantId, RmaId)>,
    ) -> Result<Self, AppError> {
        let mut found = Self { orders, ..Self::default() };
        found.complete(app, returns).await?;
        Ok(found)
    }

    /// Adds these returns, and everything that belongs to them and to the orders.
    async fn complete(
        &mut self,
        app: &App,
        mut returns: BTreeSet<(MerchantId, RmaId)>,
    ) -> Result<(), AppError> {
        for FoundOrder { merchant, order, stored } in &self.orders {
            self.known.add_order(order);
            let rmas = stored.ledger.value.rmas().iter().filter_map(|rma| RmaId::parse(rma));
            returns.extend(rmas.map(|rma| (merchant.clone(), rma)));
        }
        for (merchant, id) in returns {
            if let Some(rma) = app.store.rma(&merchant, &id).await? {
                let emails = [&rma.value.email, &rma.value.giftee_email].into_iter().flatten();
                emails.for_each(|email| self.known.add(email));
                self.returns.push((merchant, rma));
            }
        }
        find_drop_ship_orders(app, self).await?;
        find_messages(app, self).await
    }

    /// Removes the returns of people who got an order as a gift, with the messages about them: the
    /// buyer must not learn of them.
    fn remove_returns_of_others(&mut self, email: &str) {
        let mut hidden = BTreeSet::new();
        self.returns.retain(|(merchant, rma)| {
            let giftee = rma.value.giftee_email.as_deref();
            let is_own = giftee.is_none_or(|giftee| is_same_email(giftee, email));
            if !is_own {
                hidden.insert((merchant.to_string(), rma.value.rma_identifier.to_string()));
            }
            is_own
        });
        let of_returns = &self.return_messages;
        let is_hidden = |it: &MessageRow| {
            let about = of_returns.return_of(it).unwrap_or(&it.reference);
            hidden.contains(&(it.merchant.clone(), about.to_owned()))
        };
        self.messages.retain(|it| !is_hidden(it));
    }

    /// Whether something is still due for a return.
    pub(crate) fn has_open_returns(&self) -> bool {
        self.returns.iter().any(|(_, rma)| is_open(&rma.value))
    }

    /// Whether a drop-ship order is still to be shipped, or a message to be delivered: both need
    /// what an erasure replaces.
    pub(crate) fn has_open_deliveries(&self) -> bool {
        self.open_drop_ship_orders().next().is_some() || self.open_messages().next().is_some()
    }

    fn open_drop_ship_orders(&self) -> impl Iterator<Item = &DropShipOrder> {
        self.drop_ship_orders.iter().map(|(_, it)| &it.value).filter(|it| !it.is_closed())
    }

    fn open_messages(&self) -> impl Iterator<Item = &MessageRow> {
        let is_open =
            |it: &&MessageRow| matches!(it.state, MessageState::Waiting | MessageState::Failed);
        self.messages.iter().filter(is_open)
    }

    /// What is not finished, in words.
    pub(crate) fn list_open(&self) -> Vec<String> {
        let orders = self.orders.iter().filter(|it| it.order.status == OrderStatus::Created);
        let orders = orders.map(|it| format!("order {} is not shipped", it.order.identifier));
        let returns = self.returns.iter().filter(|(_, rma)| is_open(&rma.value));
        let returns =
            returns.map(|(_, rma)| format!("return {} is not finished", rma.value.rma_identifier));
        let drop_ship = self
            .open_drop_ship_orders()
            .map(|it| format!("drop-ship order {} is not finished", it.client_identifier));
        let messages = self.open_messages().map(|it| {
            let id = message_id(&it.merchant, it.message_id);
            format!("message {id} is not delivered")
        });
        orders.chain(returns).chain(drop_ship).chain(messages).collect()
    }
}

/// Whether something is still due for a unit of the return.
fn is_open(rma: &Rma) -> bool {
    rma.units.iter().any(|unit| rma.owes_for(unit) && !unit.is_settled())
}

fn is_same_email(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}
