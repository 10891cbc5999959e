//! Erases what was found about a shopper: one transaction for each order, return and drop-ship
//! order, with the messages about it. Facts and money stay, so journals, balances and statements
//! still agree.

use bytes::Bytes;
use domain::{
    bodies::WriteJson,
    identifier::MerchantId,
    orders::erasure::{
        ERASED, PersonalTexts, erase_audit_detail, erase_document, erase_order, erase_unit,
    },
    returns::{identifier::RmaId, rma::Rma},
    warehouse::{drop_ship::DropShipOrder, unit::UnitRecord},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{
    DocumentRow, MessageRow, RefundProblem, ShopperKeyKind, Transaction, UnitRow, Versioned,
};
use utoipa::ToSchema;

use super::{
    return_messages::ReturnMessages,
    shopper_data::{FoundData, FoundOrder},
    shopper_keys::{hashes_of_drop_ship, hashes_of_return},
};
use crate::{
    App, AppError,
    core::{audit_trail::record_change, scope::RequestScope},
    messages::message_log::{MessageView, message_id, view_message},
};

/// More audit records than there can be about one order or return.
const AUDIT_MAX: usize = 10_000;

/// What was erased.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct ShopperErasure {
    /// Whether nothing is left. If not, repeat the request.
    pub complete: bool,
    /// The shopper's orders.
    pub orders: Vec<ErasedItem>,
    /// The returns of these orders, and others with the shopper's e-mail address.
    pub returns: Vec<ErasedItem>,
    /// Drop-ship orders to the same people at the same postal codes.
    pub drop_ship_orders: Vec<ErasedItem>,
    /// Messages about them, which their merchants have: the stored bodies were erased. Messages
    /// that were removed after their retention are not listed.
    pub messages: Vec<MessageView>,
}

/// Something whose data about the shopper was erased.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ErasedItem {
    /// The merchant whose it is.
    #[schema(example = "acme")]
    pub merchant: String,
    /// Its identifier at the merchant, or of the return.
    #[schema(example = "ORD-100472")]
    pub identifier: String,
}

impl ErasedItem {
    fn new(merchant: &MerchantId, identifier: &str) -> Self {
        Self { merchant: merchant.to_string(), identifier: identifier.to_owned() }
    }
}

/// What is known about the shopper, and all messages about what was found.
#[derive(Clone, Copy)]
struct Known<'a> {
    texts: &'a PersonalTexts,
    messages: &'a [MessageRow],
    return_messages: &'a ReturnMessages,
}

impl Known<'_> {
    /// The messages about an order, a return or a drop-ship order.
    fn messages_about<'b>(
        &'b self,
        merchant: &'b MerchantId,
        reference: &'b str,
    ) -> impl Iterator<Item = &'b MessageRow> {
        let is_of_return = |it: &MessageRow| self.return_messages.return_of(it) == Some(reference);
        let is_about = move |it: &MessageRow| it.reference == reference || is_of_return(it);
        self.messages.iter().filter(move |it| it.merchant == merchant.as_str() && is_about(it))
    }
}

/// Erases for an operator, or because a retention period is over.
pub(crate) struct Eraser<'a> {
    app: &'a App,
    /// Whom the audit trail names, and why the erasure was forced. An end of a retention period is
    /// not recorded: there would be a record for each order.
    asked: Option<(RequestScope<'a>, Option<&'a str>)>,
}

impl<'a> Eraser<'a> {
    pub(crate) fn by_request(scope: RequestScope<'a>, forced_because: Option<&'a str>) -> Self {
        Self { app: scope.app, asked: Some((scope, forced_because)) }
    }

    pub(crate) fn by_retention(app: &'a App) -> Self {
        Self { app, asked: None }
    }

    pub(crate) async fn erase(&self, found: FoundData) -> Result<ShopperErasure, AppError> {
        let FoundData { orders, returns, drop_ship_orders, messages, known, .. } = &found;
        let return_messages = &found.return_messages;
        let known = Known { texts: known, messages, return_messages };
        let mut erasure = ShopperErasure::default();
        // Orders last: while one is not erased, everything else is found again by it.
        for (merchant, rma) in returns {
            self.erase_return(merchant, rma, known).await?;
            erasure.returns.push(ErasedItem::new(merchant, rma.value.rma_identifier.as_str()));
        }
        for (merchant, order) in drop_ship_orders {
            self.erase_drop_ship_order(merchant, order, known).await?;
            let id = &order.value.client_identifier;
            erasure.drop_ship_orders.push(ErasedItem::new(merchant, id));
        }
        for order in orders {
            self.erase_order(order, known).await?;
            erasure.orders.push(ErasedItem::new(&order.merchant, &order.order.identifier));
        }
        erasure.messages = found.messages.into_iter().map(view_message).collect();
        Ok(erasure)
    }

    async fn erase_order(&self, found: &FoundOrder, known: Known<'_>) -> Result<(), AppError> {
        let FoundOrder { merchant, order, stored } = found;
        let (store, id) = (&self.app.store, order.identifier.as_str());
        let mut transaction = Transaction::new("erasing the shopper of an order");
        let body = erase_order(&stored.body, known.texts)?;
        transaction.erase_order(merchant, id, stored.version, Bytes::from(body));
        let mut refunds = store.refund_documents(merchant, id).await?;
        for refund in &mut refunds {
            refund.body = Bytes::from(erase_order(&refund.body, known.texts)?);
        }
        let ids = refunds.iter().map(|refund| refund.key.as_str());
        for problem in store.problems_of_refunds(merchant, ids).await? {
            let detail = erase_problem(&problem, known.texts);
            transaction.erase_refund_problem(merchant, &problem.refund_id, detail);
            self.erase_audit(&mut transaction, merchant, &problem.refund_id, known).await?;
        }
        transaction.erase_refunds(merchant, refunds);
        self.erase_messages(&mut transaction, merchant, id, known).await?;
        self.commit(transaction, merchant, id).await
    }

    async fn erase_return(
        &self,
        merchant: &MerchantId,
        rma: &Versioned<Rma>,
        known: Known<'_>,
    ) -> Result<(), AppError> {
        let (store, id) = (&self.app.store, &rma.value.rma_identifier);
        let mut transaction = Transaction::new("erasing the shopper of a return");
        let mut events = store.journal_documents(merchant, id).await?;
        for event in &mut events {
            event.body = Bytes::from(erase_document(&event.body, known.texts)?);
        }
        let body = erase_value(&rma.value, known)?;
        transaction.erase_return(merchant, id, rma.version, body);
        transaction.erase_return_events(merchant, id, events);
        self.erase_units(&mut transaction, merchant, id, known).await?;
        // There is no sender any more.
        transaction.end_label_request(merchant, id);
        for hash in hashes_of_return(&rma.value) {
            transaction.delete_shopper_key(merchant, hash, ShopperKeyKind::Return, id.as_str());
        }
        self.erase_messages(&mut transaction, merchant, id.as_str(), known).await?;
        self.commit(transaction, merchant, id.as_str()).await
    }

    /// Erases what the warehouse wrote about the units that came with a return: those that were
    /// received for it, also if that was taken back, and those that do not belong to it. One that
    /// came without an ASN is also stored as the platform's.
    async fn erase_units(
        &self,
        transaction: &mut Transaction,
        merchant: &MerchantId,
        rma: &RmaId,
        known: Known<'_>,
    ) -> Result<(), AppError> {
        let plates = known.return_messages.plates(merchant, rma);
        let platform = MerchantId::platform();
        for owner in [merchant, &platform] {
            let mut rows = Vec::new();
            for Versioned { value, version } in self.app.store.stored_units(owner, &plates).await? {
                // Another merchant's unit may have the same plate there.
                if owner != merchant && !is_received_for(&value, rma) {
                    continue;
                }
                let body = erase_unit(value.to_json().as_bytes(), known.texts)?;
                let erased: UnitRecord = serde_json::from_str(&String::from_utf8_lossy(&body))
                    .map_err(AppError::UnreadableResponse)?;
                let unit = UnitRecord { unit_identifier: value.unit_identifier, ..erased };
                self.erase_audit(transaction, owner, &unit.unit_identifier, known).await?;
                rows.push(UnitRow { replaces: version, unit });
            }
            if rows.is_empty() {
                continue;
            }
            // The erased units include what the steps say.
            let erased = rows.iter().map(|row| row.unit.unit_identifier.as_str());
            transaction.delete_unit_steps(owner, erased);
            transaction.put_units(owner, rows);
        }
        Ok(())
    }

    async fn erase_drop_ship_order(
        &self,
        merchant: &MerchantId,
        order: &Versioned<DropShipOrder>,
        known: Known<'_>,
    ) -> Result<(), AppError> {
        let id = order.value.client_identifier.as_str();
        let mut transaction = Transaction::new("erasing the shopper of a drop-ship order");
        let body = erase_value(&order.value, known)?;
        transaction.erase_drop_ship_order(merchant, id, order.version, body);
        for hash in hashes_of_drop_ship(&order.value) {
            transaction.delete_shopper_key(merchant, hash, ShopperKeyKind::DropShipOrder, id);
        }
        self.erase_messages(&mut transaction, merchant, id, known).await?;
        self.commit(transaction, merchant, id).await
    }

    async fn erase_messages(
        &self,
        transaction: &mut Transaction,
        merchant: &MerchantId,
        reference: &str,
        known: Known<'_>,
    ) -> Result<(), AppError> {
        let mut erased = Vec::new();
        for message in known.messages_about(merchant, reference) {
            let key = message.message_id;
            let Some((_, body)) = self.app.store.message(merchant, key).await? else { continue };
            let body = Bytes::from(erase_document(&body, known.texts)?);
            erased.push(DocumentRow { key, body });
        }
        for message in &erased {
            let id = message_id(merchant.as_str(), message.key);
            self.erase_audit(transaction, merchant, &id, known).await?;
        }
        transaction.erase_messages(merchant, erased, ERASED);
        self.erase_audit(transaction, merchant, reference, known).await
    }

    /// Erases what operators wrote about something.
    async fn erase_audit(
        &self,
        transaction: &mut Transaction,
        merchant: &MerchantId,
        reference: &str,
        known: Known<'_>,
    ) -> Result<(), AppError> {
        for mut record in self.app.store.audit_about(merchant, reference, AUDIT_MAX).await? {
            record.detail = erase_audit_detail(&record.detail, known.texts)?;
            transaction.erase_audit_detail(&record);
        }
        Ok(())
    }

    /// Commits, with a record in the audit trail that names what was erased, but not who.
    async fn commit(
        &self,
        mut transaction: Transaction,
        merchant: &MerchantId,
        reference: &str,
    ) -> Result<(), AppError> {
        if let Some((scope, forced_because)) = self.asked {
            let detail = json!({ "erased": reference, "forced_because": forced_because });
            let scope = scope.for_merchant(merchant);
            record_change(scope, &mut transaction, "shopper.erase", &detail);
        }
        Ok(self.app.commit(transaction).await?)
    }
}

fn is_received_for(unit: &UnitRecord, rma: &RmaId) -> bool {
    unit.receipt.as_ref().is_some_and(|receipt| receipt.asn_number == rma.as_str())
}

/// The description of a problem. What was done about it is in the words of who did it, also if a
/// part of the refund was matched and the problem is still open.
fn erase_problem<'a>(problem: &'a RefundProblem, known: &PersonalTexts) -> &'a str {
    let is_answered = problem.state != problem.kind
        || ["matched to ", "left unchanged"].iter().any(|it| problem.detail.starts_with(it));
    if is_answered { ERASED } else { known.erase_text(&problem.detail) }
}

fn erase_value(value: &impl WriteJson, known: Known<'_>) -> Result<String, AppError> {
    let erased = erase_document(value.to_json().as_bytes(), known.texts)?;
    Ok(String::from_utf8_lossy(&erased).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detail_after(state: &str, detail: &str) -> String {
        let problem = RefundProblem {
            merchant: "acme".to_owned(),
            refund_id: "RF-1".to_owned(),
            order_id: "ORD-1".to_owned(),
            kind: "short_paid".to_owned(),
            state: state.to_owned(),
            noticed_us: 0,
            detail: detail.to_owned(),
            rma_id: "RMA-7K3Q-9XWD-2M4T".to_owned(),
            currency: "USD".to_owned(),
            promised_cents: 2,
            paid_cents: 1,
        };
        erase_problem(&problem, &PersonalTexts::default()).to_owned()
    }

    #[test]
    fn notes_of_operators_are_erased_and_the_description_of_an_open_problem_stays() {
        let described = "pays less than was promised";
        assert_eq!(detail_after("short_paid", described), described);
        assert_eq!(detail_after("short_paid", "matched to RMA-1: Dana called"), ERASED);
        assert_eq!(detail_after("short_paid", "left unchanged: Dana called; pays less"), ERASED);
        for state in ["asked", "awaited", "settled"] {
            assert_eq!(detail_after(state, "the merchant was asked: is Dana well?"), ERASED);
        }
    }
}
