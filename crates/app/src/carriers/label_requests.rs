//! An external carrier asks for the labels that returns need.

use boxed::boxed;
use domain::{
    carriers::label_request::{LabelRequest, LabelRequestContext},
    identifier::MerchantId,
    merchants::merchant::CarrierMode,
    returns::{identifier::RmaId, rma::Rma},
};
use futures_util::{StreamExt, TryStreamExt, stream};
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use store::{LabelRequestRow, next_page};
use utoipa::ToSchema;

use crate::{
    App, AppError,
    core::{list_query::read_after, time::time_from_us},
    orders::load_order::find_newest_snapshot,
    returns::change_return::order_ids,
    warehouse::settings::load_return_address,
};

/// How many requests are described at the same time.
const AT_ONCE: usize = 8;

/// A page of label requests.
#[omit_none]
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = WantedLabels)]
pub struct RequestedLabels {
    /// Oldest first.
    pub label_requests: Vec<LabelRequest>,
    /// Pass as `after` to get the next page. Absent on the last page.
    pub next: Option<String>,
}

/// The label requests for external carriers behind `after`, oldest first, of one merchant or all.
/// Each is described with its return and its orders, so `limit` bounds how many are read.
#[boxed]
pub async fn list_label_requests(
    app: &App,
    merchant: Option<&MerchantId>,
    after: Option<&str>,
    limit: usize,
) -> Result<RequestedLabels, AppError> {
    let after = read_after(after)?;
    let carrier = CarrierMode::External.name();
    let rows = app.store.label_requests(carrier, merchant, &after, limit).await?;
    let next = next_page(&rows, limit, LabelRequestRow::cursor);
    let described = stream::iter(rows.into_iter().map(|row| describe(app, row))).buffered(AT_ONCE);
    let found: Vec<Option<LabelRequest>> = described.try_collect().await?;
    Ok(RequestedLabels { label_requests: found.into_iter().flatten().collect(), next })
}

/// Everything that a carrier needs for one label. None if the return is gone.
async fn describe(app: &App, row: LabelRequestRow) -> Result<Option<LabelRequest>, AppError> {
    let Some(id) = RmaId::parse(&row.rma_id) else { return Ok(None) };
    let Some(rma) = app.store.rma(&row.merchant, &id).await? else { return Ok(None) };
    describe_request(app, &row.merchant, &rma.value, row.requested_us).await
}

/// Everything that a carrier needs for the label of a return. None if the merchant is gone.
pub(crate) async fn describe_request(
    app: &App,
    merchant: &MerchantId,
    rma: &Rma,
    requested_us: i64,
) -> Result<Option<LabelRequest>, AppError> {
    let Some(owner) = app.store.merchant(merchant).await? else { return Ok(None) };
    let owner = owner.value;
    let mut orders = Vec::new();
    for order_id in order_ids(rma) {
        orders.extend(find_newest_snapshot(app, merchant, order_id).await?);
    }
    let from = orders.iter().find(|order| order.identifier == rma.sender_order());
    let from = from.map(|order| &order.shipping_address);
    let to = load_return_address(app, &owner, rma, from).await?;
    Ok(Some(LabelRequest::new(&LabelRequestContext {
        merchant,
        rma,
        orders: &orders.iter().collect::<Vec<_>>(),
        return_address: &to,
        weight_unit: owner.settings.weight_unit,
        requested_at: time_from_us(requested_us),
    })))
}
