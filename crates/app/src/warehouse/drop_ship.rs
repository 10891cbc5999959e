//! Orders that the warehouse ships directly to shoppers.

use boxed::boxed;
use bytes::Bytes;
use domain::{
    bodies::WriteJson,
    faults::Faults,
    identifier::MerchantId,
    json::Json,
    messages::kind::MessageKind,
    warehouse::drop_ship::{
        self, DropShipAction, DropShipNotice, DropShipOrder, DropShipReadContext, IdentifiedAction,
        apply, message,
    },
};
use serde_json::{Value, json};
use store::Transaction;

use crate::{
    App, AppError,
    core::{audit_trail::record_change, commit_once::commit_once, scope::RequestScope},
    messages::outbox::{self, About},
    orders::shopper_keys::put_keys_of_drop_ship,
    warehouse::resolve_merchant::resolve_merchant,
};

/// Reads an order as a merchant sends it, and reports everything that is wrong with it.
pub fn read_drop_ship_order(app: &App, document: &Json<'_>) -> Result<DropShipOrder, Faults> {
    let context = DropShipReadContext { first_id: generate_first_id(app), now: app.world.now() };
    drop_ship::read_drop_ship_order(document, &context)
}

/// Places an order. Another order with the same identifier is refused.
#[boxed]
pub async fn place_drop_ship_order(
    scope: RequestScope<'_>,
    order: &DropShipOrder,
) -> Result<DropShipOrder, AppError> {
    let (app, merchant) = (scope.app, scope.merchant()?);
    commit_once(scope, || async {
        if app.store.drop_ship_order(merchant, &order.client_identifier).await?.is_some() {
            let why = format!("drop-ship order {} already exists", order.client_identifier);
            return Err(AppError::Conflict(why));
        }
        let mut transaction = Transaction::new("placing a drop-ship order");
        transaction.put_drop_ship_order(merchant, order, 0);
        put_keys_of_drop_ship(&mut transaction, merchant, order);
        Ok((order.clone(), transaction))
    })
    .await
}

#[boxed]
pub async fn load_drop_ship_order(
    app: &App,
    merchant: Option<&MerchantId>,
    client_identifier: &str,
) -> Result<DropShipOrder, AppError> {
    let merchant = resolve_owner(app, merchant, client_identifier).await?;
    let order = app.store.drop_ship_order(&merchant, client_identifier).await?;
    Ok(order.ok_or(AppError::NotFound("drop-ship order"))?.value)
}

/// The warehouse ships or cancels units of an order. A shipment is identified by its tracking
/// number, and the same one again changes nothing. Every other action is another one, unless it is
/// the same request with its key.
#[boxed]
pub async fn act_on_drop_ship_order(
    scope: RequestScope<'_>,
    client_identifier: &str,
    action: &DropShipAction,
) -> Result<DropShipOrder, AppError> {
    act(scope, client_identifier, action, Audited::No).await
}

/// The same by a person, which the audit trail has.
#[boxed]
pub async fn decide_drop_ship_order(
    scope: RequestScope<'_>,
    client_identifier: &str,
    action: &DropShipAction,
) -> Result<DropShipOrder, AppError> {
    act(scope, client_identifier, action, Audited::Yes).await
}

/// Whether the audit trail has an action.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Audited {
    Yes,
    No,
}

async fn act(
    scope: RequestScope<'_>,
    client_identifier: &str,
    action: &DropShipAction,
    audited: Audited,
) -> Result<DropShipOrder, AppError> {
    let app = scope.app;
    let merchant = resolve_owner(app, scope.merchant, client_identifier).await?;
    let tracking = match action {
        DropShipAction::Ship(ship) => ship.tracking_number.as_deref(),
        DropShipAction::Cancel(_) => None,
    };
    let fresh = app.world.readable::<16>();
    let identifier = tracking.unwrap_or(&fresh);
    commit_once(scope, || async {
        let before = app.store.drop_ship_order(&merchant, client_identifier).await?;
        let before = before.ok_or(AppError::NotFound("drop-ship order"))?;
        let action = IdentifiedAction { identifier, action, first_id: generate_first_id(app) };
        let decision = apply(&before.value, &action, app.world.now())
            .map_err(|refusal| AppError::Conflict(refusal.to_string()))?;
        let mut transaction = Transaction::new("acting on a drop-ship order");
        if let Some(notice) = decision.owed {
            transaction.put_drop_ship_order(&merchant, &decision.order, before.version);
            enqueue_message(app, &mut transaction, &merchant, &decision.order, notice);
            if audited == Audited::Yes {
                let (name, detail) = describe_action(client_identifier, action.action);
                record_change(scope.for_merchant(&merchant), &mut transaction, name, &detail);
            }
        }
        Ok((decision.order, transaction))
    })
    .await
}

async fn resolve_owner(
    app: &App,
    merchant: Option<&MerchantId>,
    client_identifier: &str,
) -> Result<MerchantId, AppError> {
    let owners = app.store.merchants_of_drop_ship_order(client_identifier).await?;
    resolve_merchant(merchant, &owners)?.ok_or(AppError::NotFound("drop-ship order"))
}

/// The name and the detail of an action for the audit trail.
fn describe_action(order: &str, action: &DropShipAction) -> (&'static str, Value) {
    match action {
        DropShipAction::Ship(ship) => {
            ("drop_ship.ship", json!({ "order": order, "tracking_number": ship.tracking_number }))
        }
        DropShipAction::Cancel(cancel) => {
            let (outcome, reason) = (cancel.outcome, &cancel.reason);
            ("drop_ship.cancel", json!({ "order": order, "outcome": outcome, "reason": reason }))
        }
    }
}

fn enqueue_message(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    order: &DropShipOrder,
    notice: DropShipNotice,
) {
    let Some(message) = message(order, notice) else { return };
    let kind = match notice {
        DropShipNotice::Confirmation { .. } => MessageKind::DropShipmentConfirmation,
        DropShipNotice::Cancellation => MessageKind::DropShipmentCancellation,
        DropShipNotice::PartialCancellation => MessageKind::DropShipmentPartialCancellation,
    };
    let body = Bytes::from(message.to_json());
    let about = About { kind, reference: &order.client_identifier, sequence: order.messages_sent };
    transaction.enqueue(outbox::message(app, merchant, &about, body));
}

/// The first of 256 consecutive numbers that are unique, and small enough for every JSON reader.
fn generate_first_id(app: &App) -> i64 {
    let random = i64::from_be_bytes(app.world.random::<8>()) & ((1 << 44) - 1);
    (random << 8) + 1
}
