//! A return with everything that happened to it: what is stored, what its merchant was told and when, what
//! operators did.

mod snapshot;
pub mod timeline;

use domain::{
    exchanges::record::ExchangeRecord,
    identifier::MerchantId,
    messages::kind::MessageKind,
    returns::{
        identifier::RmaId,
        rma::{Rma, RmaEvent, apply},
    },
};
use store::MessageHistory;

use self::timeline::{MessageRecord, TimelineSources, TimelineStep, build_timeline};
use crate::{
    App, AppError,
    core::audit_trail::{AuditEntry, AuditTrailQuery, list_changes},
    messages::message_log::{view_attempt, view_message},
};

/// How many messages about one thing are told.
const MESSAGES_MAX: usize = 200;
/// How far back the audit trail of the merchant is read.
const CHANGES_MAX: usize = 500;

/// A return and its story.
#[derive(Clone, Debug)]
pub struct ReturnStory {
    pub merchant: MerchantId,
    pub rma: Rma,
    /// Exchange orders that were asked for.
    pub exchanges: Vec<ExchangeRecord>,
    /// Oldest first.
    pub steps: Vec<TimelineStep>,
    /// Whether it can be canceled now, and why not.
    pub cancel: Availability,
    /// Whether its receiving can be closed now, and why not.
    pub close_receiving: Availability,
}

/// Whether something can be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Availability {
    Yes,
    /// It would change nothing.
    Done,
    /// Why not, in words.
    No(String),
}

pub async fn load_return_story(app: &App, rma: &str) -> Result<ReturnStory, AppError> {
    let missing = || AppError::NotFound("return");
    let id = RmaId::parse(rma).ok_or_else(missing)?;
    let merchant = app.store.merchant_of_rma(&id).await?.ok_or_else(missing)?;
    let rma = app.store.rma(&merchant, &id).await?.ok_or_else(missing)?.value;
    let query = AuditTrailQuery {
        merchant: Some(&merchant),
        limit: CHANGES_MAX,
        ..AuditTrailQuery::default()
    };
    let (messages, changes, exchanges) = tokio::try_join!(
        async { Ok(app.store.message_histories(&merchant, id.as_str(), MESSAGES_MAX).await?) },
        list_changes(app, &query),
        exchanges(app, &merchant, &rma),
    )?;
    let (exchanges, asked) = exchanges;
    let sources = TimelineSources {
        rma: &rma,
        told: messages.into_iter().map(telling).collect(),
        asked: asked.into_iter().map(telling).collect(),
        changes: relevant(changes.changes, &rma),
    };
    let steps = build_timeline(sources);
    let possible = |event: &RmaEvent| match apply(&rma, event, app.world.now()) {
        Ok(decision) if decision.changed => Availability::Yes,
        Ok(_) => Availability::Done,
        Err(refusal) => Availability::No(refusal.to_string()),
    };
    let (cancel, close_receiving) =
        (possible(&RmaEvent::Canceled), possible(&RmaEvent::ReceivingClosed));
    Ok(ReturnStory { merchant, rma, exchanges, steps, cancel, close_receiving })
}

/// Nothing that happened before the return began is about it.
fn relevant(mut changes: Vec<AuditEntry>, rma: &Rma) -> Vec<AuditEntry> {
    changes.retain(|change| change.at >= rma.created_at);
    changes
}

/// The exchange orders that the return asked for, and the messages that asked.
async fn exchanges(
    app: &App,
    merchant: &MerchantId,
    rma: &Rma,
) -> Result<(Vec<ExchangeRecord>, Vec<MessageHistory>), AppError> {
    let mut orders: Vec<&str> =
        rma.units.iter().map(|unit| unit.goods.order_identifier.as_str()).collect();
    orders.sort_unstable();
    orders.dedup();
    let (mut records, mut asked) = (Vec::new(), Vec::new());
    for order in orders {
        let Some(record) = app.store.exchange_order(merchant, order).await? else { continue };
        if record.value.rma_identifier == rma.rma_identifier {
            let files = app.store.message_histories(merchant, order, MESSAGES_MAX).await?;
            let of_orders = |it: &MessageHistory| it.message.kind == MessageKind::ExchangeOrder;
            asked.extend(files.into_iter().filter(of_orders));
            records.push(record.value);
        }
    }
    Ok((records, asked))
}

fn telling(file: MessageHistory) -> MessageRecord {
    MessageRecord {
        message: view_message(file.message),
        body: file.body,
        attempts: file.attempts.into_iter().map(view_attempt).collect(),
    }
}
