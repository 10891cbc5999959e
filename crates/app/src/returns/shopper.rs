//! A shopper at the returns portal. The shopper names an order and something that only the buyer,
//! or the person who got the gift, knows. The result is sealed into a pass that the browser keeps,
//! so nothing is stored.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use boxed::boxed;
use bytes::Bytes;
use domain::{
    access::scope::Scopes,
    exchanges::record::ExchangeRecord,
    identifier::{ClientId, MerchantId},
    orders::{erasure::is_erased, order::Order},
    returns::{
        identifier::RmaId,
        rma::{Rma, RmaUnit},
    },
    withdrawal::period::is_shipped_to_eu,
};
use serde::{Deserialize, Serialize};
use world::{Purpose, SealContext};

use crate::{
    App, AppError,
    access::{
        authenticate::Caller,
        lookup_limit::{Examined, LookupAttempt},
        secrets,
    },
    orders::load_order::read_order_body,
    returns::{change_return::order_ids, policies::load_policy},
};

/// How long a pass is valid.
const PASS_US: i64 = 60 * 60 * 1_000_000;

/// The most orders with the same second number that are tried.
const NAMESAKES_MAX: usize = 5;

/// The most returns of an order that are listed.
const RETURNS_MAX: usize = 20;

/// A shopper who may see an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shopper {
    pub merchant: MerchantId,
    pub order_id: String,
    /// Whether the shopper got the goods as a gift. Such a shopper knows where they were shipped,
    /// but not who bought them.
    pub gift: bool,
    /// Whether the shopper may have the right of withdrawal: the order was shipped to the EU, and
    /// the shopper bought it.
    #[serde(default)]
    pub may_withdraw: bool,
    /// Whether the shopper has proven to be the buyer, or to have got the gift. A postal code is
    /// no proof: it shows what can be returned, but moves nothing to another address.
    #[serde(default)]
    pub proven: bool,
    until_us: i64,
}

/// What a shopper enters to find an order.
#[derive(Clone, Debug)]
pub struct ShopperClaim<'a> {
    pub order_number: &'a str,
    /// The e-mail address of the order, or the postal code that it was shipped to.
    pub secret: &'a str,
    pub gift: bool,
}

/// The result of a claim. It does not reveal whether the order exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identification {
    Found(Shopper),
    NotFound,
    /// Whether the claim is true stays secret, because too many failed before it.
    TooManyFailures,
}

/// Finds the shopper, if the claim is true.
#[boxed]
pub async fn identify_shopper(
    app: &App,
    merchant: &MerchantId,
    claim: &ShopperClaim<'_>,
) -> Result<Identification, AppError> {
    let (number, secret) = (claim.order_number.trim(), claim.secret.trim());
    if number.is_empty() || secret.is_empty() {
        return Ok(Identification::NotFound);
    }
    let attempt = LookupAttempt::new(app, merchant, number, secret);
    let claimed = async |body| find_claimed_order(app, merchant, claim, body).await;
    let order = match attempt.examine(app, number, claimed).await? {
        Examined::Valid(order) => order,
        Examined::Invalid => return Ok(Identification::NotFound),
        Examined::TooManyFailures => return Ok(Identification::TooManyFailures),
    };
    let shopper = Shopper::new(app, merchant, &order, claim.gift);
    let proven = claim.gift && is_gift_code(&order, claim.secret);
    Ok(Identification::Found(if proven { shopper.prove() } else { shopper }))
}

/// The order that a claim is true of, given the body of the one with this number. Shoppers know the
/// number of their confirmation, which may be the second one of the order.
async fn find_claimed_order(
    app: &App,
    merchant: &MerchantId,
    claim: &ShopperClaim<'_>,
    body: Option<Bytes>,
) -> Result<Option<Order>, AppError> {
    if claim.gift && !load_policy(app, merchant).await?.policy.gift_returns {
        return Ok(None);
    }
    let number = claim.order_number.trim();
    let first = read_snapshot(body, number)?.filter(|order| is_valid(order, claim));
    if first.is_some() {
        return Ok(first);
    }
    for order_id in app.store.orders_by_secondary(merchant, number, NAMESAKES_MAX).await? {
        let body = app.store.order_body(merchant, &order_id).await?;
        let order = read_snapshot(body, &order_id)?;
        if let Some(order) = order.filter(|order| is_valid(order, claim)) {
            return Ok(Some(order));
        }
    }
    Ok(None)
}

/// The newest snapshot of an order, which says to whom it was sold and shipped.
fn read_snapshot(body: Option<Bytes>, order_id: &str) -> Result<Option<Order>, AppError> {
    body.map(|body| read_order_body(&body, order_id)).transpose()
}

fn is_valid(order: &Order, claim: &ShopperClaim<'_>) -> bool {
    let secret = claim.secret.trim();
    let zip = letters_of(&order.shipping_address.zip_code);
    let knows_zip = !zip.is_empty() && letters_of(secret) == zip;
    let knows_email = order.customer.email.trim().eq_ignore_ascii_case(secret);
    let knows_gift = claim.gift && is_gift_code(order, secret);
    let knows = knows_zip || knows_gift || (knows_email && !claim.gift);
    !is_erased(order) && !secret.is_empty() && knows
}

/// Whether it is the code on the gift receipt, however it is spelled. Hashes are compared, so that
/// the time it takes reveals nothing about the code.
fn is_gift_code(order: &Order, text: &str) -> bool {
    let hash = |text: &str| secrets::hash(letters_of(text).as_bytes());
    order.gift_code.as_deref().is_some_and(|code| hash(code) == hash(text))
}

/// The letters and digits of a text, in lower case.
fn letters_of(text: &str) -> String {
    let letters = text.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// The shopper with proof, if this is the code on the gift receipt.
#[boxed]
pub async fn prove_gift(
    app: &App,
    shopper: &Shopper,
    code: &str,
) -> Result<Identification, AppError> {
    let attempt = LookupAttempt::of_gift_code(app, &shopper.merchant, &shopper.order_id);
    let claim = async |body| {
        let order = read_snapshot(body, &shopper.order_id)?;
        Ok(order.filter(|order| shopper.gift && is_gift_code(order, code)))
    };
    Ok(match attempt.examine(app, &shopper.order_id, claim).await? {
        Examined::Valid(_) => Identification::Found(shopper.clone().prove()),
        Examined::Invalid => Identification::NotFound,
        Examined::TooManyFailures => Identification::TooManyFailures,
    })
}

fn pass_context(merchant: &MerchantId) -> SealContext<'_> {
    SealContext { purpose: Purpose::ShopperPass, merchant: merchant.as_str(), row: "" }
}

impl Shopper {
    pub(crate) fn new(app: &App, merchant: &MerchantId, order: &Order, gift: bool) -> Self {
        Self {
            merchant: merchant.clone(),
            order_id: order.identifier.clone(),
            gift,
            may_withdraw: !gift && is_shipped_to_eu(order),
            proven: false,
            until_us: app.world.wall_clock_us() + PASS_US,
        }
    }

    /// The same shopper, with proof.
    #[must_use]
    pub(crate) fn prove(self) -> Self {
        Self { proven: true, ..self }
    }

    /// The pass, which the browser keeps.
    pub fn pass(&self, app: &App) -> String {
        let text = serde_json::to_vec(self).expect("a shopper has string keys");
        URL_SAFE_NO_PAD.encode(app.vault.seal(&app.world, pass_context(&self.merchant), &text))
    }

    /// The shopper of a pass that is valid.
    pub fn of_pass(app: &App, merchant: &MerchantId, pass: &str) -> Option<Self> {
        let sealed = URL_SAFE_NO_PAD.decode(pass).ok()?;
        let text = app.vault.open(pass_context(merchant), &sealed).ok()?;
        let shopper: Self = serde_json::from_slice(&text).ok()?;
        let valid = shopper.merchant == *merchant && shopper.until_us > app.world.wall_clock_us();
        valid.then_some(shopper)
    }

    /// The portal as a caller that acts for the merchant.
    #[boxed]
    pub async fn load_caller(&self, app: &App) -> Result<Caller, AppError> {
        let merchant = app.store.merchant(&self.merchant).await?;
        let merchant = merchant.filter(|it| it.value.is_live());
        let merchant = merchant.ok_or(AppError::NotFound("merchant"))?.value;
        Ok(Caller {
            client: ClientId::new(&self.merchant, "portal"),
            merchant: Some(merchant.id),
            settings: merchant.settings,
            scopes: Scopes::none(),
            address: None,
            request: None,
        })
    }

    /// The returns that the shopper may see, newest first: the buyer does not see returns of a
    /// gift, and the person who got the gift does not see the buyer's.
    #[boxed]
    pub async fn load_returns(&self, app: &App) -> Result<Vec<Rma>, AppError> {
        let ledger = app.store.ledger(&self.merchant, &self.order_id).await?.value;
        let mut returns = Vec::new();
        for id in ledger.rmas().iter().rev().take(RETURNS_MAX).filter_map(|id| RmaId::parse(id)) {
            let rma = app.store.rma(&self.merchant, &id).await?;
            let own = |rma: &Rma| rma.gift_refund_only() == self.gift;
            returns.extend(rma.map(|it| it.value).filter(own));
        }
        Ok(returns)
    }

    /// Whether the shopper may see the label of a return, and cancel it: one of the order, and the
    /// recipient of a gift only its own.
    pub fn may_change(&self, rma: &Rma) -> bool {
        let of_order = |unit: &RmaUnit| unit.goods.order_identifier == self.order_id;
        rma.gift_refund_only() == self.gift && rma.units.iter().any(of_order)
    }
}

/// The exchange orders of a return. Everyone who knows the return's identifier may see them.
#[boxed]
pub async fn list_exchanges(
    app: &App,
    merchant: &MerchantId,
    rma: &Rma,
) -> Result<Vec<ExchangeRecord>, AppError> {
    let mut exchanges = Vec::new();
    for order_id in order_ids(rma) {
        let record = app.store.exchange_order(merchant, order_id).await?;
        let own = |record: &ExchangeRecord| record.rma_identifier == rma.rma_identifier;
        exchanges.extend(record.map(|it| it.value).filter(own));
    }
    Ok(exchanges)
}
