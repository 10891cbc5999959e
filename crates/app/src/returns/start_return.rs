//! A shopper starts a return, or asks what it would come to.

use std::collections::BTreeMap;

use domain::{
    exchanges::{
        order::{ExchangeOrder, ExchangeOrderItem, ExchangeTerms, exchange_order},
        record::ExchangeRecord,
    },
    identifier::MerchantId,
    merchants::merchant::{CarrierMode, MerchantSettings},
    messages::kind::MessageKind,
    orders::order::OrderLine,
    returns::{
        Resolution, ReturnMethod,
        identifier::RmaId,
        policy::Policy,
        quote::Quote,
        request::ReturnRequest,
        rma::Rma,
        start::{OrderContext, ReturnRefusal, StartContext, StartedReturn, start},
    },
};
use serde::{Deserialize, Serialize};
use store::{Transaction, Versioned};

use crate::{
    App, AppError,
    access::authenticate::Caller,
    core::commit_once::{IdempotencyKey, Request, commit_once},
    exchanges::variants::fetch_current_variants,
    messages::outbox::{self, About},
    orders::returnability::{OrderWithLedger, load_order},
    returns::{change_return::enqueue_message, policies::load_policy},
};

/// A return, and what it comes to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct QuotedReturn {
    pub rma: Rma,
    pub quote: Quote,
}

/// What a return would be. Nothing is stored.
pub async fn quote_return(
    app: &App,
    caller: &Caller,
    request: &ReturnRequest,
) -> Result<QuotedReturn, AppError> {
    let merchant = caller.merchant.as_ref().ok_or(AppError::NotFound("merchant"))?;
    let (started, _) = decide(app, merchant, caller.settings, request).await?;
    Ok(QuotedReturn { rma: started.rma, quote: started.quote })
}

/// Starts a return: its units are spent, its merchant is told, and a label is asked for.
pub async fn start_return(
    app: &App,
    caller: &Caller,
    request: &ReturnRequest,
    repeatable: Option<&IdempotencyKey>,
) -> Result<QuotedReturn, AppError> {
    begin(app, caller, request, (repeatable, None)).await
}

/// Starts a return for which the shopper was shown a total, if that is still what it comes to.
pub async fn confirm_return(
    app: &App,
    caller: &Caller,
    request: &ReturnRequest,
    repeatable: Option<&IdempotencyKey>,
    total_cents: i64,
) -> Result<QuotedReturn, AppError> {
    begin(app, caller, request, (repeatable, Some(total_cents))).await
}

async fn begin(
    app: &App,
    caller: &Caller,
    request: &ReturnRequest,
    (repeatable, agreed_cents): (Option<&IdempotencyKey>, Option<i64>),
) -> Result<QuotedReturn, AppError> {
    let merchant = caller.merchant.as_ref().ok_or(AppError::NotFound("merchant"))?;
    let asked = Request { client: &caller.client, repeatable };
    let begun = commit_once(app, asked, || async {
        let (started, known) = decide(app, merchant, caller.settings, request).await?;
        if agreed_cents.is_some_and(|agreed| agreed != started.quote.total_cents) {
            return Err(AppError::Changed);
        }
        let mut transaction = Transaction::new("starting a return");
        for (order_id, ledger) in &started.ledgers {
            let version = known.versions.get(order_id).copied().unwrap_or_default();
            transaction.put_ledger(merchant, order_id, ledger, version);
        }
        let rma = started.rma;
        transaction.insert_return(merchant, &rma);
        enqueue_message(app, &mut transaction, merchant, &rma);
        for (order, record) in &started_exchanges(&rma, &started.quote, &known) {
            transaction.insert_exchange_order(merchant, record);
            enqueue_exchange_order(app, &mut transaction, merchant, order);
        }
        if rma.return_method != ReturnMethod::CustomerKeep {
            let carrier = caller.settings.carrier.name();
            let now_us = app.world.now_us();
            transaction.request_label(merchant, &rma.rma_identifier, carrier, now_us);
        }
        Ok((QuotedReturn { rma, quote: started.quote }, transaction))
    })
    .await?;
    // Other carriers ask for themselves.
    if caller.settings.carrier == CarrierMode::Simulated {
        app.labels_wanted.notify_one();
    }
    Ok(begun)
}

/// What a return was decided on, for what follows from it.
struct Loaded {
    orders: BTreeMap<String, OrderContext>,
    /// The versions of the ledgers.
    versions: BTreeMap<String, i64>,
    policy: Policy,
}

/// The exchange orders that a return asks for, one for each of its orders. The fee that falls on gift cards,
/// and the bonus, go with the first card.
fn started_exchanges(
    rma: &Rma,
    quote: &Quote,
    loaded: &Loaded,
) -> Vec<(ExchangeOrder, ExchangeRecord)> {
    let sku = loaded.policy.gift_card.as_ref().map(|card| card.sku.clone()).unwrap_or_default();
    let mut left = (quote.fee_from_gift_card_cents, quote.bonus_credit_cents);
    let mut exchanges = Vec::new();
    for known in loaded.orders.values() {
        let terms = ExchangeTerms {
            gift_card_sku: &sku,
            fee_cents: left.0,
            bonus_cents: left.1,
            variants: &known.variants,
        };
        let Some(exchange) = exchange_order(rma, &known.order, &terms, exchanges.len() + 1) else {
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
    let body = serde_json::to_vec(order).expect("an exchange order has string keys");
    let reference = order.original_order_id.as_str();
    let about = About { kind: MessageKind::ExchangeOrder, reference, sequence: 1 };
    transaction.enqueue(outbox::message(app, merchant, &about, body.into()));
}

/// The return that the request asks for, and what it was decided on.
async fn decide(
    app: &App,
    merchant: &MerchantId,
    settings: MerchantSettings,
    request: &ReturnRequest,
) -> Result<(StartedReturn, Loaded), AppError> {
    let (policy, (orders, versions)) =
        tokio::try_join!(load_policy(app, merchant), orders(app, merchant, request))?;
    let basis = StartContext {
        request,
        orders: &orders,
        policy: &policy.policy,
        policy_version: policy.version,
        managed_receiving: settings.managed_receiving,
        now: app.world.now(),
    };
    let rma_identifier = RmaId::from_random(app.world.random());
    let started = start(&basis, rma_identifier).map_err(refusal)?;
    Ok((started, Loaded { orders, versions, policy: policy.policy }))
}

/// The orders that a request names, as far as they are known, and the versions of their ledgers.
async fn orders(
    app: &App,
    merchant: &MerchantId,
    request: &ReturnRequest,
) -> Result<(BTreeMap<String, OrderContext>, BTreeMap<String, i64>), AppError> {
    let (mut orders, mut versions) = (BTreeMap::new(), BTreeMap::new());
    for item in &request.items {
        let id = &item.order_identifier;
        if !orders.contains_key(id)
            && let Some((known, version)) = known(app, merchant, id, request).await?
        {
            orders.insert(id.clone(), known);
            versions.insert(id.clone(), version);
        }
    }
    Ok((orders, versions))
}

/// An order with its ledger and what is known of exchanges: whether it is one, was exchanged, and what there is
/// to exchange its units for. Whatever changes what was read changes the ledger's version, too.
async fn known(
    app: &App,
    merchant: &MerchantId,
    id: &str,
    request: &ReturnRequest,
) -> Result<Option<(OrderContext, i64)>, AppError> {
    let Some(OrderWithLedger { order, ledger, exchanged, origin }) =
        load_order(app, merchant, id).await?
    else {
        return Ok(None);
    };
    let wanted = |line: &&OrderLine| {
        request.items.iter().any(|item| {
            item.resolution == Resolution::Exchange
                && item.order_identifier == id
                && item.order_line_item_identifier == line.identifier
        })
    };
    let lines = order.items.iter().filter(wanted);
    let identifiers = lines.map(|line| line.variant_identifier.as_str());
    let variants = fetch_current_variants(app, merchant, identifiers).await;
    let original_order_identifier = origin.map(|record| record.original_order_id);
    let Versioned { value: ledger, version } = ledger;
    Ok(Some((
        OrderContext { order, ledger, original_order_identifier, exchanged, variants },
        version,
    )))
}

fn refusal(refused: Vec<ReturnRefusal>) -> AppError {
    if !refused.iter().all(ReturnRefusal::is_taken) {
        return AppError::Refused(refused);
    }
    let facts: Vec<String> =
        refused.iter().map(|it| format!("{}: {}", it.field, it.message)).collect();
    AppError::Conflict(format!("somebody else returns these units: {}", facts.join("; ")))
}
