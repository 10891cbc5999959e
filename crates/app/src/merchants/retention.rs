//! Erases the data of shoppers that a merchant does not need any more, in small steps.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use boxed::boxed;
use domain::{
    bodies::WriteJson,
    identifier::MerchantId,
    merchants::retention::{RetentionPeriods, cutoff},
    messages::{kind::MessageKind, mail::Mail, state::MessageState},
    orders::erasure::{ERASED, is_erased, is_erased_return, is_marked_as_erased},
    returns::identifier::RmaId,
    time::micros,
};
use store::{
    DeferredCandidate, DocumentRow, RetentionCandidate, RetentionClass, StoreError, Transaction,
    with_causes,
};

use crate::{
    App, AppError,
    core::{audit_trail::record_change, commit_once::commit_once, scope::RequestScope},
    orders::{
        eraser::Eraser,
        shopper_data::{FoundData, FoundOrder, find_order},
    },
    returns::change_return::order_ids,
};

/// Orders, returns or messages that are examined before progress is stored.
const STEP: usize = 100;
const MERCHANTS: usize = 100;
/// More orders than are connected by returns of several orders.
const CONNECTED_MAX: usize = 100;
const AUDIT_BATCH: usize = 500;
/// Between two steps, so that other writers come first.
const PAUSE: Duration = Duration::from_millis(50);

/// The periods of a merchant that must exist.
#[boxed]
pub async fn load_retention(
    app: &App,
    merchant: &MerchantId,
) -> Result<RetentionPeriods, AppError> {
    app.store.merchant(merchant).await?.ok_or(AppError::NotFound("merchant"))?;
    Ok(app.store.retention_periods(merchant).await?)
}

/// Sets how long the data of a merchant's shoppers is kept.
#[boxed]
pub async fn set_retention(
    scope: RequestScope<'_>,
    periods: &RetentionPeriods,
) -> Result<RetentionPeriods, AppError> {
    let (app, merchant) = (scope.app, scope.merchant()?);
    commit_once(scope, || async {
        load_retention(app, merchant).await?;
        let mut transaction = Transaction::new("setting retention periods");
        transaction.put_retention_periods(merchant, periods);
        record_change(scope, &mut transaction, "retention.set", &periods.to_value());
        Ok((*periods, transaction))
    })
    .await
}

/// Erases everything that is old enough now, and returns how many orders, returns and mails that
/// were.
pub(crate) async fn apply_retention(app: &App) -> Result<usize, AppError> {
    let (mut count, mut after) = (0, String::new());
    loop {
        let page = app.store.merchants_with_retention(&after, MERCHANTS).await?;
        let Some((last, _)) = page.last() else { break };
        after = last.to_string();
        for (merchant, periods) in &page {
            count +=
                erase_old(app, merchant, RetentionClass::Returns, periods.returns_days).await?;
            count += erase_old(app, merchant, RetentionClass::Orders, periods.orders_days).await?;
            count += erase_old(app, merchant, RetentionClass::Mails, periods.mails_days).await?;
            remove_old_audit(app, merchant, periods.audit_days).await?;
        }
    }
    if count > 0 {
        app.store.remove_traces().await?;
    }
    Ok(count)
}

async fn remove_old_audit(
    app: &App,
    merchant: &MerchantId,
    days: Option<i64>,
) -> Result<(), AppError> {
    let Some(days) = days else { return Ok(()) };
    let before_us = micros(cutoff(app.world.now(), days));
    while app.store.has_old_audit(merchant, before_us).await? {
        let mut transaction = Transaction::new("removing old audit records");
        transaction.delete_old_audit(merchant, before_us, AUDIT_BATCH);
        app.store.commit(transaction).await?;
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// What became of something that was old enough to be erased.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Examination {
    Erased,
    /// It is not to be erased unless it changes.
    Kept,
    /// It is to be erased when something else is finished.
    Deferred,
}

async fn erase_old(
    app: &App,
    merchant: &MerchantId,
    class: RetentionClass,
    days: Option<i64>,
) -> Result<usize, AppError> {
    let Some(days) = days else { return Ok(0) };
    let before_us = micros(cutoff(app.world.now(), days));
    let mut count = erase_deferred(app, merchant, class, before_us).await?;
    loop {
        let page = app.store.retention_candidates(merchant, class, STEP).await?;
        let is_old = |it: &&RetentionCandidate| it.changed_us < before_us;
        let old: Vec<&RetentionCandidate> = page.iter().take_while(is_old).collect();
        let Some(last) = old.last() else { return Ok(count) };
        let mut transaction = Transaction::new("remembering which data was examined");
        for candidate in &old {
            let examined = erase_candidate(app, merchant, class, candidate, before_us).await;
            match pass_unreadable(examined, merchant, &candidate.reference)? {
                Examination::Erased => count += 1,
                Examination::Kept => (),
                Examination::Deferred => transaction.defer_retention(merchant, class, candidate),
            }
        }
        transaction.put_retention_progress(merchant, class, last);
        app.store.commit(transaction).await?;
        if old.len() < STEP {
            return Ok(count);
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// A row that is unreadable stays so, and must not keep the data of all others.
fn pass_unreadable(
    examined: Result<Examination, AppError>,
    merchant: &MerchantId,
    reference: &str,
) -> Result<Examination, AppError> {
    match examined {
        Err(error) if error.is_lasting() => {
            let cause = with_causes(&error);
            tracing::error!(
                "erasing the shopper of {reference} of {merchant} failed; repair the row, then set \
                 the retention periods again: {cause}"
            );
            Ok(Examination::Kept)
        }
        examined => examined,
    }
}

/// Erases what had to wait for something else that is finished now.
async fn erase_deferred(
    app: &App,
    merchant: &MerchantId,
    class: RetentionClass,
    before_us: i64,
) -> Result<usize, AppError> {
    let (mut count, mut after) = (0, String::new());
    loop {
        let page = app.store.deferred_candidates(merchant, class, &after, STEP).await?;
        let Some(last) = page.last() else { return Ok(count) };
        after.clone_from(&last.reference);
        let mut transaction = Transaction::new("remembering which deferred data was examined");
        for DeferredCandidate { reference, has_changed } in &page {
            let examination = if *has_changed {
                Examination::Kept
            } else {
                let examined = erase_reference(app, merchant, class, reference, before_us).await;
                pass_unreadable(examined, merchant, reference)?
            };
            count += usize::from(examination == Examination::Erased);
            if examination != Examination::Deferred {
                transaction.end_deferral(merchant, class, reference);
            }
        }
        app.store.commit(transaction).await?;
        tokio::time::sleep(PAUSE).await;
    }
}

async fn erase_candidate(
    app: &App,
    merchant: &MerchantId,
    class: RetentionClass,
    candidate: &RetentionCandidate,
    before_us: i64,
) -> Result<Examination, AppError> {
    match class {
        RetentionClass::Orders | RetentionClass::Returns => {
            erase_reference(app, merchant, class, &candidate.reference, before_us).await
        }
        RetentionClass::Mails => {
            let is_erased = erase_mail(app, merchant, candidate).await?;
            Ok(if is_erased { Examination::Erased } else { Examination::Kept })
        }
    }
}

/// Erases one order or return, if nothing about it is open or younger.
async fn erase_reference(
    app: &App,
    merchant: &MerchantId,
    class: RetentionClass,
    reference: &str,
    before_us: i64,
) -> Result<Examination, AppError> {
    let found = match class {
        RetentionClass::Orders => find_order_data(app, merchant, reference).await?,
        RetentionClass::Returns => find_return_data(app, merchant, reference, before_us).await?,
        RetentionClass::Mails => None,
    };
    let Some(found) = found else { return Ok(Examination::Kept) };
    let mut drop_ship_orders = found.drop_ship_orders.iter();
    let is_young = drop_ship_orders.any(|(_, it)| micros(it.value.updated_at) >= before_us);
    // They are found by the order, so they are erased with it or never.
    if is_young || found.has_open_returns() || found.has_open_deliveries() {
        return Ok(Examination::Deferred);
    }
    match Eraser::by_retention(app).erase(found).await {
        Ok(_) => Ok(Examination::Erased),
        // Something about it has just changed.
        Err(AppError::Store(StoreError::Conflict)) => Ok(Examination::Deferred),
        Err(error) => Err(error),
    }
}

/// Erases a mail that is finished. One that waits, or can be retried, is still needed.
async fn erase_mail(
    app: &App,
    merchant: &MerchantId,
    candidate: &RetentionCandidate,
) -> Result<bool, AppError> {
    if candidate.reference != MessageKind::Mail.name() {
        return Ok(false);
    }
    let key = candidate.changed;
    let Some((row, body)) = app.store.message(merchant, key).await? else { return Ok(false) };
    let is_finished = match row.state {
        MessageState::Delivered | MessageState::Discarded => true,
        MessageState::Waiting | MessageState::Failed => false,
    };
    let mail = serde_json::from_slice::<Mail>(&body).ok();
    let Some(mail) = mail.filter(|mail| is_finished && !mail.is_erased()) else {
        return Ok(false);
    };
    let body = mail.erased().to_json().into();
    let mut transaction = Transaction::new("erasing a mail");
    transaction.erase_messages(merchant, vec![DocumentRow { key, body }], ERASED);
    app.commit(transaction).await?;
    Ok(true)
}

/// An order of which nothing was returned, or that the merchant published again after its returns
/// were erased. None if it is not one, or is erased already.
async fn find_order_data(
    app: &App,
    merchant: &MerchantId,
    order_id: &str,
) -> Result<Option<FoundData>, AppError> {
    let Some(order) = find_order(app, merchant, order_id).await? else { return Ok(None) };
    if is_erased(&order.order) {
        return Ok(None);
    }
    for id in order.stored.ledger.value.rmas().iter().filter_map(|rma| RmaId::parse(rma)) {
        let rma = app.store.rma(merchant, &id).await?;
        // It is examined as a return, with its orders.
        if rma.is_some_and(|rma| !is_marked_as_erased(&rma.value)) {
            return Ok(None);
        }
    }
    FoundData::of(app, vec![order], BTreeSet::new()).await.map(Some)
}

/// A return that is finished, with its orders and the other returns of them. None if one of these
/// is open or younger, or if everything is erased already.
async fn find_return_data(
    app: &App,
    merchant: &MerchantId,
    rma: &str,
    before_us: i64,
) -> Result<Option<FoundData>, AppError> {
    let Some(id) = RmaId::parse(rma) else { return Ok(None) };
    let orders = find_connected_orders(app, merchant, &id).await?;
    let orders = orders.into_iter().filter(|it| !is_erased(&it.order)).collect();
    let found = FoundData::of(app, orders, BTreeSet::from([(merchant.clone(), id)])).await?;
    let is_young = found.returns.iter().any(|(_, it)| micros(it.value.updated_at) >= before_us);
    let is_done =
        found.orders.is_empty() && found.returns.iter().all(|(_, it)| is_erased_return(&it.value));
    Ok((!is_young && !is_done && !found.has_open_returns()).then_some(found))
}

/// The orders of a return, those of the other returns of these orders, and so on. They are erased
/// together, because an order of which something was returned is only examined with its returns.
async fn find_connected_orders(
    app: &App,
    merchant: &MerchantId,
    id: &RmaId,
) -> Result<Vec<FoundOrder>, AppError> {
    let (mut orders, mut seen) = (BTreeMap::new(), BTreeSet::from([id.clone()]));
    let mut unexamined = vec![id.clone()];
    while let Some(id) = unexamined.pop() {
        let Some(rma) = app.store.rma(merchant, &id).await? else { continue };
        for order_id in order_ids(&rma.value) {
            if orders.contains_key(order_id) || orders.len() == CONNECTED_MAX {
                continue;
            }
            let Some(order) = find_order(app, merchant, order_id).await? else { continue };
            let others = order.stored.ledger.value.rmas().iter();
            let others = others.filter_map(|rma| RmaId::parse(rma));
            unexamined.extend(others.filter(|it| seen.insert(it.clone())));
            orders.insert(order_id.to_owned(), order);
        }
    }
    Ok(orders.into_values().collect())
}
