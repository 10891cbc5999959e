//! Everything about one order, for a person who wants to know.

use domain::{
    exchanges::record::ExchangeRecord,
    identifier::MerchantId,
    orders::order::Order,
    returns::{
        ledger::Ledger,
        returnability::{Returnability, check_returnability},
        rma::Rma,
    },
};
use store::MessageFilter;

use crate::{
    App, AppError,
    messages::message_log::{MessageView, view_message},
    orders::returnability::{OrderWithLedger, load_order},
    returns::{policies::load_policy, refund_problems::ProblemView},
};

/// How many messages about an order are shown.
const MESSAGES_MAX: usize = 50;

/// An order and what became of it.
#[derive(Clone, Debug)]
pub struct OrderView {
    pub order: Order,
    /// What can come back now.
    pub returnability: Returnability,
    /// The version of the policy that says so.
    pub policy_version: i64,
    /// What of the order is spent.
    pub ledger: Ledger,
    /// In the order of their creation, cancelled ones too.
    pub returns: Vec<Rma>,
    /// The exchange order for what was bought with it.
    pub exchange: Option<ExchangeRecord>,
    /// How it came about, if it is an exchange order.
    pub origin: Option<ExchangeRecord>,
    /// Newest first; those about its returns are told there.
    pub messages: Vec<MessageView>,
    pub problems: Vec<ProblemView>,
}

pub async fn load_order_view(
    app: &App,
    merchant: &MerchantId,
    order_id: &str,
) -> Result<OrderView, AppError> {
    let (held, policy) =
        tokio::try_join!(load_order(app, merchant, order_id), load_policy(app, merchant))?;
    let OrderWithLedger { order, ledger, origin, .. } = held.ok_or(AppError::NotFound("order"))?;
    let ledger = ledger.value;
    let filter = MessageFilter {
        before: i64::MAX,
        state: None,
        kind: None,
        reference: Some(order_id.to_owned()),
        limit: MESSAGES_MAX,
    };
    let rmas = ledger.rmas().iter().map(|rma| (merchant.as_str(), rma.as_str()));
    let refunds = order.refunds.iter().map(|refund| refund.identifier.as_str());
    let (mut returns, exchange, (messages, _), problems) = tokio::try_join!(
        app.store.returns_named(rmas),
        app.store.exchange_order(merchant, order_id),
        app.store.messages(merchant, &filter),
        app.store.problems_of_refunds(merchant, refunds),
    )?;
    returns.sort_by_key(|(_, rma)| rma.created_at);
    Ok(OrderView {
        returnability: check_returnability(&order, &ledger, &policy.policy, app.world.now()),
        policy_version: policy.version,
        returns: returns.into_iter().map(|(_, rma)| rma).collect(),
        exchange: exchange.map(|it| it.value),
        messages: messages.into_iter().map(view_message).collect(),
        problems: problems.into_iter().map(ProblemView::from).collect(),
        order,
        ledger,
        origin,
    })
}

/// The newest snapshot of an order, byte by byte as the merchant sent it.
pub async fn load_order_as_sent(
    app: &App,
    merchant: &MerchantId,
    order_id: &str,
) -> Result<bytes::Bytes, AppError> {
    let file = app.store.stored_order(merchant, order_id).await?;
    Ok(file.ok_or(AppError::NotFound("order"))?.body)
}
