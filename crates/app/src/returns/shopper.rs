//! A shopper at the returns portal: known by an order number and something that only the buyer, or whoever got
//! the gift, knows. What was shown is sealed into a pass that the browser keeps, so nothing is stored.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::{
    access::scope::Scopes,
    exchanges::record::ExchangeRecord,
    identifier::{ClientId, MerchantId},
    orders::order::Order,
    returns::{identifier::RmaId, rma::Rma},
};
use serde::{Deserialize, Serialize};

use crate::{App, AppError, access::authenticate::Caller, orders::load_order::find_order};

const PASS: &str = "shopper";
/// How long a pass is good.
const PASS_US: i64 = 60 * 60 * 1_000_000;

/// How many returns of an order are listed.
const RETURNS_MAX: usize = 20;

/// Who is looking at which order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shopper {
    pub merchant: MerchantId,
    pub order_id: String,
    /// Whoever got the goods as a gift knows the place they went to, and not who bought them.
    pub gift: bool,
    until_us: i64,
}

/// What a shopper says to be let in.
#[derive(Clone, Debug)]
pub struct ShopperClaim<'a> {
    pub order_number: &'a str,
    /// The e-mail address of the order, or the postal code that it went to.
    pub secret: &'a str,
    pub gift: bool,
}

/// The shopper, if the claim is true. Whether the order exists at all is not told.
pub async fn identify_shopper(
    app: &App,
    merchant: &MerchantId,
    claim: &ShopperClaim<'_>,
) -> Result<Option<Shopper>, AppError> {
    let number = claim.order_number.trim();
    let Some(order) = find_order(app, merchant, number).await? else { return Ok(None) };
    let until_us = app.world.wall_clock_us() + PASS_US;
    let shopper = Shopper {
        merchant: merchant.clone(),
        order_id: order.identifier.clone(),
        gift: claim.gift,
        until_us,
    };
    Ok(is_true(&order, claim).then_some(shopper))
}

fn is_true(order: &Order, claim: &ShopperClaim<'_>) -> bool {
    let said = claim.secret.trim();
    let postal = |text: &str| {
        let letters = text.chars().filter(|letter| letter.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect::<String>()
    };
    let zip = postal(&order.shipping_address.zip_code);
    let knows_zip = !zip.is_empty() && postal(said) == zip;
    let knows_email = order.customer.email.trim().eq_ignore_ascii_case(said);
    !said.is_empty() && (knows_zip || (knows_email && !claim.gift))
}

impl Shopper {
    /// What the browser keeps.
    pub fn pass(&self, app: &App) -> String {
        let text = serde_json::to_vec(self).expect("a shopper has string keys");
        URL_SAFE_NO_PAD.encode(app.vault.seal(&app.world, PASS, &text))
    }

    /// The shopper of a pass, while it is good.
    pub fn of_pass(app: &App, merchant: &MerchantId, pass: &str) -> Option<Self> {
        let sealed = URL_SAFE_NO_PAD.decode(pass).ok()?;
        let text = app.vault.open(PASS, &sealed).ok()?;
        let shopper: Self = serde_json::from_slice(&text).ok()?;
        let good = shopper.merchant == *merchant && shopper.until_us > app.world.wall_clock_us();
        good.then_some(shopper)
    }

    /// The shopper as whoever calls a use case for the merchant.
    pub async fn load_caller(&self, app: &App) -> Result<Caller, AppError> {
        let merchant = app.store.merchant(&self.merchant).await?;
        let merchant = merchant.filter(|it| it.value.is_live());
        let merchant = merchant.ok_or(AppError::NotFound("merchant"))?.value;
        Ok(Caller {
            client: ClientId::new(&self.merchant, "portal"),
            merchant: Some(merchant.id),
            settings: merchant.settings,
            scopes: Scopes::none(),
        })
    }

    /// The returns that the shopper may know of, newest first: whoever bought the goods is not told what
    /// became of a gift, and the other way round.
    pub async fn load_returns(&self, app: &App) -> Result<Vec<Rma>, AppError> {
        let ledger = app.store.ledger(&self.merchant, &self.order_id).await?.value;
        let mut returns = Vec::new();
        for id in ledger.rmas().iter().rev().take(RETURNS_MAX).filter_map(|id| RmaId::parse(id)) {
            let found = app.store.rma(&self.merchant, &id).await?;
            let own = |rma: &Rma| rma.gift_refund_only() == self.gift;
            returns.extend(found.map(|it| it.value).filter(own));
        }
        Ok(returns)
    }

    /// The order that the shopper was let in for.
    pub async fn load_order(&self, app: &App) -> Result<Order, AppError> {
        let found = find_order(app, &self.merchant, &self.order_id).await?;
        found.ok_or(AppError::NotFound("order"))
    }
}

/// The exchange orders of a return. Whoever knows the return's identifier may know of them.
pub async fn list_exchanges(
    app: &App,
    merchant: &MerchantId,
    rma: &Rma,
) -> Result<Vec<ExchangeRecord>, AppError> {
    let mut orders: Vec<&str> =
        rma.units.iter().map(|unit| unit.goods.order_identifier.as_str()).collect();
    orders.sort_unstable();
    orders.dedup();
    let mut exchanges = Vec::new();
    for order_id in orders {
        let record = app.store.exchange_order(merchant, order_id).await?;
        let own = |record: &ExchangeRecord| record.rma_identifier == rma.rma_identifier;
        exchanges.extend(record.map(|it| it.value).filter(own));
    }
    Ok(exchanges)
}
