//! Disposition: the rules of a merchant, the channel that they propose for a unit, and what became
//! of returned goods.

use boxed::boxed;
use domain::{
    identifier::MerchantId,
    returns::{
        identifier::RmaId,
        receipt::{Condition, Receipt},
        rma::{Rma, RmaUnit},
    },
    warehouse::{
        disposition::{DispositionTable, GoodsFacts, propose_channel},
        gtin::is_same_code,
        unit::UnitRecord,
    },
};
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{StoredDisposition, Transaction};
use utoipa::ToSchema;

use crate::{
    App, AppError,
    core::{
        audit_trail::record_change, commit_once::commit_once, idempotency::replayable,
        scope::RequestScope,
    },
    orders::load_order::find_order,
};

/// More than any merchant needs.
const TABLES_MAX: usize = 1_000;

/// The rules of a merchant for one warehouse, or for all.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = Disposition)]
pub struct DispositionView {
    /// The warehouse. Absent: the rules are for all warehouses.
    #[schema(example = "31")]
    pub warehouse_identifier: Option<String>,
    #[serde(flatten)]
    pub table: DispositionTable,
}

replayable!(DispositionView);

impl DispositionView {
    fn of(stored: StoredDisposition) -> Self {
        let StoredDisposition { warehouse, table } = stored;
        Self { warehouse_identifier: Some(warehouse).filter(|it| !it.is_empty()), table }
    }
}

/// All tables of a merchant, the one for all warehouses first.
#[boxed]
pub async fn list_dispositions(
    app: &App,
    merchant: &MerchantId,
) -> Result<Vec<DispositionView>, AppError> {
    app.store.merchant(merchant).await?.ok_or(AppError::NotFound("merchant"))?;
    let stored = app.store.dispositions(merchant).await?;
    Ok(stored.into_iter().map(DispositionView::of).collect())
}

/// Replaces the rules for a warehouse, or for all without one. A table without rules is removed.
#[boxed]
pub async fn set_disposition(
    scope: RequestScope<'_>,
    warehouse: Option<&str>,
    table: &DispositionTable,
) -> Result<DispositionView, AppError> {
    let (app, merchant) = (scope.app, scope.merchant()?);
    let key = warehouse.unwrap_or_default();
    commit_once(scope, || async {
        let known = list_dispositions(app, merchant).await?;
        let before = app.store.disposition(merchant, key).await?;
        let mut transaction = Transaction::new("setting disposition rules");
        if before.is_none() && known.len() >= TABLES_MAX {
            let why = format!("there are already {TABLES_MAX} tables of rules");
            return Err(AppError::Conflict(why));
        }
        match (before, table.rules.is_empty()) {
            (Some(before), true) => transaction.delete_disposition(merchant, key, before.version),
            (None, true) => (),
            (before, false) => {
                let version = before.map_or(0, |before| before.version);
                transaction.put_disposition(merchant, key, table, version);
            }
        }
        let detail = json!({ "warehouse": warehouse, "rules": table.rules });
        record_change(scope, &mut transaction, "disposition.set", &detail);
        let stored = StoredDisposition { warehouse: key.to_owned(), table: table.clone() };
        Ok((DispositionView::of(stored), transaction))
    })
    .await
}

/// The rules of a merchant in a warehouse.
#[derive(Clone, Debug)]
pub(crate) struct WarehouseRules {
    /// Those of the warehouse before those for all.
    tables: Vec<DispositionTable>,
    /// Where units go by default in the warehouse.
    restock: Option<String>,
}

impl WarehouseRules {
    fn propose(&self, goods: &GoodsFacts, condition: Condition) -> String {
        propose_channel(&self.tables, goods, condition, self.restock.as_deref())
    }

    /// The receipt of a unit that is not of a return, with the channel that the rules propose.
    pub(crate) fn complete(&self, receipt: &Receipt) -> Receipt {
        let goods = gather_facts(None, &ReceivedGoods::of(receipt, None));
        Receipt { channel: Some(self.propose(&goods, receipt.condition)), ..receipt.clone() }
    }
}

/// Loads the rules of a merchant in a warehouse.
pub(crate) async fn load_warehouse_rules(
    app: &App,
    merchant: &MerchantId,
    warehouse: Option<&str>,
) -> Result<WarehouseRules, AppError> {
    let (mut tables, mut restock) = (Vec::new(), None);
    if let Some(warehouse) = warehouse.filter(|it| !it.is_empty()) {
        tables.extend(app.store.disposition(merchant, warehouse).await?.map(|it| it.value));
        let known = app.store.warehouse(warehouse).await?;
        restock = known.and_then(|it| it.settings.default_channel);
    }
    tables.extend(app.store.disposition(merchant, "").await?.map(|it| it.value));
    Ok(WarehouseRules { tables, restock })
}

/// The rules that apply to a unit, and what is known about the unit.
#[derive(Clone, Debug)]
pub struct ChannelRules {
    rules: WarehouseRules,
    goods: GoodsFacts,
}

impl ChannelRules {
    /// The channel of a unit in this condition.
    pub fn propose(&self, condition: Condition) -> String {
        self.rules.propose(&self.goods, condition)
    }
}

/// What identifies a unit whose channel is asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReceivedGoods<'a> {
    /// The return that it belongs to.
    pub rma: Option<&'a Rma>,
    pub line: Option<&'a str>,
    pub sku: Option<&'a str>,
    pub upc: Option<&'a str>,
    pub return_reason: Option<&'a str>,
}

impl<'a> ReceivedGoods<'a> {
    fn of(receipt: &'a Receipt, rma: Option<&'a Rma>) -> Self {
        Self {
            rma,
            line: receipt.line_identifier.as_deref(),
            sku: receipt.sku.as_deref(),
            upc: receipt.upc.as_deref(),
            return_reason: receipt.return_reason.as_deref(),
        }
    }

    fn find_unit(&self) -> Option<&'a RmaUnit> {
        let is_meant = |unit: &&RmaUnit| {
            let goods = &unit.goods;
            let same = |code: &str| is_same_code(unit.code(), code);
            match (self.line, self.sku.or(self.upc)) {
                (Some(line), _) => goods.order_line_item_identifier == line,
                (None, Some(code)) => same(code),
                (None, None) => false,
            }
        };
        let mut meant = self.rma?.units.iter().filter(is_meant);
        // Units of one line may be worth different amounts.
        meant.clone().find(|unit| unit.receipt.is_none()).or_else(|| meant.next())
    }
}

/// What is known about a unit, without the tags of its order line.
fn gather_facts(unit: Option<&RmaUnit>, received: &ReceivedGoods<'_>) -> GoodsFacts {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    GoodsFacts {
        sku: unit.and_then(|unit| unit.goods.sku.clone()).or(owned(received.sku)),
        upc: unit.and_then(|unit| unit.goods.upc.clone()).or(owned(received.upc)),
        tags: Vec::new(),
        reason: unit.map(|unit| unit.goods.return_reason.clone()).or(owned(received.return_reason)),
        value_cents: unit.map(|unit| unit.goods.amounts.refund_cents()),
    }
}

/// Loads what decides on the channel of a unit in a warehouse.
#[boxed]
pub async fn load_channel_rules(
    app: &App,
    merchant: &MerchantId,
    warehouse: Option<&str>,
    received: ReceivedGoods<'_>,
) -> Result<ChannelRules, AppError> {
    let rules = load_warehouse_rules(app, merchant, warehouse).await?;
    let unit = received.find_unit();
    let mut goods = gather_facts(unit, &received);
    if let Some(unit) = unit.filter(|_| rules.tables.iter().any(DispositionTable::needs_tags)) {
        let order = find_order(app, merchant, &unit.goods.order_identifier).await?;
        let lines = order.map(|order| order.items).unwrap_or_default();
        let is_meant = |id: &str| *id == unit.goods.order_line_item_identifier;
        let line = lines.into_iter().find(|line| is_meant(&line.identifier));
        goods.tags = line.map(|line| line.tags).unwrap_or_default();
    }
    Ok(ChannelRules { rules, goods })
}

/// A unit that an operator decides about, with the channel that the rules propose if its scan names
/// none. `belongs` is what the operator knows about it.
pub(crate) async fn with_channel_of_question(
    app: &App,
    merchant: &MerchantId,
    mut unit: UnitRecord,
    asn_number: &str,
    belongs: ReceivedGoods<'_>,
) -> Result<UnitRecord, AppError> {
    let asked = unit.questions.iter_mut().find(|it| it.asn_number == asn_number);
    if let Some(question) = asked.filter(|it| it.scanned.channel.is_none()) {
        let ReceivedGoods { rma, line, .. } = belongs;
        let received = ReceivedGoods { rma, line, ..ReceivedGoods::of(&question.scanned, rma) };
        let warehouse = question.scanned.warehouse_identifier.as_deref();
        let rules = load_channel_rules(app, merchant, warehouse, received).await?;
        let channel = rules.propose(question.scanned.condition);
        question.scanned.channel = Some(channel);
    }
    Ok(unit)
}

/// The receipt of a unit of a return with the channel that the rules propose, if it names none.
pub(crate) async fn with_channel(
    app: &App,
    merchant: &MerchantId,
    receipt: &Receipt,
    rma: &RmaId,
) -> Result<Receipt, AppError> {
    if receipt.channel.is_some() {
        return Ok(receipt.clone());
    }
    let rma = app.store.rma(merchant, rma).await?;
    let received = ReceivedGoods::of(receipt, rma.as_ref().map(|rma| &rma.value));
    let warehouse = receipt.warehouse_identifier.as_deref();
    let rules = load_channel_rules(app, merchant, warehouse, received).await?;
    Ok(Receipt { channel: Some(rules.propose(receipt.condition)), ..receipt.clone() })
}
