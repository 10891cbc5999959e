//! Returns in the order of their changes: all of a merchant, or those that the warehouse receives.

use app::returns::return_list::{VisibleReturns, list_changed_returns};
use axum::{Json, extract::State};
use domain::returns::{
    message::expected::ExpectedReturn,
    rma::{Rma, RmaStatus},
};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::{
    lifecycle::view_expected,
    return_answer::{ReturnAnswer, view_return},
};
use crate::core::{
    caller::{AllowedOne, ReturnReaders},
    work_list::{WorkListParameters, reads_everything},
};
use server::{Web, error::ApiError, query::Query};

/// A page of returns.
#[derive(Serialize, ToSchema)]
pub(crate) struct ChangedReturns {
    /// Those that changed first come first.
    #[schema(value_type = Vec<ListedReturn<'_>>)]
    returns: Vec<Value>,
    /// Send it as `after` to continue, now or later.
    #[schema(example = "1771578900000000_acme_RMA-7K3Q-9XWD-2M4T")]
    next: String,
    /// Whether more can be read already.
    more: bool,
}

/// A return in a list.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "describes the entries, which are built as JSON")]
pub(crate) enum ListedReturn<'a> {
    /// For the merchant's own systems.
    Complete(Box<MerchantReturn<'a>>),
    /// For the warehouse.
    Expected(WarehouseReturn<'a>),
}

/// A return with everything that belongs to it.
#[derive(Serialize, ToSchema)]
pub(crate) struct MerchantReturn<'a> {
    /// The merchant of the return.
    #[schema(example = "acme")]
    merchant: &'a str,
    #[serde(flatten)]
    #[schema(inline)]
    content: ReturnAnswer<'a>,
}

/// A return that the warehouse receives.
#[derive(Serialize, ToSchema)]
pub(crate) struct WarehouseReturn<'a> {
    /// The merchant of the return.
    #[schema(example = "acme")]
    merchant: &'a str,
    #[serde(flatten)]
    #[schema(inline)]
    content: ExpectedReturn<'a>,
}

/// List returns
///
/// In the order of their changes: a return that changes moves to the end. Continue from `next`,
/// also when there was nothing more, and no change is missed. `reference` is the return's
/// identifier, a tracking number, or the identifier of an order.
///
/// With the scope `warehouse:write` the list has the returns that our warehouse receives, without
/// amounts and e-mail addresses.
#[utoipa::path(
    get, path = "/returns", operation_id = "list_returns", tag = "Returns",
    params(WorkListParameters),
    responses((status = 200, body = ChangedReturns, description = "A page of the list.",
        example = json!(sample_page()))),
    security(("token" = ["read"]), ("token" = ["warehouse:write"]))
)]
pub(crate) async fn list(
    State(web): State<Web>,
    AllowedOne { caller, .. }: AllowedOne<ReturnReaders>,
    Query(parameters): Query<WorkListParameters>,
) -> Result<Json<ChangedReturns>, ApiError> {
    let query = parameters.query(&caller, &RmaStatus::ALL.map(RmaStatus::name))?;
    let complete = reads_everything(&caller).is_some();
    let visible = if complete { VisibleReturns::All } else { VisibleReturns::ManagedReceiving };
    let page = list_changed_returns(&web.app, &query, visible).await?;
    let view = if complete { view_complete } else { view_expected };
    let returns =
        page.entries.iter().map(|entry| with_merchant(&entry.merchant, view(&entry.value)));
    Ok(Json(ChangedReturns { returns: returns.collect(), next: page.next, more: page.more }))
}

fn view_complete(rma: &Rma) -> Value {
    serde_json::to_value(view_return(rma, None)).expect("the keys are text")
}

fn with_merchant(merchant: &str, mut content: Value) -> Value {
    if let Value::Object(fields) = &mut content {
        fields.insert("merchant".to_owned(), merchant.into());
    }
    content
}

fn sample_page() -> Value {
    let returns = [with_merchant("acme", view_complete(&domain::samples::rma()))];
    let next = "1771578900000000_acme_RMA-7K3Q-9XWD-2M4T";
    serde_json::json!({ "returns": returns, "next": next, "more": false })
}
