//! A shopper starts a return, or asks for a quote.

use std::collections::{BTreeMap, HashSet};

use boxed::boxed;
use domain::{
    bodies::WriteJson,
    exchanges::{
        order::{ExchangeOrder, ExchangeOrderItem, ExchangeTerms, exchange_order},
        record::ExchangeRecord,
    },
    identifier::MerchantId,
    merchants::merchant::{CarrierMode, MerchantSettings},
    messages::kind::MessageKind,
    orders::order::PostalAddress,
    returns::{
        Resolution,
        identifier::RmaId,
        quote::Quote,
        request::ReturnRequest,
        rma::Rma,
        start::{OrderContext, ReturnRefusal, StartContext, StartedReturn, start},
    },
    warehouse::stray::keys_of_return,
};
use serde::{Deserialize, Serialize};
use store::Transaction;

use crate::core::idempotency::replayable;
use crate::{
    App, AppError,
    core::{commit_once::commit_once, scope::RequestScope},
    exchanges::variants::fetch_current_variants,
    messages::outbox::{self, About},
    orders::{
        load_order::{OrderWithLedger, load_order},
        returnability::ReturnableOrder,
    },
    returns::{
        origin::Origin,
        policies::{PolicyView, load_policy},
        renew_label::{notify_carrier, request_label},
        return_draft::put_new_return,
    },
};

/// 130 random bits.
pub(crate) const LABEL_KEY_LETTERS: usize = 26;

/// A return and its amounts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct QuotedReturn {
    pub rma: Rma,
    pub quote: Quote,
}

replayable!(QuotedReturn);

/// Decides what a return would be. Nothing is stored.
#[boxed]
pub async fn quote_return(
    scope: RequestScope<'_>,
    settings: MerchantSettings,
    request: &ReturnRequest,
) -> Result<QuotedReturn, AppError> {
    let (started, _) = decide(scope.app, scope.merchant()?, settings, request).await?;
    Ok(QuotedReturn { rma: started.rma, quote: started.quote })
}

/// The same for a shopper whose order is loaded already, and is the only one of the request.
#[boxed]
pub async fn quote_loaded_return(
    scope: RequestScope<'_>,
    settings: MerchantSettings,
    request: &ReturnRequest,
    returnable: &ReturnableOrder,
) -> Result<QuotedReturn, AppError> {
    let (app, merchant) = (scope.app, scope.merchant()?);
    let context = build_context(app, merchant, returnable.loaded.clone(), request).await;
    let loaded = LoadedOrders {
        orders: BTreeMap::from([(context.order.identifier.clone(), context)]),
        // Nothing is committed.
        versions: BTreeMap::new(),
        policy: returnable.policy.clone(),
    };
    let started = decide_on(app, settings, request, &loaded)?;
    Ok(QuotedReturn { rma: started.rma, quote: started.quote })
}

/// Starts a return: its units are spent, its message is enqueued, and a label is requested.
#[boxed]
pub async fn start_return(
    scope: RequestScope<'_>,
    settings: MerchantSettings,
    request: &ReturnRequest,
) -> Result<QuotedReturn, AppError> {
    start_at_total(scope, settings, request, None).await
}

/// Starts a return for which the shopper was shown a total, if the total is still the same.
#[boxed]
pub async fn confirm_return(
    scope: RequestScope<'_>,
    settings: MerchantSettings,
    request: &ReturnRequest,
    total_cents: i64,
) -> Result<QuotedReturn, AppError> {
    start_at_total(scope, settings, request, Some(total_cents)).await
}

async fn start_at_total(
    scope: RequestScope<'_>,
    settings: MerchantSettings,
    request: &ReturnRequest,
    agreed_cents: Option<i64>,
) -> Result<QuotedReturn, AppError> {
    let (app, merchant) = (scope.app, scope.merchant()?);
    let origin = Origin::of_request(scope);
    // Boxed, because it holds everything that was loaded about the orders.
    let attempt = || {
        Box::pin(async {
            let (started, loaded) = decide(app, merchant, settings, request).await?;
            if agreed_cents.is_some_and(|agreed| agreed != started.quote.total_cents) {
                return Err(AppError::Changed);
            }
            let mut transaction = Transaction::new("starting a return");
            for (order_id, versions) in &loaded.versions {
                transaction.guard_order(merchant, order_id, versions.order);
            }
            for (order_id, ledger) in &started.ledgers {
                let versions = loaded.versions.get(order_id).copied().unwrap_or_default();
                transaction.put_ledger(merchant, order_id, ledger, versions.ledger);
            }
            let rma = started.rma;
            let goods = StartedGoods {
                rma: &rma,
                recipients: loaded.orders.values().map(|it| &it.order.shipping_address).collect(),
                carrier: settings.carrier,
            };
            put_started_return(app, &mut transaction, merchant, &goods, &origin).await?;
            for (order, record) in &build_exchanges(&rma, &started.quote, &loaded) {
                transaction.insert_exchange_order(merchant, record);
                enqueue_exchange_order(app, &mut transaction, merchant, order);
            }
            Ok((QuotedReturn { rma, quote: started.quote }, transaction))
        })
    };
    let quoted = commit_once(scope, attempt).await?;
    notify_carrier(app, settings.carrier);
    Ok(quoted)
}

/// A return that starts, where its goods were sent, and who brings them back.
pub(crate) struct StartedGoods<'a> {
    pub(crate) rma: &'a Rma,
    pub(crate) recipients: Vec<&'a PostalAddress>,
    pub(crate) carrier: CarrierMode,
}

/// Adds a new return to the transaction: its journal and message, what the bench finds it by, and
/// the request for its label.
pub(crate) async fn put_started_return(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    started: &StartedGoods<'_>,
    origin: &Origin,
) -> Result<(), AppError> {
    let rma = started.rma;
    put_new_return(app, transaction, merchant, rma, origin).await?;
    let keys = keys_of_return(rma, &started.recipients);
    transaction.put_receiving_keys(merchant, &rma.rma_identifier, &keys);
    request_label(app, transaction, merchant, rma, started.carrier);
    Ok(())
}

/// What a return was decided on.
struct LoadedOrders {
    orders: BTreeMap<String, OrderContext>,
    versions: BTreeMap<String, LoadedVersions>,
    policy: PolicyView,
}

/// The versions that an order and its ledger were read at. A new snapshot need not change the
/// ledger; everything else that is loaded about an order does when it changes.
#[derive(Clone, Copy, Debug, Default)]
struct LoadedVersions {
    order: i64,
    ledger: i64,
}

/// The exchange orders that a return asks for, one for each of its orders. The bonus, and the part
/// of the fee that gift cards pay, apply to the first gift card.
fn build_exchanges(
    rma: &Rma,
    quote: &Quote,
    loaded: &LoadedOrders,
) -> Vec<(ExchangeOrder, ExchangeRecord)> {
    let sku =
        loaded.policy.policy.gift_card.as_ref().map(|card| card.sku.clone()).unwrap_or_default();
    let mut left = (quote.fee_from_gift_card_cents, quote.bonus_credit_cents);
    let mut exchanges = Vec::new();
    for context in loaded.orders.values() {
        let terms = ExchangeTerms {
            gift_card_sku: &sku,
            fee_cents: left.0,
            bonus_cents: left.1,
            variants: &context.variants,
        };
        let Some(exchange) = exchange_order(rma, &context.order, &terms, exchanges.len() + 1)
        else {
            continue;
        };
        if exchange.0.items.iter().any(|item| matches!(item, ExchangeOrderItem::GiftCard(_))) {
            left = (0, 0);
        }
        exchanges.push(exchange);
    }
    exchanges
}

fn enqueue_exchange_order(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    order: &ExchangeOrder,
) {
    let reference = order.original_order_id.as_str();
    let about = About { kind: MessageKind::ExchangeOrder, reference, sequence: 1 };
    transaction.enqueue(outbox::message(app, merchant, &about, order.to_json().into()));
}

/// Decides on the return that the request asks for.
async fn decide(
    app: &App,
    merchant: &MerchantId,
    settings: MerchantSettings,
    request: &ReturnRequest,
) -> Result<(StartedReturn, LoadedOrders), AppError> {
    let (policy, (orders, versions)) =
        tokio::try_join!(load_policy(app, merchant), load_orders(app, merchant, request))?;
    let loaded = LoadedOrders { orders, versions, policy };
    Ok((decide_on(app, settings, request, &loaded)?, loaded))
}

fn decide_on(
    app: &App,
    settings: MerchantSettings,
    request: &ReturnRequest,
    loaded: &LoadedOrders,
) -> Result<StartedReturn, AppError> {
    let context = StartContext {
        request,
        orders: &loaded.orders,
        policy: &loaded.policy.policy,
        policy_version: loaded.policy.version,
        settings,
        now: app.world.now(),
    };
    let mut started = start(&context, RmaId::from_random(app.world.random())).map_err(refuse)?;
    started.rma.language = request.language;
    started.rma.parcel_count = request.parcel_count;
    started.rma.label_key = app.world.readable::<LABEL_KEY_LETTERS>();
    Ok(started)
}

/// The orders that a request names, as far as they exist, and their versions.
async fn load_orders(
    app: &App,
    merchant: &MerchantId,
    request: &ReturnRequest,
) -> Result<(BTreeMap<String, OrderContext>, BTreeMap<String, LoadedVersions>), AppError> {
    let (mut orders, mut versions) = (BTreeMap::new(), BTreeMap::new());
    for item in &request.items {
        let id = &item.order_identifier;
        if !orders.contains_key(id)
            && let Some(loaded) = load_order(app, merchant, id).await?
        {
            let read = LoadedVersions { order: loaded.version, ledger: loaded.ledger.version };
            versions.insert(id.clone(), read);
            orders.insert(id.clone(), build_context(app, merchant, loaded, request).await);
        }
    }
    Ok((orders, versions))
}

/// An order with its ledger and its exchanges: whether it is an exchange order, whether it was
/// exchanged, and the variants that its units can be exchanged for.
async fn build_context(
    app: &App,
    merchant: &MerchantId,
    loaded: OrderWithLedger,
    request: &ReturnRequest,
) -> OrderContext {
    let OrderWithLedger { order, ledger, exchanged, origin, .. } = loaded;
    let exchanged_items = request.items.iter().filter(|item| {
        item.resolution == Resolution::Exchange && item.order_identifier == order.identifier
    });
    let exchanged_lines: HashSet<&str> =
        exchanged_items.map(|item| item.order_line_item_identifier.as_str()).collect();
    let lines =
        order.items.iter().filter(|line| exchanged_lines.contains(line.identifier.as_str()));
    let lines: Vec<_> = lines.collect();
    let variants = fetch_current_variants(app, merchant, &lines).await;
    let original_order_identifier = origin.map(|record| record.original_order_id);
    let ledger = ledger.value;
    OrderContext { order, ledger, original_order_identifier, exchanged, variants }
}

fn refuse(refused: Vec<ReturnRefusal>) -> AppError {
    if !refused.iter().all(ReturnRefusal::is_taken) {
        return AppError::Refused(refused);
    }
    let facts: Vec<String> =
        refused.iter().map(|it| format!("{}: {}", it.field, it.message)).collect();
    AppError::Conflict(format!("these units are already being returned: {}", facts.join("; ")))
}
