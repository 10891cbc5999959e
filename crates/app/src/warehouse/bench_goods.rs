//! What the bench shows about the unit in a worker's hand: its picture, and where it goes.

use boxed::boxed;
use domain::{
    returns::{identifier::RmaId, receipt::Condition},
    warehouse::parcel::{ExpectedLine, Parcel},
};

use crate::{
    App, AppError,
    merchants::pictures::create_picture_token,
    orders::load_order::find_order,
    warehouse::disposition::{ChannelRules, ReceivedGoods, load_channel_rules},
};

/// A unit, as the bench shows it.
#[derive(Clone, Debug)]
pub struct BenchGoods {
    /// The token of its picture, if the order has one.
    pub picture: Option<String>,
    rules: ChannelRules,
}

impl BenchGoods {
    /// The channel of the unit in this condition.
    pub fn channel(&self, condition: Condition) -> String {
        self.rules.propose(condition)
    }
}

/// Loads what is known about a unit of a parcel. `line` is absent for a unit that does not match.
#[boxed]
pub async fn load_bench_goods(
    app: &App,
    parcel: &Parcel,
    line: Option<&ExpectedLine>,
    warehouse: &str,
) -> Result<BenchGoods, AppError> {
    let rma = match RmaId::parse(&parcel.number) {
        Some(id) => app.store.rma(&parcel.merchant, &id).await?,
        None => None,
    };
    let rma = rma.as_ref().map(|rma| &rma.value);
    let received = ReceivedGoods {
        rma: rma.filter(|_| line.is_some()),
        line: line.map(|line| line.line_identifier.as_str()),
        sku: line.and_then(|line| line.sku.as_deref()),
        upc: line.and_then(|line| line.upc.as_deref()),
        return_reason: None,
    };
    let rules = load_channel_rules(app, &parcel.merchant, Some(warehouse), received).await?;
    let is_line = |id: &str| line.is_some_and(|line| line.line_identifier == id);
    let unit = rma.and_then(|rma| {
        rma.units.iter().find(|unit| is_line(&unit.goods.order_line_item_identifier))
    });
    let Some(unit) = unit else { return Ok(BenchGoods { picture: None, rules }) };
    let order = find_order(app, &parcel.merchant, &unit.goods.order_identifier).await?;
    let lines = order.map(|order| order.items).unwrap_or_default();
    let url = lines.into_iter().find(|it| is_line(&it.identifier)).and_then(|it| it.image_url);
    let picture = url.and_then(|url| create_picture_token(app, &parcel.merchant, &url));
    Ok(BenchGoods { picture, rules })
}
