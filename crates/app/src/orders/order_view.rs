//! Everything about one order, for the console.

use boxed::boxed;
use domain::{
    exchanges::record::ExchangeRecord,
    identifier::MerchantId,
    orders::order::Order,
    returns::{ledger::Ledger, returnability::Returnability, rma::Rma},
};

use crate::{
    App, AppError,
    messages::message_log::{MessageView, filter_by_reference, view_message},
    orders::{
        load_order::OrderWithLedger,
        returnability::{ReturnableOrder, load_returnable_order},
    },
    returns::refund_problems::ProblemView,
};

/// How many messages about an order are shown.
const MESSAGES_MAX: usize = 50;

/// An order with its returns, exchanges, messages and problems.
#[derive(Clone, Debug)]
pub struct OrderView {
    pub order: Order,
    /// Which units can be returned now.
    pub returnability: Returnability,
    /// The version of the policy that decides this.
    pub policy_version: i64,
    /// Which units are spent.
    pub ledger: Ledger,
    /// In the order of their creation, including canceled ones.
    pub returns: Vec<Rma>,
    /// The exchange order for its units, if one was requested.
    pub exchange: Option<ExchangeRecord>,
    /// The exchange that the order was placed for, if it is an exchange order.
    pub origin: Option<ExchangeRecord>,
    /// Messages about the order itself, newest first.
    pub messages: Vec<MessageView>,
    pub problems: Vec<ProblemView>,
}

#[boxed]
pub async fn load_order_view(
    app: &App,
    merchant: &MerchantId,
    order_id: &str,
) -> Result<OrderView, AppError> {
    let returnable = load_returnable_order(app, merchant, order_id).await?;
    let returnability = returnable.returnability(app);
    let ReturnableOrder { loaded, policy } = returnable;
    let OrderWithLedger { order, ledger, origin, .. } = loaded;
    let ledger = ledger.value;
    let filter = filter_by_reference(order_id, MESSAGES_MAX);
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
        returnability,
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

/// The newest snapshot of an order, byte for byte as the merchant sent it.
#[boxed]
pub async fn load_order_as_sent(
    app: &App,
    merchant: &MerchantId,
    order_id: &str,
) -> Result<bytes::Bytes, AppError> {
    let stored = app.store.stored_order(merchant, order_id).await?;
    Ok(stored.ok_or(AppError::NotFound("order"))?.body)
}
